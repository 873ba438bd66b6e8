import JustPersist

/// What a part of a predicate asks of one key path, as far as an index can tell.
///
/// The items that fulfil the part are among those with an entry in the ranges, or all of them if it says so.
struct IndexCondition {
    /// The attribute's name, and the names below it.
    let path: [String]
    let values: Values
    /// Whether it is an element of an array that is asked for, so that several conditions may be fulfilled by several
    /// elements.
    let isOfElement: Bool

    enum Values {
        /// One of these values.
        case points([DataStoreValue])
        /// A value of one kind between bounds.
        case range(lower: Bound?, upper: Bound?)
        /// A text that begins with another.
        case prefix(String)
    }

    struct Bound {
        let value: DataStoreValue
        let isIncluded: Bool
    }

    /// What a comparison asks; `nil` if no index can tell.
    init?(_ comparison: DataStorePredicate.Comparison, hasParts: ([String]) -> Bool) {
        // All of no elements fulfil anything.
        guard comparison.options.isEmpty, comparison.modifier != .all else { return nil }
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
        // Ids are compared by a rule of their own.
        if path.components.last == DataStorePredicate.AttributePath.uniqueToken.components[0] {
            return nil
        }
        self.path = path.components
        var isOfElement = comparison.modifier == .any
        switch (relation, constant) {
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
        // Of a text it asks for a part, which may stand anywhere, and of a dictionary for a value inside.
        case (.contains, _)
        where comparison.modifier == .direct && !hasParts(path.components):
            values = .points([constant])
            isOfElement = true
        default: return nil
        }
        self.isOfElement = isOfElement
        if case .points(let points) = values {
            // Collections are told apart by their elements, which entries do not hold together.
            for point in points {
                switch point {
                case .array, .dictionary: return nil
                default: break
                }
            }
        }
    }

    init(path: [String], values: Values, isOfElement: Bool) {
        self.path = path
        self.values = values
        self.isOfElement = isOfElement
    }

    /// Both conditions as one, if they are ranges of one value.
    func intersection(_ other: IndexCondition) -> IndexCondition? {
        guard path == other.path, !isOfElement, !other.isOfElement,
            case .range(let lower, let upper) = values,
            case .range(let otherLower, let otherUpper) = other.values,
            lower == nil || otherLower == nil, upper == nil || otherUpper == nil
        else { return nil }
        return IndexCondition(
            path: path, values: .range(lower: lower ?? otherLower, upper: upper ?? otherUpper),
            isOfElement: false)
    }
}

extension DataStorePredicate.Operator {
    /// The same relation seen from the right side, as far as an index can use it.
    fileprivate var turned: Self? {
        switch self {
        case .equal: .equal
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        // A constant that is in an array is one of its elements.
        case .in: .contains
        default: nil
        }
    }
}

/// A condition as ranges of one component of an index's keys.
struct ComponentRanges {
    /// The first bytes of the component, and the first behind it; of a point `nil`, and of a range if it has no end.
    var ranges: [(lower: [UInt8], upper: [UInt8]?)] = []
    /// Whether each range holds the entries of one value, so that the next component may be restricted too.
    var arePoints = true
    /// Whether an item with an entry in the ranges, and no array, surely fulfils the condition.
    var isExact = true

    init(_ values: IndexCondition.Values, longest: Int) {
        switch values {
        case .points(let points):
            var components: [[UInt8]] = []
            components.reserveCapacity(points.count)
            for point in points where point.isEqual(to: point) {
                var component: [UInt8] = []
                let precision = component.append(component: point, longest: longest)
                if precision == .cut { isExact = false }
                components.append(component)
            }
            components.sort { $0.span.isOrdered(before: $1.span) }
            ranges.reserveCapacity(components.count)
            for component in components where component != ranges.last?.lower {
                ranges.append((component, nil))
            }
        case .range(let lower, let upper): appendRange(lower, upper, longest)
        case .prefix(let text):
            arePoints = false
            if text.isEmpty { return }
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
        guard let any = lower ?? upper else { return }
        let tag = Self.tag(of: any.value)
        for bound in [lower, upper] {
            // What does not order fulfils nothing, and nothing lies between values of two kinds.
            guard let bound else { continue }
            if bound.value.order(against: bound.value) == nil || Self.tag(of: bound.value) != tag {
                return
            }
        }
        var start = [tag]
        // NaN comes behind all numbers, and fulfils nothing.
        var end: [UInt8]? =
            tag == IndexKey.number || tag == IndexKey.date
            ? [tag] + [UInt8](repeating: 0xFF, count: 8) : [tag + 1]
        // Entries with the key of a bound that was cut may lie on either side of it.
        if let lower {
            start = place(of: lower, longest) { $0 == .exact && !lower.isIncluded }
        }
        if let upper {
            end = place(of: upper, longest) { $0 == .cut || upper.isIncluded }
        }
        if let last = end, !start.span.isOrdered(before: last.span) { return }
        ranges = [(start, end)]
    }

    /// Where the entries with the value of a bound begin, or where they end.
    private mutating func place(
        of bound: IndexCondition.Bound, _ longest: Int,
        isBehind: (IndexPrecision) -> Bool
    ) -> [UInt8] {
        var component: [UInt8] = []
        let precision =
            component.append(component: bound.value, longest: longest)
        if precision == .cut { isExact = false }
        return isBehind(precision) ? KeyRange(prefix: component).upper ?? component : component
    }

    private static func tag(of value: DataStoreValue) -> UInt8 {
        switch value {
        case .null: IndexKey.null
        case .bool, .int, .double, .decimal: IndexKey.number
        case .string: IndexKey.text
        case .date: IndexKey.date
        case .data: IndexKey.data
        case .uuid: IndexKey.uuid
        case .url: IndexKey.url
        case .reference: IndexKey.reference
        case .array: IndexKey.array
        case .dictionary: IndexKey.dictionary
        }
    }
}
