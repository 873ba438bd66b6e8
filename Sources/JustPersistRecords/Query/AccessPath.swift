import JustPersist

/// How a query reaches the records that can match.
enum AccessPath {
    /// Scan all records of the type.
    case scan
    /// Look these ids up, in order; there may be no items with some of them.
    case ids([ItemID])
    /// Look up the records of these ids, in order, which were found in these parts of indexes.
    ///
    /// `matchAll`: the entries tell everything that the predicate asks for, so it need not be evaluated.
    case entries([ItemID], [IndexRanges], matchAll: Bool)
    /// Walk an index in the order that is asked for.
    case ordered(IndexOrder)
}

/// An index that has the order that a query asks for, or its first part.
struct IndexOrder {
    let ranges: IndexRanges
    /// How many components come before those of the sort; each has one value.
    let skipped: Int
    /// How many of the keys of the sort the index decides.
    let keyCount: Int
    let isReversed: Bool
}

/// How an access path is chosen: by counting index entries, not by estimates.
///
/// So there are no statistics that could be out of date.
///
/// Whatever the way, the whole predicate is evaluated on each record, unless the entries tell all that it asks for.
extension Block {
    /// The access path for a query.
    ///
    /// - Parameter mayBeOrdered: Whether an index may give the order, too; not if that has been tried.
    func access(
        for query: Query, mayBeOrdered: Bool = true
    ) throws(DataStoreError) -> AccessPath {
        if let ids = query.ids { return .ids(query.isReversed ? ids.reversed() : ids) }
        guard query.table != nil, !query.type.indexes.isEmpty else { return .scan }
        let most = query.mostLookups
        guard mayBeOrdered, let order = order(of: query), let end = query.slice.end, end <= most
        else {
            return try entries(of: query, most: most) ?? .scan
        }
        // Sorting a few items is cheaper than walking the index.
        if let few = try entries(of: query, most: min(most, 4 * end + 64)) { return few }
        return .ordered(order)
    }

    /// The number of items that match, if an index tells it without a look at the records.
    func countEntries(_ query: Query) throws(DataStoreError) -> Int? {
        guard let exact = query.alternatives?.exact, query.table != nil,
            try !holdsKeys(in: exact.unknownRange)
        else { return nil }
        var count = 0
        let needed = query.slice.end ?? .max
        var steps = WorkSteps()
        for range in exact.ranges {
            try reader.scanKeys(range, reversed: false) { (_) throws(DataStoreError) in
                count += 1
                try steps.count()
                return count < needed ? .next : .stop
            }
            if count >= needed { break }
        }
        entriesExamined += count
        return count
    }

    /// The smallest of the query's unions of index ranges; `nil` if each has more than `most` entries.
    ///
    /// Each is counted up to a limit that grows, so that finding the smallest costs a small multiple of reading it.
    private func entries(
        of query: Query, most: Int
    ) throws(DataStoreError) -> AccessPath? {
        let unions = query.alternatives?.unions ?? []
        let exact = query.alternatives?.exact
        var limit = unions.count == 1 ? most : min(most, 256)
        while !unions.isEmpty {
            for union in unions {
                guard let (ids, areKnown) = try ids(in: union, most: limit) else { continue }
                let matchAll = areKnown && union.count == 1 && union[0].index === exact?.index
                return .entries(
                    query.isReversed ? ids.reversed() : ids, union, matchAll: matchAll)
            }
            if limit == most { return nil }
            limit = min(most, limit * 8)
        }
        return nil
    }

    private func ids(
        in union: [IndexRanges], most: Int
    ) throws(DataStoreError) -> (ids: [ItemID], areKnown: Bool)? {
        if union.reduce(0, { $0 + $1.ranges.count }) > Self.mostRanges(for: most) { return nil }
        var ids: [ItemID] = []
        var isSorted = true
        var areKnown = true
        var steps = WorkSteps()
        for ranges in union {
            let start = ranges.index.prefix.count
            for range in ranges.ranges {
                try reader.scanKeys(range, reversed: false) { (key) throws(DataStoreError) in
                    let id = IndexKey.id(in: key)
                    try steps.count()
                    if key.count > start, key[start] == IndexKey.unknown { areKnown = false }
                    if let last = ids.last, last >= id { isSorted = false }
                    ids.append(id)
                    return ids.count <= most ? .next : .stop
                }
                if ids.count > most { break }
            }
            if ids.count > most { break }
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

    /// How many records may be looked up in place of a scan of all records of a type.
    func mostLookups(_ type: BlockType) throws(DataStoreError) -> Int {
        // Measured on 100,000 records of 150 bytes: looking one up takes as long as ten of a scan on LMDB, thirteen on
        // LevelDB.
        max(64, try countOrAll(type) / 10)
    }

    /// How many ranges of entries may be read where so many records may be looked up.
    static func mostRanges(for lookups: Int) -> Int {
        // To look for an entry takes as long as to look a record up.
        2 * lookups + 64
    }

    /// The number of items of a type, or a large one where that is damaged.
    private func countOrAll(_ type: BlockType) throws(DataStoreError) -> Int {
        do throws(DataStoreError) {
            return try storedCount(type)
        } catch {
            if error.code == .corrupted { return 1 << 20 }
            throw error
        }
    }
}

extension DataStoreError {
    /// An entry of an index that leads nowhere.
    static func entryWithoutRecord(_ id: ItemID, ofType itemType: String) -> DataStoreError {
        DataStoreError(
            .corrupted, in: "read",
            """
            An index of “\(itemType)” has an entry for the item \(id), which is not there: an item or its entry is \
            damaged. Verify the store, and restore it from a backup.
            """, itemType: itemType)
    }
}
