public import Foundation

/// A store that can maintain its own files.
///
/// The stores of this package conform. Programs call the methods of ``DataStore``, such as
/// ``DataStore/backUp(to:since:progress:)``, which refuse with ``DataStoreError/Code/unsupported`` if a store does not
/// conform. Conform if you write a store that can do some of this; refuse the rest.
public protocol MaintainableDataStore: DataStore {
    /// Checks the whole open store for damage: see ``DataStore/verify(progress:)``.
    func performVerification(_ meter: MaintenanceMeter) throws -> VerificationReport

    /// Rebuilds damaged derived data of the open store from its items, and repairs relationships: see ``DataStore/repair(progress:)``.
    func performRepair(_ meter: MaintenanceMeter) throws -> RepairReport

    /// Writes a copy of the open store's committed state: see ``DataStore/backUp(to:since:progress:)``.
    func performBackup(
        to directory: URL, since previous: URL?, _ meter: MaintenanceMeter
    ) throws -> BackupReport

    /// Returns unused space of the open store: see ``DataStore/compact(progress:)``.
    func performCompaction(_ meter: MaintenanceMeter) throws -> CompactionReport

    /// Writes the readable items of the closed store's files into a new store: see
    /// ``DataStore/salvage(into:progress:)``. The default refuses.
    func performSalvage(into directory: URL, _ meter: MaintenanceMeter) throws -> SalvageReport
}

extension MaintainableDataStore {
    /// Refuses, with ``DataStoreError/Code/unsupported``.
    public func performSalvage(
        into directory: URL, _ meter: MaintenanceMeter
    ) throws -> SalvageReport {
        throw DataStoreError(
            .unsupported, in: "salvage",
            "This kind of store has no files of its own that could be read one by one. Restore it from a backup."
        )
    }
}
