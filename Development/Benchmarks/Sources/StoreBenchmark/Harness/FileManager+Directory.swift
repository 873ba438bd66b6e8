import Foundation

extension FileManager {
    /// Calls `body` with a new directory, which is removed afterwards.
    func withBenchmarkDirectory(_ body: (URL) throws -> Void) throws {
        let directory = temporaryDirectory.appending(
            path: "justpersist-benchmark-\(UUID().uuidString)")
        defer { try? removeItem(at: directory) }
        try createDirectory(at: directory, withIntermediateDirectories: true)
        try body(directory)
    }
}
