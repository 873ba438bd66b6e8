/// A subject of predicates: an item, or a stored record.
public protocol PredicateSubject {
    /// The value of an attribute; null if it is missing. The attribute `uniqueToken` is the item's id.
    ///
    /// An error ends the evaluation, which throws it to its caller.
    func value(forAttribute name: String) throws(DataStoreError) -> DataStoreValue

    /// The attribute's value in the item that `reference` points to; null if either is missing.
    func value(
        forAttribute name: String, of reference: ItemReference
    ) throws(DataStoreError) -> DataStoreValue

    /// The subject as an item of a class, for a condition that is evaluated on items
    /// (``DataStorePredicate/evaluated(_:)``).
    ///
    /// The item has the values that this subject has now. A read-only item is enough. The default throws
    /// `.unsupported`.
    func item(as itemClass: any DataStoreItem.Type) throws(DataStoreError) -> any DataStoreItem
}

extension PredicateSubject {
    /// Throws `.unsupported`: the subject cannot be converted to an item.
    public func item(
        as itemClass: any DataStoreItem.Type
    ) throws(DataStoreError) -> any DataStoreItem {
        throw DataStoreError(
            .unsupported, in: "predicate",
            """
            A part of the predicate has to be evaluated on items of “\(itemClass.itemTypeKey)”, which this store does not \
            offer to predicates. Fetch by the other parts, and filter the items in Swift; or implement item(as:) of \
            PredicateSubject in the store.
            """, itemType: itemClass.itemTypeKey)
    }

    /// Returns null: the subject cannot follow references.
    public func value(
        forAttribute name: String, of reference: ItemReference
    ) throws(DataStoreError) -> DataStoreValue { .null }

    /// The value at a path from an attribute into dictionaries and along references.
    ///
    /// The value is null if a part of the path does not exist. If an array is on the path, the values of its elements
    /// are collected in an array or, if `collecting` is false, the value is null.
    public func value(
        at path: DataStorePredicate.AttributePath, collecting: Bool = true
    ) throws(DataStoreError) -> DataStoreValue {
        guard let first = path.components.first else { return .null }
        let start = try value(forAttribute: first)
        if path.components.count == 1 { return start }
        return try value(at: path.components.dropFirst(), from: start, collecting)
    }

    /// The value under these names below another.
    package func value(
        at names: ArraySlice<String>, from start: DataStoreValue, _ collecting: Bool = true
    ) throws(DataStoreError) -> DataStoreValue {
        var value = start
        for name in names { value = try step(from: value, to: name, collecting) }
        return value
    }

    private func step(
        from value: DataStoreValue, to name: String, _ collecting: Bool
    ) throws(DataStoreError) -> DataStoreValue {
        switch value {
        case .dictionary(let values): return values[name] ?? .null
        case .reference(let reference):
            return try self.value(forAttribute: name, of: reference)
        case .array(let elements) where collecting:
            var collected: [DataStoreValue] = []
            for element in elements {
                switch try step(from: element, to: name, collecting) {
                case .array(let values): collected += values
                case let value: collected.append(value)
                }
            }
            return .array(collected)
        default: return .null
        }
    }
}
