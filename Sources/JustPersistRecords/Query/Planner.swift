import JustPersist

/// Chooses the access path of a query by counting index entries.
///
/// There are no statistics, which could be out of date.
///
/// Costs are those of LMDB: 1 for a record in a scan, 1/2 for an index entry, and 10 for a lookup of a record. Entries
/// are counted only up to a limit, and a path is given up when it has cost as much as another one would have. So a
/// query costs at most a small multiple of the cheapest path.
///
/// On every path, the whole predicate is evaluated on each record, unless the entries alone decide it.
extension Block {
    /// The access path for a query.
    ///
    /// - Parameters:
    ///   - isSorted: Whether the order matters; false for counts.
    ///   - isLazy: Whether entries may be read during the iteration over the records; false if records may change
    ///     meanwhile.
    ///   - attempt: The number of walks along an index that were given up.
    func access(
        for query: Query, isSorted: Bool = true, isLazy: Bool = true, attempt: Int = 0
    ) throws(DataStoreError) -> AccessPath {
        if let ids = query.ids { return .ids(query.isReversed ? ids.reversed() : ids) }
        guard query.table != nil else { return .none }
        guard !query.type.indexes.isEmpty else { return .scan }
        // No store has more items, and a small multiple of this limit does not overflow.
        guard isLazy, let end = query.slice.end.map({ min($0, 1 << 40) }) else {
            return try entries(of: query, most: query.mostLookups(in: self)) ?? .scan
        }
        if query.sort.isEmpty || !isSorted { return try inOrderOfIDs(query, end) }
        let most = try query.mostLookups(in: self)
        guard let order = try order(of: query), order.decides || end <= most else {
            return try entries(of: query, most: most) ?? .scan
        }
        return try ordered(order, query, end, most, attempt: attempt)
    }

    /// A walk along an index, or a cheaper path.
    private func ordered(
        _ order: IndexOrder, _ query: Query, _ end: Int, _ most: Int, attempt: Int
    ) throws(DataStoreError) -> AccessPath {
        if order.decides, order.keyCount == query.sort.count {
            return .ordered(order, mostLookups: .max)
        }
        // A walk of more lookups takes longer than a scan.
        let longest = end + max(1024, most)
        let unions = query.alternatives?.unions ?? []
        // If the walk visits the entries of the only union, reading these first gains nothing: the walk may end sooner.
        let hasUnions = !(unions.isEmpty || unions.count == 1 && order.isWalk(of: unions[0]))
        let few = 4 * end + 64
        switch attempt {
        case 0:
            // Sorting a few items is cheaper than walking the index.
            if hasUnions, let entries = try entries(of: query, most: min(most, few)) {
                return entries
            }
            return .ordered(order, mostLookups: hasUnions ? min(longest, 2 * few) : longest)
        case 1 where hasUnions:
            // For this number of matches, a walk that finds the first ones costs as much as looking up all of them.
            let balance = Int((Double(end) * Double(most) * 10).squareRoot())
            if balance > few, let entries = try entries(of: query, most: min(most, balance)) {
                return entries
            }
            return .ordered(order, mostLookups: longest)
        default: return try entries(of: query, most: most) ?? .scan
        }
    }

    /// The access path for the first items in the order of their ids.
    private func inOrderOfIDs(
        _ query: Query, _ end: Int
    ) throws(DataStoreError) -> AccessPath {
        let unions = query.alternatives?.unions ?? []
        if unions.isEmpty { return .scan }
        var lazy: [[IndexRanges]] = []
        for union in unions where try isInOrderOfIDs(union) {
            if union.allSatisfy(\.decides) {
                return .entries(
                    FoundIDs(source: source(of: union, query, first: end), areMatches: true), union)
            }
            lazy.append(union)
        }
        let few = 4 * end + 64
        let most = try query.mostLookups(in: self)
        if few >= most { return try entries(of: query, most: most) ?? .scan }
        if let entries = try entries(of: query, most: few) { return entries }
        if lazy.isEmpty { return .race(unions[0]) }
        lazy = lazy.withoutImplied
        var sources: [any IDSource] = []
        for union in lazy { sources.append(source(of: union, query, first: end)) }
        let source =
            sources.count == 1
            ? sources[0] : CommonIDs(sources, isReversed: query.isReversed)
        return .entries(
            FoundIDs(source: source, areMatches: false, mostLookups: most), lazy.flatMap { $0 })
    }

    /// The maximum number of ranges that are merged.
    static var mostLanes: Int { 64 }

    /// Whether the ids in parts of indexes can be read in their order.
    private func isInOrderOfIDs(_ union: [IndexRanges]) throws(DataStoreError) -> Bool {
        guard union.allSatisfy(\.isInOrderOfIDs),
            union.reduce(0, { $0 + $1.known.count }) <= Self.mostLanes
        else { return false }
        return try !holdUnknown(union)
    }

    /// Whether there are items whose values the parts of indexes do not know.
    func holdUnknown(_ union: [IndexRanges]) throws(DataStoreError) -> Bool {
        for range in union.flatMap(\.unknown) where try holdsKeys(in: range) { return true }
        return false
    }

    private func source(
        of union: [IndexRanges], _ query: Query, first: Int
    ) -> any IDSource {
        func entries(_ range: KeyRange) -> EntryIDs {
            EntryIDs(range, isReversed: query.isReversed, first: first)
        }
        if union.count == 1, union[0].known.count == 1 { return entries(union[0].known[0]) }
        return UnitedIDs(union.flatMap(\.known).map(entries), isReversed: query.isReversed)
    }

