/// The calls of an accessor with the class in front, for readers who know Active Record: `Restaurant.all(in: db)`.
///
/// Each is the accessor's call of the same name, and throws what that throws. `db` is the accessor of a read block, or of a
/// write block, where the items are live.
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

    /// The first item of the class that matches, in the order asked for.
    public static func first(
        in db: borrowing some DataStoreReadAccessor & ~Copyable,
        where predicate: DataStorePredicate? = nil, sortedBy sort: ItemSort<Self>...
    ) throws(DataStoreError) -> Self? {
        try db.items(
            as: Self.self, Self.request(predicate, sort, offset: nil, limit: 1)
        ).first
    }

    /// The first item of the class that matches, in the order asked for.
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

    /// How many items of the class match.
    ///
    /// Without a predicate this costs one lookup, however many there are.
    public static func count(
        in db: borrowing some DataStoreReadAccessor & ~Copyable,
        where predicate: DataStorePredicate? = nil
    ) throws(DataStoreError) -> Int {
        try db.count(Self.self, where: predicate)
    }

    /// How many items of the class match.
    public static func count(
        in db: borrowing some DataStoreReadAccessor & ~Copyable,
        where condition: some ItemCondition<Self>
    ) throws(DataStoreError) -> Int {
        try db.count(Self.self, where: condition)
    }

    /// Whether any item of the class matches; looks no further than the first.
    public static func exists(
        in db: borrowing some DataStoreReadAccessor & ~Copyable,
        where predicate: DataStorePredicate? = nil
    ) throws(DataStoreError) -> Bool {
        try db.exists(Self.self, where: predicate)
    }

    /// Whether any item of the class matches; looks no further than the first.
    public static func exists(
        in db: borrowing some DataStoreReadAccessor & ~Copyable,
        where condition: some ItemCondition<Self>
    ) throws(DataStoreError) -> Bool {
        try db.exists(Self.self, where: condition)
    }

    /// This item as the block sees it: live in a write block, and as of the snapshot in a read block; `nil` if it was
    /// deleted.
    ///
    /// This is how an item of an earlier block is used in another one. Costs one lookup. The item is found by its id, so
    /// that of another store gives `nil`, unless that store has a copy of it.
    public func current(
        in db: borrowing some DataStoreReadAccessor & ~Copyable
    ) throws(DataStoreError) -> Self? {
        try db.item(Self.self, id: backing.id)
    }
}
