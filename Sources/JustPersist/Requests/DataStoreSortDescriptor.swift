/// One criterion of a sort: a key path and a direction.
///
/// Nil sorts first ascending and last descending; items that are equal in all criteria stay in the order
/// of their creation.
public struct DataStoreSortDescriptor: Hashable, Sendable, Codable {
    /// The key to sort by: an attribute's name, with dots into dictionaries and along references, or any predicate
    /// expression, such as `tags.@count`, `price * quantity` or `length(name)`.
    ///
    /// The name of an attribute refers to that attribute, even if it contains operators. A path through an array is
    /// refused.
    public let key: String
    /// Whether small values come first.
    public let ascending: Bool
    /// How texts are compared.
    public let textOrder: TextOrder

    /// A criterion.
    public init(key: String, ascending: Bool, textOrder: TextOrder = .scalars) {
        self.key = key
        self.ascending = ascending
        self.textOrder = textOrder
    }

    /// Small values first.
    public static func ascending(
        _ key: String, _ textOrder: TextOrder = .scalars
    ) -> DataStoreSortDescriptor {
        DataStoreSortDescriptor(key: key, ascending: true, textOrder: textOrder)
    }

    /// Large values first.
    public static func descending(
        _ key: String, _ textOrder: TextOrder = .scalars
    ) -> DataStoreSortDescriptor {
        DataStoreSortDescriptor(key: key, ascending: false, textOrder: textOrder)
    }

    /// The form of an item's value that ``precedes(_:_:)`` compares.
    package func key(_ value: DataStoreValue) -> DataStoreValue { textOrder.key(value) }

    /// Whether the item of one key comes before that of another; `nil` if this criterion ranks them equally.
    package func precedes(_ a: DataStoreValue, _ b: DataStoreValue) -> Bool? {
        switch textOrder.order(a, b) {
        case .same: nil
        case .ascending: ascending
        case .descending: !ascending
        }
    }
}
