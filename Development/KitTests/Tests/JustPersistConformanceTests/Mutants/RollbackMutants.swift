@testable import JustPersist
@testable import JustPersistConformance

/// Stores that keep some changes of a block that throws.
enum RollbackMutants {
    static let all: [SabotagedType] = [
        KeepsCreationsOfFailedBlocks.self, KeepsUpdatesOfFailedBlocks.self,
        KeepsDeletionsOfFailedBlocks.self, KeepsIndexOfFailedBlocks.self,
    ]
}

/// A store that ends its write blocks wrongly.
class OutcomeMutant: SabotagedStore, @unchecked Sendable {
    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.committed = { before, after in committed(before, after, memory) }
        rules.rolledBack = { before, after in rolledBack(before, after, memory) }
        return rules
    }

    class func committed(
        _ before: ReferenceState, _ after: ReferenceState, _ memory: Memory
    ) -> ReferenceState { after }

    class func rolledBack(
        _ before: ReferenceState, _ after: ReferenceState, _ memory: Memory
    ) -> ReferenceState { before }
}

/// Keeps the items that a block created before it threw.
final class KeepsCreationsOfFailedBlocks: OutcomeMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 2 }
    override class var caughtBy: [String] {
        [
            "prim/enqueueWrite-rollback", "prim/fetch-rollback", "prim/create-rollback",
            "prim/insert-rollback",
        ]
    }

    override class func rolledBack(
        _ before: ReferenceState, _ after: ReferenceState, _ memory: Memory
    ) -> ReferenceState {
        var state = before
        for row in after.rows where before.row(row.key) == nil { state.put(row) }
        return state
    }
}

/// Keeps the values that a block changed before it threw.
final class KeepsUpdatesOfFailedBlocks: OutcomeMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 3 }
    override class var caughtBy: [String] {
        [
            "model/transactions", "prim/set-rollback",
            "prim/mutableVersion-rollback",
        ]
    }

    override class func rolledBack(
        _ before: ReferenceState, _ after: ReferenceState, _ memory: Memory
    ) -> ReferenceState {
        var state = before
        for row in after.rows where before.row(row.key) != nil { state.put(row) }
        return state
    }
}

/// Keeps the deletions of a block that threw.
final class KeepsDeletionsOfFailedBlocks: OutcomeMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 4 }
    override class var caughtBy: [String] {
        ["prim/delete-rollback", "prim/deleteAll-rollback"]
    }

    override class func rolledBack(
        _ before: ReferenceState, _ after: ReferenceState, _ memory: Memory
    ) -> ReferenceState {
        var state = before
        for row in before.rows where after.row(row.key) == nil { _ = state.remove(row.key) }
        return state
    }
}

/// Answers predicates from an index that keeps the changes of a block that threw.
final class KeepsIndexOfFailedBlocks: OutcomeMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 5 }
    override class var caughtBy: [String] { ["idx/after-rollback"] }

    override class func rolledBack(
        _ before: ReferenceState, _ after: ReferenceState, _ memory: Memory
    ) -> ReferenceState {
        memory.rows.withLock { $0 = after.rows }
        return before
    }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.rows = { request, state throws(DataStoreError) in
            guard request.predicate != nil else {
                return try ReferenceQuery.rows(request, in: state)
            }
            var index = state
            for row in memory.rows.withLock({ $0 }) where state.row(row.key) != nil {
                index.put(row)
            }
            return try ReferenceQuery.rows(request, in: index).compactMap { state.row($0.key) }
        }
        return rules
    }
}
