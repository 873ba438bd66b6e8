/// Something that a predicate can be evaluated on: an item, or a stored record.
public protocol PredicateSubject {
    /// What the attribute holds; null when it is missing. The attribute `uniqueToken` is the item's id.
    func value(forAttribute name: String) -> DataStoreValue

    /// What the attribute of the item that `reference` points to holds; null when either is missing.
    func value(forAttribute name: String, of reference: ItemReference) -> DataStoreValue
}

extension PredicateSubject {
    /// Null: a subject that cannot follow references.
    public func value(forAttribute name: String, of reference: ItemReference) -> DataStoreValue {
        .null
    }

    /// What the subject has at a path, collected through arrays.
    func value(at path: DataStorePredicate.AttributePath) -> DataStoreValue {
        guard let first = path.components.first else { return .null }
        var value = value(forAttribute: first)
        for name in path.components.dropFirst() { value = step(from: value, to: name) }
        return value
    }

    private func step(from value: DataStoreValue, to name: String) -> DataStoreValue {
        switch value {
        case .dictionary(let values): return values[name] ?? .null
        case .reference(let reference): return self.value(forAttribute: name, of: reference)
        case .array(let elements):
            var collected: [DataStoreValue] = []
            for element in elements {
                switch step(from: element, to: name) {
                case .array(let values): collected += values
                case let value: collected.append(value)
                }
            }
            return .array(collected)
        default: return .null
        }
    }
}
