import JustPersist

/// A running write block, with its live items and their pending changes.
final class WriteBlock: Block {
    private var writer: any KeyValueWriter
    var header: StoreHeader
    /// Whether the block makes a commit of its own: not if it has changed nothing.
    private(set) var hasCommit = false
    /// The start of the block, if commits are logged.
    let start: StoreLog.Start?
    /// Whether the block notes the items that it changes.
    private let isObserved: Bool
    override var notesChanges: Bool { isObserved }
    /// Whether the block only adds records to a store that is being loaded: neither counters nor the header are written
    /// before the load ends.
    private(set) var isOfLoad = false
    /// Whether the block counts among those whose commits are still to be announced.
    private var isUnannounced = true
    /// Whether something was written, even if it was deleted again.
    @safe @exclusivity(unchecked) private var hasWritten = false
    /// The first storage error, after which the block cannot be committed.
    private(set) var poison: DataStoreError?

    private var live = LiveItems()
    // Unchecked, here and below: code that runs during a change does not access them.
    @safe @exclusivity(unchecked) private var dirty: [Pending] = []
    /// The size in bytes of the items in ``dirty``, and the size from which they are written before more are added.
    @safe @exclusivity(unchecked) private var pendingBytes = 0
    private static let pendingLimit = 4 << 20
    /// The size in bytes of all changes of the block, written ones included.
    @safe @exclusivity(unchecked) private(set) var changedBytes = 0
    /// Whether the block's changes are committed.
    private(set) var isCommitted = false
    /// Called after all blocks of the transaction have run, before it is committed.
    var beforeCommit: (() -> Void)?
    /// Called once it is known whether the block is committed, before the next transaction begins.
    var whenEnded: ((_ isCommitted: Bool) -> Void)?
    /// The id of the first pending new item.
    @safe @exclusivity(unchecked) private var firstNewID: ItemID?
    /// The time in the ids of new items, updated whenever nothing is pending; `nil` before the first one.
    @safe @exclusivity(unchecked) private var millisecond: UInt64?
    /// The items inserted in this block, as far as they are used elsewhere.
    private var inserted: [Inserted] = []

    private struct Inserted {
        var backing: DictionaryBacking
        /// The live object of an item that was in the store before; it must remain the only one.
        var known: AnyObject?
    }

    /// An item to be written.
    ///
    /// A new item is held here, and is added to ``live`` only if it has other references when it is written: until then
    /// no query can find it.
    private struct Pending {
        let backing: LiveBacking
        var newItem: AnyObject?
    }

    @safe @exclusivity(unchecked) private var changes = 0
    override var changeCount: Int { changes }
    private var changedTypes: Set<UInt32> = []
    /// The tables with entries in unique indexes that are not checked yet.
    private var unjudged: [RecordTable] = []

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

    /// Notes that the block's commit was announced, or that there is none.
    func noteAnnounced() {
        if !isUnannounced { return }
        isUnannounced = false
        context.noteAnnounced()
    }

    override func end() {
        // Retained items hold the block, which must not keep the transaction alive.
        writer = EndedTransaction.shared
        live.removeAll()
        dirty = []
        // Last, because afterwards other threads may read the items.
        super.end()
    }

    /// Notes the outcome, and releases the inserted items.
    ///
    /// If the block was rolled back, the inserted items and the items made in it belong to no store, and can be
    /// inserted again.
    func conclude(isCommitted: Bool) {
        self.isCommitted = isCommitted
        whenEnded?(isCommitted)
        (beforeCommit, whenEnded) = (nil, nil)
        if !isCommitted {
            for item in inserted { item.backing.abandon() }
            noteAnnounced()
        }
        inserted = []
    }

    // MARK: Changes

    /// Whether the block has changed the catalog.
    var hasChangedTypes: Bool { !changedTypes.isEmpty }

    /// Adds the declarations of the type's class to the catalog if they are missing.
    @inline(__always)
    func complete(_ type: BlockType) throws(DataStoreError) {
        if !type.isComplete { try declare(type) }
    }

