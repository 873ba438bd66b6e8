import JustPersist

/// A request made ready for one block: checked, and tied to what the store knows of its type.
struct Query {
    let type: BlockType
    /// The type's number in keys; `nil` if the store has none of it.
    let number: UInt32?
    let predicate: RecordPredicate?
    let sort: [SortKey]
    let slice: DataStoreRequest.Slice
    /// The only ids that can match, ascending, if the predicate names them.
    let ids: [ItemID]?

    struct SortKey {
        let path: [String]
        let ascending: Bool
    }

    init(_ request: DataStoreRequest, in block: Block) throws(DataStoreError) {
        try request.validate()
        type = try block.blockType(request.type)
        slice = request.slice
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
            let stored = try type.number()
            number = compiled.constant == false ? nil : stored
            let hasOwnToken = type.attributeForQuery("uniqueToken") != nil
            ids = hasOwnToken ? nil : predicate.namedIDs
        } else {
            predicate = nil
            number = try type.number()
            ids = nil
        }
    }
}
