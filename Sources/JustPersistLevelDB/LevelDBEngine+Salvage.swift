package import Foundation
import JustPersist
package import JustPersistRecords

/// Salvaging damaged files.
extension LevelDBEngine: SalvagingEngine {
    /// An engine like this one at another place, which accepts writes.
    package func makeEngine(at directory: URL) -> LevelDBEngine {
        var configuration = configuration
        configuration.isReadOnly = false
        configuration.createsIfMissing = true
        configuration.changeLog = nil
        return LevelDBEngine(at: directory, configuration: configuration)
    }

    /// Reads the tables and logs file by file, without LevelDB.
    ///
    /// LevelDB's own repair drops a table if its index cannot be read, and in a log everything after a damaged block.
    package func salvage(into entries: SalvagedEntries, _ meter: MaintenanceMeter) throws {
        let attributes = try FileAttributes(ofItemAt: url.resolvingSymlinksInPath())
        let names =
            attributes?.type == .typeDirectory
            ? try DirectoryListing.names(in: url, for: "salvage") : []
        // The file that marks a store may be lost.
        let marker = names.contains("CURRENT") ? "CURRENT" : names.first(where: Self.holdsData)
        guard names.contains(where: Self.holdsData), let marker else {
            throw DataStoreError(
                .storeNotFound, in: "salvage",
                "There is no LevelDB store at “\(url.path)”: no table and no log. Check the path.")
        }
        let directory = try StoreDirectory.prepare(
            at: url, marker: marker, engineName: traits.name, createIfMissing: false, readOnly: true
        )
        try directory.checkFiles(names.filter(Self.isOwn))
        // What this user may not read is not lost.
        for file in names.filter(Self.holdsData).map({ directory.url.appending(path: $0).path })
        where !FileManager.default.isReadableFile(atPath: file) {
            throw DataStoreError(systemError: EACCES, in: "salvage", path: file)
        }
        let claim = try OpenStores.claim(directory, files: ["LOCK"])
        defer { claim.release() }
        try FileLock.withLockIfThere(in: directory.url, for: "salvage") {
            let salvage = FileSalvage(in: directory.url, into: entries, meter)
            try salvage.run(names)
        }
    }
}
