import JustPersist

/// The ways to find the items that match a predicate by the indexes of a type.
struct IndexAlternatives {
    /// Each union contains all matching items, in one part of an index or in several together.
    private(set) var unions: [[IndexRanges]] = []

    /// The maximum number of combinations of choices that are tried with one index.
    private static let mostBranches = 32

    /// The union that contains only matching items, if there is one.
    var exact: [IndexRanges]? { unions.first { $0.allSatisfy(\.decides) } }

    /// One key of an index, whose items are exactly the matching ones.
    init(point: IndexRanges) { unions = [[point]] }

    /// - Parameter mostRanges: How many ranges of an index are worth reading.
    init(_ predicate: DataStorePredicate, of type: BlockType, mostRanges: Int) {
        var conditions: [IndexCondition] = []
        var isWhole = true
        /// The ORs, and the conditions of each of their choices.
        var choices: [(parts: [DataStorePredicate], branches: [Branch])] = []
        for part in predicate.conjuncts {
            switch part {
            case .comparison(let comparison):
                guard let condition = IndexCondition(comparison, of: type) else {
                    isWhole = false
                    continue
                }
                conditions.add(condition)
            case .or(let parts):
                let branches = parts.map { Self.branch($0, of: type) }
                if let one = Self.list(branches) {
                    conditions.add(one)
                } else {
                    choices.append((parts, branches))
                }
            case .constant(true): break
            default: isWhole = false
            }
        }
        let branches = Self.branches(
            Branch(conditions: conditions, isWhole: isWhole), choices.map(\.branches))
        var single: [IndexRanges] = []
        for index in type.indexes {
            single += Self.ranges(
                of: index, conditions, branches, isWhole: isWhole, of: type, mostRanges)
        }
        // If one index has exactly the matching items, no union has fewer.
        if !single.contains(where: \.decides) {
            unions = choices.flatMap { Self.union(of: $0.parts, type, mostRanges) }
        }
        // A union of several indexes is exact only if the predicate is a single OR.
        if !conditions.isEmpty || choices.count != 1 || !isWhole {
            for place in unions.indices {
                for part in unions[place].indices { unions[place][part].decides = false }
            }
        }
        // A union of parts of one index is redundant if the index serves all choices at once.
        unions.removeAll { union in
            single.contains { ranges in
                ranges.conditions.contains(.choices)
                    && union.allSatisfy { $0.index === ranges.index }
            }
        }
        // The most restrictive ranges come first. The sort is stable, so ties stay in the order of declaration.
        single.sort {
            $0.decides == $1.decides
                ? $0.conditions.count > $1.conditions.count : $0.decides
        }
        unions = single.map { [$0] } + unions
    }

    /// Conditions that an item must fulfil together.
    private struct Branch {
        var conditions: [IndexCondition] = []
        /// Whether the item need fulfil nothing else.
        var isWhole = true
    }

    /// The conditions of an OR's choice that indexes can serve.
    private static func branch(_ choice: DataStorePredicate, of type: BlockType) -> Branch {
        var branch = Branch()
        for part in choice.conjuncts {
            if case .comparison(let comparison) = part,
                let condition = IndexCondition(comparison, of: type)
            {
                branch.conditions.add(condition)
            } else {
                branch.isWhole = false
            }
        }
        return branch
    }

    /// All combinations of the choices, each with the conditions that hold in any case, and whether none was left out;
    /// `nil` without choices.
    private static func branches(
        _ common: Branch, _ choices: [[Branch]]
    ) -> (branches: [Branch], areAll: Bool)? {
        if choices.isEmpty { return nil }
        var branches = [common]
        var areAll = true
        for choice in choices {
            if branches.count * choice.count > mostBranches {
                areAll = false
                continue
            }
            branches = branches.flatMap { branch in
                choice.map { other in
                    var both = branch
                    for condition in other.conditions { both.conditions.add(condition) }
                    both.isWhole = branch.isWhole && other.isWhole
                    return both
                }
            }
        }
        return (branches, areAll)
    }

