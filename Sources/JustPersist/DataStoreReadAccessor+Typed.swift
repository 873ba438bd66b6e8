public import Foundation

/// The typed, throwing calls.
extension DataStoreReadAccessor where Self: ~Copyable {
    /// The items of a class that match, sorted and sliced; all of them by default.
    @inlinable
    public func items<Item: DataStoreItem>(
        _ type: Item.Type, where predicate: DataStorePredicate? = nil,
        sortedBy sort: DataStoreSortDescriptor..., offset: Int? = nil, limit: Int? = nil
    ) throws(DataStoreError) -> [Item] {
        try items(
            as: type,
            DataStoreRequest(
                type: ItemType(type), predicate: predicate, sortDescriptors: sort, offset: offset,
                limit: limit))
    }

    /// The items of a class that match a `#Predicate`, sorted and sliced.
    @inlinable
    public func items<Item: DataStoreItem>(
        _ type: Item.Type, where predicate: Predicate<Item>,
        sortedBy sort: DataStoreSortDescriptor..., offset: Int? = nil, limit: Int? = nil
    ) throws(DataStoreError) -> [Item] {
        try items(
            as: type,
            DataStoreRequest(
                type: ItemType(type), predicate: try DataStorePredicate(predicate),
                sortDescriptors: sort, offset: offset, limit: limit))
    }

    /// The items of a class that match key-path comparisons, sorted and sliced.
    @inlinable
    public func items<Item: DataStoreItem>(
        _ type: Item.Type, where predicate: ItemPredicate<Item>,
        sortedBy sort: DataStoreSortDescriptor..., offset: Int? = nil, limit: Int? = nil
    ) throws(DataStoreError) -> [Item] {
        try items(
            as: type,
            DataStoreRequest(
                type: ItemType(type), predicate: try predicate.predicate(), sortDescriptors: sort,
                offset: offset, limit: limit))
    }

    /// The first item of a class that matches, in the order asked for.
    @inlinable
    public func first<Item: DataStoreItem>(
        _ type: Item.Type, where predicate: DataStorePredicate? = nil,
        sortedBy sort: DataStoreSortDescriptor...
    ) throws(DataStoreError) -> Item? {
        try items(
            as: type,
            DataStoreRequest(
                type: ItemType(type), predicate: predicate, sortDescriptors: sort, limit: 1)
        ).first
    }

    /// The first item of a class that matches a `#Predicate`, in the order asked for.
    @inlinable
    public func first<Item: DataStoreItem>(
        _ type: Item.Type, where predicate: Predicate<Item>,
        sortedBy sort: DataStoreSortDescriptor...
    ) throws(DataStoreError) -> Item? {
        try items(
            as: type,
            DataStoreRequest(
                type: ItemType(type), predicate: try DataStorePredicate(predicate),
                sortDescriptors: sort, limit: 1)
        ).first
    }

    /// The first item of a class that matches key-path comparisons, in the order asked for.
    @inlinable
    public func first<Item: DataStoreItem>(
        _ type: Item.Type, where predicate: ItemPredicate<Item>,
        sortedBy sort: DataStoreSortDescriptor...
    ) throws(DataStoreError) -> Item? {
        try items(
            as: type,
            DataStoreRequest(
                type: ItemType(type), predicate: try predicate.predicate(), sortDescriptors: sort,
                limit: 1)
        ).first
    }

    /// How many items of a class match.
    ///
    /// Without a predicate this costs one lookup, however many there are.
    @inlinable
    public func count<Item: DataStoreItem>(
        _ type: Item.Type, where predicate: DataStorePredicate? = nil
    ) throws(DataStoreError) -> Int {
        try performCount(DataStoreRequest(type: ItemType(type), predicate: predicate))
    }

    /// How many items of a class match a `#Predicate`.
    @inlinable
    public func count<Item: DataStoreItem>(
        _ type: Item.Type, where predicate: Predicate<Item>
    ) throws(DataStoreError) -> Int {
        try count(type, where: try DataStorePredicate(predicate))
    }

    /// How many items of a class match key-path comparisons.
    @inlinable
    public func count<Item: DataStoreItem>(
        _ type: Item.Type, where predicate: ItemPredicate<Item>
    ) throws(DataStoreError) -> Int {
        try count(type, where: try predicate.predicate())
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
    /// ``DataStoreError/Code/invalidRequest``; ``ItemReference/itemTypeKey`` tells which type it points to.
    @inlinable
    public func item<Item: DataStoreItem>(
        _ type: Item.Type, _ reference: ItemReference
    ) throws(DataStoreError) -> Item? {
        if try !mayPoint(reference, to: type) { throw .reference(reference, usedFor: type) }
        return try item(type, id: reference.id)
    }

    /// Whether a reference bears a key of a class's type: its own, or an earlier or a later release's.
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
