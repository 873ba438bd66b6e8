import Foundation

/// A failing history in a file.
///
/// Later runs execute it before all others, also after the store is corrected.
struct ReplayFile: Codable, Hashable {
    /// The check that found it.
    var check: String
    /// The seed with which it was generated.
    var seed: UInt64
    /// A description of the failure, for a reader.
    var failure: String
    /// The shrunk history.
    var history: ModelHistory

    /// The name of the file, made from the check and the seed: `model-crud-17.json`.
    var fileName: String { "\(check.replacing("/", with: "-"))-\(seed).json" }

    /// Writes the file into a directory, which is created if it does not exist, and returns the file's URL.
    @discardableResult
    func write(to directory: URL) throws -> URL {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let file = directory.appending(path: fileName)
        try encoder.encode(self).write(to: file, options: .atomic)
        return file
    }

    /// Reads a replay file.
    init(contentsOf file: URL) throws {
        self = try JSONDecoder().decode(ReplayFile.self, from: Data(contentsOf: file))
    }

    init(check: String, seed: UInt64, failure: String, history: ModelHistory) {
        self.check = check
        self.seed = seed
        self.failure = failure
        self.history = history
    }

    /// The files in a directory, sorted by name; none if the directory does not exist.
    static func files(in directory: URL) throws -> [URL] {
        guard FileManager.default.fileExists(atPath: directory.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(
            at: directory, includingPropertiesForKeys: nil
        )
        .filter { $0.pathExtension == "json" }
        .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }
}
