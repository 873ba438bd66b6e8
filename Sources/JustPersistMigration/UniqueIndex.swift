import JustPersist

/// A unique index, with the names that two stores have for its attributes.
struct UniqueIndex {
    /// The paths of the attributes, outermost name first.
    private let paths: [[String]]
    let index: IndexSchema

    init(_ index: IndexSchema) {
        self.index = index
        paths = index.attributes.map { $0.split(separator: ".").map(String.init) }
    }

    private var textOrder: TextOrder { index.ignoresCase ? .caseInsensitive : .scalars }

    /// A request for all items of a type in the order of the index; `nil` if a store does not support that order.
    func sorted(_ itemType: String, by orders: Set<TextOrder>) -> DataStoreRequest? {
        if textOrder != .scalars, !orders.contains(textOrder) { return nil }
        return DataStoreRequest(
            type: ItemType(dynamic: itemType),
            sortDescriptors: index.attributes.map { .ascending($0, textOrder) })
    }

    /// A request for the items of a type with these values.
    func equal(_ itemType: String, _ values: [DataStoreValue]) -> DataStoreRequest {
        let parts = zip(paths, values).map { path, value in
            DataStorePredicate.comparison(
                .init(
                    .path(.init(path)), .equal, .value(value),
                    options: index.ignoresCase ? [.caseInsensitive] : []))
        }
        return DataStoreRequest(type: ItemType(dynamic: itemType), predicate: .and(parts))
    }

    /// The values of an item in the index; `nil` if it cannot conflict with another, for example because one is null.
    func values(of item: any DataStoreItem) throws(DataStoreError) -> [DataStoreValue]? {
        var values: [DataStoreValue] = []
        for path in paths {
            var value = try item.backing.value(forAttribute: path[0])
            for name in path.dropFirst() {
                guard case .dictionary(let entries) = value, let inner = entries[name] else {
                    return nil
                }
                value = inner
            }
            switch value {
            case .null, .array, .dictionary: return nil
            // NaN is not equal to itself.
            default: if !value.isEqual(to: value) { return nil }
            }
            values.append(value)
        }
        return values
    }

    /// Whether two items with these values conflict.
    func areEqual(_ values: [DataStoreValue], _ others: [DataStoreValue]) -> Bool {
        zip(values, others).allSatisfy { textOrder.key($0).isEqual(to: textOrder.key($1)) }
    }

    /// The names, for messages.
    var names: String { index.attributes.map { "“\($0)”" }.joined(separator: " and ") }
}
