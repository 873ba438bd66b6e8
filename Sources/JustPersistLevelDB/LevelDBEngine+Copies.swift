public import Foundation
public import JustPersist
import JustPersistRecords

/// Backups and compaction.
extension LevelDBEngine {
    /// Copies the files of the database: the tables while blocks run, and the rest while no block writes.
    ///
    /// Tables that an earlier backup contains, byte for byte, are linked.
    public func backUp(
        to directory: URL, since previous: URL?, pausingWrites: (() throws -> Void) throws -> Void,
        _ meter: MaintenanceMeter
    ) throws -> BackupReport {
        let session = try openSession(in: "backUp")
        let database = try session.databaseForMaintenance("backUp")
        if let previous,
            try FileAttributes(ofItemAt: previous.appending(path: "CURRENT")) == nil
        {
            throw DataStoreError(
                .storeNotFound, in: "backUp",
                "There is no backup of a LevelDB store at “\(previous.path)”. Name an earlier backup, or "
                    + "none.")
        }
        do {
            var copy = FilesCopy(
                from: URL(filePath: database.path), hasLinks: session.isView, to: directory,
                since: previous, meter)
            return try copy.make(pausingWrites: pausingWrites)
        } catch let error as CocoaError {
            throw DataStoreError(fileError: error, in: "backUp", path: directory.path)
        } catch let error as POSIXError {
            throw DataStoreError(fileError: error, in: "backUp", path: directory.path)
        }
    }

    /// Merges all tables, to free the space of deleted and replaced data.
    ///
    /// Blocks continue. Tables that a running read block still needs are deleted later. On a full disk it uses the
    /// reserved space.
    public func compact(_ meter: MaintenanceMeter) throws -> CompactionReport {
        try refuseIfReadOnly("compact")
        let session = try openSession(in: "compact")
        let database = try session.databaseForCompaction()
        defer { session.didCompact() }
        let directory = URL(filePath: database.path)
        let before = try Self.byteCount(in: directory)
        try meter.begin(.files, totalBytes: before)
        database.compact()
        return CompactionReport(bytesBefore: before, bytesAfter: try Self.byteCount(in: directory))
    }

    private static func byteCount(in directory: URL) throws(DataStoreError) -> Int {
        var count = 0
        for name in try DirectoryListing.names(in: directory, for: "compact")
        where isOwn(name) && name != Reserve.fileName {
            let path = directory.appending(path: name).path
            // The file might no longer exist.
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            count += (attributes?[.size] as? NSNumber)?.intValue ?? 0
        }
        return count
    }
}
