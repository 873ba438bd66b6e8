import Foundation
import JustPersist

/// A private copy of a store's files, which is deleted with the object.
///
/// SQLite opens the copy only: opening the original would write its log back into it, and delete the log.
final class StoreCopy {
    /// The copied file.
    let file: URL
    /// The file that was copied, after symbolic links.
    let original: URL
    private let directory: URL

    /// Copies a store, with its write-ahead log or its journal.
    init(_ url: URL) throws(DataStoreError) {
        // SQLite looks for the log beside the file to which a link leads.
        let original = url.resolvingSymlinksInPath()
        let before = try Self.state(of: original, named: url)
        directory = FileManager.default.temporaryDirectory
            .appending(path: "justpersist-coredata-\(UUID().uuidString)")
        file = directory.appending(path: "store.sqlite")
        self.original = original
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            for ending in Self.endings {
                let part = Self.part(original, ending)
                if FileManager.default.fileExists(atPath: part.path(percentEncoded: false)) {
                    try Self.copy(part, to: Self.part(file, ending))
                }
            }
        } catch {
            try? FileManager.default.removeItem(at: directory)
            throw DataStoreError(
                fileError: error, in: "import", path: url.path(percentEncoded: false))
        }
        if try Self.state(of: original, named: url) != before {
            try? FileManager.default.removeItem(at: directory)
            throw DataStoreError(
                .invalidInput, in: "import",
                "“\(url.lastPathComponent)” changed while it was read. End the program that uses it, and import again."
            )
        }
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    private static let endings = ["", "-wal", "-journal"]

    private static func part(_ file: URL, _ ending: String) -> URL {
        file.deletingLastPathComponent().appending(path: file.lastPathComponent + ending)
    }

    /// The sizes and times of the files.
    private static func state(
        of original: URL, named url: URL
    ) throws(DataStoreError) -> [[FileAttributeKey: String]] {
        var state: [[FileAttributeKey: String]] = []
        for ending in endings {
            let path = part(original, ending).path(percentEncoded: false)
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            if ending.isEmpty, attributes?[.type] as? FileAttributeType != .typeRegular {
                throw DataStoreError(
                    .invalidInput, in: "import",
                    """
                    There is no file “\(url.path(percentEncoded: false))”. Give the path of a store of Core Data, which is an \
                    SQLite file.
                    """)
            }
            state.append(
                [.size, .modificationDate, .systemFileNumber].reduce(into: [:]) { known, key in
                    known[key] = attributes?[key].map { "\($0)" }
                })
        }
        return state
    }

    private static func copy(_ file: URL, to copy: URL) throws {
        let source = try FileHandle(forReadingFrom: file)
        defer { try? source.close() }
        try Data().write(to: copy)
        let target = try FileHandle(forWritingTo: copy)
        defer { try? target.close() }
        while let piece = try source.read(upToCount: 1 << 20), !piece.isEmpty {
            try target.write(contentsOf: piece)
        }
    }
}
