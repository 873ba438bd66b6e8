import Foundation

/// A directory of its own for each trial, which goes when the trial has found nothing.
struct Directory: Sendable {
    let path: String

    /// A new directory inside of another.
    init(in parent: String, _ name: String) throws {
        path = parent + "/" + name
        guard mkdir(path, 0o700) == 0 else { throw TortureError("mkdir \(path): \(errno)") }
    }

    /// Where the trial's store is.
    var store: String { path + "/store" }
    /// Where the probe leaves its acknowledgements.
    var acknowledgements: String { path + "/acks" }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Copies a directory with its files, without following anything.
    static func copy(_ source: String, to destination: String) throws {
        guard mkdir(destination, 0o700) == 0 else {
            throw TortureError("mkdir \(destination): \(errno)")
        }
        for name in try files(in: source) {
            guard let bytes = FileManager.default.contents(atPath: source + "/" + name),
                FileManager.default.createFile(
                    atPath: destination + "/" + name, contents: bytes,
                    attributes: [.posixPermissions: 0o600])
            else { throw TortureError("\(source)/\(name) cannot be copied") }
        }
    }

    /// The names of the files in a directory, sorted.
    static func files(in path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }
}
