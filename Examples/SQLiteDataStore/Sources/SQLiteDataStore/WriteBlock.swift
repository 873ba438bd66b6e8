import Foundation
import GRDB
import JustPersist

/// A running write block: the items that are live in it, and what of them is still to be written.
final class WriteBlock: ReadBlock, DataStoreReadWriteAccessor {
    /// The first error of SQLite: the block cannot be committed after it, whatever its code does.
    private var poison: DataStoreError?
    /// One object for each stored item that was given out.
    private var live: [Key: any DataStoreItem] = [:]
    private var dirty: [RowBacking] = []
    private var inserted: [DictionaryBacking] = []
    private var writtenBytes = 0
    /// Whether what the block made is in the store.
    private(set) var isCommitted = false

    /// Two types may each have an item with one id.
    private struct Key: Hashable {
        let type: Int64?
        let id: ItemID
    }

    override func end() {
        // Items that are kept hold the block.
        live = [:]
        dirty = []
        super.end()
    }

    /// Puts the items that were made and taken in back in no store, unless the block was committed: so they can
    /// be inserted once more.
    func conclude(isCommitted: Bool) {
        self.isCommitted = isCommitted
        if !isCommitted {
            for backing in inserted { backing.abandon() }
        }
        inserted = []
    }

    // MARK: Failures

    override func storage<Value>(
        _ operation: String, _ body: (Database) throws -> Value
    ) throws(DataStoreError) -> Value {
        if let poison { throw poison }
        do throws(DataStoreError) {
            return try super.storage(operation, body)
        } catch {
            // A damaged row does not poison, or its item could never be deleted.
            if error.engine != nil { poison = error }
            throw error
        }
    }

    /// Reports an error, the one that poisoned the block once only.
    override func report(_ error: DataStoreError) {
        thread.noteReported(error)
        if thread.isCurrent, let known = poison, known.code == error.code,
            known.message == error.message
        {
            if known.isReported { return }
            poison?.isReported = true
        }
        store.report(error)
    }

    // MARK: Changes

    func declare(_ schema: ItemSchema) throws(DataStoreError) {
        // So that what holds values is in the rows.
        try flush()
        var type: StoredType
        var isChanged = false
        if let known = catalog[schema.itemTypeKey] {
            type = known
        } else {
            try store.limits.check(typeName: schema.itemTypeKey)
            type = StoredType(number: Int64(catalog.count + 1), key: schema.itemTypeKey)
            isChanged = true
        }
        let known = BlockType(ItemType(dynamic: type.key), stored: catalog[type.key])
        let isNew = try type.declare(schema, limits: store.limits) {
            number throws(DataStoreError) in try holdsValues(known, number)
        }
        if isNew || isChanged { try save(type) }
    }

    /// Makes all that an item class declares known to the store.
    func declare(_ type: BlockType) throws(DataStoreError) {
        if !type.isDeclared, let schema = type.itemType.schema { try declare(schema) }
    }

    private func save(_ type: StoredType) throws(DataStoreError) {
        try storage("declare") { try type.save(in: $0) }
        update(type)
    }

    func markDirty(_ backing: RowBacking) {
        if backing.isDirty { return }
        backing.isDirty = true
        dirty.append(backing)
    }

    func performCreate(_ itemType: ItemType) throws(DataStoreError) -> any MutableDataStoreItem {
        let type = try known(itemType, "create")
        guard let itemClass = type.mutableClass else {
            throw .readOnlyClass(.couldNotCreateItemOfType, type.key, in: "create")
        }
        let backing = RowBacking(
            type, id: ItemID(), values: [:], store: store, block: self,
            isStored: false)
        let item = itemClass.init(backing: backing)
        live[Key(type: type.stored?.number, id: backing.id)] = item
        markDirty(backing)
        return item
    }

    private func known(
        _ itemType: ItemType, _ operation: String
    ) throws(DataStoreError) -> BlockType {
        let type = try blockType(itemType)
        try declare(type)
        if type.stored == nil { throw .undeclaredType(type.key, in: operation) }
        return type
    }

    func performInsert(_ item: any MutableDataStoreItem) throws(DataStoreError) -> Bool {
        if let own = item.backing.storeBacking as? RowBacking {
            guard try performMutableVersion(of: item) == nil else { return false }
            guard own.isOfRolledBackBlock else { throw .deletedForGood(item, in: "insert") }
            var values: [String: DataStoreValue] = [:]
            for name in own.attributeNames { values[name] = try own.value(forAttribute: name) }
            let type = try known(own.type.itemType, "insert")
            own.become(try filled(type, own.id, values))
            take(item, own)
            return true
        }
        guard let detached = item.backing as? DictionaryBacking else {
            throw .itemOfAnotherStore(item, in: "insert")
        }
        let type = try known(ItemType(of: item), "insert")
        if let known = try find(type, id: detached.id) {
            detached.adopt(known.backing.storeBacking)
            inserted.append(detached)
            return false
        }
        let backing = try filled(type, detached.id, detached.values)
        detached.adopt(backing)
        inserted.append(detached)
        take(item, backing)
        return true
    }

    /// The backing of an item that is taken in, with its values; it is not written yet.
    private func filled(
        _ type: BlockType, _ id: ItemID, _ values: [String: DataStoreValue]
    ) throws(DataStoreError) -> RowBacking {
        let backing = RowBacking(
            type, id: id, values: [:], store: store, block: self, isStored: false)
        // Whoever takes the item in has it written.
        backing.isDirty = true
        let bytesBefore = writtenBytes
        do throws(DataStoreError) {
            for (name, value) in values { try backing.setValue(value, forAttribute: name) }
        } catch {
            writtenBytes = bytesBefore
            throw error
        }
        backing.isDirty = false
        return backing
    }

