import Foundation
import JustPersist

/// A request made ready for one block: checked, and tied to what the store knows of its type.
struct Query {
    let type: BlockType
    /// The records to look at; `nil` if none can match.
    let table: RecordTable?
    /// Which of them match; `nil` for all.
    let predicate: CompiledPredicate?
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
        let predicate = request.predicate
        if let predicate, let shape = type.shape(predicate, request.sortDescriptors ?? []) {
            try request.validateSlice()
            try self.init(shape, predicate, request.slice, type, in: block)
        } else {
            try self.init(binding: request, type, in: block)
            if let shape = QueryShape(request, boundAs: self) {
                type.keep(shape)
            }
        }
    }

    /// A query of a shape that is known.
    private init(
        _ shape: QueryShape, _ predicate: DataStorePredicate, _ slice: DataStoreRequest.Slice,
        _ type: BlockType, in block: Block
    ) throws(DataStoreError) {
        self.type = type
        self.slice = slice
        table = try block.table(of: type)
        sort = shape.sort
        mayRefuse = sort.contains { $0.key.mayCollect }
        isReversed = shape.isReversed
        ids = nil
        mostLookups = try Self.mostLookups(type, nil, in: block)
        alternatives =
            type.indexes.isEmpty
            ? nil
            : shape.alternatives(predicate)
                ?? IndexAlternatives(
                    predicate, of: type, mostRanges: Block.mostRanges(for: mostLookups))
        self.predicate = CompiledPredicate(of: predicate, type)
    }

    private init(
        binding request: DataStoreRequest, _ type: BlockType, in block: Block
    ) throws(DataStoreError) {
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
            self.predicate = compiled.constant == true ? nil : CompiledPredicate(compiled)
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
