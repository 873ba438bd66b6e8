import JustPersist

/// A store with notes, and the operations of the checks of child stores.
///
/// Each method runs a separate block.
struct Family {
    static let type = "FamilyNote"
    let store: any DataStore

    /// An open, empty store with the declared type.
    init(_ check: CheckContext) throws {
        store = try check.openStore()
        try store.write { db in
            try db.declare(
                ItemSchema(
                    Self.type,
                    attributes: ["name", "number", "other"].map { AttributeSchema($0) }))
        }
    }

    private init(_ store: any DataStore) { self.store = store }

    /// An open child.
    func child() throws -> Family {
        let child = try store.makeChild()
        try child.open()
        return Family(child)
    }

    /// Adds an item.
    @discardableResult
    func add(_ name: String, number: Int = 0) throws -> ItemID {
        try store.write { db in try Self.add(name, number: number, in: db) }
    }

    /// Adds an item in an open block.
    @discardableResult
    static func add(
        _ name: String, number: Int = 0,
        in db: borrowing DataStoreWriter
    ) throws -> ItemID {
        let item = try db.create(type)
        item["name"] = .string(name)
        item["number"] = .int(Int64(number))
        return item.uniqueToken
    }

    /// Sets one attribute of an item.
    func set(_ id: ItemID, _ attribute: String, _ value: DataStoreValue) throws {
        try store.write { db in try db.liveItem(Self.type, id).set([attribute: value]) }
    }

    /// Deletes an item.
    func delete(_ id: ItemID) throws {
        try store.write { db in try db.delete(db.liveItem(Self.type, id)) }
    }

    /// One attribute of an item; nil if there is no such item.
    func value(_ id: ItemID, _ attribute: String) throws -> DataStoreValue? {
        try store.read { db in
            try db.performFetchItem(ItemType(dynamic: Self.type), id: id)?
                .backing.value(forAttribute: attribute)
        }
    }

    /// The names that a request finds, in its order.
    func names(
        where format: String? = nil, sortedBy key: String? = nil, ascending: Bool = true,
        offset: Int? = nil, limit: Int? = nil
    ) throws -> [String] {
        try store.read { db in
            try Self.names(
                in: db, where: format, sortedBy: key, ascending: ascending, offset: offset,
                limit: limit)
        }
    }

    /// The names that a request finds in an open block.
    static func names(
        in db: borrowing DataStoreReader, where format: String? = nil,
        sortedBy key: String? = nil, ascending: Bool = true, offset: Int? = nil, limit: Int? = nil
    ) throws -> [String] {
        let request = DataStoreRequest(
            type: ItemType(dynamic: type), predicate: try format.map { try DataStorePredicate($0) },
            sortDescriptors: key.map { [DataStoreSortDescriptor(key: $0, ascending: ascending)] },
            offset: offset, limit: limit)
        return try db.dynamicItems(request).map { item in
            guard case .string(let name) = item["name"] else { return "?" }
            return name
        }
    }

    /// The number of items.
    func count() throws -> Int {
        try store.read { db in try db.performCount(DataStoreRequest(itemTypeKey: Self.type)) }
    }

    /// The contents of the store.
    func dump() throws -> StoreDump { try StoreDump(of: store, typeKeys: [Self.type]) }

    /// Merges a child.
    @discardableResult
    func merge(_ child: Family, _ policy: MergePolicy = .childWins) throws -> [MergeConflict] {
        try store.merge(child.store, policy: policy).conflicts
    }
}
