public import JustPersist

/// How a LevelDB store is opened.
public struct LevelDBConfiguration: Sendable, Hashable {
    /// What a committed write survives.
    ///
    /// Choose once for a store: mixing weakens the stronger choice.
    public var durability: Durability
    /// Bytes of changes that LevelDB gathers before it sorts them into a file.
    ///
    /// Up to two such buffers are held in memory, and as much in logs.
    public var writeBufferSize: Int
    /// Bytes of uncompressed blocks to keep in memory.
    public var blockCacheSize: Int
    /// The number of files LevelDB may keep open, of about 2 MB of data each.
    public var maximumOpenFiles: Int
    /// How blocks of the sorted files are compressed.
    public var compression: Compression
    /// Whether every write is refused.
    ///
    /// LevelDB has no read-only mode: opening a store writes its log into a table. If the directory cannot be written to, the
    /// store is opened in a private directory among the temporary files, with links to its tables and copies of its other files;
    /// no process may write to the store meanwhile.
    public var isReadOnly: Bool
    /// Whether a store that is not there is made.
    public var createsIfMissing: Bool

    /// How much the store is to keep of its history, for streams of changes; `nil` for what it keeps already.
    ///
    /// The store remembers it. A new store keeps nothing.
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

    /// How blocks of the sorted files are compressed, free to change at each opening.
    public enum Compression: String, Sendable, Hashable, CaseIterable {
        /// Not at all: every build of LevelDB can read the files.
        case none
        /// With Snappy: smaller files, which a LevelDB built without Snappy cannot read.
        case snappy
    }
}
