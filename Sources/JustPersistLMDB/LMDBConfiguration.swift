public import JustPersist

/// The configuration of an LMDB store.
public struct LMDBConfiguration: Sendable, Hashable {
    /// The largest size of the store in bytes; at least 1 MiB.
    ///
    /// The store reserves this much address space; it does not allocate memory or disk space. If the system refuses
    /// to reserve that much, the store starts with less, and reserves more between blocks as it grows. One sixteenth
    /// of the size, at most 1 GiB, is not available to new data, so that you can still delete items from a full store.
    /// The default is 1 TiB, or the largest value of `Int` if that is smaller.
    public var maximumSize: Int

    /// The number of read blocks, in all processes, that may run at a time; at least 1.
    ///
    /// The first process to open a store decides for all that join it.
    public var maximumReaders: Int

    /// The events that a committed write survives.
    ///
    /// `.relaxed` omits one of the two syncs of a commit. A loss of power can then take only the last commit, and the
    /// store stays consistent.
    public var durability: Durability

    /// Whether the store is read-only: it changes nothing in its directory except the lock file.
    ///
    /// If the lock file is not writable, for example on a read-only medium, the store is read without locks. In that
    /// case no other process may write to it.
    public var isReadOnly: Bool

    /// Whether a store that does not exist is created.
    public var createsIfMissing: Bool

    /// The amount of history that the store keeps, for streams of changes; `nil` for the amount that it keeps already.
    ///
    /// The store remembers the setting. A new store keeps no history.
    public var changeLog: ChangeLogLength?

    /// A configuration; each default suits most stores.
    public init(
        maximumSize: Int = Int(clamping: Int64(1) << 40), maximumReaders: Int = 1024,
        durability: Durability = .full,
        isReadOnly: Bool = false, createsIfMissing: Bool = true,
        changeLog: ChangeLogLength? = nil
    ) {
        self.maximumSize = maximumSize
        self.maximumReaders = maximumReaders
        self.durability = durability
        self.isReadOnly = isReadOnly
        self.createsIfMissing = createsIfMissing
        self.changeLog = changeLog
    }

    static let leastMaximumSize = 1 << 20
    static let readerCounts = 1...(1 << 20)

    func validate() throws(DataStoreError) {
        guard maximumSize >= Self.leastMaximumSize else {
            throw DataStoreError(
                .invalidRequest, in: "open",
                "The maximum size of an LMDB store is \(maximumSize) bytes. Allow at least 1 MiB.")
        }
        guard Self.readerCounts ~= maximumReaders else {
            throw DataStoreError(
                .invalidRequest, in: "open",
                "An LMDB store cannot have \(maximumReaders) readers. Choose 1 to 1048576.")
        }
    }
}
