/// The typed, throwing calls.
///
/// Each takes the condition as a `#Predicate` or key paths (``ItemCondition``), or as a ``DataStorePredicate``.
extension DataStoreReadAccessor where Self: ~Copyable {
    /// The items of a class that match, sorted and sliced; all of them by default.
    ///
    /// - Throws: `.unknownAttribute` for a name that the class does not declare, and the store's errors.
    public func items<Item: DataStoreItem>(
        _ type: Item.Type, where predicate: DataStorePredicate? = nil,
        sortedBy sort: ItemSort<Item>..., offset: Int? = nil, limit: Int? = nil
    ) throws(DataStoreError) -> [Item] {
        try items(as: type, Item.request(predicate, sort, offset: offset, limit: limit))
    }

    /// The items of a class that match, sorted and sliced.
    public func items<Item: DataStoreItem>(
        _ type: Item.Type, where condition: some ItemCondition<Item>,
        sortedBy sort: ItemSort<Item>..., offset: Int? = nil, limit: Int? = nil
    ) throws(DataStoreError) -> [Item] {
        try items(
            as: type, Item.request(condition.predicate(), sort, offset: offset, limit: limit))
    }

    /// The first item of a class that matches, in the requested order.
    public func first<Item: DataStoreItem>(
        _ type: Item.Type, where predicate: DataStorePredicate? = nil,
        sortedBy sort: ItemSort<Item>...
    ) throws(DataStoreError) -> Item? {
        try items(as: type, Item.request(predicate, sort, offset: nil, limit: 1)).first
    }

    /// The first item of a class that matches, in the requested order.
    public func first<Item: DataStoreItem>(
        _ type: Item.Type, where condition: some ItemCondition<Item>,
        sortedBy sort: ItemSort<Item>...
    ) throws(DataStoreError) -> Item? {
        try items(as: type, Item.request(condition.predicate(), sort, offset: nil, limit: 1)).first
    }

    /// The number of items of a class that match.
    ///
    /// Without a predicate this is one lookup, independent of the number of items.
    public func count<Item: DataStoreItem>(
        _ type: Item.Type, where predicate: DataStorePredicate? = nil
    ) throws(DataStoreError) -> Int {
        try performCount(Item.request(predicate, [], offset: nil, limit: nil))
    }

    /// The number of items of a class that match.
    public func count<Item: DataStoreItem>(
        _ type: Item.Type, where condition: some ItemCondition<Item>
    ) throws(DataStoreError) -> Int {
        try performCount(Item.request(condition.predicate(), [], offset: nil, limit: nil))
    }

    /// Whether any item of a class matches; stops at the first.
    public func exists<Item: DataStoreItem>(
        _ type: Item.Type, where predicate: DataStorePredicate? = nil
    ) throws(DataStoreError) -> Bool {
        try performCount(Item.request(predicate, [], offset: nil, limit: 1)) > 0
    }

    /// Whether any item of a class matches; stops at the first.
    public func exists<Item: DataStoreItem>(
        _ type: Item.Type, where condition: some ItemCondition<Item>
    ) throws(DataStoreError) -> Bool {
        try performCount(Item.request(condition.predicate(), [], offset: nil, limit: 1)) > 0
    }

    /// How the store executes the request for these items: see ``QueryPlan``.
    ///
    /// Costs as much as the request itself.
    public func explain<Item: DataStoreItem>(
        _ type: Item.Type, where predicate: DataStorePredicate? = nil,
        sortedBy sort: ItemSort<Item>..., offset: Int? = nil, limit: Int? = nil
    ) throws(DataStoreError) -> QueryPlan {
        try performExplain(.fetch, Item.request(predicate, sort, offset: offset, limit: limit))
    }

    /// How the store executes the request for these items: see ``QueryPlan``.
    public func explain<Item: DataStoreItem>(
        _ type: Item.Type, where condition: some ItemCondition<Item>,
        sortedBy sort: ItemSort<Item>..., offset: Int? = nil, limit: Int? = nil
    ) throws(DataStoreError) -> QueryPlan {
        try performExplain(
            .fetch, Item.request(condition.predicate(), sort, offset: offset, limit: limit))
    }

    /// How the store executes an operation on the items of a class that match: see ``QueryPlan``.
    ///
    /// ```swift
    /// print(try db.explain(.count, Restaurant.self, where: \.borough == "Queens"))
    /// ```
    ///
    /// Costs as much as the operation itself.
    public func explain<Item: DataStoreItem>(
        _ operation: QueryPlan.Operation, _ type: Item.Type,
        where predicate: DataStorePredicate? = nil
    ) throws(DataStoreError) -> QueryPlan {
        try performExplain(operation, Item.request(predicate, [], offset: nil, limit: nil))
    }

    /// How the store executes an operation on the items of a class that match: see ``QueryPlan``.
    public func explain<Item: DataStoreItem>(
        _ operation: QueryPlan.Operation, _ type: Item.Type,
        where condition: some ItemCondition<Item>
    ) throws(DataStoreError) -> QueryPlan {
        try performExplain(
            operation, Item.request(condition.predicate(), [], offset: nil, limit: nil))
    }

    /// The item of a class with that id; `nil` if there is none.
    ///
    /// Costs one lookup.
    @inlinable
    public func item<Item: DataStoreItem>(
        _ type: Item.Type, id: ItemID
    ) throws(DataStoreError) -> Item? {
        guard let item = try performFetchItem(ItemType(type), id: id) else { return nil }
        return Item.cast(item)
    }

    /// The item of a class that a reference points to; `nil` if it was deleted.
    ///
    /// Costs one lookup. A reference to an item of another type is refused with
    /// ``DataStoreError/Code/invalidRequest``; ``ItemReference/itemTypeKey`` is the key of the type it points to.
    @inlinable
    public func item<Item: DataStoreItem>(
        _ type: Item.Type, _ reference: ItemReference
    ) throws(DataStoreError) -> Item? {
        if try !mayPoint(reference, to: type) { throw .reference(reference, usedFor: type) }
        return try item(type, id: reference.id)
    }

    /// Whether a reference has a key of a class's type: its own, or that of an earlier or later release.
    @usableFromInline
    func mayPoint(
        _ reference: ItemReference, to type: any DataStoreItem.Type
    ) throws(DataStoreError) -> Bool {
        let key = reference.itemTypeKey
        if key == type.itemTypeKey || type.schema.formerTypeKeys.contains(key) { return true }
        return try schemas().contains {
            $0.itemTypeKey == key && $0.formerTypeKeys.contains(type.itemTypeKey)
        }
    }

    // Inlined, so that the casts are to a known class.
    @inlinable
    func items<Item: DataStoreItem>(
        as type: Item.Type, _ request: DataStoreRequest
    ) throws(DataStoreError) -> [Item] {
        guard request.itemType is Item.Type else { throw .request(request, usedFor: type) }
        let found = try performFetch(request)
        var items: [Item] = []
        items.reserveCapacity(found.count)
        for item in found {
            guard let item = Item.cast(item) else { throw .request(request, usedFor: type) }
            items.append(item)
        }
        return items
    }
}
