import JustPersist

/// The part of an index that contains all items that fulfil some conditions, and possibly others.
struct IndexRanges {
    let index: TypeIndex
    /// The entries of items that may fulfil the conditions: ascending ranges that do not overlap.
    private(set) var known: [KeyRange] = []
    /// The entries of items whose values the index does not know.
    private(set) var unknown: [KeyRange] = []
    /// The number of leading components that have a single value within each known range.
    private(set) var pointCount = 0
    /// The conditions that the ranges serve.
    private(set) var conditions: ConditionSet = []
    /// The number of components that the conditions restrict.
    private(set) var restricted = 0
    /// Whether every item with a known entry in the ranges fulfils these conditions.
    private(set) var isExact = true
    /// Whether every item with a known entry in the ranges fulfils the whole predicate.
    var decides = false

    /// The maximum number of ranges that lists for several attributes are combined into.
    private static let mostRanges = 4096

    /// All entries of an index.
    ///
    /// - Parameter decides: Whether there is no predicate, so that every item fulfils it.
    init(all index: TypeIndex, decides: Bool = false) {
        self.index = index
        self.decides = decides
        known = [index.range]
        isExact = decides
    }

    /// The entries with one value for each component, which are exactly the matching ones.
    init(_ index: TypeIndex, point key: [UInt8]) {
        self.index = index
        decides = true
        known = [KeyRange(prefix: key)]
        pointCount = index.components.count
        restricted = pointCount
    }

    /// The part of an index that conditions select; `nil` if this is the whole index, or more than `mostRanges` ranges.
    ///
    /// - Parameter isServed: Whether a condition may be used.
    init?(
        _ index: TypeIndex, _ conditions: [IndexCondition], of type: BlockType, mostRanges: Int,
        _ isServed: (Int) -> Bool = { _ in true }
    ) {
        /// The condition that restricts a component.
        func served(_ component: TypeIndex.Component) -> Int? {
            conditions.indices.prefix(ConditionSet.mostPlaces).first { place in
                conditions[place].attribute == component.attribute.id
                    && conditions[place].path == component.path
                    && conditions[place].isServed(by: index)
                    // Only an index over one attribute has entries for elements.
                    && (!conditions[place].isOfElement || index.components.count == 1)
                    && isServed(place)
            }
        }
        // This is checked first, because most indexes are over other attributes.
        guard served(index.components[0]) != nil else { return nil }
        self.index = index
        var prefixes = [index.prefix]
        var last: ComponentRanges?
        for component in index.components {
            guard let place = served(component) else { break }
            let condition = conditions[place]
            // This is checked before the ranges are made, because a long list takes time.
            if case .points(let points) = condition.values, points.count > mostRanges {
                if self.conditions.isEmpty { return nil }
                break
            }
            let values = ComponentRanges(condition, in: index)
            let (count, overflows) = prefixes.count.multipliedReportingOverflow(
                by: values.ranges.count)
            if overflows || count > Self.mostRanges, !self.conditions.isEmpty { break }
            self.conditions.insert(ConditionSet(place: place))
            restricted += 1
            if !values.isExact || condition.isOfElement || !component.path.isEmpty
                || type.mayHave(tags: TypeIndex.collectionTags, component.attribute.id ?? .max)
            {
                isExact = false
            }
            if !component.path.isEmpty {
                unknown += prefixes.map { KeyRange(prefix: $0 + [IndexKey.unknown]) }
            }
            guard values.arePoints else {
                last = values
                break
            }
            prefixes = prefixes.flatMap { prefix in values.ranges.map { prefix + $0.lower } }
            if prefixes.isEmpty { break }
            pointCount += 1
        }
        guard !self.conditions.isEmpty else { return nil }
        known = prefixes.flatMap { prefix in
            guard let last else { return [KeyRange(prefix: prefix)] }
            return last.ranges.map { range in
                KeyRange(
                    from: prefix + range.lower,
                    upTo: range.upper.map { prefix + $0 } ?? KeyRange(prefix: prefix).upper)
            }
        }
        known.sort { $0.lower.span.isOrdered(before: $1.lower.span) }
    }

