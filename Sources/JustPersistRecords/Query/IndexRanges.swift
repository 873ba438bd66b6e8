import JustPersist

/// The part of an index that holds all items that fulfil some conditions, and maybe others.
struct IndexRanges {
    let index: TypeIndex
    /// Rising and apart from each other.
    private(set) var ranges: [KeyRange]
    /// How many components have one value in all of the ranges, the first ones.
    private(set) var fixedCount = 0
    /// The key up to these components.
    private(set) var fixedPrefix: [UInt8]
    /// The conditions that the ranges hold, by their places.
    private(set) var conditions: Set<Int> = []
    /// Whether every item with an entry in the ranges fulfils these conditions.
    private(set) var isExact = true

    /// The most ranges that are made of the lists of several attributes.
    private static let mostRanges = 4096

    /// All entries of an index.
    init(all index: TypeIndex) {
        self.index = index
        ranges = [index.range]
        fixedPrefix = index.prefix
        isExact = false
    }

    /// The entries whose components are all known, as one condition for each.
    init(_ index: TypeIndex, point key: [UInt8]) {
        self.index = index
        ranges = [KeyRange(prefix: key)]
        fixedCount = index.components.count
        fixedPrefix = key
        conditions = Set(0..<fixedCount)
    }

    /// What the conditions leave of an index; `nil` if they leave all of it, or more than `mostRanges` ranges.
    init?(
        _ index: TypeIndex, _ conditions: [IndexCondition], of type: BlockType, mostRanges: Int
    ) {
        self.init(all: index)
        isExact = true
        var prefixes = [index.prefix]
        var unknown = [index.prefix + [IndexKey.unknown]]
        var last: ComponentRanges?
        for component in index.components {
            guard
                let place = conditions.firstIndex(where: {
                    $0.attribute == component.attribute.id && $0.path == component.path
                        && $0.isServed(by: index)
                        // Only an index over one attribute has entries for elements.
                        && (!$0.isOfElement || index.components.count == 1)
                })
            else { break }
            let condition = conditions[place]
            // Before they are made: a long list takes its time.
            if case .points(let points) = condition.values, points.count > mostRanges {
                if self.conditions.isEmpty { return nil }
                break
            }
            let values = ComponentRanges(condition, in: index)
            let (count, overflows) = prefixes.count.multipliedReportingOverflow(
                by: values.ranges.count)
            if overflows || count > Self.mostRanges, !self.conditions.isEmpty { break }
            self.conditions.insert(place)
            if !values.isExact || condition.isOfElement || !component.path.isEmpty
                || type.mayHave(tags: TypeIndex.collectionTags, component.attribute.id ?? .max)
            {
                isExact = false
            }
            if !component.path.isEmpty, prefixes[0] != index.prefix {
                unknown += prefixes.map { $0 + [IndexKey.unknown] }
            }
            guard values.arePoints else {
                last = values
                break
            }
            prefixes = prefixes.flatMap { prefix in values.ranges.map { prefix + $0.lower } }
            if prefixes.isEmpty { break }
            if prefixes.count == 1, fixedCount == self.conditions.count - 1 {
                fixedCount += 1
                fixedPrefix = prefixes[0]
            }
        }
        guard !self.conditions.isEmpty else { return nil }
        ranges = prefixes.flatMap { prefix in
            guard let last else { return [KeyRange(prefix: prefix)] }
            return last.ranges.map { range in
                KeyRange(
                    from: prefix + range.lower,
                    upTo: range.upper.map { prefix + $0 } ?? KeyRange(prefix: prefix).upper)
            }
        }
        ranges += unknown.map { KeyRange(prefix: $0) }
        ranges.sort { $0.lower.span.isOrdered(before: $1.lower.span) }
    }

    /// What the components with one value leave of an index, whatever other conditions say.
    init(fixedPartOf other: IndexRanges) {
        self.init(all: other.index)
        ranges = [KeyRange(prefix: other.fixedPrefix)]
        fixedCount = other.fixedCount
        fixedPrefix = other.fixedPrefix
    }

    /// Whether they are one range, but for the entries that may be anything.
    var isContiguous: Bool { knownRanges.count < 2 }

    /// The ranges without the entries that may be anything.
    var knownRanges: [KeyRange] { ranges.filter { $0 != unknownRange } }

    /// The entries of items of which it is not known what they have.
    var unknownRange: KeyRange { KeyRange(prefix: index.prefix + [IndexKey.unknown]) }
}

/// What the indexes of a type can tell of a predicate.
struct IndexAlternatives {
    /// Each holds all items that match, in one part of an index or in several together.
    private(set) var unions: [[IndexRanges]] = []
    /// The one that holds no other items, if there is one.
    private(set) var exact: IndexRanges?

    /// What one key of an index tells, all of whose items match, and no others.
    init(point: IndexRanges) {
        unions = [[point]]
        exact = point
    }

    /// - Parameter mostRanges: How many ranges of an index are worth reading.
    init(_ predicate: DataStorePredicate, of type: BlockType, mostRanges: Int) {
        let parts = predicate.conjuncts
        var conditions: [IndexCondition] = []
        var isWhole = true
        for part in parts {
            switch part {
            case .comparison(let comparison):
                guard let condition = IndexCondition(comparison, of: type) else {
                    isWhole = false
                    continue
                }
                var both: IndexCondition?
                let place = conditions.firstIndex { known in
                    both = known.intersection(condition)
                    return both != nil
                }
                if let place, let both {
                    conditions[place] = both
                } else {
                    conditions.append(condition)
                }
            case .or(let choices):
                isWhole = false
                var union: [IndexRanges] = []
                var isTold = true
                var ranges = 0
                for choice in choices {
                    let alternatives = IndexAlternatives(choice, of: type, mostRanges: mostRanges)
                    guard let first = alternatives.unions.first else {
                        isTold = false
                        break
                    }
                    union += first
                    ranges += first.reduce(0) { $0 + $1.ranges.count }
                    if ranges > mostRanges {
                        isTold = false
                        break
                    }
                }
                if isTold, !choices.isEmpty { unions.append(union) }
            default: isWhole = false
            }
        }
        var single: [IndexRanges] = []
        for index in type.indexes {
            guard let ranges = IndexRanges(index, conditions, of: type, mostRanges: mostRanges)
            else { continue }
            single.append(ranges)
            if isWhole, ranges.isExact, ranges.conditions.count == conditions.count, exact == nil {
                exact = ranges
            }
        }
        // What restricts most comes first; a stable order for equals is that of declaration.
        single.sort { $0.conditions.count > $1.conditions.count }
        unions = single.map { [$0] } + unions
    }
}

extension DataStorePredicate {
    /// The conditions that must all be fulfilled.
    fileprivate var conjuncts: [DataStorePredicate] {
        guard case .and(let parts) = self else { return [self] }
        return parts.flatMap(\.conjuncts)
    }
}

extension TypeIndex {
    static let collectionTags: UInt16 =
        1 << UInt16(ValueTag.array) | 1 << UInt16(ValueTag.dictionary)

    static let textTags: UInt16 = 1 << UInt16(ValueTag.text) | 1 << UInt16(ValueTag.plainText)

    /// Whether the entries have the order of an attribute's values, with texts in an order.
    func hasOrder(ofAttribute id: UInt16, _ textOrder: TextOrder, in type: BlockType) -> Bool {
        let own: TextOrder = ignoresCase ? .caseInsensitive : .scalars
        return !type.mayHave(tags: Self.collectionTags | 1 << UInt16(ValueTag.reference), id)
            && (textOrder == own || !type.mayHave(tags: Self.textTags, id))
    }
}
