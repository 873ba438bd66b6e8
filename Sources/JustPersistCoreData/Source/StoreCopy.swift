import Foundation
import JustPersist

/// A private copy of a store's files, which is deleted with the object, or by the next import if the process is killed.
///
/// SQLite opens the copy only: opening the original would write its log back into it, and delete the log.
final class StoreCopy {
    /// The copied file.
    let file: URL
    /// The file that was copied, after symbolic links.
    let original: URL
    private let directory: PrivateDirectory

    /// Copies a store, with its write-ahead log or its journal.
    init(_ url: URL) throws(DataStoreError) {
        // SQLite looks for the log beside the file to which a link leads.
        let original = url.resolvingSymlinksInPath()
        let before = try Self.state(of: original, named: url)
        directory = try PrivateDirectory()
        file = directory.url.appending(path: "store.sqlite")
        self.original = original
        do {
            for ending in Self.endings {
                let part = Self.part(original, ending)
                if FileManager.default.fileExists(atPath: part.path(percentEncoded: false)) {
                    try Self.copy(part, to: Self.part(file, ending))
                }
            }
            try WriteAheadLog.check(Self.part(file, "-wal"), of: original.lastPathComponent)
            if try Self.namesOtherFile(Self.part(file, "-journal")) {
                throw DataStoreError(
                    .invalidInput, in: "import",
                    """
                    The journal of “\(url.lastPathComponent)” belongs to a transaction over several databases, which a copy \
                    cannot complete. Open the store once with its program, and import again.
                    """)
            }
        } catch let error as DataStoreError {
            throw error
        } catch {
            throw DataStoreError(
                fileError: error, in: "import", path: url.path(percentEncoded: false))
        }
        if try Self.state(of: original, named: url) != before {
            throw DataStoreError(
                .invalidInput, in: "import",
                "“\(url.lastPathComponent)” changed while it was read. End the program that uses it, and import again."
            )
        }
    }

    private static let endings = ["", "-wal", "-journal"]

    private static func part(_ file: URL, _ ending: String) -> URL {
        file.deletingLastPathComponent().appending(path: file.lastPathComponent + ending)
    }

    /// Whether a rollback journal names another file, which SQLite would delete after playing the journal back.
    ///
    /// The name precedes this mark at the end of the journal: see “The Super-Journal” in SQLite's description of its file
    /// format.
    private static func namesOtherFile(_ journal: URL) throws -> Bool {
        guard let file = try? FileHandle(forReadingFrom: journal) else { return false }
        defer { try? file.close() }
        let size = try file.seekToEnd()
        if size < 16 { return false }
        try file.seek(toOffset: size - 8)
        return try file.read(upToCount: 8)
            == Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
    }

    /// The sizes and times of the files.
    private static func state(
        of original: URL, named url: URL
    ) throws(DataStoreError) -> [[FileAttributeKey: String]] {
        var state: [[FileAttributeKey: String]] = []
        for ending in endings {
            let path = part(original, ending).path(percentEncoded: false)
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            let type = attributes?[.type] as? FileAttributeType
            if !ending.isEmpty, let type, type != .typeRegular {
                throw DataStoreError(
                    .invalidInput, in: "import",
                    """
                    “\(original.lastPathComponent + ending)” is no regular file, so the store cannot be copied. Remove it, or copy \
                    the store and its log to another directory.
                    """)
            }
            if ending.isEmpty, type != .typeRegular {
                throw DataStoreError(
                    .invalidInput, in: "import",
                    """
                    There is no file “\(url.path(percentEncoded: false))”. Give the path of a store of Core Data, which is an \
                    SQLite file.
                    """)
            }
            state.append(
                [.size, .modificationDate, .systemFileNumber].reduce(into: [:]) { known, key in
                    // The text of a date has whole seconds only.
                    known[key] = attributes?[key].map { value in
                        (value as? Date).map { "\($0.timeIntervalSinceReferenceDate)" }
                            ?? "\(value)"
                    }
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
