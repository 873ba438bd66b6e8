/// The calls that return copies of values instead of items; the copies can be used after the block has ended.
///
/// They read the matching items once, and keep none of them. They throw if a stored value cannot be read.
extension DataStoreReadAccessor where Self: ~Copyable {
    /// The values of the items of a class that match, sorted and sliced; of all of them by default.
    ///
    /// ```swift
    /// func best(in store: any DataStore) async throws -> [Restaurant.Values] {
    ///     try await store.read { db in try db.values(of: Restaurant.self, where: \.stars > 3) }
    /// }
    /// ```
    ///
    /// - Throws: `.unknownAttribute` for a name that the class does not declare, `.kindMismatch` or
    ///   `.unsupportedValue` for a stored value that does not fit its property, and the store's errors.
    @inlinable
    public func values<Item: ItemWithValues>(
        of type: Item.Type, where predicate: DataStorePredicate? = nil,
        sortedBy sort: ItemSort<Item>..., offset: Int? = nil, limit: Int? = nil
    ) throws(DataStoreError) -> [Item.Values] {
        try values(
            as: Item.Values.self, Item.request(predicate, sort, offset: offset, limit: limit))
    }

    /// The values of the items of a class that match, sorted and sliced.
    @inlinable
    public func values<Item: ItemWithValues>(
        of type: Item.Type, where condition: some ItemCondition<Item>,
        sortedBy sort: ItemSort<Item>..., offset: Int? = nil, limit: Int? = nil
    ) throws(DataStoreError) -> [Item.Values] {
        try values(
            as: Item.Values.self,
            Item.request(condition.predicate(), sort, offset: offset, limit: limit))
    }

    /// The values of the items that match as a struct of your own; see ``ItemValues``.
    @inlinable
    public func values<Values: ItemValues>(
        _ type: Values.Type, where predicate: DataStorePredicate? = nil,
        sortedBy sort: ItemSort<Values.Item>..., offset: Int? = nil, limit: Int? = nil
    ) throws(DataStoreError) -> [Values] {
        try values(
            as: type, Values.Item.request(predicate, sort, offset: offset, limit: limit))
    }

    /// The values of the items that match as a struct of your own; see ``ItemValues``.
    @inlinable
    public func values<Values: ItemValues>(
        _ type: Values.Type, where condition: some ItemCondition<Values.Item>,
        sortedBy sort: ItemSort<Values.Item>..., offset: Int? = nil, limit: Int? = nil
    ) throws(DataStoreError) -> [Values] {
        try values(
            as: type,
            Values.Item.request(condition.predicate(), sort, offset: offset, limit: limit))
    }

    /// The values of the first item of a class that matches, in the requested order.
    @inlinable
    public func firstValues<Item: ItemWithValues>(
        of type: Item.Type, where predicate: DataStorePredicate? = nil,
        sortedBy sort: ItemSort<Item>...
    ) throws(DataStoreError) -> Item.Values? {
        try values(
            as: Item.Values.self, Item.request(predicate, sort, offset: nil, limit: 1)
        ).first
    }

    /// The values of the first item of a class that matches, in the requested order.
    @inlinable
    public func firstValues<Item: ItemWithValues>(
        of type: Item.Type, where condition: some ItemCondition<Item>,
        sortedBy sort: ItemSort<Item>...
    ) throws(DataStoreError) -> Item.Values? {
        try values(
            as: Item.Values.self,
            Item.request(condition.predicate(), sort, offset: nil, limit: 1)
        ).first
    }

    /// The values of the item of a class with that id; `nil` if there is none.
    ///
    /// Costs one lookup.
    @inlinable
    public func values<Item: ItemWithValues>(
        of type: Item.Type, id: ItemID
    ) throws(DataStoreError) -> Item.Values? {
        guard let item = try item(type, id: id) else { return nil }
        return try PropertyFailures.failingCall { Item.Values(item) }
    }

    /// The values of the items of a request for a type without a Swift class.
    public func dynamicValues(
        _ request: DataStoreRequest
    ) throws(DataStoreError) -> [DynamicItem.Values] {
        var values: [DynamicItem.Values] = []
        var failure: DataStoreError?
        try performScan(request) { item in
            if failure != nil { return }
            do throws(DataStoreError) {
                values.append(try DynamicItem.Values(item))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return values
    }

    // Inlined, so that the casts are to a known class, and the values of a known struct.
    @inlinable
    func values<Values: ItemValues>(
        as type: Values.Type, _ request: DataStoreRequest
    ) throws(DataStoreError) -> [Values] {
        guard request.itemType is Values.Item.Type else {
            throw .request(request, usedFor: Values.Item.self)
        }
        var values: [Values] = []
        var isOther = false
        try PropertyFailures.failingCall { () throws(DataStoreError) in
            try performScan(request) { item in
                guard let item = Values.Item.cast(item) else { return isOther = true }
                values.append(Values(item))
            }
        }
        if isOther { throw .request(request, usedFor: Values.Item.self) }
        return values
    }
}
