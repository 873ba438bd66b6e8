import Foundation
import GRDB
import JustPersist

/// A running block over one state of the store, and its accessor: all that read blocks and write blocks
/// have in common.
class ReadBlock: DataStoreReadAccessor {
    let store: StoreContext
    /// The types of the state that the block sees, by key.
    var catalog: [String: StoredType]
    /// `nil` once the block has ended.
    private var database: Database?
    let thread = BlockThread()
    private var types: [TypeKey: BlockType] = [:]

    private struct TypeKey: Hashable {
        let key: String
        let itemClass: ObjectIdentifier
    }

    /// Reads the types at once: SQLite takes a snapshot at the first statement, not when told to begin.
    init(_ database: Database, store: StoreContext) throws {
        self.database = database
        self.store = store
        do {
            catalog = try StoredType.all(in: database)
        } catch {
            throw DataStoreError(sqlite: error, in: "read")
        }
    }

    /// Ends the use of the accessor and makes the block's items read-only.
    func end() {
        database = nil
        thread.end()
    }

    /// Runs statements, the failures of which are those of the store.
    func storage<Value>(
        _ operation: String, _ body: (Database) throws -> Value
    ) throws(DataStoreError) -> Value {
        try thread.check(operation)
        guard let database, SQLiteSession.isOnDatabaseQueue else {
            throw BlockThread.refusal(in: operation)
        }
        do {
            return try body(database)
        } catch {
            throw DataStoreError(sqlite: error, in: operation)
        }
    }

    func blockType(_ type: ItemType) throws(DataStoreError) -> BlockType {
        let key = TypeKey(key: type.key, itemClass: ObjectIdentifier(type.itemClass))
        if let known = types[key] { return known }
        try type.schema?.validate()
        let new = BlockType(type, stored: catalog[type.key])
        try new.settle { number throws(DataStoreError) in
            try holdsValues(new, number)
        }
        types[key] = new
        return new
    }

    /// Whether any item of a type has a value for an attribute.
    func holdsValues(_ type: BlockType, _ number: Int) throws(DataStoreError) -> Bool {
        try storage("declare") { database in
            let rows = try Row.fetchCursor(
                database, sql: "SELECT id, attributes FROM item WHERE type = ?",
                arguments: [type.stored?.number])
            while let row = try rows.next() {
                let value = try ItemRow(row, type, self).values[number]
                if value?.isNull == false { return true }
            }
            return false
        }
    }

    /// Changes what is known of a type, for the items in use too.
    func update(_ type: StoredType) {
        catalog[type.key] = type
        for used in types.values where used.key == type.key { used.stored = type }
    }

    // MARK: Queries

    func performFetch(_ request: DataStoreRequest) throws(DataStoreError) -> [any DataStoreItem] {
        var selection = try ItemSelection<ItemRow>(request)
        try select(request, into: &selection)
        var items: [any DataStoreItem] = []
        for row in selection.rows { items.append(try item(row)) }
        return items
    }

    func performCount(_ request: DataStoreRequest) throws(DataStoreError) -> Int {
        var selection = try ItemSelection<ItemRow>(counting: request)
        if request.predicate != nil {
            try select(request, into: &selection)
            return selection.count
        }
        let number = try blockType(request.type).stored?.number
        let total = try storage("count") { database in
            try Int.fetchOne(
                database, sql: "SELECT COUNT(*) FROM item WHERE type = ?", arguments: [number])
        }
        return request.slice.count(of: total ?? 0)
    }

    func performFetchItem(_ type: ItemType, id: ItemID) throws(DataStoreError) -> (
        any DataStoreItem
    )? {
        try find(try blockType(type), id: id)
    }

    func schemas() throws(DataStoreError) -> [ItemSchema] {
        catalog.values.map(\.schema).sorted { $0.itemTypeKey < $1.itemTypeKey }
    }

    func report(_ error: DataStoreError) { store.report(error) }

    /// The item object of a type with that id.
    func find(_ type: BlockType, id: ItemID) throws(DataStoreError) -> (any DataStoreItem)? {
        guard let row = try row(type, id: id) else { return nil }
        return try item(row)
    }

    /// The item object for a row that was found.
    func item(_ row: ItemRow) throws(DataStoreError) -> any DataStoreItem {
        row.type.itemType.itemClass.init(
            backing: RowBacking(
                row.type, id: row.id, values: row.values, store: store, block: nil,
                isStored: true))
    }

    // MARK: Rows

    /// Puts the rows that a request asks for into a selection.
    private func select(
        _ request: DataStoreRequest, into selection: inout ItemSelection<ItemRow>
    ) throws(DataStoreError) {
        let type = try blockType(request.type)
        if !type.hasOwnToken, let ids = request.predicate?.namedIDs {
            for id in ids {
                guard let row = try row(type, id: id) else { continue }
                if try !selection.add(row) { return }
            }
            return
        }
        try storage("fetch") { database in
            let rows = try Row.fetchCursor(
                database,
                sql: "SELECT id, attributes FROM item WHERE type = ? ORDER BY id",
                arguments: [type.stored?.number])
            while let row = try rows.next() {
                if try !selection.add(ItemRow(row, type, self)) { return }
            }
        }
    }

    private func row(_ type: BlockType, id: ItemID) throws(DataStoreError) -> ItemRow? {
        try storage("fetch") { database in
            let statement = try database.cachedStatement(
                sql: "SELECT id, attributes FROM item WHERE type = ? AND id = ?")
            return try Row.fetchOne(statement, arguments: [type.stored?.number, id.uuid])
                .map { try ItemRow($0, type, self) }
        }
    }

    /// What an attribute of the item that a reference points to holds.
    func value(
        forAttribute name: String, of reference: ItemReference
    ) throws(DataStoreError) -> DataStoreValue {
        let type = try blockType(ItemType(dynamic: reference.itemTypeKey))
        return try row(type, id: reference.id)?.value(forAttribute: name) ?? .null
    }
}