    /// The choices as one list of values of an attribute, if they are nothing else.
    private static func list(_ branches: [Branch]) -> IndexCondition? {
        guard var list = branches.first?.conditions.first else { return nil }
        for (place, branch) in branches.enumerated() {
            guard branch.isWhole, branch.conditions.count == 1 else { return nil }
            if place == 0 { continue }
            guard let both = list.union(branch.conditions[0]) else { return nil }
            list = both
        }
        if case .points = list.values { return list }
        return nil
    }

    /// The parts of several indexes that together contain all items that fulfil an OR, if there are any.
    private static func union(
        of choices: [DataStorePredicate], _ type: BlockType, _ mostRanges: Int
    ) -> [[IndexRanges]] {
        var union: [IndexRanges] = []
        var ranges = 0
        for choice in choices {
            let alternatives = IndexAlternatives(choice, of: type, mostRanges: mostRanges)
            guard let first = alternatives.unions.first else { return [] }
            union += first
            ranges += first.reduce(0) { $0 + $1.known.count + $1.unknown.count }
            if ranges > mostRanges { return [] }
        }
        return choices.isEmpty ? [] : [union]
    }

    /// The most restrictive parts of one index that contain all matching items.
    private static func ranges(
        of index: TypeIndex, _ conditions: [IndexCondition],
        _ choices: (branches: [Branch], areAll: Bool)?, isWhole: Bool, of type: BlockType,
        _ mostRanges: Int
    ) -> [IndexRanges] {
        var found: [IndexRanges] = []
        if let ranges = IndexRanges(index, conditions, of: type, mostRanges: mostRanges) {
            found.append(ranges)
            // An array has several elements, and each condition may be fulfilled by another one.
            for place in conditions.indices.prefix(ConditionSet.mostPlaces)
            where conditions[place].isOfElement
                && !ranges.conditions.contains(ConditionSet(place: place))
            {
                if let other = IndexRanges(
                    index, conditions, of: type, mostRanges: mostRanges, { $0 == place })
                {
                    found.append(other)
                }
            }
        }
        guard let choices else {
            if isWhole, !found.isEmpty {
                found[0].decides =
                    found[0].isExact && found[0].conditions.count == conditions.count
            }
            return found
        }
        var decides = choices.areAll
        var parts: [IndexRanges] = []
        for branch in choices.branches {
            guard
                let ranges = IndexRanges(
                    index, branch.conditions, of: type, mostRanges: mostRanges)
            else { return found }
            parts.append(ranges)
            if !branch.isWhole || !ranges.isExact
                || ranges.conditions.count < branch.conditions.count
            {
                decides = false
            }
        }
        let held = (found.first?.conditions ?? []).union(.choices)
        guard var any = IndexRanges(anyOf: parts, conditions: held, mostRanges: mostRanges),
            any.known != found.first?.known
        else { return found }
        any.decides = decides
        return [any] + found.dropFirst()
    }
}

extension [IndexCondition] {
    /// Adds a condition, merged with an existing one if possible.
    fileprivate mutating func add(_ condition: IndexCondition) {
        for place in indices {
            if let both = self[place].intersection(condition) {
                self[place] = both
                return
            }
        }
        append(condition)
    }
}

extension DataStorePredicate {
    /// The conditions that must all be fulfilled.
    fileprivate var conjuncts: [DataStorePredicate] {
        switch self {
        case .and(let parts): parts.flatMap(\.conjuncts)
        case .not(let part): part.negatedConjuncts
        case .or(let parts) where parts.count == 1: parts[0].conjuncts
        default: [self]
        }
    }

    /// The conditions that must all be fulfilled for the predicate to be false.
    private var negatedConjuncts: [DataStorePredicate] {
        switch self {
        case .not(let part): return part.conjuncts
        case .or(let parts): return parts.flatMap(\.negatedConjuncts)
        case .constant(let value): return [.constant(!value)]
        case .comparison(let comparison)
        where comparison.modifier == .direct
            && (comparison.operator == .equal || comparison.operator == .notEqual):
            return [
                .comparison(
                    Comparison(
                        comparison.left, comparison.operator == .equal ? .notEqual : .equal,
                        comparison.right, options: comparison.options))
            ]
        default: return [.not(self)]
        }
    }
}
