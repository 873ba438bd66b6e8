/// The result of ``DataStore/repair(progress:)``.
public struct RepairReport: Sendable {
    /// The damage that was repaired.
    public var repaired: [DataStoreError]
    /// The damage that remains, because it cannot be repaired from the items, and numbers of related items that are beyond
    /// their limits after the repair.
    public var remaining: [DataStoreError]

    /// A report.
    public init(repaired: [DataStoreError] = [], remaining: [DataStoreError] = []) {
        self.repaired = repaired
        self.remaining = remaining
    }
}

/// The result of ``DataStore/backUp(to:since:progress:)``.
public struct BackupReport: Sendable, Hashable {
    /// The bytes of all files of the backup.
    public var bytes: Int
    /// The bytes that are shared with the earlier backup, and take no further space.
    public var sharedBytes: Int

    /// A report.
    public init(bytes: Int, sharedBytes: Int = 0) {
        self.bytes = bytes
        self.sharedBytes = sharedBytes
    }
}

/// The result of ``DataStore/compact(progress:)``.
public struct CompactionReport: Sendable, Hashable {
    /// The bytes that the store's files took before; 0 for a store without files.
    public var bytesBefore: Int
    /// The bytes that they take now.
    public var bytesAfter: Int

    /// A report.
    public init(bytesBefore: Int, bytesAfter: Int) {
        self.bytesBefore = bytesBefore
        self.bytesAfter = bytesAfter
    }
}
