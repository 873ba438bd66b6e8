import JustPersist

/// A walk along the entries of an index that collects the matching records.
///
/// Entries with the same values form a group. Within a group, the ids or the remaining sort keys decide the order.
struct IndexWalk {
    private(set) var rows: [SortedRows.Row] = []
    /// Whether all rows were found, or the walk was given up.
    private(set) var isOver = false
    private(set) var isGivenUp = false

    let order: IndexOrder
    let query: Query
    /// `nil` if the entries decide.
    private let predicate: RecordPredicate?
    private let table: RecordTable
    private let limit: Int
    /// The number of matches that are still to be skipped.
    private var skipped: Int
    /// The number of records that may still be looked up.
    private var lookups: Int
    /// Whether the rows keep their records, or only the ids.
    private let keepsRecords: Bool

    /// The values of the current group, and its ids, which are processed when the group ends.
    private(set) var group: [UInt8] = []
    private var isBegun = false
    private var ids: [ItemID] = []
    private var isCut = false
    /// Whether the entries of the group are sorted by id and this is the order of the result, as in most groups.
    private var standsAlone = false
    private let decides: Bool
    /// Whether the current group has so many entries that it is read again, in the order of the ids.
    private(set) var isLarge = false

    init(
        _ order: IndexOrder, _ query: Query, in table: RecordTable, limit: Int, mostLookups: Int,
        keepsRecords: Bool
    ) throws(DataStoreError) {
        predicate = order.decides ? nil : try query.predicate?.compiled()
        self.keepsRecords = keepsRecords
        self.order = order
        decides = order.decides
        self.query = query
        self.table = table
        // The limit and the offset are added, so the sum must not overflow.
        self.limit = min(limit, 1 << 40)
        lookups = mostLookups
        skipped = min(query.slice.offset, 1 << 40)
        isOver = limit == 0
    }

    /// Processes the next entry.
    ///
    /// - Parameters:
    ///   - start: Where the components of the sort begin in the key.
    ///   - isReversed: Whether the entries come in the opposite order.
    mutating func visit(
        _ key: Span<UInt8>, from start: Int, isReversed: Bool, in block: Block
    ) throws(DataStoreError) -> ScanStep {
        let end = start + group.count
        if !isBegun || key.count < end + IndexKey.idLength
            || key.compare(start..<end, group.span) != 0
        {
            try endGroup(in: block)
            if isOver { return .stop }
            try beginGroup(key, start)
        }
        if standsAlone, !isReversed, skipped > 0, decides {
            skipped -= 1
            return .next
        }
        let id = IndexKey.id(in: key)
        if standsAlone, !isReversed {
            try look(at: id, in: block)
        } else {
            ids.append(id)
            if standsAlone, ids.count >= 16, !decides || ids.count > skipped {
                ids.removeAll(keepingCapacity: true)
                isLarge = true
                return .stop
            }
        }
        return isOver ? .stop : .next
    }

    /// Skips entries at the beginning of a range whose items are left out.
    ///
    /// Returns the range in which the walk continues; `nil` at the end of the range.
    ///
    /// Call this only if the entries decide and no two ranges have entries of one group.
    mutating func passLeftOut(
        _ range: KeyRange, _ start: Int, isReversed: Bool, in block: Block
    ) throws(DataStoreError) -> KeyRange? {
        // The last group of the previous range.
        try endGroup(in: block)
        if isOver { return nil }
        let passed = try block.passKeys(range, reversed: isReversed, most: skipped)
        skipped -= passed.count
        guard let last = passed.last else { return nil }
        try beginGroup(last.span, start)
        isBegun = false
        if standsAlone, !isReversed { return KeyRange(from: last + [0], upTo: range.upper) }
        // The ids or the records decide which items of the last group are left out.
        let group = KeyRange(prefix: Array(last[..<start]) + group).intersection(range)
        let part =
            isReversed
            ? KeyRange(from: last, upTo: group.upper)
            : KeyRange(from: group.lower, upTo: last + [0])
        skipped = try block.passKeys(part, reversed: false, most: .max).count
        return isReversed
            ? KeyRange(from: range.lower, upTo: group.upper)
            : KeyRange(from: group.lower, upTo: range.upper)
    }