    private func declare(_ type: BlockType) throws(DataStoreError) {
        try type.checkWriting()
        if let schema = type.itemType.schema { try declare(schema, isOfClass: true) }
        let stored = known.catalog.candidates(for: type.itemType).first
        type.bind(to: stored, stored.map { table(of: $0) })
        note(type)
        type.noteDeclared()
    }

    /// Declares the type, which permanently merges the attributes under several names of it.
    override func settle(_ type: BlockType) throws(DataStoreError) { try declare(type) }

    /// Declares the type, which permanently merges the types under its keys.
    override func settle(
        _ candidates: [CatalogType], _ schema: ItemSchema
    ) throws(DataStoreError) -> CatalogType? {
        try declare(schema, isOfClass: true)
        return known.catalog.candidates(for: ItemType(schema)).first
    }

    /// Updates the catalog to a schema.
    ///
    /// - Parameters:
    ///   - isOfClass: Whether the schema is that of an item class: then indexes that it no longer declares are dropped.
    ///   - child: The block of a child store that declares the schema, whose items count too.
    func declare(
        _ schema: ItemSchema, isOfClass: Bool = false, for child: WriteBlock? = nil
    ) throws(DataStoreError) {
        if let root = context.root { return try declare(schema, isOfClass: isOfClass, at: root) }
        let candidates = known.catalog.candidates(for: ItemType(schema))
        let isAmbiguous = candidates.contains { stored in
            stored.places(of: schema).contains { $0.count > 1 }
        }
        // The search for items and values reads records only.
        if candidates.count > 1 || isAmbiguous { try flush() }
        let (type, others, isChanged) = try known.catalog.declare(
            schema, isOfClass: isOfClass, limits: context.limits,
            holdsItems: { (type) throws(DataStoreError) in
                if try holdsItems(type) { return true }
                return try child?.holdsItems(type) ?? false
            },
            holdsValues: { (type, attribute) throws(DataStoreError) in
                if try holdsValues(type, attribute) { return true }
                return try child?.holdsValues(type, attribute) ?? false
            })
        if !isChanged { return }
        for attribute in type.attributes {
            if let value = attribute.defaultValue { try addTypes(referredToBy: value) }
        }
        for other in others {
            changedTypes.insert(other.number)
            bind(usedTypes(other), to: type)
        }
        didChange(type.number)
        try followIndexes(of: type, before: candidates.first { $0.number == type.number })
    }

    /// Copies another store's type under the same number; the type has no items here.
    func adopt(_ type: CatalogType) {
        known.catalog.put(type)
        didChange(type.number)
    }

    /// Begins to load the store, unless its changes are logged or observed: no other block runs until the load ends.
    func beginLoad() {
        if !isObserved { header.isLoading = true }
    }

    /// Notes that the block does nothing but add records, of a store that is being loaded.
    func noteLoad() { isOfLoad = header.isLoading }

    /// Ends the load of the store, if one has begun, and counts its records.
    func endLoad() throws(DataStoreError) {
        guard header.isLoading else { return }
        header.isLoading = false
        try storing { (writer) throws(DataStoreError) in
            for type in known.catalog.types {
                let count = try Counter.found(type.number, in: writer)
                try Counter.write(count, type: type.number, to: writer)
            }
        }
    }

    /// Adds types for the references in a value whose types have no number.
    @inline(__always)
    func addTypes(referredToBy value: DataStoreValue) throws(DataStoreError) {
        switch value {
        case .reference, .array, .dictionary:
            if let root = context.root { return try addTypes(referredToBy: value, at: root) }
            let added = try known.catalog.addTypes(referredToBy: value, limits: context.limits)
            for number in added {
                changedTypes.insert(number)
            }
        default: break
        }
    }

    /// Notes a change of the catalog, and updates this block's types.
    func didChange(_ number: UInt32) {
        changedTypes.insert(number)
        guard let type = known.catalog[number] else { return }
        bind(usedTypes(type), to: type)
        bindIndexes(of: type)
    }