    // MARK: Counted entries

    /// The smallest of the query's unions of index ranges; `nil` if each has more than `most` entries.
    ///
    /// Each union is counted up to a growing limit, so that finding the smallest costs a small multiple of reading it.
    func entries(of query: Query, most: Int) throws(DataStoreError) -> AccessPath? {
        let unions = query.alternatives?.unions ?? []
        var limit = unions.count == 1 ? most : min(most, 256)
        while !unions.isEmpty {
            for place in unions.indices {
                guard let found = try ids(in: unions[place], most: limit) else { continue }
                let areMatches = found.areKnown && unions[place].allSatisfy(\.decides)
                if !areMatches, found.ids.count >= 256,
                    let common = try common(
                        found.ids, unions, place, most: min(8 * found.ids.count, most * 5), query)
                {
                    return common
                }
                return path(to: found.ids, unions[place], areMatches: areMatches, query)
            }
            if limit == most { break }
            limit = min(most, limit * 8)
        }
        // No union alone is small enough, but the intersection of two may be.
        guard unions.count > 1, most > 256, let first = try ids(in: unions[0], most: 2 * most),
            let path = try common(first.ids, unions, 0, most: 2 * most, query),
            case .entries(let found, _) = path, let list = found.source as? ListedIDs,
            list.count <= most
        else { return nil }
        return path
    }

    private func path(
        to ids: [ItemID], _ parts: [IndexRanges], areMatches: Bool, _ query: Query
    ) -> AccessPath {
        .entries(
            FoundIDs(
                source: ListedIDs(ids, isReversed: query.isReversed), areMatches: areMatches),
            parts)
    }

    /// The ids that are also in another union, if it serves other conditions and has at most `most` entries.
    private func common(
        _ ids: [ItemID], _ unions: [[IndexRanges]], _ place: Int, most: Int, _ query: Query
    ) throws(DataStoreError) -> AccessPath? {
        for other in unions[(place + 1)...] where !other.isImplied(by: unions[place]) {
            guard let found = try self.ids(in: other, most: most) else { continue }
            var both: [ItemID] = []
            var rest = found.ids[...]
            for id in ids {
                while let first = rest.first, first < id { rest.removeFirst() }
                if rest.first == id { both.append(id) }
            }
            return path(to: both, unions[place] + other, areMatches: false, query)
        }
        return nil
    }

    /// The ids in a union, in their order; `nil` if there are more than `most`.
    func ids(
        in union: [IndexRanges], most: Int
    ) throws(DataStoreError) -> (ids: [ItemID], areKnown: Bool)? {
        let ranges = union.reduce(0) { $0 + $1.known.count + $1.unknown.count }
        if ranges > Self.mostRanges(for: most) { return nil }
        var ids: [ItemID] = []
        var isSorted = true
        var areKnown = true
        func read(_ ranges: [KeyRange]) throws(DataStoreError) {
            for range in ranges where ids.count <= most {
                try scanKeys(range, reversed: false) { (key) throws(DataStoreError) in
                    let id = IndexKey.id(in: key)
                    if let last = ids.last, last >= id { isSorted = false }
                    ids.append(id)
                    return ids.count <= most ? .next : .stop
                }
            }
        }
        for part in union {
            try read(part.known)
            let known = ids.count
            try read(part.unknown)
            if ids.count > known { areKnown = false }
        }
        entriesExamined += ids.count
        if ids.count > most { return nil }
        if isSorted { return (ids, areKnown) }
        ids.sort()
        var unique: [ItemID] = []
        unique.reserveCapacity(ids.count)
        for id in ids where id != unique.last { unique.append(id) }
        return (unique, areKnown)
    }

    // MARK: Limits

    /// The number of lookups that cost as much as a scan of all records of a type.
    func mostLookups(_ type: BlockType) throws(DataStoreError) -> Int {
        // Measured on 100,000 records of 150 bytes: a lookup takes as long as ten records of a scan on LMDB, thirteen
        // on LevelDB.
        max(64, try countOrAll(type) / 10)
    }

    /// The number of ranges of entries that may be read if `lookups` records may be looked up.
    static func mostRanges(for lookups: Int) -> Int {
        // Seeking an entry takes as long as looking up a record.
        2 * lookups + 64
    }

    /// The number of items of a type, or a large number if the stored one is damaged.
    private func countOrAll(_ type: BlockType) throws(DataStoreError) -> Int {
        do throws(DataStoreError) {
            return try storedCount(type)
        } catch {
            if error.code == .corrupted { return 1 << 20 }
            throw error
        }
    }
}

extension [IndexRanges] {
    /// Whether the conditions imply that another union has no items that this one lacks.
    fileprivate func isImplied(by other: [IndexRanges]) -> Bool {
        count == 1 && other.count == 1 && self[0].conditions.isSubset(of: other[0].conditions)
    }
}

extension [[IndexRanges]] {
    /// Up to three unions, without those that exclude no item of another one.
    fileprivate var withoutImplied: [[IndexRanges]] {
        var kept: [[IndexRanges]] = []
        for union in self where !kept.contains(where: { union.isImplied(by: $0) }) {
            kept.append(union)
            if kept.count == 3 { break }
        }
        return kept
    }
}
