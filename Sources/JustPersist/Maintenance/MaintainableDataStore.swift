public import Foundation

/// A store that can look after its own files.
///
/// The stores of this package conform. Programs call the methods of ``DataStore``, such as
/// ``DataStore/backUp(to:since:progress:)``, which refuse with ``DataStoreError/Code/unsupported`` where a store does
/// not conform. Conform if you write a store that can do some of this; refuse the rest.
public protocol MaintainableDataStore: DataStore {
    /// Checks the whole open store for damage: see ``DataStore/verify(progress:)``.
    func performVerification(_ meter: MaintenanceMeter) throws -> VerificationReport

    /// Makes what can be derived from the items of the open store anew where it is damaged: see
    /// ``DataStore/repair(progress:)``.
    func performRepair(_ meter: MaintenanceMeter) throws -> RepairReport

    /// Writes a copy of the open store's committed state: see ``DataStore/backUp(to:since:progress:)``.
    func performBackup(
        to directory: URL, since previous: URL?, _ meter: MaintenanceMeter
    ) throws -> BackupReport

    /// Gives the room back that the open store no longer uses: see ``DataStore/compact(progress:)``.
    func performCompaction(_ meter: MaintenanceMeter) throws -> CompactionReport

    /// Writes what can still be read of the closed store's files into a new store: see
    /// ``DataStore/salvage(into:progress:)``. By default it is refused.
    func performSalvage(into directory: URL, _ meter: MaintenanceMeter) throws -> SalvageReport
}

extension MaintainableDataStore {
    /// Refused with ``DataStoreError/Code/unsupported``.
    public func performSalvage(
        into directory: URL, _ meter: MaintenanceMeter
    ) throws -> SalvageReport {
        throw DataStoreError(
            .unsupported, in: "salvage",
            "This kind of store has no files of its own that could be read one by one. Restore it from a backup."
        )
    }
}
