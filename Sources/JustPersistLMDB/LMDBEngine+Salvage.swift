package import Foundation
import JustPersist
package import JustPersistRecords

/// Salvaging damaged files.
extension LMDBEngine: SalvagingEngine {
    /// An engine like this one at another place, which accepts writes.
    package func makeEngine(at directory: URL) -> LMDBEngine {
        var configuration = configuration
        configuration.isReadOnly = false
        configuration.createsIfMissing = true
        configuration.changeLog = nil
        return LMDBEngine(at: directory, configuration: configuration)
    }

    /// Reads the file page by page, without LMDB.
    package func salvage(into entries: SalvagedEntries, _ meter: MaintenanceMeter) throws {
        let directory = try StoreDirectory.prepare(
            at: url, marker: DataFile.name, engineName: traits.name, createIfMissing: false,
            readOnly: true, isLeftover: { $0 == DataFile.lockName || DataFile.isDraft($0) })
        try directory.checkFiles(DataFile.names)
        let claim = try OpenStores.claim(directory, files: DataFile.names)
        defer { claim.release() }
        try ExclusiveLock.withLockIfThere(in: directory, for: "salvage") {
            let file: PageFile
            do {
                file = try PageFile(DataFile(directory: directory).url)
            } catch {
                throw DataStoreError(fileError: error, in: "salvage", path: directory.path)
            }
            var salvage = PageSalvage(file, into: entries, meter)
            try salvage.run()
        }
    }
}
