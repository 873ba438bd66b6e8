/// Typed iteration, for types with more items than should be in memory at one time.
extension DataStoreReadAccessor where Self: ~Copyable {
    /// Calls `body` with each matching item of a class, sorted and sliced, without loading all of them at once.
    ///
    /// `body` may run other queries with this accessor, but must not write with it. If `body` throws, the iteration
    /// ends, and this throws the same error.
    public func forEach<Item: DataStoreItem>(
        _ type: Item.Type, where predicate: DataStorePredicate? = nil,
        sortedBy sort: ItemSort<Item>..., offset: Int? = nil, limit: Int? = nil,
        _ body: (Item) throws -> Void
    ) throws {
        try forEach(
            as: type, Item.request(predicate, sort, offset: offset, limit: limit), body)
    }

    /// Calls `body` with each item that matches a `#Predicate` or a comparison of key paths.
    public func forEach<Item: DataStoreItem>(
        _ type: Item.Type, where condition: some ItemCondition<Item>,
        sortedBy sort: ItemSort<Item>..., offset: Int? = nil, limit: Int? = nil,
        _ body: (Item) throws -> Void
    ) throws {
        try forEach(
            as: type, Item.request(condition.predicate(), sort, offset: offset, limit: limit), body)
    }

    // Inlined, so that the casts are to a known class.
    @inlinable
    func forEach<Item: DataStoreItem>(
        as type: Item.Type, _ request: DataStoreRequest, _ body: (Item) throws -> Void
    ) throws {
        try performForEach(request) { item in
            guard let item = Item.cast(item) else {
                throw DataStoreError.request(request, usedFor: type)
            }
            try body(item)
        }
    }
}
