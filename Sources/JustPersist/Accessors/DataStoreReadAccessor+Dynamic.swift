/// The calls for data without a Swift class.
extension DataStoreReadAccessor where Self: ~Copyable {
    /// The items of a request for a type without a Swift class.
    @inlinable
    public func dynamicItems(_ request: DataStoreRequest) throws(DataStoreError) -> [DynamicItem] {
        try items(as: DynamicItem.self, request)
    }

    /// The item that a reference points to, of any type; `nil` if it was deleted.
    ///
    /// Costs one lookup.
    public func dynamicItem(_ reference: ItemReference) throws(DataStoreError) -> DynamicItem? {
        try performFetchItem(ItemType(dynamic: reference.itemTypeKey), id: reference.id)
            as? DynamicItem
    }
}
