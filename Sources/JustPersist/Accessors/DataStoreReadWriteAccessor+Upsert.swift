/// Upserts: items that are found by a unique attribute, or created.
///
/// The attribute must be declared unique: `@Attribute(.unique) var permit: String`. Two blocks that import the same
/// data then leave no duplicates, in either order. If case is ignored (`@Attribute(.unique, .ignoringCase)`), an item
/// is found under any spelling, and keeps its own.
extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// The item with a value for a unique attribute: the stored one, or a new one with that value.
    ///
    /// ```swift
    /// try store.write { db in
    ///     let restaurant = try db.upsert(Restaurant.self, \.permit, "40391")
    ///     restaurant.stars = 4
    /// }
    /// ```
    ///
    /// A new item has the class's defaults for the other attributes. Costs one lookup in an index.
    ///
    /// - Throws: `.invalidRequest` if the class does not declare the attribute unique, or if the value is nil or NaN,
    ///   which no two items share. `.uniqueViolation` if several items have had the value since before the attribute
    ///   was declared unique.
    public func upsert<Item: MutableDataStoreItem, Value>(
        _ type: Item.Type, _ keyPath: KeyPath<Item, Value>, _ value: Value
    ) throws(DataStoreError) -> Item {
        try upsert(type, keyPath, values: [value])[0]
    }

    /// The items with these values for a unique attribute, in the order of the values: stored items, and new ones for
    /// values that no item has.
    ///
    /// This is faster than one call for each value. If a value occurs twice, so does its item.
    ///
    /// - Throws: As the form for one value, and then no item is made.
    public func upsert<Item: MutableDataStoreItem, Value>(
        _ type: Item.Type, _ keyPath: KeyPath<Item, Value>, values: some Sequence<Value>
    ) throws(DataStoreError) -> [Item] {
        let name = try type.path(for: keyPath).components[0]
        var stored: [DataStoreValue] = []
        for value in values { stored.append(try DataStoreValue(attributeValue: value)) }
        return try typed(
            try upsert(ItemType(type), type.schema, name, stored) {
                (_) throws(DataStoreError) in try create(type)
            })
    }

    /// The items that share a unique attribute's value with these values: stored items, and else new ones with that
    /// value and the identity of the values.
    func items<Values: ItemValues, Value>(
        upserting all: [Values], by keyPath: KeyPath<Values.Item, Value>
    ) throws(DataStoreError) -> [Values.Item] {
        let name = try Values.Item.path(for: keyPath).components[0]
        let schema = Values.Item.schema
        let key = SingleValueBacking(schema, attribute: name)
        let template = Values.Item(backing: key)
        var stored: [DataStoreValue] = []
        for values in all { stored.append(try key.value { values.assign(to: template) }) }
        return try typed(
            try upsert(ItemType(Values.Item.self), schema, name, stored) {
                (place) throws(DataStoreError) in
                try makeItem(Values.Item.self, id: all[place].uniqueToken)
            })
    }

    private func typed<Item: MutableDataStoreItem>(
        _ items: [any DataStoreItem]
    ) throws(DataStoreError) -> [Item] {
        var typed: [Item] = []
        typed.reserveCapacity(items.count)
        for item in items {
            guard let item = Item.cast(item) else {
                throw .item(item, usedAs: Item.self, in: "upsert")
            }
            typed.append(item)
        }
        return typed
    }

    /// The items of a type without a Swift class that have these values for a unique attribute, in the order of the
    /// values; new ones for values that no item has.
    ///
    /// - Throws: As ``upsert(_:_:_:)``; `.unknownAttribute` if the type was not declared.
    public func upsert(
        _ itemTypeKey: String, _ attribute: String, values: [DataStoreValue]
    ) throws(DataStoreError) -> [DynamicItem] {
        try upsert(ItemType(dynamic: itemTypeKey), attribute, values: values)
            .compactMap { $0 as? DynamicItem }
    }

    /// The items of a type, with or without a class, that have these values for a unique attribute, in the order of
    /// the values; new ones for values that no item has.
    package func upsert(
        _ type: ItemType, _ attribute: String, values: [DataStoreValue]
    ) throws(DataStoreError) -> [any DataStoreItem] {
        var known = type.schema
        if known == nil { known = try schemas().schema(ofType: type.key) }
        guard let schema = known else {
            throw DataStoreError(
                .unknownAttribute, in: "upsert",
                "The store knows no type “\(type.key)”; declare it first, with “\(attribute)” unique.",
                itemType: type.key, attribute: attribute)
        }
        return try upsert(type, schema, attribute, values) { (_) throws(DataStoreError) in
            let item = try performCreate(type)
            item.setInitialValues()
            try noteCreated(item)
            return item
        }
    }

    private func upsert(
        _ type: ItemType, _ schema: ItemSchema, _ attribute: String, _ values: [DataStoreValue],
        _ make: (_ place: Int) throws(DataStoreError) -> any MutableDataStoreItem
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
        // Checked before any item is made.
        if let place = schema.index(ofAttribute: attribute) {
            for value in values {
                _ = try schema.attributes[place].check(value, ofType: type.key)
            }
        }
        let textOrder: TextOrder =
            rules.contains(where: \.ignoresCase) ? .caseInsensitive : .scalars
        let wanted = DistinctValues(values, textOrder)
        var items: [(any DataStoreItem)?] = Array(repeating: nil, count: wanted.values.count)
        try find(wanted, type, attribute, &items)
        for place in items.indices where items[place] == nil {
            let item = try make(wanted.firstPlaces[place])
            try item.backing.setValue(wanted.values[place], forAttribute: attribute)
            items[place] = item
        }
        return wanted.places.compactMap { items[$0] }
    }

    /// The stored items that have these values for a unique attribute, found by its index; none is made.
    ///
    /// Equal values share a place.
    ///
    /// - Returns: The place of each value, and the item of each place; `nil` if there is none.
    package func lookUp(
        _ type: ItemType, _ attribute: String, values: [DataStoreValue], ignoringCase: Bool = false
    ) throws(DataStoreError) -> (places: [Int], items: [(any DataStoreItem)?]) {
        let wanted = DistinctValues(values, ignoringCase ? .caseInsensitive : .scalars)
        var items: [(any DataStoreItem)?] = Array(repeating: nil, count: wanted.values.count)
        try find(wanted, type, attribute, &items)
        return (wanted.places, items)
    }

    /// Puts the items that have one of these values into their places.
    private func find(
        _ wanted: DistinctValues, _ type: ItemType, _ attribute: String,
        _ items: inout [(any DataStoreItem)?]
    ) throws(DataStoreError) {
        let path = DataStorePredicate.Expression.path(.init([attribute]))
        var rest = wanted.values[...]
        while !rest.isEmpty {
            // A predicate may have 100,000 values.
            let part = rest.prefix(50_000)
            rest = rest.dropFirst(50_000)
            let request = DataStoreRequest(
                type: type,
                predicate: .comparison(
                    .init(path, .in, .value(.array(Array(part))), options: wanted.options)))
            for item in try performFetch(request) {
                let value = try item.backing.value(forAttribute: attribute)
                guard let place = wanted.place(of: value) else { continue }
                if let other = items[place], other.uniqueToken != item.uniqueToken {
                    throw DataStoreError(
                        .uniqueViolation, in: "upsert",
                        """
                        The items \(other.uniqueToken) and \(item.uniqueToken) of “\(type.key)” have the same \
                        “\(attribute)” since before it was declared unique. Delete or change one of them.
                        """, itemType: type.key, attribute: attribute)
                }
                items[place] = item
            }
        }
    }
}