    /// Whether so many matches are left out that ``passLeftOut(_:_:isReversed:in:)`` is faster.
    var leavesManyOut: Bool {
        decides && skipped >= 64 && !isOver && !order.isFollowed && order.lanes.count == 1
            && query.sort.count == order.keyCount
    }

    /// Looks up together the records that the walk will visit first, if each look-up takes a round trip.
    func prepareRecords(
        _ range: KeyRange, isReversed: Bool, in block: Block
    ) throws(DataStoreError) {
        guard block.reader.isRemote else { return }
        let wanted = min(lookups, limit - rows.count + skipped, 1_024)
        var keys: [[UInt8]] = []
        try block.reader.scanKeys(range, reversed: isReversed) { (key) throws(DataStoreError) in
            if key.count >= IndexKey.idLength { keys.append(table.recordKey(IndexKey.id(in: key))) }
            return keys.count < wanted ? .next : .stop
        }
        if decides { keys.removeFirst(min(skipped, keys.count)) }
        try block.reader.prepare(keys: keys, ranges: [])
    }

    /// Continues with a large group, whose entries now come in the order of the ids.
    mutating func beginLargeGroup() { isLarge = false }

    private mutating func beginGroup(_ key: Span<UInt8>, _ start: Int) throws(DataStoreError) {
        var offset = start
        isCut = false
        for _ in 0..<order.keyCount {
            guard let (end, precision) = IndexKey.component(in: key, at: offset) else {
                throw .misplacedKey(key, ofType: query.type.itemType.key)
            }
            offset = end
            if precision == .cut {
                // The following components order only items with the same complete value.
                isCut = true
                break
            }
        }
        group = key.copied(start..<offset)
        isBegun = true
        standsAlone = order.lanes.count == 1 && !order.isFollowed && !isSortedAnew
    }

    /// Whether the records of the group have to be sorted by their values.
    private var isSortedAnew: Bool { isCut || query.sort.count > order.keyCount }

    /// Processes the items of the group that ends.
    mutating func endGroup(in block: Block) throws(DataStoreError) {
        if ids.isEmpty { return }
        var waiting: [ItemID] = []
        swap(&waiting, &ids)
        if order.decides, waiting.count <= skipped {
            skipped -= waiting.count
            return
        }
        waiting.sort()
        guard isSortedAnew else {
            for id in waiting {
                try look(at: id, in: block)
                if isOver { return }
            }
            return
        }
        let (query, keepsRecords) = (query, keepsRecords)
        var sorted = SortedRows(
            by: query.sort.map(\.descriptor), needed: skipped + limit - rows.count)
        for id in waiting {
            try withMatch(id, in: block) { (record) throws(DataStoreError) in
                try block.add(
                    id, record, of: query, to: &sorted, keepingRecord: keepsRecords)
            }
            if isOver { return }
        }
        let found = try sorted.sorted()
        rows += found.dropFirst(skipped)
        skipped -= min(skipped, found.count)
        if rows.count >= limit { isOver = true }
    }

    private mutating func look(at id: ItemID, in block: Block) throws(DataStoreError) {
        if skipped > 0, order.decides {
            skipped -= 1
            return
        }
        var found: SortedRows.Row?
        let keepsRecord = keepsRecords && skipped == 0
        try withMatch(id, in: block) { (record) throws(DataStoreError) in
            found = SortedRows.Row(
                id: id, key: .null, otherKeys: [], record: keepsRecord ? record.copied() : [])
        }
        guard let found, !isOver else { return }
        if skipped > 0 {
            skipped -= 1
            return
        }
        rows.append(found)
        if rows.count == limit { isOver = true }
    }

    /// Calls `body` with the record of an item if it matches.
    private mutating func withMatch(
        _ id: ItemID, in block: Block, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) {
        try block.workSteps.count()
        lookups -= 1
        if lookups < 0 {
            (isOver, isGivenUp) = (true, true)
            return
        }
        let (query, predicate, table) = (query, predicate, table)
        let isFound = try table.withRecord(id, in: block.reader) {
            (record) throws(DataStoreError) in
            block.recordsExamined += 1
            if try !predicate.holds(record, id, query.type, block) { return }
            try body(record)
        }
        if !isFound { throw .entryWithoutRecord(id, ofType: query.type.itemType.key) }
    }
}
