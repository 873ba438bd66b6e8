public import JustPersist

/// A difference between two stores; see ``StoreComparison``.
public enum StoreDifference: Sendable {
    /// A type that only one of the stores knows, or that they declare differently: with other attributes, defaults,
    /// former names or indexes. A renamed type has its name in the first store.
    case type(String, first: ItemSchema?, second: ItemSchema?)
    /// An item that is in the first store only.
    case onlyInFirst(ItemReference)
    /// An item that is in the second store only.
    case onlyInSecond(ItemReference)
    /// An item that is in both, with different values.
    case values(ItemReference, [Value])

    /// An attribute with different values in the two items.
    public struct Value: Sendable {
        /// The name of the attribute.
        public let attribute: String
        /// The value in the first store; null if there is none.
        public let first: DataStoreValue
        /// The value in the second store; null if there is none.
        public let second: DataStoreValue
    }
}

extension StoreDifference: CustomStringConvertible {
    /// The difference in one line.
    public var description: String {
        switch self {
        case .type(let key, .some, .none): "type \(key) is in the first store only"
        case .type(let key, .none, _): "type \(key) is in the second store only"
        case .type(let key, let first?, let second?)
        where first.itemTypeKey != second.itemTypeKey:
            "type \(key) is called \(second.itemTypeKey) in the second store"
        case .type(let key, _, _): "type \(key) is declared in different ways"
        case .onlyInFirst(let item): "\(item.itemTypeKey) \(item.id) is in the first store only"
        case .onlyInSecond(let item): "\(item.itemTypeKey) \(item.id) is in the second store only"
        case .values(let item, let values):
            "\(item.itemTypeKey) \(item.id) differs in "
                + values.map(\.attribute).joined(separator: ", ")
        }
    }
}

extension DataStoreValue {
    /// Whether both have the same kind and the same bits.
    func isIdentical(to other: DataStoreValue) -> Bool {
        if kind != other.kind { return false }
        // Equal values may have different bits, as 0.0 and -0.0 do, and NaN is not equal to itself.
        var hashes = (CanonicalHash(), CanonicalHash())
        hashes.0.combine(self)
        hashes.1.combine(other)
        return hashes.0.mixed == hashes.1.mixed && hashes.0.count == hashes.1.count
    }
}
