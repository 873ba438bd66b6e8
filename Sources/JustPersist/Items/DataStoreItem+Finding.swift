/// The calls of an accessor as calls of the class, in the style of Active Record: `Restaurant.all(in: db)`.
///
/// Each corresponds to the accessor's call of that name, and throws its errors. `db` is the accessor of a read block,
/// or of a write block, where the items are live.
extension DataStoreItem {
    /// The items of the class that match, sorted and sliced; all of them by default.
    ///
    /// ```swift
    /// let names = try store.read { db in
    ///     try Restaurant.all(in: db, where: \.stars > 3, sortedBy: .ascending(\.name)).map(\.name)
    /// }
    /// ```
    public static func all(
        in db: borrowing some DataStoreReadAccessor & ~Copyable,
        where predicate: DataStorePredicate? = nil, sortedBy sort: ItemSort<Self>...,
        offset: Int? = nil, limit: Int? = nil
    ) throws(DataStoreError) -> [Self] {
        try db.items(
            as: Self.self, Self.request(predicate, sort, offset: offset, limit: limit))
    }

    /// The items of the class that match, sorted and sliced.
    public static func all(
        in db: borrowing some DataStoreReadAccessor & ~Copyable,
        where condition: some ItemCondition<Self>, sortedBy sort: ItemSort<Self>...,
        offset: Int? = nil, limit: Int? = nil
    ) throws(DataStoreError) -> [Self] {
        try db.items(
            as: Self.self,
            Self.request(condition.predicate(), sort, offset: offset, limit: limit))
    }

    /// The first item of the class that matches, in the requested order.
    public static func first(
        in db: borrowing some DataStoreReadAccessor & ~Copyable,
        where predicate: DataStorePredicate? = nil, sortedBy sort: ItemSort<Self>...
    ) throws(DataStoreError) -> Self? {
        try db.items(
            as: Self.self, Self.request(predicate, sort, offset: nil, limit: 1)
        ).first
    }

    /// The first item of the class that matches, in the requested order.
    public static func first(
        in db: borrowing some DataStoreReadAccessor & ~Copyable,
        where condition: some ItemCondition<Self>, sortedBy sort: ItemSort<Self>...
    ) throws(DataStoreError) -> Self? {
        try db.items(
            as: Self.self, Self.request(condition.predicate(), sort, offset: nil, limit: 1)
        ).first
    }

    /// The item of the class with that id; `nil` if there is none.
    ///
    /// Costs one lookup.
    public static func find(
        _ id: ItemID, in db: borrowing some DataStoreReadAccessor & ~Copyable
    ) throws(DataStoreError) -> Self? {
        try db.item(Self.self, id: id)
    }

    /// The number of items of the class that match.
    ///
    /// Without a predicate this is one lookup, independent of the number of items.
    public static func count(
        in db: borrowing some DataStoreReadAccessor & ~Copyable,
        where predicate: DataStorePredicate? = nil
    ) throws(DataStoreError) -> Int {
        try db.count(Self.self, where: predicate)
    }

    /// The number of items of the class that match.
    public static func count(
        in db: borrowing some DataStoreReadAccessor & ~Copyable,
        where condition: some ItemCondition<Self>
    ) throws(DataStoreError) -> Int {
        try db.count(Self.self, where: condition)
    }

    /// Whether any item of the class matches; stops at the first.
    public static func exists(
        in db: borrowing some DataStoreReadAccessor & ~Copyable,
        where predicate: DataStorePredicate? = nil
    ) throws(DataStoreError) -> Bool {
        try db.exists(Self.self, where: predicate)
    }

    /// Whether any item of the class matches; stops at the first.
    public static func exists(
        in db: borrowing some DataStoreReadAccessor & ~Copyable,
        where condition: some ItemCondition<Self>
    ) throws(DataStoreError) -> Bool {
        try db.exists(Self.self, where: condition)
    }

    /// This item in the block: live in a write block, and as of the snapshot in a read block; `nil` if it was deleted.
    ///
    /// Use it for an item of an earlier block. Costs one lookup. The item is found by its id, so an item of another
    /// store gives `nil`, unless this store has a copy of it.
    public func current(
        in db: borrowing some DataStoreReadAccessor & ~Copyable
    ) throws(DataStoreError) -> Self? {
        try db.item(Self.self, id: backing.id)
    }
}
