/// Items found by a unique attribute, or made.
///
/// The attribute must be declared unique: `@Attribute(.unique) var permit: String`. So two blocks that import the same
/// data leave no duplicates, whichever comes first. If case does not count (`@Attribute(.unique, .ignoringCase)`), an item
/// is found under any spelling, and keeps the one it has.
extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// The item with a value for a unique attribute: the one that the store has, or a new one with that value.
    ///
    /// ```swift
    /// try store.write { db in
    ///     let restaurant = try db.upsert(Restaurant.self, \.permit, "40391")
    ///     restaurant.stars = 4
    /// }
    /// ```
    ///
    /// A new item has the class's defaults for the other attributes. Costs one look-up in an index.
    ///
    /// - Throws: `.invalidRequest` if the class does not declare the attribute unique, or if the value is nil or NaN, which
    ///   no two items share. `.uniqueViolation` if several items have the value since before it was declared unique.
    public func upsert<Item: MutableDataStoreItem, Value>(
        _ type: Item.Type, _ keyPath: KeyPath<Item, Value>, _ value: Value
    ) throws(DataStoreError) -> Item {
        try upsert(type, keyPath, values: [value])[0]
    }

    /// The items with these values for a unique attribute, in the order of the values: those that the store has, and new
    /// ones for the others.
    ///
    /// Faster than one call for each value. A value that is given twice gives the same item twice.
    ///
    /// - Throws: As the form for one value. Nothing is made then.
    public func upsert<Item: MutableDataStoreItem, Value>(
        _ type: Item.Type, _ keyPath: KeyPath<Item, Value>, values: some Sequence<Value>
    ) throws(DataStoreError) -> [Item] {
        let name = try type.path(for: keyPath).components[0]
        var stored: [DataStoreValue] = []
        for value in values { stored.append(try DataStoreValue(attributeValue: value)) }
        let items = try upsert(ItemType(type), type.schema, name, stored) {
            () throws(DataStoreError) in try create(type)
        }
        var typed: [Item] = []
        typed.reserveCapacity(items.count)
        for item in items {
            guard let item = Item.cast(item) else {
                throw .item(item, usedAs: type, in: "upsert")
            }
            typed.append(item)
        }
        return typed
    }

    /// The items of a type without a Swift class that have these values for a unique attribute, in the order of the values;
    /// new ones for values that no item has.
    ///
    /// - Throws: As ``upsert(_:_:_:)``; `.unknownAttribute` if the type was not declared.
    public func upsert(
        _ itemTypeKey: String, _ attribute: String, values: [DataStoreValue]
    ) throws(DataStoreError) -> [DynamicItem] {
        guard
            let schema = try schemas().first(where: {
                $0.itemTypeKey == itemTypeKey || $0.formerTypeKeys.contains(itemTypeKey)
            })
        else {
            throw DataStoreError(
                .unknownAttribute, in: "upsert",
                "The store knows no type “\(itemTypeKey)”; declare it first, with “\(attribute)” unique.",
                itemType: itemTypeKey, attribute: attribute)
        }
        return try upsert(ItemType(dynamic: itemTypeKey), schema, attribute, values) {
            () throws(DataStoreError) in try create(itemTypeKey)
        }.compactMap { $0 as? DynamicItem }
    }

    private func upsert(
        _ type: ItemType, _ schema: ItemSchema, _ attribute: String, _ values: [DataStoreValue],
        _ make: () throws(DataStoreError) -> any MutableDataStoreItem
    ) throws(DataStoreError) -> [any DataStoreItem] {
        let rules = schema.indexes.filter { $0.isUnique && $0.attributes == [attribute] }
        guard !rules.isEmpty else {
            throw .upsert(
                "“\(attribute)” is not declared unique; write @Attribute(.unique), or find the item with first.",
                type, attribute)
        }
        for value in values where value.isNull || !value.isEqual(to: value) {
            throw .upsert(
                "There is no item to be found by \(value): no two items share it. Give another value.",
                type, attribute)
        }
        // Before anything is made.
        if let place = schema.index(ofAttribute: attribute) {
            for value in values {
                _ = try schema.attributes[place].check(value, ofType: type.key)
            }
        }
        let textOrder: TextOrder =
            rules.contains(where: \.ignoresCase) ? .caseInsensitive : .scalars
        var found = try items(of: type, attribute, values, textOrder)
        var items: [any DataStoreItem] = []
        items.reserveCapacity(values.count)
        for value in values {
            let key = ValueSet.Key(textOrder.key(value))
            if let known = found[key] {
                items.append(known)
                continue
            }
            let item = try make()
            try item.backing.setValue(value, forAttribute: attribute)
            found[key] = item
            items.append(item)
        }
        return items
    }

    /// The items that have one of these values, by the keys of their values.
    private func items(
        of type: ItemType, _ attribute: String, _ values: [DataStoreValue], _ textOrder: TextOrder
    ) throws(DataStoreError) -> [ValueSet.Key: any DataStoreItem] {
        var found: [ValueSet.Key: any DataStoreItem] = [:]
        found.reserveCapacity(min(values.count, 100_000))
        let path = DataStorePredicate.Expression.path(.init([attribute]))
        var rest = values[...]
        while !rest.isEmpty {
            // A list has its limit, and so has the time that other ways take.
            let part = rest.prefix(10_000)
            rest = rest.dropFirst(10_000)
            let request = DataStoreRequest(
                type: type,
                predicate: .comparison(
                    .init(
                        path, .in, .value(.array(Array(part))),
                        options: textOrder == .caseInsensitive ? .caseInsensitive : [])))
            for item in try performFetch(request) {
                let value = try item.backing.value(forAttribute: attribute)
                let other = found.updateValue(
                    item, forKey: ValueSet.Key(textOrder.key(value)))
                guard let other, other.uniqueToken != item.uniqueToken else { continue }
                throw DataStoreError(
                    .uniqueViolation, in: "upsert",
                    """
                    The items \(other.uniqueToken) and \(item.uniqueToken) of “\(type.key)” have the same “\(attribute)” \
                    since before it was declared unique. Delete or change one of them.
                    """, itemType: type.key, attribute: attribute)
            }
        }
        return found
    }
}

extension DataStoreError {
    fileprivate static func upsert(
        _ message: String, _ type: ItemType, _ attribute: String
    ) -> DataStoreError {
        DataStoreError(
            .invalidRequest, in: "upsert", message, itemType: type.key, attribute: attribute)
    }
}
