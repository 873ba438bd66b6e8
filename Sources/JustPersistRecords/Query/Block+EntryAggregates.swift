import JustPersist

/// Aggregates that are computed from the entries of an index.
extension Block {
    /// The groups of a query's items, computed from index entries; `nil` if no index has the values.
    ///
    /// A record is read where the entries do not hold the exact value: for a long text that is truncated in them, and
    /// for equal numbers of different kinds.
    func groupedEntries(
        _ query: Query, _ grouping: RowGrouping
    ) throws(DataStoreError) -> RowGrouping? {
        guard query.table != nil, !query.type.indexes.isEmpty, query.ids == nil else { return nil }
        var grouping = grouping
        if grouping.isOfExtremes {
            for operand in grouping.operands.indices {
                guard let values = entryValues(of: [grouping.operands[operand]], query) else {
                    return nil
                }
                for ascending in [true, false] where grouping.needsExtreme(ascending, of: operand) {
                    guard let value = try extreme(values, ascending, query) else { return nil }
                    try grouping.add(value, at: 0, operand: operand)
                }
            }
            guard grouping.countsItems else { return grouping }
            let count: Int
            if query.predicate == nil {
                count = try storedCount(query.type)
            } else if let counted = try countEntries(query) {
                count = counted
            } else {
                return nil
            }
            grouping.count(count, at: 0)
            return grouping
        }
        guard !grouping.keys.isEmpty, grouping.operands.isEmpty,
            let values = entryValues(of: grouping.keys, query)
        else { return nil }
        explained?.taken = .entriesAlone([values.ranges])
        var groups = EntryGroups(
            grouping, values, query, mostLookups: try query.mostLookups(in: self))
        for range in values.ranges.known {
            try groups.read(range, in: self)
            if groups.isGivenUp { return nil }
        }
        try groups.endGroup(in: self)
        return groups.isGivenUp ? nil : groups.grouping
    }

    /// The components for these keys, in an index whose entries are exactly those of the matching items.
    private func entryValues(
        of keys: [RequestKey], _ query: Query
    ) -> EntryValues? {
        var attributes: [UInt16] = []
        for key in keys {
            guard let path = key.path, path.components.count == 1,
                let id = query.type.idForQuery(path.components[0])
            else { return nil }
            attributes.append(id)
        }
        var parts: [IndexRanges] = []
        if query.predicate == nil {
            parts = query.type.indexes.map { IndexRanges(all: $0, decides: true) }
        }
        for union in query.alternatives?.unions ?? [] where union.count == 1 && union[0].decides {
            parts.append(union[0])
        }
        let found = parts.compactMap { EntryValues(attributes, in: $0, of: query.type) }
        return found.first { !$0.isFollowed } ?? found.first
    }

    /// The smallest or the greatest value in the entries; null if there is none, and `nil` if the entries do not
    /// determine it.
    private func extreme(
        _ values: EntryValues, _ ascending: Bool, _ query: Query
    ) throws(DataStoreError) -> DataStoreValue? {
        explained?.taken = .entriesAlone([values.ranges])
        let known = values.ranges.known
        // Items without a value are left out.
        let some = KeyRange(
            from: values.prefix + [IndexKey.null + 1], upTo: values.prefix + [IndexKey.unknown])
        var first: [UInt8]?
        for range in ascending ? known : known.reversed() where first == nil {
            try scanKeys(range.intersection(some), reversed: !ascending) {
                (key) throws(DataStoreError) in
                first = key.copied(0..<key.count)
                return .stop
            }
        }
        guard let key = first else { return .null }
        entriesExamined += 1
        if let found = values.values(in: key.span) { return found[0] }
        let (end, isExact) = try values.end(in: key.span)
        // Several values may share an inexact key.
        if !isExact { return nil }
        // Of equal values, the one of the item that was created first is returned.
        let equal = KeyRange(prefix: Array(key[..<end]))
        var id: ItemID?
        for range in known where values.isFollowed || id == nil {
            try scanKeys(range.intersection(equal), reversed: false) {
                (key) throws(DataStoreError) in
                entriesExamined += 1
                let other = IndexKey.id(in: key)
                id = id.map { min($0, other) } ?? other
                return values.isFollowed ? .next : .stop
            }
        }
        return try storedValues(values, id ?? IndexKey.id(in: key.span), query).first
    }