    /// Whether the block has changed types that have an incomplete index.
    var hasUnfinishedIndexes: Bool {
        context.keepsIndexes && context.root == nil && !changedTypes.isEmpty
            && known.catalog.unfinishedIndex(except: context.failedBuilds) != nil
    }

    override var writesEntries: Bool { context.keepsIndexes }

    func bind(_ used: [BlockType], to type: CatalogType) {
        for used in used {
            used.bind(to: type, table(of: type))
            note(used)
        }
    }

    /// Counts the changes of an item, and adds it to the items to be written.
    func didChange(_ backing: LiveBacking) {
        let bytes = backing.bytesToWrite
        let growth = bytes - backing.countedBytes
        backing.countedBytes = bytes
        changedBytes += growth
        if backing.isDirty {
            pendingBytes += growth
            return
        }
        // A failure marks the block as failed; the next call and the end of the block report it.
        if pendingBytes >= Self.pendingLimit { try? flush() }
        backing.isDirty = true
        pendingBytes += bytes
        dirty.append(Pending(backing: backing))
    }

    /// Counts bytes that were written in another way than as items.
    func noteBytes(_ count: Int) { changedBytes += count }

    /// Whether that many more bytes are within the limit of the block.
    @inline(__always)
    func hasRoom(for bytes: Int) -> Bool {
        changedBytes <= context.limits.writeBlockBytes - bytes
    }

    /// Drops an item that was deleted or must not be written, and no longer counts its bytes.
    private func drop(_ backing: LiveBacking) {
        backing.isDeleted = true
        changedBytes -= backing.countedBytes
        backing.countedBytes = 0
    }

    func make(_ type: BlockType) throws(DataStoreError) -> any MutableDataStoreItem {
        try complete(type)
        try checkKnown(type, "create")
        guard let itemClass = type.mutableClass else {
            throw .readOnlyClass(.couldNotCreateItemOfType, type.itemType.key, in: "create")
        }
        if dirty.count >= 4096 || pendingBytes >= Self.pendingLimit { try makeRoom() }
        let time: UInt64
        if let millisecond, !dirty.isEmpty {
            time = millisecond
        } else {
            time = ItemID.currentMillisecond
            millisecond = time
        }
        let backing = LiveBacking(
            type, id: ItemID(atMillisecond: time), record: [], block: self)
        let item = itemClass.init(backing: backing)
        if !hasRoom(for: backing.bytesToWrite) {
            throw .blockTooLarge(
                limit: context.limits.writeBlockBytes, itemType: type.itemType.key, attribute: nil)
        }
        if firstNewID == nil { firstNewID = backing.id }
        type.table?.noteNew()
        changes += 1
        backing.isDirty = true
        backing.countedBytes = backing.bytesToWrite
        changedBytes += backing.countedBytes
        pendingBytes += backing.countedBytes
        dirty.append(Pending(backing: backing, newItem: item))
        return item
    }

    private func checkKnown(_ type: BlockType, _ operation: String) throws(DataStoreError) {
        if type.table == nil { throw .undeclaredType(type.itemType.key, in: operation) }
    }

    /// Inserts an item that is in no store; returns false if its id exists in the store.
    func add(_ item: any MutableDataStoreItem) throws(DataStoreError) -> Bool {
        if item.backing.storeBacking is any RecordBacking {
            guard try thaw(item) == nil else { return false }
            guard let backing = item.backing.storeBacking as? LiveBacking,
                backing.isOfRolledBackBlock
            else { throw .deletedForGood(item, in: "insert") }
            try revive(item, backing)
            return true
        }
        guard let detached = item.backing as? DictionaryBacking,
            detached.storeBacking === detached
        else { throw .itemOfAnotherStore(item, in: "insert") }
        let type = try blockType(ItemType(of: item))
        try complete(type)
        try checkKnown(type, "insert")
        let id = item.uniqueToken
        if let known = try liveItem(type, id: id) {
            detached.adopt(known.backing.storeBacking)
            inserted.append(Inserted(backing: detached, known: known))
            return false
        }
        let backing = LiveBacking(type, id: id, record: [], block: self)
        try fill(backing, with: detached.values)
        detached.adopt(backing)
        inserted.append(Inserted(backing: detached))
        take(item, backing)
        return true
    }

