import Foundation
import JustPersist

/// What requests have in common that differ in their values only, bound once to a type of a block.
///
/// Programs ask the same few questions with other values each time. A shape keeps what does not depend on the values: that
/// the predicate is valid, what the sort keys are, and the index that answers. It is kept by the type (``BlockType``), and
/// is dropped when the type is bound anew.
///
/// A request has one if its predicate compares attributes with single values, joined by AND. Any other request is bound
/// each time.
final class QueryShape {
    private let parts: [Part]
    private let descriptors: [DataStoreSortDescriptor]
    let sort: [Query.SortKey]
    let isReversed: Bool
    /// The index of which one key holds all items that match and no others; `nil` if there is none.
    private let index: TypeIndex?
    /// For each component of the index, the part that gives its value.
    private let places: [Int]

    /// A comparison without its value.
    private struct Part {
        let path: DataStorePredicate.AttributePath
        let relation: DataStorePredicate.Operator
        let options: DataStorePredicate.Options
        let kind: DataStoreValue.Kind
    }

    /// The shape of a request that was bound; `nil` if it depends on the values.
    init?(_ request: DataStoreRequest, boundAs query: Query) {
        guard query.ids == nil, query.predicate != nil, query.table != nil,
            // Anything computed may depend on the time of the request.
            query.sort.allSatisfy({ $0.key.path != nil }),
            let comparisons = request.predicate?.plainComparisons
        else { return nil }
        var parts: [Part] = []
        for comparison in comparisons {
            // Without an attribute of the store the value alone decides.
            guard let (path, value) = comparison.plainSides,
                query.type.idForQuery(path.components[0]) != nil
            else { return nil }
            parts.append(
                Part(
                    path: path, relation: comparison.operator, options: comparison.options,
                    kind: value.kind))
        }
        self.parts = parts
        descriptors = request.sortDescriptors ?? []
        sort = query.sort
        isReversed = query.isReversed
        guard let union = query.alternatives?.exact, union.count == 1, let exact = union.first,
            parts.allSatisfy({ $0.relation == .equal }),
            exact.index.components.count == parts.count
        else {
            (index, places) = (nil, [])
            return
        }
        let ids = parts.map { query.type.idForQuery($0.path.components[0]) }
        let places = exact.index.components.compactMap { component in
            component.path.isEmpty ? ids.firstIndex { $0 == component.attribute.id } : nil
        }
        let isWhole = Set(places).count == parts.count
        index = isWhole ? exact.index : nil
        self.places = places
    }

    /// Whether a request has this shape.
    func fits(_ predicate: DataStorePredicate, _ descriptors: [DataStoreSortDescriptor]) -> Bool {
        guard self.descriptors == descriptors else { return false }
        switch predicate {
        case .comparison(let comparison): return parts.count == 1 && fits(comparison, at: 0)
        case .and(let predicates):
            guard predicates.count == parts.count else { return false }
            for (place, predicate) in predicates.enumerated() {
                guard case .comparison(let comparison) = predicate, fits(comparison, at: place)
                else { return false }
            }
            return true
        default: return false
        }
    }

    private func fits(_ comparison: DataStorePredicate.Comparison, at place: Int) -> Bool {
        let part = parts[place]
        guard comparison.operator == part.relation, comparison.options == part.options,
            let (path, value) = comparison.plainSides
        else { return false }
        return value.kind == part.kind && path == part.path
    }

    /// What the indexes can tell of a predicate of this shape; `nil` if it has to be found out.
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
    /// The comparisons of a predicate that is one, or several joined by AND.
    fileprivate var plainComparisons: [Comparison]? {
        switch self {
        case .comparison(let comparison): return [comparison]
        case .and(let parts):
            var comparisons: [Comparison] = []
            for part in parts {
                guard case .comparison(let comparison) = part else { return nil }
                comparisons.append(comparison)
            }
            return comparisons
        default: return nil
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
    /// The attribute and the value of a comparison that is valid, and bound alike, for every value of the kind.
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
