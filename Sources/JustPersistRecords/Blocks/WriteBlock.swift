import JustPersist

/// A running write block, with its live items and their pending changes.
final class WriteBlock: Block {
    var writer: any KeyValueWriter
    var header: StoreHeader
    /// Whether the block makes a commit of its own.
    ///
    /// A block that has changed nothing makes none.
    var hasCommit = false
    /// The start of the block, if commits are logged.
    let start: StoreLog.Start?
    /// Whether the block notes the items that it changes.
    let isObserved: Bool
    /// Whether the block only adds records to a store that is being loaded: neither counters nor the header are written
    /// before the load ends.
    var isOfLoad = false
    /// Whether the block counts among those whose commits are still to be announced.
    var isUnannounced = true
    /// Whether something was written, even if it was deleted again.
    @safe @exclusivity(unchecked) var hasWritten = false
    /// The first storage error, after which the block cannot be committed.
    var poison: DataStoreError?

    var live = LiveItems()
    // Unchecked, here and below: code that runs during a change does not access them.
    @safe @exclusivity(unchecked) var dirty: [Pending] = []
    /// The size in bytes of the items in ``dirty``, and the size from which they are written before more are added.
    @safe @exclusivity(unchecked) var pendingBytes = 0
    static let pendingLimit = 4 << 20
    /// The size in bytes of all changes of the block, written ones included.
    @safe @exclusivity(unchecked) var changedBytes = 0
    /// Whether the block's changes are committed.
    var isCommitted = false
    /// Called after all blocks of the transaction have run, before it is committed.
    var beforeCommit: (() -> Void)?
    /// Called once it is known whether the block is committed, before the next transaction begins.
    var whenEnded: ((_ isCommitted: Bool) -> Void)?
    /// The id of the first pending new item.
    @safe @exclusivity(unchecked) var firstNewID: ItemID?
    /// The time in the ids of new items, updated whenever nothing is pending; `nil` before the first one.
    @safe @exclusivity(unchecked) var millisecond: UInt64?
    /// The items inserted in this block that are still referenced elsewhere.
    var inserted: [Inserted] = []

    struct Inserted {
        var backing: DictionaryBacking
        /// The live object of an item that was in the store before.
        ///
        /// No second object may exist for the item.
        var known: AnyObject?
    }

    /// An item to be written.
    ///
    /// A new item is held here, and is added to ``live`` only if it has other references when it is written: until then
    /// no query can find it.
    struct Pending {
        let backing: LiveBacking
        var newItem: AnyObject?
    }

    @safe @exclusivity(unchecked) var changes = 0
    override var changeCount: Int { changes }
    var changedTypes: Set<UInt32> = []
    /// The relationships that the block has changed.
    var links: BlockLinks {
        if let knownLinks { return knownLinks }
        let links = BlockLinks()
        knownLinks = links
        return links
    }
    /// `nil` until the block looks at relationships, which most blocks do not.
    @safe @exclusivity(unchecked) private(set) final var knownLinks: BlockLinks?
    /// The attributes by which the items of a type change relationships of others, by the type's number; `nil` until they
    /// are needed.
    var relatedAttributes: [UInt32: [RelatedAttribute]]?
    /// The last class that was refused because stored values do not fit it.
    @safe @exclusivity(unchecked) final var refusal: Refusal?
    /// The tables with entries in unique indexes that are not checked yet.
    var unjudged: [RecordTable] = []

    init(
        writer: any KeyValueWriter, header: StoreHeader, catalog: Catalog, context: StoreContext
    ) {
        self.writer = writer
        self.header = header
        start = context.log?.startOfWork()
        isObserved = header.changeLog != nil || context.feed.isObserved
        context.noteUnannounced()
        super.init(reader: writer, catalog: catalog, context: context)
    }

    deinit { noteAnnounced() }

    override func end() {
        // Retained items hold the block, which must not keep the transaction alive.
        writer = EndedTransaction.shared
        live.removeAll()
        dirty = []
        // Last, because afterwards other threads may read the items.
        super.end()
    }

    /// Declares the type, which permanently merges attributes that the store has under several names.
    override func settle(_ type: BlockType) throws(DataStoreError) { try declare(type) }

    /// Declares the type, which permanently merges the types under its keys.
    override func settle(
        _ candidates: [CatalogType], _ schema: ItemSchema
    ) throws(DataStoreError) -> CatalogType? {
        try declare(schema, isOfClass: true)
        return known.catalog.candidates(for: ItemType(schema)).first
    }

    override func bind(_ table: RecordTable, to type: CatalogType) {
        let indexes = context.keepsIndexes ? type.indexes : []
        table.bind(type, indexes.map { TypeIndex($0, of: type, known) }, isObserved: isObserved)
    }

    override func item(
        _ type: BlockType, id: ItemID, record: Span<UInt8>
    ) throws(DataStoreError) -> any DataStoreItem {
        if let known = try knownItem(type, id: id) { return known }
        let item = type.itemType.itemClass.init(
            backing: LiveBacking(type, id: id, record: record.copied(), block: self))
        if let number = type.table?.number {
            live.add(item, type: number, id: id, bytes: record.count)
        }
        return item
    }

    /// The record may have changed or been deleted in the meantime.
    override func currentItem(
        _ type: BlockType, id: ItemID, record: [UInt8]
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        try liveItem(type, id: id)
    }

    override func liveItem(
        _ type: BlockType, id: ItemID
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        if let known = try knownItem(type, id: id) { return known }
        if live.wantsSweep { try makeRoom() }
        if let stored = try super.liveItem(type, id: id) { return stored }
        // It may be a new item that is not written yet; these have ids from the first one's on.
        guard let firstNewID, id >= firstNewID else { return nil }
        try flush()
        if let known = try knownItem(type, id: id) { return known }
        return try super.liveItem(type, id: id)
    }

    override func prepareForQuery() throws(DataStoreError) {
        try makeRoom()
        if knownLinks?.isFollowingRules != true { try checkUniqueness() }
    }
}
