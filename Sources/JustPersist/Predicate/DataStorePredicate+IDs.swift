extension DataStorePredicate {
    /// The ids of all items that can match this predicate, in order; `nil` if it does not restrict the ids.
    ///
    /// A store can look up these ids instead of scanning, and must still evaluate the predicate. Do not use this for a
    /// type with an attribute named `uniqueToken`.
    public var namedIDs: [ItemID]? { ids.map { Array(Set($0)).sorted() } }

    private var ids: [ItemID]? {
        switch self {
        case .and(let parts): return parts.lazy.compactMap(\.ids).first
        case .comparison(let comparison):
            guard case .path(.uniqueToken) = comparison.left, comparison.modifier == .direct,
                comparison.options.isEmpty, case .value(let value) = comparison.right
            else { return nil }
            switch (comparison.operator, value) {
            case (.equal, _): return value.id.map { [$0] }
            case (.in, .array(let values)):
                let ids = values.compactMap(\.id)
                return ids.count == values.count ? ids : nil
            default: return nil
            }
        case .constant, .or, .not, .evaluated: return nil
        }
    }
}

extension DataStoreValue {
    /// The id that this value represents in a comparison with an item's id.
    fileprivate var id: ItemID? {
        switch self {
        case .uuid(let uuid): ItemID(uuid)
        case .string(let text): ItemID(text)
        case .reference(let reference): reference.id
        default: nil
        }
    }
}
