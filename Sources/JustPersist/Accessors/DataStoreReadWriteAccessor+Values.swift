/// Items made or changed from values: see ``ItemValues``.
///
/// The calls return the identity of the item, which can be used after the block has ended; `item(_:id:)` returns the
/// item itself, for one lookup.
extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// Makes a new item with these values and their identity, and returns the identity.
    ///
    /// ```swift
    /// try await store.write { db in try db.create(from: restaurant) }
    /// ```
    ///
    /// Attributes that the values do not have get their defaults.
    ///
    /// - Throws: `.couldNotCreateItemOfType` if the store has an item of the class with that identity (`upsert(_:)`
    ///   changes it instead); the error of a value that cannot be stored, and then no item is made.
    @discardableResult
    public func create<Values: ItemValues>(
        from values: Values
    ) throws(DataStoreError) -> ItemID {
        try makeItem(values).uniqueToken
    }

    /// Makes a new item with these values.
    func makeItem<Values: ItemValues>(
        _ values: Values
    ) throws(DataStoreError) -> Values.Item {
        let item = try makeItem(Values.Item.self, id: values.uniqueToken)
        do throws(DataStoreError) {
            try Values.Item.assign(
                values,
                to: DifferenceBacking(from: item.backing.storeBacking, comparesValues: false))
        } catch {
            _ = try performDelete(item)
            throw error
        }
        return item
    }

    /// Makes a new item with an identity and the defaults of its class.
    func makeItem<Item: MutableDataStoreItem>(
        _ type: Item.Type, id: ItemID
    ) throws(DataStoreError) -> Item {
        guard let made = try performCreate(ItemType(type), id: id) else {
            throw .alreadyThere(id, ofType: type.itemTypeKey)
        }
        guard let item = Item.cast(made) else { throw .madeOfAnotherClass(type) }
        item.setInitialValues()
        try noteCreated(item)
        return item
    }

    /// Changes the item with the values' identity to these values, or makes it.
    ///
    /// Acts as `create(from:)` if the store has no such item, and as ``MutableDataStoreItem/update(from:)`` if it has.
    @discardableResult
    public func upsert<Values: ItemValues>(
        _ values: Values
    ) throws(DataStoreError) -> ItemID {
        guard let item = try item(Values.Item.self, id: values.uniqueToken) else {
            return try create(from: values)
        }
        try item.update(from: values)
        return item.uniqueToken
    }

    /// Changes the item that has the same value for a unique attribute to these values, or makes it.
    ///
    /// ```swift
    /// try store.write { db in try db.upsert(restaurant, by: \.permit) }
    /// ```
    ///
    /// A stored item keeps its identity; a new one has that of the values.
    ///
    /// - Throws: As `upsert(_:_:_:)` and `create(from:)`.
    @discardableResult
    public func upsert<Values: ItemValues, Value>(
        _ values: Values, by keyPath: KeyPath<Values.Item, Value>
    ) throws(DataStoreError) -> ItemID {
        try upsert(CollectionOfOne(values), by: keyPath)[0]
    }

    /// Changes or makes an item for each of the values, in their order, and returns the identities of the items.
    ///
    /// This is faster than one call for each. If several of the values share the attribute's value, the last one is
    /// kept.
    ///
    /// - Throws: As the form for one item. Items that were made or changed before the failure stay so; roll the block
    ///   back if they should not.
    @discardableResult
    public func upsert<Values: ItemValues, Value>(
        _ all: some Collection<Values>, by keyPath: KeyPath<Values.Item, Value>
    ) throws(DataStoreError) -> [ItemID] {
        let items = try items(upserting: Array(all), by: keyPath)
        for (values, item) in zip(all, items) { try item.update(from: values) }
        return items.map(\.uniqueToken)
    }

    /// Makes a new item of a type that was declared before, with these values and their identity.
    ///
    /// - Throws: As `create(from:)` for values of a class.
    @discardableResult
    public func create(
        from values: DynamicItem.Values
    ) throws(DataStoreError) -> ItemID {
        let item = DynamicItem(
            values.itemTypeKey, id: values.uniqueToken, values: values.values)
        guard try performInsert(item) else {
            throw .alreadyThere(values.uniqueToken, ofType: values.itemTypeKey)
        }
        try noteCreated(item)
        return item.uniqueToken
    }

    /// Changes the item with the values' type and identity to these values, or makes it.
    @discardableResult
    public func upsert(_ values: DynamicItem.Values) throws(DataStoreError) -> ItemID {
        let reference = ItemReference(itemTypeKey: values.itemTypeKey, id: values.uniqueToken)
        guard let item = try dynamicItem(reference) else { return try create(from: values) }
        try item.update(from: values)
        return item.uniqueToken
    }
}

extension DataStoreError {
    static func alreadyThere(_ id: ItemID, ofType itemType: String) -> DataStoreError {
        DataStoreError(
            .couldNotCreateItemOfType, in: "create",
            """
            The store already has an item \(id) of “\(itemType)”, which was not changed. Use upsert to change it, or give \
            the values a new id.
            """, itemType: itemType)
    }
}