    /// Inserts an item of a rolled-back block again, with its values.
    private func revive(
        _ item: any MutableDataStoreItem, _ backing: LiveBacking
    ) throws(DataStoreError) {
        let type = try blockType(backing.type.itemType)
        try complete(type)
        try checkKnown(type, "insert")
        let values = try item.storedValues(withNullsOf: type.attributesWithDefault)
        let trial = LiveBacking(type, id: backing.id, record: [], block: self)
        try fill(trial, with: values)
        drop(trial)
        backing.move(to: trial, of: self)
        didChange(backing)
        take(item, backing)
    }

    private func fill(
        _ backing: LiveBacking, with values: [String: DataStoreValue]
    ) throws(DataStoreError) {
        didChange(backing)
        do throws(DataStoreError) {
            for (name, value) in values { try backing.setValue(value, forAttribute: name) }
        } catch {
            var error = error
            // In a fixed order, so the error is the same each time.
            do throws(DataStoreError) {
                for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                    try backing.setValue(value, forAttribute: name)
                }
            } catch let first {
                error = first
            }
            // The item must never be written.
            drop(backing)
            throw error
        }
    }

    /// Makes an inserted item live.
    private func take(_ item: any MutableDataStoreItem, _ backing: LiveBacking) {
        if let table = backing.type.table {
            live.add(item, type: table.number, id: backing.id, bytes: backing.bytesToWrite)
            table.noteNew()
        }
        changes += 1
    }

    /// Deletes an item; returns false if it did not exist.
    func remove(_ item: any DataStoreItem) throws(DataStoreError) -> Bool {
        let backing = try ownBacking(of: item, "delete")
        let type = try blockType(backing?.type.itemType ?? ItemType(of: item))
        if type.table != nil { try complete(type) }
        let id = item.uniqueToken
        var isDeleted = false
        if let table = try table(of: type) {
            // Written first, so the engine alone determines whether the item exists.
            try flush()
            let known = live.remove(type: table.number, id: id)
            if let live = known?.backing.storeBacking as? LiveBacking { drop(live) }
            if let live = backing as? LiveBacking, live.block === self { drop(live) }
            isDeleted = try storage { () throws(DataStoreError) in
                try table.remove(id, from: writer)
            }
        }
        if isDeleted {
            hasWritten = true
            changes += 1
        } else if backing == nil {
            throw .itemInNoStore(item, in: "delete")
        }
        return isDeleted
    }

    /// Deletes all items of a type.
    func removeAll(_ type: BlockType) throws(DataStoreError) {
        guard let table = try table(of: type) else { return }
        try complete(type)
        try flush()
        changes += 1
        for item in live.removeAll(type: table.number) {
            if let backing = item.backing.storeBacking as? LiveBacking { drop(backing) }
        }
        try storage { () throws(DataStoreError) in try table.removeAll(from: writer) }
        hasWritten = true
    }

    /// The live object for an item of any block of this store; `nil` if it was deleted.
    func thaw(_ item: any DataStoreItem) throws(DataStoreError) -> (any MutableDataStoreItem)? {
        guard let backing = try ownBacking(of: item, "mutableVersion") else {
            let type = try blockType(ItemType(of: item))
            if type.table != nil { try complete(type) }
            guard let stored = try liveItem(type, id: item.uniqueToken) else {
                throw .itemInNoStore(item, in: "mutableVersion")
            }
            return stored as? any MutableDataStoreItem
        }
        guard backing.type.mutableClass != nil else {
            throw .readOnlyClass(.itemNotMutable, backing.itemTypeKey, in: "mutableVersion")
        }
        let type = try blockType(backing.type.itemType)
        if type.table != nil { try complete(type) }
        if let live = backing as? LiveBacking, live.block === self {
            return live.isDeleted ? nil : item as? any MutableDataStoreItem
        }
        return try liveItem(type, id: backing.id)
            as? any MutableDataStoreItem
    }

    // MARK: Items

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

    private func knownItem(
        _ type: BlockType, id: ItemID
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        guard let number = type.table?.number, let item = live[number, id] else { return nil }
        guard Swift.type(of: item) == type.itemType.itemClass else {
            throw .item(item, usedAs: type.itemType.itemClass, in: "fetch")
        }
        return item
    }

    /// The backing of an item of this store; `nil` for an item in no store, which represents the stored item with its
    /// id.
    ///
    /// Throws for an item of another store.
    private func ownBacking(
        of item: any DataStoreItem, _ operation: String
    ) throws(DataStoreError) -> (any RecordBacking)? {
        guard let backing = item.backing.storeBacking as? any RecordBacking else {
            // An item of another kind of store, in which this id may exist too.
            guard item.backing.storeBacking is DictionaryBacking else {
                throw .itemOfAnotherStore(item, in: operation)
            }
            return nil
        }
        let origin = backing.type.context
        guard origin.storeID == context.storeID, origin.files == context.files else {
            throw .itemOfAnotherStore(item, in: operation)
        }
        return backing
    }

    // MARK: Writing

    override func prepareForQuery() throws(DataStoreError) {
        try makeRoom()
        try checkUniqueness()
    }

    /// Writes pending changes, and releases unused items.
    private func makeRoom() throws(DataStoreError) {
        try flush()
        if live.wantsSweep { dropUnusedItems() }
    }

    /// Schedules a table's check of uniqueness, before the next query and the commit.
    func noteUnjudged(_ table: RecordTable) {
        if !table.uniqueEntries.entries.isEmpty { unjudged.append(table) }
    }

    private func checkUniqueness() throws(DataStoreError) {
        if unjudged.isEmpty { return }
        try storage { () throws(DataStoreError) in
            for table in unjudged { try table.checkUniqueness(in: writer) }
        }
        unjudged = []
    }

    /// Writes the items that were changed since the last flush.
    private func flush() throws(DataStoreError) {
        if let poison { throw poison }
        guard !dirty.isEmpty else { return }
        // Local variables need no exclusivity checks for each item.
        var pending: [Pending] = []
        swap(&pending, &dirty)
        pendingBytes = 0
        firstNewID = nil
        hasWritten = true
        // Most blocks write one or two types; a table that is listed twice has nothing to write the second time.
        var indexed: [RecordTable] = []
        for index in pending.indices {
            let backing = pending[index].backing
            guard !backing.isDeleted, let table = backing.type.table else { continue }
            try write(backing, table)
            if !table.indexes.isEmpty, indexed.last !== table { indexed.append(table) }
            if pending[index].newItem != nil,
                !isKnownUniquelyReferenced(&pending[index].newItem)
            {
                live.add(
                    pending[index].newItem, type: table.number, id: backing.id,
                    bytes: backing.countedBytes)
            }
        }
        try storage { () throws(DataStoreError) in
            for table in indexed {
                try table.writeEntries(to: writer)
                noteUnjudged(table)
            }
        }
        // Keeps the buffer for the next items.
        pending.removeAll(keepingCapacity: true)
        // Releasing an item may have changed another one.
        if dirty.isEmpty { swap(&pending, &dirty) }
    }

    @inline(__always)
    private func write(
        _ backing: LiveBacking, _ table: RecordTable
    ) throws(DataStoreError) {
        backing.close(seed: RecordFormat.seed(type: table.number, id: backing.id))
        let record = backing.record.bytes
        if let number = backing.type.table?.number {
            noteTags(of: record.span, ofType: number) { tag, attribute in
                backing.type.hasNoted(tag: tag, ofAttribute: attribute)
            }
        }
        backing.type.noteLength(record.count)
        do throws(DataStoreError) {
            try table.put(
                record.span, id: backing.id, changes: backing.isStored ? backing.changes : nil,
                to: writer)
            backing.isStored = true
            backing.changes = AttributeSet()
        } catch {
            poison = error
            throw error
        }
        backing.isDirty = false
    }

    /// Updates the catalog's record of the kinds of each attribute's values.
    ///
    /// - Parameter isNoted: Whether the attribute is known to have had a value with that tag, or does not belong to the
    ///   type.
    @inline(__always)
    func noteTags(
        of record: Span<UInt8>, ofType number: UInt32,
        unless isNoted: (_ tag: UInt8, _ attribute: UInt16) -> Bool
    ) {
        guard let fields = RecordFormat.Table(record) else { return }
        for index in 0..<fields.count {
            let field = fields.entry(at: index, in: record)
            // A damaged record may have any tag.
            if field.tag == ValueTag.null || field.tag > ValueTag.dictionary
                || isNoted(field.tag, field.attribute)
            {
                continue
            }
            if known.catalog.note(tag: field.tag, ofAttribute: field.attribute, type: number) {
                didChange(number)
            }
        }
    }

    /// Releases items that only this block holds.
    private func dropUnusedItems() {
        for index in inserted.indices.reversed()
        where isKnownUniquelyReferenced(&inserted[index].backing) {
            inserted.swapAt(index, inserted.count - 1)
            inserted.removeLast()
        }
        live.dropUnused()
    }

    /// Writes all pending changes for the commit; throws the error after which the block cannot be committed.
    func finish() throws(DataStoreError) {
        try thread.checkNoChangeWasLost()
        try flush()
        try checkUniqueness()
        if isOfLoad, poison == nil { return }
        try storage { () throws(DataStoreError) in
            for table in usedTables { try table.writeCount(to: writer) }
            let isChanged = !changedTypes.isEmpty
            guard isChanged || hasWritten else { return }
            for type in changedTypes.sorted().compactMap({ known.catalog[$0] }) {
                try writer.put(
                    type.encoded(known),
                    forKey: KeySpace.key(KeySpace.catalogTag, type: type.number))
            }
            if isChanged { known.catalog.version &+= 1 }
            header.catalogVersion = known.catalog.version
            header.commit &+= 1
            hasCommit = true
            try writeLogEntry(to: writer, &header)
            try writer.put(header.encoded(), forKey: KeySpace.header)
        }
        if let poison { throw poison }
    }

    /// Notes an error of the storage, after which the block's further changes could be based on wrong data.
    ///
    /// Damage of a record does not fail the block, because a damaged record must remain deletable. Nor does any other
    /// error: a call that was refused has changed nothing.
    func note(_ error: DataStoreError) {
        // A cancelled block may have received no answer in a place where its code cannot notice.
        let endsBlock =
            error.code == .storageFailure || error.code == .storageFull || error.engine != nil
            || error.code == .cancelled
        if endsBlock, error.code != .corrupted, poison == nil { poison = error }
    }

    /// Reports an error; the error that failed the block only once.
    func report(_ error: DataStoreError) {
        thread.noteReported(error)
        if thread.isCurrent, let known = poison, known.code == error.code,
            known.message == error.message
        {
            if known.isReported { return }
            poison?.isReported = true
        }
        context.report(error)
    }

    /// Runs a step that writes with the block's transaction; an error in it fails the block.
    func storing<Value>(
        _ body: (any KeyValueWriter) throws(DataStoreError) -> Value
    ) throws(DataStoreError) -> Value {
        hasWritten = true
        return try storage { () throws(DataStoreError) in try body(writer) }
    }

    /// Runs a step that writes; an error in it fails the block.
    private func storage<Value>(
        _ body: () throws(DataStoreError) -> Value
    ) throws(DataStoreError) -> Value {
        if let poison { throw poison }
        do throws(DataStoreError) {
            return try body()
        } catch {
            poison = error
            throw error
        }
    }
}