    /// The union of several parts of one index.
    ///
    /// - Parameter conditions: The conditions that all parts serve, and ``ConditionSet/choices``.
    init?(anyOf parts: [IndexRanges], conditions: ConditionSet, mostRanges: Int) {
        guard let first = parts.first else { return nil }
        self.init(all: first.index)
        self.conditions = conditions
        restricted = parts.reduce(.max) { min($0, $1.restricted) }
        pointCount = parts.reduce(.max) { min($0, $1.pointCount) }
        isExact = parts.allSatisfy(\.isExact)
        let ranges = parts.flatMap(\.known).sorted {
            $0.lower.span.isOrdered(before: $1.lower.span)
        }
        guard ranges.count <= mostRanges else { return nil }
        known = []
        for range in ranges {
            guard let last = known.last, let end = last.upper,
                !range.lower.span.isOrdered(before: end.span)
            else {
                if known.isEmpty {
                    known = [range]
                } else {
                    known[known.count - 1].extend(to: range)
                }
                continue
            }
            known.append(range)
        }
        for range in parts.flatMap(\.unknown) where !unknown.contains(range) {
            unknown.append(range)
        }
    }

    /// The entries of all items that may match.
    var all: [KeyRange] { known + unknown }

    /// Whether the entries in each known range are sorted by the items' ids.
    var isInOrderOfIDs: Bool { pointCount == index.components.count }

    /// The number of leading components that have the same value in all known ranges.
    var fixedCount: Int {
        guard let first = known.first?.lower, let last = known.last?.lower else { return 0 }
        var offset = index.prefix.count
        for place in 0..<pointCount {
            guard let end = IndexKey.component(in: first.span, at: offset, idLength: 0)?.end,
                end <= last.count, first[offset..<end] == last[offset..<end]
            else { return place }
            offset = end
        }
        return pointCount
    }

    /// The known ranges, grouped by the values of the first `count` components.
    func lanes(ofComponents count: Int) -> [(prefix: [UInt8], ranges: [KeyRange])] {
        if count == 0 { return [(index.prefix, known)] }
        var lanes: [(prefix: [UInt8], ranges: [KeyRange])] = []
        for range in known {
            var offset = index.prefix.count
            for _ in 0..<count {
                offset =
                    IndexKey.component(in: range.lower.span, at: offset, idLength: 0)?.end ?? offset
            }
            let prefix = Array(range.lower[..<offset])
            if lanes.last?.prefix == prefix {
                lanes[lanes.count - 1].ranges.append(range)
            } else {
                lanes.append((prefix, [range]))
            }
        }
        return lanes
    }
}

/// A set of conditions of a predicate, by their positions.
///
/// All choices together count as one.
struct ConditionSet: OptionSet {
    let rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }

    init(place: Int) { rawValue = 1 << UInt64(place) }

    /// The number of conditions that have a position; further conditions restrict no index.
    static let mostPlaces = 63
    /// The choices of the predicate's ORs.
    static let choices = ConditionSet(place: mostPlaces)

    var count: Int { rawValue.nonzeroBitCount }
}

extension KeyRange {
    /// Extends this range by another one that begins inside it.
    fileprivate mutating func extend(to other: KeyRange) {
        guard let upper else { return }
        guard let end = other.upper else {
            self = KeyRange(from: lower, upTo: nil)
            return
        }
        if upper.span.isOrdered(before: end.span) { self = KeyRange(from: lower, upTo: end) }
    }
}

extension TypeIndex {
    static let collectionTags: UInt16 =
        1 << UInt16(ValueTag.array) | 1 << UInt16(ValueTag.dictionary)

    static let textTags: UInt16 = 1 << UInt16(ValueTag.text) | 1 << UInt16(ValueTag.plainText)
}
