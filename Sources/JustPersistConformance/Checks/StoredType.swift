import JustPersist

/// One type of items, without a Swift class, in a store under examination.
///
/// Most checks use it.
///
/// Its calls throw the store's errors, so that an unexpected failure ends the check with that error.
struct StoredType: Sendable {
    let check: CheckContext
    let store: any DataStore
    let key: String

    /// Declares a type with its attributes in a store.
    init(
        _ key: String, _ attributes: [String], in store: any DataStore, _ check: CheckContext
    ) throws {
        self.init(key, knownIn: store, check)
        try store.write { db in try declare(attributes, db) }
    }

    /// A type in a store, without a declaration.
    init(_ key: String, knownIn store: any DataStore, _ check: CheckContext) {
        self.check = check
        self.store = store
        self.key = key
    }

    /// Closes and opens the store, and returns this type in it.
    func reopened() throws -> StoredType {
        StoredType(key, knownIn: try check.reopened(store), check)
    }

    /// Closes and opens the store if it keeps its data, and returns whether it does.
    mutating func reopens() throws -> Bool {
        if check.reopeningKeepsData { self = try reopened() }
        return check.reopeningKeepsData
    }

    var itemType: ItemType { ItemType(dynamic: key) }

    func declare(
        _ attributes: [String], _ db: borrowing DataStoreWriter
    ) throws {
        try db.declare(ItemSchema(key, attributes: attributes.map { AttributeSchema($0) }))
    }

    // MARK: In separate blocks

    /// Creates an item in a separate write block.
    @discardableResult
    func create(_ values: [String: DataStoreValue] = [:]) throws -> ItemID {
        try store.write { db in try create(values, db).uniqueToken }
    }

    /// Changes an item in a separate write block.
    func set(_ values: [String: DataStoreValue], of id: ItemID) throws {
        try store.write { db in try live(id, db).set(values) }
    }

    /// The values of an item, read in a separate block; nil if there is no such item.
    func values(of id: ItemID) throws -> [String: DataStoreValue]? {
        try store.read { db in try item(id, db)?.values() }
    }

    /// The items that match, read in a separate block.
    func ids(where predicate: DataStorePredicate? = nil) throws -> [ItemID] {
        try store.read { db in try ids(where: predicate, db) }
    }

    /// An item that a read block has returned.
    func frozen(_ id: ItemID) throws -> DynamicItem {
        var frozen: DynamicItem?
        try store.read { db in frozen = try item(id, db) }
        return try check.require(frozen, "the item \(id) of \(key.escaped) in a read block")
    }

    // MARK: In an open block

    func create(
        _ values: [String: DataStoreValue],
        _ db: borrowing DataStoreWriter
    ) throws -> DynamicItem {
        let item = try db.create(key)
        try item.set(values)
        return item
    }

    func live(
        _ id: ItemID, _ db: borrowing DataStoreWriter
    ) throws -> DynamicItem {
        try check.require(try item(id, db), "the item \(id) of \(key.escaped) in a write block")
    }

    func item<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ id: ItemID, _ db: borrowing Accessor
    ) throws -> DynamicItem? {
        let item = try db.performFetchItem(itemType, id: id)
        check.expect(
            item == nil || item is DynamicItem,
            "An item of \(key.escaped), asked for without a class, came as another class than DynamicItem"
        )
        return item as? DynamicItem
    }

    func request(where predicate: DataStorePredicate? = nil) -> DataStoreRequest {
        DataStoreRequest(type: itemType, predicate: predicate)
    }

    func ids<Accessor: DataStoreReadAccessor & ~Copyable>(
        where predicate: DataStorePredicate? = nil, _ db: borrowing Accessor
    ) throws -> [ItemID] {
        try db.performFetch(request(where: predicate)).map { $0.uniqueToken }
    }

    // MARK: Expectations

    /// Expects that all reading calls of the store find these items.
    func expect(
        _ ids: [ItemID], _ when: String, file: String = #fileID, line: Int = #line
    ) throws {
        try store.read { db in try expect(ids, when, db, file: file, line: line) }
    }

    /// Expects that all reading calls of an open block find these items.
    func expect<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ expected: [ItemID], _ when: String, _ db: borrowing Accessor, file: String = #fileID,
        line: Int = #line
    ) throws {
        let of = "of \(key.escaped) \(when)"
        check.expectEqual(try ids(db), expected, "the items \(of)", file: file, line: line)
        check.expectEqual(
            try db.performCount(request()), expected.count, "the count \(of)", file: file,
            line: line)
        check.expectEqual(
            db.firstItem(forRequest: request())?.uniqueToken, expected.first, "the first \(of)",
            file: file, line: line)
        for id in expected {
            check.expectEqual(
                try item(id, db)?.uniqueToken, id, "the item \(of), fetched by its id", file: file,
                line: line)
        }
    }

    /// Expects that an item has exactly these values.
    func expectValues(
        _ expected: [String: DataStoreValue], of id: ItemID, _ when: String,
        file: String = #fileID, line: Int = #line
    ) throws {
        let values = try check.require(
            try values(of: id), "the item \(id) of \(key.escaped) \(when)", file: file, line: line)
        func row(
            _ values: [String: DataStoreValue], beside others: [String: DataStoreValue]
        ) -> [String: DataStoreValue] {
            values.merging(others.mapValues { _ in .null }) { value, _ in value }
        }
        check.expect(
            DataStoreValue.dictionary(values).isIdentical(to: .dictionary(expected)),
            row(values, beside: expected), row(expected, beside: values),
            "\(key.escaped) \(id) \(when)", file: file, line: line)
    }

    /// Expects that a predicate finds these items.
    func expect(
        _ expected: [ItemID], where attribute: String, _ operator: DataStorePredicate.Operator,
        _ value: DataStoreValue, _ when: String, file: String = #fileID, line: Int = #line
    ) throws {
        guard check.capabilities.predicateOperators.contains(`operator`) else { return }
        let predicate = DataStorePredicate.comparing(attribute, `operator`, value)
        check.expectEqual(
            try ids(where: predicate), expected,
            "the items of \(key.escaped) where \(attribute.escaped) \(`operator`.rawValue) \(value.shortText) \(when)",
            file: file, line: line)
    }
}

extension DataStorePredicate {
    /// The comparison of an attribute with a value.
    static func comparing(
        _ attribute: String, _ operator: Operator, _ value: DataStoreValue
    ) -> DataStorePredicate {
        .comparison(Comparison(.path(AttributePath([attribute])), `operator`, .value(value)))
    }
}