    /// Reads an item's values for the components of an index from its record.
    fileprivate func storedValues(
        _ values: EntryValues, _ id: ItemID, _ query: Query
    ) throws(DataStoreError) -> [DataStoreValue] {
        var found: [DataStoreValue] = []
        let isFound = try query.table?.withRecord(id, in: reader) {
            (record) throws(DataStoreError) in
            recordsExamined += 1
            guard let table = RecordFormat.Table(record) else { throw query.type.corrupted(id) }
            for attribute in values.attributes {
                guard let value = attribute.value(in: record, table, known) else {
                    throw query.type.corrupted(id, attribute: attribute.name)
                }
                found.append(value)
            }
        }
        if isFound != true { throw .entryWithoutRecord(id, ofType: query.type.itemType.key) }
        return found
    }
}

/// Sorts entries into groups.
private struct EntryGroups {
    private(set) var grouping: RowGrouping
    /// Whether so many records would have to be read that a scan is faster.
    private(set) var isGivenUp = false

    private let values: EntryValues
    private let query: Query
    private var lookups: Int
    /// The current group: its key up to the end of the components, its number of items, and the first of them.
    private var group: [UInt8] = []
    private var count = 0
    private var first: ItemID?
    /// All items of the group, if its key is inexact.
    private var ids: [ItemID] = []
    private var isExact = true
    /// The values of the group, if the entries hold them.
    private var known: [DataStoreValue]?

    init(_ grouping: RowGrouping, _ values: EntryValues, _ query: Query, mostLookups: Int) {
        (self.grouping, self.values, self.query) = (grouping, values, query)
        lookups = mostLookups
    }

    /// Adds the entries of a range.
    mutating func read(_ range: KeyRange, in block: Block) throws(DataStoreError) {
        var rest = range
        while !isGivenUp {
            var isLeft = false
            try block.scanKeys(rest, reversed: false) { (key) throws(DataStoreError) in
                block.entriesExamined += 1
                if group.isEmpty || key.count < group.count + IndexKey.idLength
                    || key.compare(0..<group.count, group.span) != 0
                {
                    try endGroup(in: block)
                    if isGivenUp { return .stop }
                    let (end, isExact) = try values.end(in: key)
                    group = key.copied(0..<end)
                    self.isExact = isExact
                    known = isExact ? values.values(in: key) : nil
                }
                let id = IndexKey.id(in: key)
                count += 1
                if first.map({ id < $0 }) ?? true { first = id }
                if !isExact { ids.append(id) }
                // The rest of a group is skipped if it need not be counted and is not short.
                isLeft =
                    count == 8 && isExact && !grouping.countsItems
                    && (known != nil || !values.isFollowed)
                return isLeft ? .stop : .next
            }
            guard isLeft, let next = KeyRange(prefix: group).upper else { return }
            rest = KeyRange(from: next, upTo: rest.upper)
        }
    }

    /// Adds the current group to the grouping.
    mutating func endGroup(in block: Block) throws(DataStoreError) {
        guard let id = first else { return }
        if known == nil {
            lookups -= isExact ? 1 : ids.count
            if lookups < 0 {
                isGivenUp = true
                return
            }
        }
        if isExact {
            // No other group has the same key.
            let found: [DataStoreValue]
            if let known {
                found = known
            } else {
                found = try block.storedValues(values, id, query)
            }
            grouping.count(count, at: grouping.newPlace(of: found))
        } else {
            // In the order of creation, in which a group takes the values of its first item.
            for id in ids.sorted() {
                let place = grouping.place(of: try block.storedValues(values, id, query))
                grouping.count(at: place)
            }
        }
        (count, first) = (0, nil)
        ids.removeAll(keepingCapacity: true)
    }
}
