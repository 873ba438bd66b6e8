import JustPersist

/// A condition on one key path that an index can serve: a part of a predicate.
///
/// Items that fulfil the part are among those with an entry in the ranges. Others may be, too, unless ``isSufficient``
/// is true.
struct IndexCondition {
    let attribute: UInt16
    /// The names that follow the attribute in the key path; empty for the attribute's own value.
    let path: [String]
    let values: Values
    /// Whether the condition applies to an element of an array, so that different elements may fulfil different
    /// conditions.
    let isOfElement: Bool
    /// Whether texts are compared without regard to case.
    let ignoresCase: Bool
    /// Whether each of these values fulfils the part of the predicate.
    var isSufficient = true

    enum Values {
        /// One of these values.
        case points([DataStoreValue])
        /// A value of one kind between bounds.
        case range(lower: Bound?, upper: Bound?)
        /// A text that begins with another.
        case prefix(String)
        /// Any value but null.
        case notNull
    }

    struct Bound {
        let value: DataStoreValue
        let isIncluded: Bool

        func compared(in index: TypeIndex) -> Bound {
            Bound(value: index.compared(value), isIncluded: isIncluded)
        }
    }

    /// Whether the other condition is about the same values, compared in the same way.
    private func isAlike(_ other: IndexCondition) -> Bool {
        attribute == other.attribute && path == other.path && ignoresCase == other.ignoresCase
            && isOfElement == other.isOfElement
    }

    /// The two conditions joined by OR, if both are lists of values.
    func union(_ other: IndexCondition) -> IndexCondition? {
        guard isAlike(other), case .points(let points) = values,
            case .points(let otherPoints) = other.values
        else { return nil }
        return IndexCondition(
            attribute: attribute, path: path, values: .points(points + otherPoints),
            isOfElement: isOfElement, ignoresCase: ignoresCase,
            isSufficient: isSufficient && other.isSufficient)
    }

    /// The two conditions joined by AND, if they are ranges of one value.
    func intersection(_ other: IndexCondition) -> IndexCondition? {
        if attribute == other.attribute, path == other.path, !isOfElement, !other.isOfElement {
            // A value in a range or with a prefix is never null.
            switch (values, other.values) {
            case (.notNull, .notNull), (.notNull, .range), (.notNull, .prefix): return other
            case (.range, .notNull), (.prefix, .notNull): return self
            default: break
            }
        }
        guard isAlike(other), !isOfElement,
            case .range(let lower, let upper) = values,
            case .range(let otherLower, let otherUpper) = other.values,
            lower == nil || otherLower == nil, upper == nil || otherUpper == nil
        else { return nil }
        return IndexCondition(
            attribute: attribute, path: path,
            values: .range(lower: lower ?? otherLower, upper: upper ?? otherUpper),
            isOfElement: false, ignoresCase: ignoresCase)
    }

    /// Whether an index can find the items that may fulfil the condition.
    ///
    /// Equal texts are also equal if case is ignored, but then they sort differently.
    func isServed(by index: TypeIndex) -> Bool {
        if ignoresCase == index.ignoresCase { return true }
        if case .notNull = values { return true }
        if ignoresCase { return false }
        if case .points = values { return true }
        return false
    }
}

extension IndexCondition {
    /// The condition that a comparison sets for items of a type; `nil` if no index can serve it.
    init?(_ comparison: DataStorePredicate.Comparison, of type: BlockType) {
        // ALL is true of an empty array, which has no entries for elements.
        guard comparison.modifier != .all else { return nil }
        let ignoresCase = comparison.options == .caseInsensitive
        guard ignoresCase || comparison.options.isEmpty else { return nil }
        let path: DataStorePredicate.AttributePath
        let constant: DataStoreValue
        let relation: DataStorePredicate.Operator
        switch (comparison.left, comparison.right) {
        case (.path(let left), .value(let right)):
            (path, constant, relation) = (left, right, comparison.operator)
        case (.value(let left), .path(let right)) where comparison.modifier == .direct:
            guard let turned = comparison.operator.turned else { return nil }
            (path, constant, relation) = (right, left, turned)
        default: return nil
        }
        // Ids are compared by different rules.
        if path.components.last == DataStorePredicate.AttributePath.uniqueToken.components[0] {
            return nil
        }
        guard let name = path.components.first, let id = type.idForQuery(name) else {
            return nil
        }
        let values: Values
        var isOfElement = comparison.modifier == .any
        var isSufficient = true
        switch (relation, constant) {
        case (.notEqual, .null) where !isOfElement: values = .notNull
        case (.like, .string(let pattern)):
            guard let literal = TextLiteral(like: pattern, ignoresCase: ignoresCase) else {
                return nil
            }
            (values, isSufficient) = (.prefix(literal.text), literal.isFollowedByAnything)
        case (.matches, .string(let pattern)) where !ignoresCase:
            guard let literal = TextLiteral(expression: pattern) else { return nil }
            (values, isSufficient) = (.prefix(literal.text), false)
        case (.equal, _): values = .points([constant])
        case (.in, .array(let members)): values = .points(members)
        case (.between, .array(let bounds)) where bounds.count == 2:
            values = .range(
                lower: Bound(value: bounds[0], isIncluded: true),
                upper: Bound(value: bounds[1], isIncluded: true))
        case (.less, _), (.lessOrEqual, _):
            values = .range(
                lower: nil, upper: Bound(value: constant, isIncluded: relation == .lessOrEqual))
        case (.greater, _), (.greaterOrEqual, _):
            values = .range(
                lower: Bound(value: constant, isIncluded: relation == .greaterOrEqual), upper: nil)
        case (.beginsWith, .string(let text)): values = .prefix(text)
        // CONTAINS looks for a part of a text, at any position, or for a value in a dictionary; entries find only
        // elements of arrays.
        case (.contains, _)
        where comparison.modifier == .direct && path.components.count == 1
            && !type.mayHave(tags: Self.tagsWithParts, id):
            values = .points([constant])
            isOfElement = true
        default: return nil
        }
        if case .points(let points) = values {
            // Collections are equal if their elements are, and no entry holds all elements.
            for point in points {
                switch point {
                case .array, .dictionary: return nil
                default: break
                }
            }
        }
        self.init(
            attribute: id, path: Array(path.components.dropFirst()), values: values,
            isOfElement: isOfElement, ignoresCase: ignoresCase, isSufficient: isSufficient)
    }

