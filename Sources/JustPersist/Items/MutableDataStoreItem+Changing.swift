/// The calls of a write block's accessor with the class or the item in front, for readers who know Active Record:
/// `Restaurant.create(in: db)`.
///
/// Each is the accessor's call of the same name, and throws what that throws.
extension MutableDataStoreItem {
    /// Makes a new item, with the values that the class declares as defaults.
    @discardableResult
    public static func create(
        in db: borrowing some DataStoreReadWriteAccessor & ~Copyable
    ) throws(DataStoreError) -> Self {
        try db.create(Self.self)
    }

    /// Makes a new item, calls `change` with it, and returns its identity, which may leave the block.
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

    /// Makes a new item with these values, and with their identity.
    ///
    /// - Throws: `.couldNotCreateItemOfType` if the store has an item of the class with that identity.
    @discardableResult
    public static func create<Values: ItemValues>(
        from values: Values, in db: borrowing some DataStoreReadWriteAccessor & ~Copyable
    ) throws(DataStoreError) -> Self where Values.Item == Self {
        try db.makeItem(values)
    }

    /// The item with a value for a unique attribute: the one that the store has, or a new one with that value.
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

    /// Deletes the items of the class that match, and returns how many.
    @discardableResult
    public static func removeAll(
        in db: borrowing some DataStoreReadWriteAccessor & ~Copyable,
        where predicate: DataStorePredicate
    ) throws(DataStoreError) -> Int {
        try db.delete(Self.self, where: predicate)
    }

    /// Deletes the items of the class that match, and returns how many.
    @discardableResult
    public static func removeAll(
        in db: borrowing some DataStoreReadWriteAccessor & ~Copyable,
        where condition: some ItemCondition<Self>
    ) throws(DataStoreError) -> Int {
        try db.delete(Self.self, where: condition)
    }

    /// Deletes the item, and returns whether it was there.
    @discardableResult
    public func remove(
        in db: borrowing some DataStoreReadWriteAccessor & ~Copyable
    ) throws(DataStoreError) -> Bool {
        try db.performDelete(self)
    }
}
