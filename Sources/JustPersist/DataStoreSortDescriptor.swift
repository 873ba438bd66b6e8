/// One criterion of a sort: a key path and a direction.
///
/// Nil sorts first ascending and last descending; items that are equal in all criteria stay in the order
/// of their creation.
public struct DataStoreSortDescriptor: Hashable, Sendable, Codable {
    /// The key path to sort by: an attribute's name, with dots into dictionaries and along references.
    public let key: String
    /// Whether small values come first.
    public let ascending: Bool

    /// A criterion.
    public init(key: String, ascending: Bool) {
        self.key = key
        self.ascending = ascending
    }

    /// Small values first.
    public static func ascending(_ key: String) -> DataStoreSortDescriptor {
        DataStoreSortDescriptor(key: key, ascending: true)
    }

    /// Large values first.
    public static func descending(_ key: String) -> DataStoreSortDescriptor {
        DataStoreSortDescriptor(key: key, ascending: false)
    }
}
