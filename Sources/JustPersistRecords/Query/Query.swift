import Foundation
import JustPersist

/// A request made ready for one block: checked, and tied to what the store knows of its type.
struct Query {
    let type: BlockType
    /// The records to look at; `nil` if none can match.
    let table: RecordTable?
    let predicate: RecordPredicate?
    /// What indexes can tell of the predicate; `nil` without one, or without indexes.
    let alternatives: IndexAlternatives?
    /// How many records may be looked up in place of a scan.
    let mostLookups: Int
    /// What decides the order; empty for that of the ids.
    let sort: [SortKey]
    /// Whether a record may refuse the request: an array is in the way of what decides the order.
    let mayRefuse: Bool
    /// Whether the order of the ids is turned round, where nothing else decides.
    let isReversed: Bool
    let slice: DataStoreRequest.Slice
    /// The only ids that can match, in order, if the predicate names them.
    let ids: [ItemID]?

    /// Whether a record matches, which was found sound.
    @inline(__always)
    func matches(
        _ record: Span<UInt8>, id: ItemID, in block: Block
    ) throws(DataStoreError) -> Bool {
        try predicate?.matches(record, id: id, type: type, block: block) ?? true
    }

    struct SortKey {
        let key: RequestKey
        /// The one attribute that the key names; `nil` if it computes something, or leads further.
        let attribute: QueryAttribute?
        let descriptor: DataStoreSortDescriptor
    }

    /// 0 where no index can be used.
    private static func mostLookups(
        _ type: BlockType, _ ids: [ItemID]?, in block: Block
    ) throws(DataStoreError) -> Int {
        ids != nil || type.indexes.isEmpty ? 0 : try block.mostLookups(type)
    }

    init(_ request: DataStoreRequest, in block: Block) throws(DataStoreError) {
        let type = try block.blockType(request.type)
        let keys = try request.keys(of: type.namesForQuery)
        self.type = type
        slice = request.slice
        let uniqueToken = DataStorePredicate.AttributePath.uniqueToken
        let hasOwnToken = type.attributeForQuery(uniqueToken.components[0]) != nil
        var sort: [SortKey] = []
        var isReversed = false
        for (key, descriptor) in zip(keys, request.sortDescriptors ?? []) {
            if key.path == uniqueToken, !hasOwnToken, sort.isEmpty {
                // The order of the records: no two have one id, so what follows decides nothing.
                isReversed = !descriptor.ascending
                break
            }
            sort.append(
                SortKey(key: key, attribute: type.attributeForQuery(key), descriptor: descriptor))
        }
        self.sort = sort
        mayRefuse = sort.contains { $0.key.mayCollect }
        self.isReversed = isReversed
        // Once for the request, so that it is the same for all who ask.
        if let predicate = request.predicate?.evaluatingConstants(now: Date()) {
            let compiled = try RecordPredicate(predicate, type: type)
            // A predicate that is true for all is none, and one that is false needs no look at the records.
            self.predicate = compiled.constant == true ? nil : compiled
            let table = try block.table(of: type)
            self.table = compiled.constant == false ? nil : table
            let ids = hasOwnToken ? nil : predicate.namedIDs
            self.ids = ids
            mostLookups = try Self.mostLookups(type, ids, in: block)
            alternatives =
                ids != nil || type.indexes.isEmpty || self.predicate == nil
                ? nil
                : IndexAlternatives(
                    predicate, of: type, mostRanges: Block.mostRanges(for: mostLookups))
        } else {
            predicate = nil
            alternatives = nil
            table = try block.table(of: type)
            ids = nil
            mostLookups = try Self.mostLookups(type, nil, in: block)
        }
    }
}
