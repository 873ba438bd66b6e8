/// The calls of a write block's accessor as calls of the class or the item, in the style of Active Record:
/// `Restaurant.create(in: db)`.
///
/// Each corresponds to the accessor's call of that name, and throws its errors.
extension MutableDataStoreItem {
    /// Makes a new item, with the default values that the class declares.
    @discardableResult
    public static func create(
        in db: borrowing some DataStoreReadWriteAccessor & ~Copyable
    ) throws(DataStoreError) -> Self {
        try db.create(Self.self)
    }

    /// Makes a new item, calls `change` with it, and returns its identity, which can be used after the block has
    /// ended.
    ///
    /// ```swift
    /// try store.write { db in try Restaurant.create(in: db) { $0.name = "Thai Garden" } }
    /// ```
    @discardableResult
    public static func create(
        in db: borrowing some DataStoreReadWriteAccessor & ~Copyable,
        _ change: (Self) throws -> Void
    ) throws -> ItemID {
        let item = try db.create(Self.self)
        try change(item)
        return item.uniqueToken
    }

    /// Makes a new item with these values and their identity.
    ///
    /// - Throws: `.couldNotCreateItemOfType` if the store has an item of the class with that identity.
    @discardableResult
    public static func create<Values: ItemValues>(
        from values: Values, in db: borrowing some DataStoreReadWriteAccessor & ~Copyable
    ) throws(DataStoreError) -> Self where Values.Item == Self {
        try db.makeItem(values)
    }

    /// The item with a value for a unique attribute: the stored one, or a new one with that value.
    public static func upsert<Value>(
        _ keyPath: KeyPath<Self, Value>, _ value: Value,
        in db: borrowing some DataStoreReadWriteAccessor & ~Copyable
    ) throws(DataStoreError) -> Self {
        try db.upsert(Self.self, keyPath, value)
    }

    /// Deletes all items of the class.
    public static func removeAll(
        in db: borrowing some DataStoreReadWriteAccessor & ~Copyable
    ) throws(DataStoreError) {
        try db.deleteAll(Self.self)
    }

    /// Deletes the items of the class that match, and returns their number.
    @discardableResult
    public static func removeAll(
        in db: borrowing some DataStoreReadWriteAccessor & ~Copyable,
        where predicate: DataStorePredicate
    ) throws(DataStoreError) -> Int {
        try db.delete(Self.self, where: predicate)
    }

    /// Deletes the items of the class that match, and returns their number.
    @discardableResult
    public static func removeAll(
        in db: borrowing some DataStoreReadWriteAccessor & ~Copyable,
        where condition: some ItemCondition<Self>
    ) throws(DataStoreError) -> Int {
        try db.delete(Self.self, where: condition)
    }

    /// Deletes the item, and returns whether it existed.
    @discardableResult
    public func remove(
        in db: borrowing some DataStoreReadWriteAccessor & ~Copyable
    ) throws(DataStoreError) -> Bool {
        try db.deleteByRules(self)
    }
}
