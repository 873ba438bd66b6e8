/// The values of items as a sequence: see ``ItemStream``.
extension DataStore {
    /// The values of the items of a class that match, sorted and sliced, from one snapshot, without loading all of
    /// them at once.
    ///
    /// ```swift
    /// for try await restaurant in store.values(of: Restaurant.self, where: \.stars > 3) {
    ///     print(restaurant.name)
    /// }
    /// ```
    public func values<Item: ItemWithValues>(
        of type: Item.Type, where predicate: DataStorePredicate? = nil,
        sortedBy sort: ItemSort<Item>..., offset: Int? = nil, limit: Int? = nil
    ) -> ItemStream<Item.Values> {
        values(
            of: type, where: predicate, sortedBy: ItemSort(sort), offset: offset, limit: limit
        ) { item in try PropertyFailures.failingCall { Item.Values(item) } }
    }

    /// The values of the items that match a `#Predicate` or a comparison of key paths.
    public func values<Item: ItemWithValues>(
        of type: Item.Type, where condition: some ItemCondition<Item>,
        sortedBy sort: ItemSort<Item>..., offset: Int? = nil, limit: Int? = nil
    ) -> ItemStream<Item.Values> {
        values(
            of: type, where: condition, sortedBy: ItemSort(sort), offset: offset, limit: limit
        ) { item in try PropertyFailures.failingCall { Item.Values(item) } }
    }
}