    /// The tags of values other than arrays for which CONTAINS can be true.
    private static let tagsWithParts: UInt16 =
        TypeIndex.textTags | 1 << UInt16(ValueTag.dictionary)
}

extension DataStorePredicate.Operator {
    /// The operator for swapped operands; `nil` if an index cannot use it.
    fileprivate var turned: Self? {
        switch self {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        // `constant IN array` means that the array contains the constant.
        case .in: .contains
        default: nil
        }
    }
}

/// A condition as ranges of one component of an index's keys.
struct ComponentRanges {
    /// The lower bound of each range, and its exclusive upper bound; `nil` for a point, and for a range without an end.
    var ranges: [(lower: [UInt8], upper: [UInt8]?)] = []
    /// Whether each range holds the entries of one value, so that the next component may be restricted too.
    var arePoints = true
    /// Whether an item with an entry in the ranges fulfils the condition for certain, if its value is not an array.
    var isExact = true

    /// The ranges of an index that a condition selects.
    init(_ condition: IndexCondition, in index: TypeIndex) {
        let longest = index.longestText
        isExact = condition.isSufficient && condition.ignoresCase == index.ignoresCase
        switch condition.values {
        case .notNull:
            arePoints = false
            isExact = condition.isSufficient
            ranges = [([IndexKey.null + 1], [IndexKey.unknown])]
        case .points(let points):
            var components: [[UInt8]] = []
            components.reserveCapacity(points.count)
            for point in points where point.isEqual(to: point) {
                var component: [UInt8] = []
                let precision = component.append(
                    component: index.compared(point), longest: longest)
                if precision == .cut { isExact = false }
                components.append(component)
            }
            components.sort { $0.span.isOrdered(before: $1.span) }
            ranges.reserveCapacity(components.count)
            for component in components where component != ranges.last?.lower {
                ranges.append((component, nil))
            }
        case .range(let lower, let upper):
            appendRange(lower?.compared(in: index), upper?.compared(in: index), longest)
        case .prefix(let text):
            arePoints = false
            guard case .string(let text) = index.compared(.string(text)), !text.isEmpty else {
                return
            }
            var component: [UInt8] = []
            if component.append(componentsBeginningWith: text, longest: longest) == .cut {
                isExact = false
            }
            ranges = [(component, KeyRange(prefix: component).upper)]
        }
    }

    private mutating func appendRange(
        _ lower: IndexCondition.Bound?, _ upper: IndexCondition.Bound?, _ longest: Int
    ) {
        arePoints = false
        // A bound that has no order (NaN) is fulfilled by nothing, and nothing lies between values of two kinds.
        for bound in [lower, upper] {
            if let bound, bound.value.order(against: bound.value) == nil { return }
        }
        var start: [UInt8] = []
        var end: [UInt8] = []
        let first = lower.map { start.append(component: $0.value, longest: longest) }
        let last = upper.map { end.append(component: $0.value, longest: longest) }
        guard let tag = start.first ?? end.first, start.isEmpty || end.isEmpty || start[0] == end[0]
        else { return }
        if first == .cut || last == .cut { isExact = false }
        // If a bound was truncated, entries with its key may lie on either side of it.
        if let lower {
            if first == .exact, !lower.isIncluded { start = KeyRange(prefix: start).upper ?? start }
        } else {
            start = [tag]
        }
        if let upper {
            if last == .cut || upper.isIncluded { end = KeyRange(prefix: end).upper ?? end }
        } else {
            // NaN sorts after all numbers, and fulfils nothing.
            end =
                tag == IndexKey.number || tag == IndexKey.date
                ? [tag] + [UInt8](repeating: 0xFF, count: 8) : [tag + 1]
        }
        if start.span.isOrdered(before: end.span) { ranges = [(start, end)] }
    }
}