/// Distinct values; a repeated value has the position of its first occurrence.
private struct DistinctValues {
    /// The distinct values, in the order of their first occurrence.
    private(set) var values: [DataStoreValue] = []
    /// For each given value, its position in ``values``.
    private(set) var places: [Int] = []
    /// For each value in ``values``, the position of its first occurrence.
    private(set) var firstPlaces: [Int] = []
    private var placeOfKey: [ValueSet.Key: Int] = [:]
    private let textOrder: TextOrder

    init(_ all: [DataStoreValue], _ textOrder: TextOrder) {
        self.textOrder = textOrder
        values.reserveCapacity(all.count)
        places.reserveCapacity(all.count)
        placeOfKey.reserveCapacity(all.count)
        for value in all {
            let place = placeOfKey.updateValue(values.count, forKey: key(value))
            if let place {
                placeOfKey[key(value)] = place
            } else {
                values.append(value)
                firstPlaces.append(places.count)
            }
            places.append(place ?? values.count - 1)
        }
    }

    /// How a predicate compares the values.
    var options: DataStorePredicate.Options {
        textOrder == .caseInsensitive ? .caseInsensitive : []
    }

    func place(of value: DataStoreValue) -> Int? { placeOfKey[key(value)] }

    private func key(_ value: DataStoreValue) -> ValueSet.Key {
        ValueSet.Key(textOrder.key(value))
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
