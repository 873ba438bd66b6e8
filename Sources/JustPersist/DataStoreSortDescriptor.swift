/// One criterion of a sort: a key path and a direction.
///
/// Nil sorts first ascending and last descending; items that are equal in all criteria stay in the order
/// of their creation.
public struct DataStoreSortDescriptor: Hashable, Sendable, Codable {
    /// What to sort by: an attribute's name, with dots into dictionaries and along references, or any expression of predicates,
    /// such as `tags.@count`, `price * quantity` or `length(name)`.
    ///
    /// The name of an attribute is that attribute, whatever signs are in it. A path through an array is refused.
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

    /// What stands for an item's value in ``precedes(_:_:)``.
    package func key(_ value: DataStoreValue) -> DataStoreValue { textOrder.key(value) }

    /// Whether the item of one key comes before that of another; `nil` if the criterion does not tell.
    package func precedes(_ a: DataStoreValue, _ b: DataStoreValue) -> Bool? {
        switch textOrder.order(a, b) {
        case .same: nil
        case .ascending: ascending
        case .descending: !ascending
        }
    }
}
