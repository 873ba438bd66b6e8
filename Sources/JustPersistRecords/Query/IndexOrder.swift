import JustPersist

/// Items in the order of an index.
extension Block {
    /// The index that has the order which a query asks for, if there is one.
    func order(of query: Query) -> IndexOrder? {
        // A walk does not look at all records.
        guard let first = query.sort.first, !query.mayRefuse else { return nil }
        var best: IndexOrder?
        for index in query.type.indexes where index.components.allSatisfy(\.path.isEmpty) {
            let restricted = query.alternatives?.unions.lazy.compactMap { union in
                union.count == 1 && union[0].index === index ? union[0] : nil
            }.first
            var ranges = restricted ?? IndexRanges(all: index)
            var keys = query.sort.prefix {
                $0.descriptor.ascending == first.descriptor.ascending
            }
            var components = index.components[...]
            // Components with one value decide nothing.
            var fixed = ranges.fixedCount
            while fixed > 0, components.first?.attribute.id != keys.first?.attribute?.id {
                components.removeFirst()
                fixed -= 1
            }
            // A restriction behind them is of no use where it is a list.
            if restricted != nil, !ranges.isContiguous { ranges = IndexRanges(fixedPartOf: ranges) }
            var keyCount = 0
            while let key = keys.first, let component = components.first,
                let id = key.attribute?.id, id == component.attribute.id,
                index.hasOrder(ofAttribute: id, key.descriptor.textOrder, in: query.type)
            {
                keyCount += 1
                keys.removeFirst()
                components.removeFirst()
            }
            guard keyCount > best?.keyCount ?? 0 else { continue }
            best = IndexOrder(
                ranges: ranges, skipped: index.components.count - components.count - keyCount,
                keyCount: keyCount, isReversed: !first.descriptor.ascending)
        }
        return best
    }

    /// The first rows that a query asks for, found along an index; `nil` if they are not found soon enough.
    func orderedRows(
        _ query: Query, _ order: IndexOrder, keepingRecords: Bool = true
    ) throws(DataStoreError) -> ArraySlice<SortedRows.Row>? {
        guard let table = query.table, let end = query.slice.end,
            try !holdsKeys(in: order.ranges.unknownRange)
        else { return nil }
        var walk = IndexWalk(
            order, query, in: table, end: end,
            budget: end + max(1024, try storedCount(query.type) / 8),
            keepsRecords: keepingRecords)
        let ranges = order.ranges.knownRanges
        for range in order.isReversed ? ranges.reversed() : ranges {
            try reader.scanKeys(range, reversed: order.isReversed) {
                (key) throws(DataStoreError) in
                entriesExamined += 1
                return try walk.visit(key, in: self)
            }
            if walk.isOver { break }
        }
        if !walk.isOver { try walk.endGroup(in: self) }
        return walk.budget < 0 ? nil : walk.rows[...]
    }
}

/// A walk along the entries of an index that collects the matching records.
///
/// Entries with the same values form a group, within which the ids or the other keys of the sort decide.
struct IndexWalk {
    private(set) var rows: [SortedRows.Row] = []
    /// How many more records may be read; negative once the walk was given up.
    private(set) var budget: Int
    /// Whether all rows were found, or the walk was given up.
    private(set) var isOver = false

    private let order: IndexOrder
    private let query: Query
    private let table: RecordTable
    private let end: Int
    /// The values of the group, and the ids in it that wait for its end.
    private var group: [UInt8] = []
    private var ids: [ItemID] = []
    private var isCut = false
    private let componentsBehind: Bool
    /// Whether the rows have their records, or only the ids.
    private let keepsRecords: Bool

    init(
        _ order: IndexOrder, _ query: Query, in table: RecordTable, end: Int, budget: Int,
        keepsRecords: Bool
    ) {
        self.keepsRecords = keepsRecords
        self.order = order
        self.query = query
        self.table = table
        self.end = end
        self.budget = budget
        componentsBehind =
            order.skipped + order.keyCount < order.ranges.index.components.count
        isOver = end == 0
    }

    /// Takes the next entry in.
    mutating func visit(
        _ key: Span<UInt8>, in block: Block
    ) throws(DataStoreError) -> ScanStep {
        if key.count < group.count + IndexKey.idLength || group.isEmpty
            || key.compare(0..<group.count, group.span) != 0
        {
            try endGroup(in: block)
            if isOver { return .stop }
            try beginGroup(key)
        }
        let id = IndexKey.id(in: key)
        // The entries of most groups stand in the order of the ids.
        if !order.isReversed, !componentsBehind, !isSortedAnew {
            try look(at: id, in: block)
        } else {
            ids.append(id)
        }
        return isOver ? .stop : .next
    }

    private mutating func beginGroup(_ key: Span<UInt8>) throws(DataStoreError) {
        var offset = order.ranges.index.prefix.count
        isCut = false
        for place in 0..<(order.skipped + order.keyCount) {
            guard let (end, precision) = IndexKey.component(in: key, at: offset) else {
                throw .misplacedKey(key, ofType: query.type.itemType.key)
            }
            offset = end
            if place >= order.skipped, precision == .cut {
                // What follows orders the items only among those whose whole value is the same.
                isCut = true
                break
            }
        }
        group = key.copied(0..<offset)
    }

    /// Whether the records of the group have to be sorted by their values.
    private var isSortedAnew: Bool { isCut || query.sort.count > order.keyCount }

    /// Looks at the items of the group that wait.
    mutating func endGroup(in block: Block) throws(DataStoreError) {
        if ids.isEmpty { return }
        var waiting: [ItemID] = []
        swap(&waiting, &ids)
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
            by: query.sort.map(\.descriptor), needed: end - rows.count)
        for id in waiting {
            try withMatch(id, in: block) { (record) throws(DataStoreError) in
                try block.add(
                    id, record, of: query, to: &sorted, keepingRecord: keepsRecords)
            }
            if isOver { return }
        }
        rows += sorted.sorted()
        if rows.count >= end { isOver = true }
    }

    private mutating func look(at id: ItemID, in block: Block) throws(DataStoreError) {
        var found: SortedRows.Row?
        let keepsRecords = keepsRecords
        try withMatch(id, in: block) { (record) throws(DataStoreError) in
            found = SortedRows.Row(
                id: id, key: .null, otherKeys: [], record: keepsRecords ? record.copied() : [])
        }
        if let found, !isOver {
            rows.append(found)
            if rows.count == end { isOver = true }
        }
    }

    /// Calls `body` with the record of an item if it matches.
    private mutating func withMatch(
        _ id: ItemID, in block: Block, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) {
        budget -= 1
        if budget < 0 {
            isOver = true
            return
        }
        let (query, table) = (query, table)
        let isFound = try table.withRecord(id, in: block.reader) {
            (record) throws(DataStoreError) in
            block.recordsExamined += 1
            if try query.matches(record, id: id, in: block) { try body(record) }
        }
        if !isFound { throw .entryWithoutRecord(id, ofType: query.type.itemType.key) }
    }
}
