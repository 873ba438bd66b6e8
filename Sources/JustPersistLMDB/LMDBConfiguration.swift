public import JustPersist

/// How an LMDB store is opened.
public struct LMDBConfiguration: Sendable, Hashable {
    /// The largest size of the store in bytes; at least 1 MiB.
    ///
    /// This much address space is reserved, neither memory nor disk. Where the system refuses to reserve
    /// so much, less is reserved at first, and more between blocks as the store grows. A sixteenth, at
    /// most 1 GiB, is kept back from new data, so that a full store can still delete. By default 1 TiB, or what
    /// an address of 32 bits reaches.
    public var maximumSize: Int

    /// The number of read blocks, in all processes, that may run at a time; at least 1.
    ///
    /// The first process to open a store decides for all that join it.
    public var maximumReaders: Int

    /// What a committed write survives.
    ///
    /// `.relaxed` saves one of the two syncs of a commit: only the last commit can be lost with the
    /// power, and the store stays whole.
    public var durability: Durability

    /// Whether the store is only read, and nothing in its directory changed but the lock file.
    ///
    /// Where the lock file cannot be written, on a read-only medium say, the store is read without
    /// locks: then nobody may write to it meanwhile.
    public var isReadOnly: Bool

    /// Whether a store that is not there is made.
    public var createsIfMissing: Bool

    /// A configuration; each default suits most stores.
    public init(
        maximumSize: Int = Int(clamping: Int64(1) << 40), maximumReaders: Int = 1024,
        durability: Durability = .full,
        isReadOnly: Bool = false, createsIfMissing: Bool = true
    ) {
        self.maximumSize = maximumSize
        self.maximumReaders = maximumReaders
        self.durability = durability
        self.isReadOnly = isReadOnly
        self.createsIfMissing = createsIfMissing
    }

    static let leastMaximumSize = 1 << 20

    func validate() throws(DataStoreError) {
        guard maximumSize >= Self.leastMaximumSize else {
            throw DataStoreError(
                .invalidRequest, in: "open",
                "The maximum size of an LMDB store is \(maximumSize) bytes. Allow at least 1 MiB.")
        }
        guard 1...(1 << 20) ~= maximumReaders else {
            throw DataStoreError(
                .invalidRequest, in: "open",
                "An LMDB store cannot have \(maximumReaders) readers. Choose 1 to 1048576.")
        }
    }
}
