import JustPersist

/// A request made ready for one block: checked, and tied to what the store knows of its type.
struct Query {
    let type: BlockType
    /// The type's number in keys; `nil` if the store has none of it.
    let number: UInt32?
    let predicate: RecordPredicate?
    let sort: [SortKey]
    let offset: Int
    /// `nil` for no limit.
    let limit: Int?
    /// The only ids that can match, ascending, if the predicate names them.
    let ids: [ItemID]?

    struct SortKey {
        let path: [String]
        let ascending: Bool
    }

    init(_ request: DataStoreRequest, in block: Block) throws(DataStoreError) {
        try request.validate()
        type = block.blockType(request.type)
        offset = request.offset ?? 0
        limit = request.limit.flatMap { $0 == 0 ? nil : $0 }
        sort = (request.sortDescriptors ?? []).map { descriptor in
            SortKey(
                path: descriptor.key.split(separator: ".", omittingEmptySubsequences: false)
                    .map(String.init),
                ascending: descriptor.ascending)
        }
        if let predicate = request.predicate {
            let compiled = try RecordPredicate(predicate, type: type)
            // A predicate that is true for all is none, and one that is false needs no look at the records.
            self.predicate = compiled.constant == true ? nil : compiled
            number = compiled.constant == false ? nil : type.stored?.number
            let hasOwnToken = type.idForQuery(ofAttribute: "uniqueToken") != nil
            ids = hasOwnToken ? nil : predicate.ids.map { Array(Set($0)).sorted() }
        } else {
            predicate = nil
            number = type.stored?.number
            ids = nil
        }
    }

    /// The number of rows at the front that are needed at all; `nil` if all are.
    var needed: Int? {
        guard let limit else { return nil }
        let (sum, overflows) = offset.addingReportingOverflow(limit)
        return overflows ? nil : sum
    }

    /// How many of `total` rows are in the slice.
    func sliced(_ total: Int) -> Int {
        let rest = max(0, total - offset)
        return limit.map { min($0, rest) } ?? rest
    }
}

extension DataStorePredicate {
    /// The only ids that items fulfilling this can have; `nil` if it does not name them.
    fileprivate var ids: [ItemID]? {
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
        case .constant, .or, .not: return nil
        }
    }
}

extension DataStoreValue {
    /// The id that stands for the same in a comparison with an item's id.
    fileprivate var id: ItemID? {
        switch self {
        case .uuid(let uuid): ItemID(uuid)
        case .string(let text): ItemID(text)
        case .reference(let reference): reference.id
        default: nil
        }
    }
}
