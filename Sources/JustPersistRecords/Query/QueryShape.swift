import Foundation
import JustPersist

/// The common part of requests that differ only in their values, bound once to a type of a block.
///
/// Programs repeat a few requests with different values. A shape keeps the results that do not depend on the values:
/// the validation of the predicate, the sort keys, and the index to use. The type (``BlockType``) keeps it, and drops
/// it when the type is bound again.
///
/// A request has one if its predicate compares attributes with single values, joined by AND, OR and NOT. Any other request
/// is bound each time.
final class QueryShape {
    /// The predicate of the first request of the shape.
    private let example: DataStorePredicate
    private let descriptors: [DataStoreSortDescriptor]
    let sort: [Query.SortKey]
    let isReversed: Bool
    /// The index in which one key has exactly the matching items; `nil` if there is none.
    private let index: TypeIndex?
    /// For each component of the index, the position of the comparison that gives its value.
    private let places: [Int]

    /// The shape of a request that was bound; `nil` if it depends on the values.
    init?(_ request: DataStoreRequest, boundAs query: Query) {
        guard query.ids == nil, query.predicate != nil, query.table != nil,
            // A computed key may depend on the time of the request.
            query.sort.allSatisfy({ $0.key.path != nil }),
            let predicate = request.predicate
        else { return nil }
        var attributes: [UInt16] = []
        // If the store has no such attribute, the result depends on the value alone.
        let isPlain = predicate.forEachPlainComparison { path in
            guard let id = query.type.idForQuery(path.components[0]) else { return false }
            attributes.append(id)
            return true
        }
        guard isPlain else { return nil }
        example = predicate
        descriptors = request.sortDescriptors ?? []
        sort = query.sort
        isReversed = query.isReversed
        guard let union = query.alternatives?.exact, union.count == 1, let exact = union.first,
            predicate.asksForValues, exact.index.components.count == attributes.count
        else {
            (index, places) = (nil, [])
            return
        }
        let places = exact.index.components.compactMap { component in
            component.path.isEmpty
                ? attributes.firstIndex { $0 == component.attribute.id } : nil
        }
        let isWhole = Set(places).count == attributes.count
        index = isWhole ? exact.index : nil
        self.places = places
    }

    /// Whether a request has this shape.
    func fits(_ predicate: DataStorePredicate, _ descriptors: [DataStoreSortDescriptor]) -> Bool {
        self.descriptors == descriptors && predicate.isAlike(example)
    }

    /// The index ranges for a predicate of this shape; `nil` if they have to be computed.
    func alternatives(_ predicate: DataStorePredicate) -> IndexAlternatives? {
        guard let index else { return nil }
        var key = index.prefix
        key.reserveCapacity(64)
        for place in places {
            guard case .value(let value)? = predicate.comparison(place)?.right,
                key.append(component: index.compared(value), longest: index.longestText) == .exact
            else { return nil }
        }
        return IndexAlternatives(point: IndexRanges(index, point: key))
    }
}

extension DataStorePredicate {
    /// Calls `body` with the path of each comparison until it returns false; returns whether all are plain, and joined by
    /// AND, OR and NOT.
    fileprivate func forEachPlainComparison(_ body: (AttributePath) -> Bool) -> Bool {
        switch self {
        case .comparison(let comparison):
            guard let (path, _) = comparison.plainSides else { return false }
            return body(path)
        case .and(let parts), .or(let parts):
            return parts.allSatisfy { $0.forEachPlainComparison(body) }
        case .not(let part): return part.forEachPlainComparison(body)
        default: return false
        }
    }

    /// Whether both predicates are plain and differ only in their values, which are of the same kinds.
    fileprivate func isAlike(_ other: DataStorePredicate) -> Bool {
        switch (self, other) {
        case (.comparison(let comparison), .comparison(let other)):
            guard comparison.operator == other.operator, comparison.options == other.options,
                let (path, value) = comparison.plainSides,
                let (otherPath, otherValue) = other.plainSides
            else { return false }
            return value.kind == otherValue.kind && path == otherPath
        case (.and(let parts), .and(let others)), (.or(let parts), .or(let others)):
            guard parts.count == others.count else { return false }
            for place in parts.indices where !parts[place].isAlike(others[place]) {
                return false
            }
            return true
        case (.not(let part), .not(let other)): return part.isAlike(other)
        default: return false
        }
    }

    /// Whether it is one comparison for equality, or several joined by AND.
    fileprivate var asksForValues: Bool {
        switch self {
        case .comparison(let comparison): comparison.operator == .equal
        case .and(let parts):
            parts.allSatisfy {
                if case .comparison(let part) = $0 { part.operator == .equal } else { false }
            }
        default: false
        }
    }

    /// One of the comparisons of such a predicate.
    fileprivate func comparison(_ place: Int) -> Comparison? {
        switch self {
        case .comparison(let comparison): return comparison
        case .and(let parts):
            if case .comparison(let comparison) = parts[place] { return comparison }
            return nil
        default: return nil
        }
    }
}

extension DataStorePredicate.Comparison {
    /// The attribute and the value, if the comparison is valid and bound in the same way for every value of this kind.
    fileprivate var plainSides: (path: DataStorePredicate.AttributePath, value: DataStoreValue)? {
        guard modifier == .direct, case .path(let path) = left, path.components.count == 1,
            path != .uniqueToken, case .value(let value) = right
        else { return nil }
        switch `operator` {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: break
        default: return nil
        }
        switch value {
        case .array, .dictionary: return nil
        // NaN equals nothing, and nothing is before -inf.
        case .double(let number) where !number.isFinite: return nil
        case .date(let date) where !date.timeIntervalSinceReferenceDate.isFinite: return nil
        case .decimal(let number) where number.isNaN: return nil
        default: return (path, value)
        }
    }
}
