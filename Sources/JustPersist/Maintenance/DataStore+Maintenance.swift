public import Foundation

/// Maintenance of a store.
///
/// All of these calls return when the work is done, which may take minutes: do not call them on the main thread. They
/// are refused inside a block of the store if they would have to wait for it.
extension DataStore {
    /// Checks the whole store for damage, and reports its progress.
    ///
    /// Blocks of the store continue to run. Damage is listed in the report; this throws only if the store cannot be
    /// read at all, or if `progress` throws. Damaged LMDB files can end the process: let another process verify files
    /// that may be damaged, as the tool `justpersist verify` does.
    ///
    /// - Parameter progress: Called from time to time on the calling thread.
    public func verify(
        progress: (MaintenanceProgress) throws -> Void
    ) throws -> VerificationReport {
        guard let store = self as? any MaintainableDataStore else { return try verify() }
        return try withoutActuallyEscaping(progress) { progress in
            try store.performVerification(MaintenanceMeter(progress))
        }
    }

    /// Rebuilds the store's derived data where it does not agree with the items: indexes, item counts, the change log; and
    /// makes both sides of relationships agree.
    ///
    /// References to items that do not exist become nil, unless a rule of no action, now or earlier, or one that denies
    /// allows them, and links of such items are deleted. This includes references to items that an unfinished import has
    /// not brought yet. Nothing else of an item is changed, and no item is deleted. Damage that cannot be repaired from the items is left as it is and listed in the
    /// report; a store whose files are damaged in their structure is refused with ``DataStoreError/Code/corrupted``,
    /// and left untouched. Restore such a store from a backup, or save the readable items with
    /// ``salvage(into:progress:)``.
    ///
    /// - Parameter progress: Called from time to time on the calling thread.
    public func repair(
        progress: (MaintenanceProgress) throws -> Void = { _ in }
    ) throws -> RepairReport {
        let store = try maintainable("repair")
        return try withoutActuallyEscaping(progress) { progress in
            try store.performRepair(MaintenanceMeter(progress))
        }
    }

    /// Writes every item that can still be read from the files of this closed store, which may be damaged in any way, into
    /// a new store of the same kind.
    ///
    /// The files are only read, and the store need not be in a state that can be opened. An item is saved if its
    /// checksum is valid. Indexes and item counts are rebuilt, and links of lost items and references to them are
    /// dropped. The new store has its own id and no change log; it
    /// is written next to its final place and renamed when it is complete and verified. Damage is listed in the
    /// report; this throws if nothing can be read at all.
    ///
    /// - Parameters:
    ///   - directory: The place of the new store, where nothing may exist.
    ///   - progress: Called from time to time on the calling thread.
    /// - Throws: ``DataStoreError/Code/alreadyOpen`` for an open store;
    ///   ``DataStoreError/Code/lockedByAnotherProcess``; ``DataStoreError/Code/targetNotEmpty`` if something exists at
    ///   that place; ``DataStoreError/Code/newerFormat``; ``DataStoreError/Code/storeNotFound``;
    ///   ``DataStoreError/Code/unsupported``; or a failure of the storage.
    public func salvage(
        into directory: URL, progress: (MaintenanceProgress) throws -> Void = { _ in }
    ) throws -> SalvageReport {
        let store = try maintainable("salvage")
        return try withoutActuallyEscaping(progress) { progress in
            try store.performSalvage(into: directory, MaintenanceMeter(progress))
        }
    }

    /// Writes a copy of the store's committed state at one moment into a new directory.
    ///
    /// Blocks of the store continue to run, except that writes may wait for a moment. The copy is written next to its
    /// final place, synced, and renamed when it is complete: if the process dies, nothing that looks like a store is
    /// left. To restore a backup, open it, or move it to the store's place.
    ///
    /// A backup is the same store: it has the store's id and history. To continue with two independent stores, copy
    /// the store with a migration instead.
    ///
    /// - Parameters:
    ///   - directory: The place of the copy, where nothing may exist.
    ///   - previous: An earlier backup on the same volume. Files that have not changed since are linked instead of
    ///     copied, and take no further space. Only LevelDB has such files.
    ///   - progress: Called from time to time on the calling thread.
    /// - Throws: ``DataStoreError/Code/targetNotEmpty`` if something exists at that place;
    ///   ``DataStoreError/Code/unsupported``; or a failure of the storage.
    public func backUp(
        to directory: URL, since previous: URL? = nil,
        progress: (MaintenanceProgress) throws -> Void = { _ in }
    ) throws -> BackupReport {
        let store = try maintainable("backUp")
        return try withoutActuallyEscaping(progress) { progress in
            try store.performBackup(to: directory, since: previous, MaintenanceMeter(progress))
        }
    }

    /// Returns unused space to the file system.
    ///
    /// LMDB writes a second file and replaces the first: blocks wait for that, and no other process may have the store
    /// open. LevelDB merges its tables while blocks continue to run. Both need free space for up to a second copy. If
    /// the process dies, the store is either as it was or compacted, and undamaged.
    ///
    /// - Parameter progress: Called from time to time on the calling thread.
    /// - Throws: ``DataStoreError/Code/lockedByAnotherProcess``, ``DataStoreError/Code/readOnly``,
    ///   ``DataStoreError/Code/corrupted`` for a store that is damaged in its structure,
    ///   ``DataStoreError/Code/unsupported``, or a failure of the storage. Nothing has changed then.
    public func compact(
        progress: (MaintenanceProgress) throws -> Void = { _ in }
    ) throws -> CompactionReport {
        let store = try maintainable("compact")
        return try withoutActuallyEscaping(progress) { progress in
            try store.performCompaction(MaintenanceMeter(progress))
        }
    }

    private func maintainable(
        _ operation: String
    ) throws(DataStoreError) -> any MaintainableDataStore {
        guard let store = self as? any MaintainableDataStore else {
            throw DataStoreError(
                .unsupported, in: operation,
                """
                This kind of store does not support that. Copy its items into another store with a migration, or use \
                the tools of the framework below it.
                """)
        }
        return store
    }
}
