import JustPersist

/// An index whose order is the one that a query asks for, at least for the first sort keys.
struct IndexOrder {
    let ranges: IndexRanges
    /// The entries, grouped by the values of the components before those of the sort.
    let lanes: [(prefix: [UInt8], ranges: [KeyRange])]
    /// For each sort key that the index decides, from the first one on: whether it is descending.
    let descending: [Bool]
    /// Whether further components follow those of the sort.
    let isFollowed: Bool
    /// Whether the first key is a path into an attribute's dictionaries, which may hold values of any kind.
    let isOfPath: Bool

    /// The number of sort keys that the index decides.
    var keyCount: Int { descending.count }
    /// Whether all entries are of items that match.
    var decides: Bool { ranges.decides }
    /// Whether all keys have the same direction.
    var isUniform: Bool { descending.allSatisfy { $0 == descending[0] } }

    /// The order of a part of an index; `nil` if the query does not ask for this order.
    init?(_ ranges: IndexRanges, _ query: Query) {
        let components = ranges.index.components
        func has(_ place: Int, _ key: Query.SortKey) -> Bool {
            guard place < components.count, let path = key.key.path?.components,
                components[place].attribute.id == query.type.idForQuery(path[0]),
                components[place].path == Array(path.dropFirst())
            else { return false }
            return ranges.index.hasOrder(
                of: components[place], key.descriptor.textOrder, in: query.type)
        }
        guard let skipped = (0...ranges.pointCount).first(where: { has($0, query.sort[0]) }) else {
            return nil
        }
        lanes = ranges.lanes(ofComponents: skipped)
        guard lanes.count <= Block.mostLanes else { return nil }
        var descending: [Bool] = []
        for (place, key) in query.sort.enumerated() {
            let isSame = key.descriptor.ascending == query.sort[0].descriptor.ascending
            guard place == 0 || (has(skipped + place, key) && (isSame || lanes.count == 1)),
                // Only the first key is checked for arrays (see `isKnown`).
                place == 0 || components[skipped + place].path.isEmpty
            else { break }
            descending.append(!key.descriptor.ascending)
        }
        self.ranges = ranges
        self.descending = descending
        isFollowed = skipped + descending.count < components.count
        isOfPath = !components[skipped].path.isEmpty
    }

    /// Whether the walk visits exactly the entries of a union.
    func isWalk(of union: [IndexRanges]) -> Bool {
        union.count == 1 && union[0].index === ranges.index
            && union[0].conditions == ranges.conditions
    }

    /// Whether this order is to be tried before another one.
    func isBetter(than other: IndexOrder) -> Bool {
        if decides != other.decides { return decides }
        if ranges.conditions.count != other.ranges.conditions.count {
            return ranges.conditions.count > other.ranges.conditions.count
        }
        if keyCount != other.keyCount { return keyCount > other.keyCount }
        return !isFollowed && other.isFollowed
    }
}

extension TypeIndex {
    /// Whether the entries have the order of a component's values, if texts are compared in `textOrder`.
    ///
    /// For a path into dictionaries, this holds only if the values are neither collections nor references.
    func hasOrder(of component: Component, _ textOrder: TextOrder, in type: BlockType) -> Bool {
        guard let id = component.attribute.id else { return false }
        let own: TextOrder = ignoresCase ? .caseInsensitive : .scalars
        if !component.path.isEmpty { return textOrder == own }
        return !type.mayHave(tags: Self.collectionTags | 1 << UInt16(ValueTag.reference), id)
            && (textOrder == own || !type.mayHave(tags: Self.textTags, id))
    }
}

/// Queries that read items in the order of an index.
extension Block {
    /// The index that has the order which a query asks for, if there is one.
    func order(of query: Query) throws(DataStoreError) -> IndexOrder? {
        // An array in a sort key fails the request, and a walk does not read all records. The entries show arrays of
        // the first key only.
        guard !query.sort.isEmpty, !query.sort.dropFirst().contains(where: \.key.mayCollect)
        else { return nil }
        var best: IndexOrder?
        for index in query.type.indexes {
            var parts = [IndexRanges(all: index, decides: query.predicate == nil)]
            for union in query.alternatives?.unions ?? []
            where union.count == 1 && union[0].index === index {
                parts.append(union[0])
            }
            for ranges in parts {
                guard let order = IndexOrder(ranges, query),
                    best.map({ order.isBetter(than: $0) }) ?? true, try isKnown(order)
                else { continue }
                best = order
            }
        }
        return best
    }

    /// Whether the entries give the position of every item.
    private func isKnown(_ order: IndexOrder) throws(DataStoreError) -> Bool {
        if try holdUnknown([order.ranges]) { return false }
        guard order.isOfPath else { return true }
        for lane in order.lanes {
            let others = KeyRange(
                from: lane.prefix + [IndexKey.reference], upTo: KeyRange(prefix: lane.prefix).upper)
            if try holdsKeys(in: others) { return false }
        }
        return true
    }

    /// The rows that a query asks for, found by a walk along an index; `nil` if the walk takes too many lookups.
    func orderedRows(
        _ query: Query, _ order: IndexOrder, mostLookups: Int, keepingRecords: Bool = true
    ) throws(DataStoreError) -> [SortedRows.Row]? {
        guard let table = query.table, let limit = query.slice.limit else { return nil }
        var walk = try IndexWalk(
            order, query, in: table, limit: limit, mostLookups: mostLookups,
            keepsRecords: keepingRecords)
        if order.lanes.count > 1 {
            try walk.followLanes(in: self)
        } else {
            for lane in order.lanes { try walk.follow(lane.prefix, lane.ranges, in: self) }
        }
        if !walk.isOver { try walk.endGroup(in: self) }
        return walk.isGivenUp ? nil : walk.rows
    }
}
