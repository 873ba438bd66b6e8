@testable import JustPersist
@testable import JustPersistConformance

/// Stores that use the result of an index wrongly.
enum IndexMutants {
    static let all: [SabotagedType] = [
        IgnoresWhatNoIndexTells.self, FindsItemsOncePerElement.self, HasNoEntriesForNil.self,
        WalksIndexesBackwards.self, IndexesWhatIsCommitted.self, CutsIndexedTexts.self,
        CountsWhatIsCommitted.self, IndexesStoredValues.self,
        TakesEqualIgnoringCaseForEqual.self,
    ]
}

/// A store that answers requests for indexed attributes wrongly.
class IndexMutant: QueryMutant, @unchecked Sendable {
    /// The first attributes of the indexes of the type that a request is for.
    static func indexed(_ request: DataStoreRequest, _ state: ReferenceState) -> Set<String> {
        Set(state.type(request.type.key)?.indexes.compactMap(\.attributes.first) ?? [])
    }

    /// Whether a part of a predicate asks for an attribute with an index.
    static func asks(_ part: DataStorePredicate, for indexed: Set<String>) -> Bool {
        guard case .comparison(let comparison) = part,
            case .path(let path) = comparison.left
        else { return false }
        return indexed.contains(path.components[0])
    }
}

/// Returns the items that fulfil the indexed condition, and ignores the other conditions.
final class IgnoresWhatNoIndexTells: IndexMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["idx/residual", "idx/same-answers"] }

    override class func filtered(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) -> [ReferenceRow] {
        guard case .and(let parts) = request.predicate,
            let part = parts.first(where: { asks($0, for: indexed(request, state)) })
        else { return super.filtered(rows, request, state) }
        let simpler = DataStoreRequest(type: request.type, predicate: part)
        return super.filtered(rows, simpler, state)
    }
}

/// Finds an item for each of its elements that match.
final class FindsItemsOncePerElement: IndexMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["idx/collections"] }

    override class func filtered(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) -> [ReferenceRow] {
        let found = super.filtered(rows, request, state)
        guard case .comparison(let comparison) = request.predicate, comparison.modifier == .any,
            case .path(let path) = comparison.left,
            indexed(request, state).contains(path.components[0])
        else { return found }
        return found.flatMap { row in
            guard case .array(let elements) = row[path.components[0]] else { return [row] }
            let matching = elements.filter { element in
                let subject = Subject(
                    value: { _ in .array([element]) }, valueOfOther: { _, _ in .null })
                return super.holds(comparison, subject)
            }
            return Array(repeating: row, count: max(1, matching.count))
        }
    }
}

/// Leaves items without a value out where an index gives the order.
final class HasNoEntriesForNil: IndexMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["idx/order", "idx/after-update", "idx/same-answers"]
    }

    override class func sorted(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) -> [ReferenceRow] {
        let sorted = super.sorted(rows, request, state)
        guard let key = request.sortDescriptors?.first?.key,
            indexed(request, state).contains(key)
        else { return sorted }
        return sorted.filter { !$0[key].isNull }
    }
}

/// Gives equal items in turned order where an index is walked backwards.
final class WalksIndexesBackwards: IndexMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["idx/order", "idx/after-delete-all"] }

    override class func sorted(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) -> [ReferenceRow] {
        guard let first = request.sortDescriptors?.first, !first.ascending,
            indexed(request, state).contains(first.key)
        else { return super.sorted(rows, request, state) }
        let turned = DataStoreRequest(
            type: request.type,
            sortDescriptors: request.sortDescriptors?.map {
                DataStoreSortDescriptor(key: $0.key, ascending: !$0.ascending)
            })
        return super.sorted(rows, turned, state).reversed()
    }
}

/// Has only committed values in its indexes, and not the block's changes.
final class IndexesWhatIsCommitted: IndexMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        [
            "idx/after-update", "idx/after-delete", "idx/after-delete-all",
            "idx/upsert",
        ]
    }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.rows = { request, state throws(DataStoreError) in
            guard let predicate = request.predicate, asks(predicate, for: indexed(request, state))
            else { return try ReferenceQuery.rows(request, in: state) }
            return try ReferenceQuery.rows(request, in: memory.committed)
                .compactMap { state.row($0.key) }
        }
        return rules
    }
}

/// Compares the first 480 letters of texts in an index.
final class CutsIndexedTexts: IndexMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["idx/long-texts"] }

    override class func filtered(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) -> [ReferenceRow] {
        guard case .comparison(let comparison) = request.predicate,
            asks(.comparison(comparison), for: indexed(request, state)),
            case .value(let operand) = comparison.right
        else { return super.filtered(rows, request, state) }
        let request = DataStoreRequest(
            type: request.type,
            predicate: .comparison(
                Comparison(comparison.left, comparison.operator, .value(cut(operand)))))
        let kept = rows.map { ReferenceRow($0.key, values: $0.values.mapValues(cut)) }
        return super.filtered(kept, request, state).compactMap { state.row($0.key) }
    }

    private static func cut(_ value: DataStoreValue) -> DataStoreValue {
        switch value {
        case .string(let text): .string(String(text.prefix(480)))
        case .array(let values): .array(values.map(cut))
        default: value
        }
    }
}

/// Treats texts as equal that an index finds without regard to case.
final class TakesEqualIgnoringCaseForEqual: IndexMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["idx/ignoring-case"] }

    override class func filtered(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) -> [ReferenceRow] {
        let names = state.type(request.type.key)?.indexes.filter(\.ignoresCase)
            .compactMap(\.attributes.first)
        guard case .comparison(let comparison) = request.predicate,
            comparison.operator == .equal || comparison.operator == .in,
            asks(.comparison(comparison), for: Set(names ?? []))
        else { return super.filtered(rows, request, state) }
        let predicate = DataStorePredicate.comparison(
            Comparison(
                comparison.left, comparison.operator, comparison.right,
                modifier: comparison.modifier, options: .caseInsensitive))
        return super.filtered(
            rows, DataStoreRequest(type: request.type, predicate: predicate), state)
    }
}

/// Counts the items of a type with an index as they are committed.
final class CountsWhatIsCommitted: IndexMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["idx/after-delete-all", "idx/after-delete"] }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.count = { request, state throws(DataStoreError) in
            try ReferenceQuery.rows(
                request, in: indexed(request, state).isEmpty ? state : memory.committed
            ).count
        }
        return rules
    }
}

/// Has in its indexes the values that items were given, and no defaults.
final class IndexesStoredValues: IndexMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["idx/redeclared"] }

    override class func filtered(
        _ rows: [ReferenceRow], _ request: DataStoreRequest, _ state: ReferenceState
    ) -> [ReferenceRow] {
        guard let predicate = request.predicate, asks(predicate, for: indexed(request, state))
        else { return super.filtered(rows, request, state) }
        return rows.filter { row in
            matches(
                predicate, Subject(value: { row[$0] }, valueOfOther: { _, _ in .null }))
        }
    }
}
