import Foundation
import JustPersist

/// A request made ready for one block: checked, and tied to what the store knows of its type.
// A class, because it is passed from function to function for each request, and a copy of it takes ten retains.
final class Query {
    let type: BlockType
    /// The records to look at; `nil` if none can match.
    let table: RecordTable?
    /// Which of them match; `nil` for all.
    let predicate: CompiledPredicate?
    /// What indexes can tell of the predicate; `nil` without one, or without indexes.
    private(set) var alternatives: IndexAlternatives?
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

    /// How many records may be looked up in place of a scan.
    ///
    /// Counted when it is needed: it takes as long as to look a record up.
    func mostLookups(in block: Block) throws(DataStoreError) -> Int {
        if let knownMostLookups { return knownMostLookups }
        let most = try block.mostLookups(type)
        knownMostLookups = most
        return most
    }
    private var knownMostLookups: Int?

    convenience init(_ request: DataStoreRequest, in block: Block) throws(DataStoreError) {
        let type = try block.blockType(request.type)
        let parts = request.parts
        if let predicate = parts.predicate, parts.hasValidSlice,
            let shape = type.shape(predicate, parts.sortDescriptors)
        {
            try self.init(shape, predicate, parts.slice, type, in: block)
        } else {
            let request = request.copy()
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
        self.predicate = CompiledPredicate(of: predicate, type)
        alternatives = shape.alternatives(predicate)
        if alternatives == nil {
            alternatives = try alternatives(of: predicate, in: block)
        }
    }

    /// What indexes can tell of a predicate; `nil` if there are none.
    private func alternatives(
        of predicate: DataStorePredicate, in block: Block
    ) throws(DataStoreError) -> IndexAlternatives? {
        if type.indexes.isEmpty { return nil }
        let most = try mostLookups(in: block)
        return IndexAlternatives(predicate, of: type, mostRanges: Block.mostRanges(for: most))
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
        let now = Surroundings.date
        if let predicate = request.predicate?.evaluatingConstants(now: now) {
            let compiled = try RecordPredicate(predicate, type: type, now: now)
            // A predicate that is true for all is none, and one that is false needs no look at the records.
            self.predicate = compiled.constant == true ? nil : CompiledPredicate(compiled)
            let table = try block.table(of: type)
            self.table = compiled.constant == false ? nil : table
            let ids = hasOwnToken ? nil : predicate.namedIDs
            self.ids = ids
            if ids == nil, self.predicate != nil {
                alternatives = try alternatives(of: predicate, in: block)
            }
        } else {
            predicate = nil
            table = try block.table(of: type)
            ids = nil
        }
    }
}
