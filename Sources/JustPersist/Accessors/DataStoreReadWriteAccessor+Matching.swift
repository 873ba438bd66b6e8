/// Changes of all items that match.
extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// Deletes the items of a class that match, and returns their number.
    @discardableResult
    public func delete<Item: MutableDataStoreItem>(
        _ type: Item.Type, where predicate: DataStorePredicate
    ) throws(DataStoreError) -> Int {
        try deleteItems(of: Item.request(predicate, [], offset: nil, limit: nil))
    }

    /// Deletes the items that match a `#Predicate` or a comparison of key paths, and returns their number.
    @discardableResult
    public func delete<Item: MutableDataStoreItem>(
        _ type: Item.Type, where condition: some ItemCondition<Item>
    ) throws(DataStoreError) -> Int {
        try delete(type, where: condition.predicate())
    }

    private func deleteItems(of request: DataStoreRequest) throws(DataStoreError) -> Int {
        var deleted = 0
        for item in try performFetch(request) where try deleteByRules(item) { deleted += 1 }
        return deleted
    }

    /// Calls `change` with each item of a class that matches, and returns their number.
    ///
    /// All items are found before the first is changed, so `change` may affect which items match.
    ///
    /// ```swift
    /// try db.update(Restaurant.self, where: \.stars > 4) { $0.isBest = true }
    /// ```
    @discardableResult
    public func update<Item: MutableDataStoreItem>(
        _ type: Item.Type, where predicate: DataStorePredicate? = nil,
        _ change: (Item) throws -> Void
    ) throws -> Int {
        let items = try items(type, where: predicate)
        for item in items { try change(item) }
        return items.count
    }

    /// Calls `change` with each item that matches a `#Predicate` or a comparison of key paths, and returns their
    /// number.
    @discardableResult
    public func update<Item: MutableDataStoreItem>(
        _ type: Item.Type, where condition: some ItemCondition<Item>,
        _ change: (Item) throws -> Void
    ) throws -> Int {
        try update(type, where: condition.predicate(), change)
    }
}
