import JustPersist

/// Items that a check has created in a store, and the contract's answers to requests for them.
struct Corpus {
    let store: any DataStore
    /// The key of the items' type.
    let type: String
    /// The items, in the order of their creation.
    private(set) var ids: [ItemID]
    /// The rows that the reference evaluator reads.
    private(set) var state: ReferenceState

    /// Attributes that every corpus declares and no item has.
    static let unset = ["missing", "neverSet"]

    /// Creates items with these values, in one write.
    init(
        _ rows: [[String: DataStoreValue]], attributes: [String] = [],
        indexes: [IndexSchema] = [],
        as type: String = "ConformanceQuery", in store: any DataStore
    ) throws {
        let names = Set(rows.flatMap(\.keys)).union(attributes + Self.unset).sorted()
        let schema = ItemSchema(
            type, attributes: names.map { AttributeSchema($0) }, indexes: indexes)
        self.store = store
        self.type = type
        state = ReferenceState()
        try state.declare(schema, limits: store.capabilities.limits)
        ids = try store.write { db in
            try db.declare(schema)
            return try rows.map { values in
                let item = try db.create(type)
                try item.set(values)
                return item.uniqueToken
            }
        }
        for (id, values) in zip(ids, rows) {
            state.put(ReferenceRow(ReferenceKey(type, id), values: values))
        }
    }

    /// Changes attributes of items, in one write.
    mutating func set(_ changes: [(index: Int, values: [String: DataStoreValue])]) throws {
        try store.write { db in
            for change in changes { try set(change.values, ofItem: change.index, db) }
        }
    }

    /// Updates the expected state, after a change that the check itself has made.
    mutating func note(_ values: [String: DataStoreValue], ofItem index: Int) {
        for (name, value) in values {
            state.set(value, ofAttribute: name, of: ReferenceKey(type, ids[index]))
        }
    }

    /// Changes an item in an open block.
    mutating func set(
        _ values: [String: DataStoreValue], ofItem index: Int, _ db: borrowing DataStoreWriter
    ) throws {
        try db.liveItem(type, ids[index]).set(values)
        note(values, ofItem: index)
    }

    /// Creates an item in an open block.
    mutating func create(
        _ values: [String: DataStoreValue], _ db: borrowing DataStoreWriter
    ) throws {
        let item = try db.create(type)
        try item.set(values)
        noteItem(item.uniqueToken, values)
    }

    /// Deletes an item in an open block.
    mutating func delete(item index: Int, _ db: borrowing DataStoreWriter) throws {
        _ = try db.performDelete(db.liveItem(type, ids[index]))
        noteDeletion(ofItem: index)
    }

    /// Adds an item that the check itself has created to the expected state.
    mutating func noteItem(_ id: ItemID, _ values: [String: DataStoreValue]) {
        ids = (ids + [id]).sorted()
        state.put(ReferenceRow(ReferenceKey(type, id), values: values))
    }

    /// Removes an item that the check itself has deleted from the expected state.
    mutating func noteDeletion(ofItem index: Int) {
        _ = state.remove(ReferenceKey(type, ids.remove(at: index)))
    }

    /// Removes all items, which the check itself has deleted, from the expected state.
    mutating func noteDeletionOfAll() {
        state.removeAll(type)
        ids = []
    }

    /// The corpus of `other`, for another instance of its store.
    init(_ other: Corpus, in store: any DataStore) {
        self.store = store
        type = other.type
        ids = other.ids
        state = other.state
    }

    // MARK: Answers

    /// The items that the store returns.
    func answer(_ query: Query) throws -> [ItemID] {
        try store.read { db in try db.ids(query, of: type) }
    }

    /// The items that the contract requires.
    func wanted(_ query: Query) throws -> [ItemID] {
        try ReferenceQuery.rows(query.request(type), in: state).map(\.key.id)
    }

    /// The values that were set on an item, except null.
    func values(of id: ItemID) -> [String: DataStoreValue] {
        state.row(ReferenceKey(type, id))?.values ?? [:]
    }

    /// A description of an item: its place in the order of creation, and its values of some attributes.
    func words(for id: ItemID, _ attributes: Set<String>) -> String {
        guard let index = ids.firstIndex(of: id) else { return "an unknown item \(id)" }
        let values = values(of: id)
        let shown = attributes.sorted().map { "\($0): \(values[$0] ?? .null)" }
        return "\(type) \(index) {\(shown.joined(separator: ", ").withVisibleScalars)}"
    }
}

extension DataStoreReadAccessor where Self: ~Copyable {
    /// The item of a type with that id, which must exist.
    func liveItem(_ type: String, _ id: ItemID) throws(DataStoreError) -> DynamicItem {
        if let item = try performFetchItem(ItemType(dynamic: type), id: id) as? DynamicItem {
            return item
        }
        throw DataStoreError(
            .couldNotFetchMutableVersion, in: "fetchItem",
            "The item \(id) of “\(type)” was created before and is not found by its id.",
            itemType: type)
    }
}
