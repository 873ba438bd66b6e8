import CLMDB
public import Foundation
public import JustPersist
import JustPersistRecords

/// Backups and compaction.
extension LMDBEngine {
    /// Copies the pages of the last commit into a file of the directory.
    ///
    /// Writes wait only until LMDB has copied the first two pages.
    public func backUp(
        to directory: URL, since previous: URL?, pausingWrites: (() throws -> Void) throws -> Void,
        _ meter: MaintenanceMeter
    ) throws -> BackupReport {
        if previous != nil {
            throw DataStoreError(
                .unsupported, in: "backUp",
                "An LMDB store is one file, so a backup shares nothing with an earlier one. Leave the "
                    + "earlier backup out.")
        }
        let draft = directory.appending(path: "data.unfinished")
        let length = try withTransaction { transaction in
            try transaction.environment.copy(to: draft, for: "backUp", meter)
        }
        try FileManager.default.moveItem(at: draft, to: directory.appending(path: DataFile.name))
        return BackupReport(bytes: length)
    }

    /// Writes the pages in use to a second file, and replaces the first one with it, once no block runs.
    ///
    /// - Throws: `.lockedByAnotherProcess`; `.insideBlock` if blocks run for ten seconds; `.corrupted` if the file is
    ///   damaged.
    public func compact(_ meter: MaintenanceMeter) throws -> CompactionReport {
        try meter.begin(.structure)
        if let damage = try verify().first { throw damage }
        return try whileUnused(for: "compact") { directory in
            try DataFile(directory: directory).compact(meter)
        }
    }
}
