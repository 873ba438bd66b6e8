import Foundation
import JustPersist

/// A request bound to one block: validated, and with its names resolved to the store's types and attributes.
// A class, because it is passed through many functions for each request, and a copy of a struct would take ten retains.
final class Query {
    let type: BlockType
    /// The records to look at; `nil` if none can match.
    let table: RecordTable?
    /// Which of them match; `nil` for all.
    let predicate: CompiledPredicate?
    /// The ways to find the matches by indexes; `nil` without a predicate, or without indexes.
    private(set) var alternatives: IndexAlternatives?
    /// The sort keys; empty for the order of the ids.
    let sort: [SortKey]
    /// Whether a record may fail the request, because a sort key leads through an array.
    let mayRefuse: Bool
    /// Whether the ids are in descending order, if there are no sort keys.
    let isReversed: Bool
    let slice: DataStoreRequest.Slice
    /// The only ids that can match, in order, if the predicate names them.
    let ids: [ItemID]?
    /// Whether all items with these ids match, so that the predicate need not be evaluated.
    let idsDecide: Bool

    struct SortKey {
        let key: RequestKey
        /// The attribute that the key names; `nil` if the key is computed or a longer path.
        let attribute: QueryAttribute?
        let descriptor: DataStoreSortDescriptor
    }

    /// The number of lookups that cost as much as a scan.
    ///
    /// It is computed on demand, because it takes as long as the lookup of a record.
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
        if !type.relationships.isEmpty, let predicate = parts.predicate {
            let asking = predicate.askingForTargets(of: type.dangling)
            let joined = try block.joined(asking, of: request, type)
            if joined != nil || !type.dangling.isEmpty {
                let request = request.copy()
                request.predicate = joined ?? asking
                try self.init(binding: request, type, in: block)
                return
            }
        }
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

    /// A query whose shape is known.
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
        (ids, idsDecide) = (nil, false)
        self.predicate = CompiledPredicate(of: predicate, type)
        alternatives = shape.alternatives(predicate)
        if alternatives == nil {
            alternatives = try alternatives(of: predicate, in: block)
        }
    }

    /// The ways to find the matches of a predicate by indexes; `nil` if there are no indexes.
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
        let token = uniqueToken.components[0]
        let hasOwnToken =
            type.attributeForQuery(token) != nil || type.relationshipToMany(token) != nil
        var sort: [SortKey] = []
        var isReversed = false
        for (key, descriptor) in zip(keys, request.sortDescriptors ?? []) {
            if key.path == uniqueToken, !hasOwnToken, sort.isEmpty {
                // Ids are unique, so further sort keys have no effect.
                isReversed = !descriptor.ascending
                break
            }
            sort.append(
                SortKey(key: key, attribute: type.attributeForQuery(key), descriptor: descriptor))
        }
        self.sort = sort
        mayRefuse = sort.contains { $0.key.mayCollect }
        self.isReversed = isReversed
        // Read once, so that it is the same time throughout the request.
        let now = Surroundings.date
        if let predicate = request.predicate?.evaluatingConstants(now: now) {
            let compiled = try RecordPredicate(predicate, type: type, now: now)
            // A predicate that is always true is dropped; if it is always false, no record is read.
            self.predicate = compiled.constant == true ? nil : CompiledPredicate(compiled)
            let table = try block.table(of: type)
            self.table = compiled.constant == false ? nil : table
            let ids = hasOwnToken ? nil : predicate.namedIDs
            self.ids = ids
            idsDecide = ids != nil && predicate.comparesWithUUIDs
            if ids == nil, self.predicate != nil {
                alternatives = try alternatives(of: predicate, in: block)
            }
        } else {
            predicate = nil
            table = try block.table(of: type)
            (ids, idsDecide) = (nil, false)
        }
    }
}

extension DataStorePredicate {
    /// Whether a predicate that names ids is nothing but a comparison with UUIDs.
    ///
    /// Text and references have further rules.
    fileprivate var comparesWithUUIDs: Bool {
        guard case .comparison(let comparison) = self, case .value(let value) = comparison.right
        else { return false }
        switch value {
        case .uuid: return true
        case .array(let values):
            return values.allSatisfy { value in
                if case .uuid = value { true } else { false }
            }
        default: return false
        }
    }
}
