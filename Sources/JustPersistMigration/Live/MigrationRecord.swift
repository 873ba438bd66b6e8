import Foundation
import JustPersist

/// The state of a migration, as the file of a ``MigratingDataStore`` stores it.
struct MigrationRecord: Codable, Equatable {
    /// The format of the file.
    private var format = 1
    /// The phase of the migration.
    var phase: MigratingDataStore.Phase
    /// The histories of the two stores, which identify them.
    let old: ItemID
    let new: ItemID
    /// The place in the primary's history up to which the other store is the same; `nil` if it is not known.
    var token: ChangeToken?

    init(_ phase: MigratingDataStore.Phase, old: ItemID, new: ItemID) {
        self.phase = phase
        self.old = old
        self.new = new
    }

    /// Reads a file; `nil` if there is none.
    init?(at url: URL) throws(DataStoreError) {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            let failure = DataStoreError(fileError: error, in: "open", path: url.path)
            if failure.code == .storeNotFound { return nil }
            throw failure
        }
        do {
            self = try JSONDecoder().decode(Self.self, from: data)
        } catch {
            throw Self.unreadable(url)
        }
        guard format == 1 else { throw Self.unreadable(url) }
    }

    private static func unreadable(_ url: URL) -> DataStoreError {
        DataStoreError(
            .invalidInput, in: "open",
            """
            “\(url.path)” does not say how far the migration is: it was written by something else, or by a newer release. \
            Choose the file that was given before, or put it back.
            """)
    }

    /// Writes the file: after a crash it is completely the old one or completely the new one.
    func write(to url: URL) throws(DataStoreError) {
        let draft = url.appendingPathExtension("new")
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(self).write(to: draft)
            let file = try FileHandle(forUpdating: draft)
            defer { try? file.close() }
            try file.synchronize()
            guard unsafe rename(draft.path, url.path) == 0 else {
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            }
        } catch {
            throw DataStoreError(fileError: error, in: "migrate", path: url.path)
        }
        try url.deletingLastPathComponent().synchronizeDirectory(in: "migrate")
    }
}
