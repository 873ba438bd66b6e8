/// What ``DataStore/repair(progress:)`` found, and what it did.
public struct RepairReport: Sendable {
    /// What was wrong and is right now.
    public var repaired: [DataStoreError]
    /// What is still wrong, for it cannot be derived from the items.
    public var remaining: [DataStoreError]

    /// A report.
    public init(repaired: [DataStoreError] = [], remaining: [DataStoreError] = []) {
        self.repaired = repaired
        self.remaining = remaining
    }
}

/// What ``DataStore/backUp(to:since:progress:)`` wrote.
public struct BackupReport: Sendable, Hashable {
    /// The bytes of all files of the backup.
    public var bytes: Int
    /// Those of them that are shared with the earlier backup, and take no further room.
    public var sharedBytes: Int

    /// A report.
    public init(bytes: Int, sharedBytes: Int = 0) {
        self.bytes = bytes
        self.sharedBytes = sharedBytes
    }
}

/// What ``DataStore/compact(progress:)`` came to.
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
