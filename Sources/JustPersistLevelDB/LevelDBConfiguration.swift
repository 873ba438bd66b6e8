public import JustPersist

/// The configuration of a LevelDB store.
public struct LevelDBConfiguration: Sendable, Hashable {
    /// The events that a committed write survives.
    ///
    /// Use the same durability for a store each time: commits with `.relaxed` weaken those with `.full`.
    public var durability: Durability
    /// The size in bytes of the changes that LevelDB collects in memory before it sorts them into a file.
    ///
    /// Up to two such buffers are held in memory, and the same amount in logs.
    public var writeBufferSize: Int
    /// The size in bytes of the decompressed blocks to keep in memory.
    ///
    /// LevelDB keeps no blocks of files without compression: it maps those files into memory, and verifies the checksum of a
    /// block each time that it reads from it.
    public var blockCacheSize: Int
    /// The number of files that LevelDB may keep open, with about 2 MB of data each.
    public var maximumOpenFiles: Int
    /// The compression of blocks in the sorted files.
    public var compression: Compression
    /// Whether every write is refused.
    ///
    /// LevelDB has no read-only mode: opening a store writes its log into a table. If the directory cannot be written to, or
    /// its disk is full, the store is opened in a private directory among the temporary files, with links to its tables and
    /// copies of its other files; no process may write to the store meanwhile.
    public var isReadOnly: Bool
    /// Whether a store that does not exist is created.
    public var createsIfMissing: Bool

    /// The amount of history that the store keeps, for streams of changes; `nil` for the amount that it keeps already.
    ///
    /// The store remembers the setting. A new store keeps no history.
    public var changeLog: ChangeLogLength?

    /// A configuration; the defaults suit most stores.
    public init(
        durability: Durability = .full, writeBufferSize: Int = 4 << 20,
        blockCacheSize: Int = 8 << 20, maximumOpenFiles: Int = 1_000,
        compression: Compression = .none, isReadOnly: Bool = false, createsIfMissing: Bool = true,
        changeLog: ChangeLogLength? = nil
    ) {
        self.durability = durability
        self.writeBufferSize = writeBufferSize
        self.blockCacheSize = blockCacheSize
        self.maximumOpenFiles = maximumOpenFiles
        self.compression = compression
        self.isReadOnly = isReadOnly
        self.createsIfMissing = createsIfMissing
        self.changeLog = changeLog
    }

    /// The compression of blocks in the sorted files, which may change at each opening.
    public enum Compression: String, Sendable, Hashable, CaseIterable {
        /// No compression, which every build of LevelDB can read, and which suits scans.
        case none
        /// Snappy, which a LevelDB built without Snappy cannot read.
        ///
        /// The files are smaller. Requests that read the same few blocks again find them in the block cache and take about
        /// half as long. A scan of more than the cache takes twice as long.
        case snappy
    }
}