    private func take(_ item: any MutableDataStoreItem, _ backing: RowBacking) {
        markDirty(backing)
        live[Key(type: backing.type.stored?.number, id: backing.id)] = item
    }

    /// Counts the bytes of a value that is set in place of one that was counted too; throws if the block has no
    /// room for it.
    func count(
        _ bytes: Int, inPlaceOf earlier: Int, attribute: String, of itemType: String
    ) throws(DataStoreError) {
        let limit = store.limits.writeBlockBytes
        guard bytes <= earlier || writtenBytes + bytes - earlier <= limit else {
            throw .blockTooLarge(limit: limit, itemType: itemType, attribute: attribute)
        }
        writtenBytes += bytes - earlier
    }

    func performDelete(_ item: any DataStoreItem) throws(DataStoreError) -> Bool {
        let backing = try ownBacking(of: item, "delete")
        let number = catalog[item.backing.itemTypeKey]?.number
        if number != nil {
            try declare(try blockType(backing?.type.itemType ?? ItemType(of: item)))
        }
        // So that SQLite alone says whether the item is there.
        try flush()
        let isDeleted = try storage("delete") { database in
            try database.execute(
                sql: "DELETE FROM item WHERE type = ? AND id = ?",
                arguments: [number, item.uniqueToken.uuid])
            return database.changesCount > 0
        }
        markDeleted(live.removeValue(forKey: Key(type: number, id: item.uniqueToken)))
        if !isDeleted, backing == nil { throw .itemInNoStore(item, in: "delete") }
        return isDeleted
    }

    func performDeleteAll(_ types: [ItemType]) throws(DataStoreError) {
        try flush()
        for type in types {
            let number = catalog[type.key]?.number
            let used = try blockType(type)
            if number != nil { try declare(used) }
            try storage("deleteAll") { database in
                try database.execute(
                    sql: "DELETE FROM item WHERE type = ?", arguments: [number])
            }
            for key in live.keys where key.type == number {
                markDeleted(live.removeValue(forKey: key))
            }
        }
    }

    private func markDeleted(_ item: (any DataStoreItem)?) {
        (item?.backing.storeBacking as? RowBacking)?.isDeleted = true
    }

    func performMutableVersion(of item: any DataStoreItem) throws(DataStoreError) -> (
        any MutableDataStoreItem
    )? {
        let backing = try ownBacking(of: item, "mutableVersion")
        let type = try blockType(backing?.type.itemType ?? ItemType(of: item))
        guard type.mutableClass != nil else {
            throw .readOnlyClass(.itemNotMutable, type.key, in: "mutableVersion")
        }
        if type.stored != nil { try declare(type) }
        if let backing, backing.block === self {
            return backing.isDeleted ? nil : item as? any MutableDataStoreItem
        }
        let found = try find(type, id: item.uniqueToken)
        if found == nil, backing == nil { throw .itemInNoStore(item, in: "mutableVersion") }
        return found as? any MutableDataStoreItem
    }

    /// The backing of an item of this store; `nil` for an item in no store, which stands for the stored one
    /// with its id.
    private func ownBacking(
        of item: any DataStoreItem, _ operation: String
    ) throws(DataStoreError) -> RowBacking? {
        let backing = item.backing.storeBacking
        if backing is DictionaryBacking { return nil }
        guard let own = backing as? RowBacking, own.store.storeID == store.storeID,
            own.store.files == store.files
        else {
            throw .itemOfAnotherStore(item, in: operation)
        }
        return own
    }

    // MARK: Queries

    override func performFetch(_ request: DataStoreRequest) throws(DataStoreError)
        -> [any DataStoreItem]
    {
        try flush()
        return try super.performFetch(request)
    }

    override func performCount(_ request: DataStoreRequest) throws(DataStoreError) -> Int {
        try flush()
        return try super.performCount(request)
    }

    override func schemas() throws(DataStoreError) -> [ItemSchema] {
        try flush()
        return try super.schemas()
    }

    override func find(
        _ type: BlockType, id: ItemID
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        if let known = try known(type, id: id) { return known }
        return try super.find(type, id: id)
    }

    override func item(_ row: ItemRow) throws(DataStoreError) -> any DataStoreItem {
        if let known = try known(row.type, id: row.id) { return known }
        let item = row.type.itemType.itemClass.init(
            backing: RowBacking(
                row.type, id: row.id, values: row.values, store: store, block: self,
                isStored: true))
        live[Key(type: row.type.stored?.number, id: row.id)] = item
        return item
    }

    private func known(
        _ type: BlockType, id: ItemID
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        guard let item = live[Key(type: type.stored?.number, id: id)] else { return nil }
        guard Swift.type(of: item) == type.itemType.itemClass else {
            throw .item(item, usedAs: type.itemType.itemClass, in: "fetch")
        }
        return item
    }

    // MARK: Writing

    /// Writes the items that were changed since the last time, so that SQLite's answers know of them.
    private func flush() throws(DataStoreError) {
        if let poison { throw poison }
        for backing in dirty where !backing.isDeleted { try write(backing) }
        dirty = []
    }

    private func write(_ backing: RowBacking) throws(DataStoreError) {
        guard var type = backing.type.stored else { return }
        if type.note(backing.values) { try save(type) }
        try storage("write") { database in
            let json = try ItemRow.json(backing.values)
            try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO item (type, id, attributes) VALUES (?, ?, ?)"
            ).execute(arguments: [type.number, backing.id.uuid, json])
        }
        backing.isDirty = false
    }

    /// Writes everything that is pending, for the commit; throws what poisoned the block.
    func finish() throws(DataStoreError) {
        try thread.checkNoChangeWasLost()
        try flush()
    }
}
