import JustPersist

/// Items with a name and a number, for the checks of blocks.
struct NamedItems: Sendable {
    let store: any DataStore
    let key: String

    /// Declares a type in a store, and creates these items.
    init(
        in store: any DataStore, key: String = "ConformanceNamed",
        _ start: KeyValuePairs<String, Int> = [:]
    ) throws {
        self.store = store
        self.key = key
        try store.write { db in
            try db.declare(
                ItemSchema(
                    key, attributes: ["name", "number", "note"].map { AttributeSchema($0) }))
            for (name, number) in start { try create(name, number, db) }
        }
    }

    // MARK: In a block

    func create(
        _ name: String, _ number: Int, _ db: borrowing DataStoreWriter
    ) throws {
        _ = try make(name, number, db)
    }

    func make(
        _ name: String, _ number: Int, _ db: borrowing DataStoreWriter
    ) throws -> DynamicItem {
        let item = try db.create(key)
        item["name"] = .string(name)
        item["number"] = .int(Int64(number))
        return item
    }

    func request(
        where predicate: DataStorePredicate? = nil, sortedBy sort: DataStoreSortDescriptor...,
        offset: Int? = nil, limit: Int? = nil
    ) -> DataStoreRequest {
        DataStoreRequest(
            type: ItemType(dynamic: key), predicate: predicate, sortDescriptors: sort,
            offset: offset, limit: limit)
    }

    func items<Accessor: DataStoreReadAccessor & ~Copyable>(
        where predicate: DataStorePredicate? = nil, _ db: borrowing Accessor
    ) throws -> [DynamicItem] {
        try db.dynamicItems(request(where: predicate))
    }

    /// The first item with a name.
    func item<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ name: String, _ db: borrowing Accessor
    ) throws -> DynamicItem? {
        try items(where: DataStorePredicate("name == %@", name), db).first
    }

    /// Changes the number of the items with a name.
    func set(
        _ name: String, to number: Int, _ db: borrowing DataStoreWriter
    ) throws {
        for item in try items(where: DataStorePredicate("name == %@", name), db) {
            item["number"] = .int(Int64(number))
        }
    }

    /// The names of the items that a request finds, in order.
    func names<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ request: DataStoreRequest, _ db: borrowing Accessor
    ) throws -> [String] {
        try db.dynamicItems(request).map(\.name)
    }

    // MARK: In separate blocks

    /// The numbers of all items by name.
    ///
    /// If two items have one name, the first one's number is returned.
    func all() throws -> [String: Int] {
        try store.read { db in
            Dictionary(
                try items(db).map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// The names of all items, in the order of their creation.
    func names() throws -> [String] { try store.read { db in try names(request(), db) } }

    func count() throws -> Int { try store.read { db in try db.performCount(request()) } }
}

extension DynamicItem {
    /// The name of one of ``NamedItems``.
    ///
    /// A value of another kind is converted to text.
    var name: String {
        if case .string(let name) = self["name"] { name } else { "\(self["name"])" }
    }

    /// The number of one of ``NamedItems``; the least integer for a value of another kind.
    var number: Int {
        if case .int(let number) = self["number"] { Int(number) } else { .min }
    }
}
