import JustPersist

@testable import JustPersistConformance

/// Stores with faults in aggregations, and in streams that do not read one snapshot.
enum AggregateMutants {
    static let all: [SabotagedType] = [
        TakesNilForZero.self, GroupsByKind.self, SlicesNoRows.self, AddsWhatIsNoNumber.self,
        ComputesOfWhatIsCommitted.self, WalksInSnapshots.self, GoesOnBehindAnError.self,
    ]
}

/// Takes nil for 0 in sums, averages and extremes, as key-value coding does in collections.
final class TakesNilForZero: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["agg/nil-left-out", "agg/same-as-computed"] }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.aggregate.operands = { values, _ in values.map { $0.isNull ? .int(0) : $0 } }
        return rules
    }
}

/// Puts equal values of different kinds into different groups.
final class GroupsByKind: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["agg/groups-by-equality"] }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.aggregate.isOneGroup = { a, b in
            a.kind == b.kind && ReferenceOrder.sortOrder(a, b) == .same
        }
        return rules
    }
}

/// Gives all rows, whatever the offset and the limit.
final class SlicesNoRows: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["agg/order-and-slice", "agg/same-as-computed"] }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.aggregate.sliced = { rows, _ in rows }
        return rules
    }
}

/// Gives a sum for texts and dates.
final class AddsWhatIsNoNumber: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["agg/refused"] }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.aggregate.refusesSum = { _ in false }
        return rules
    }
}

/// Computes with the committed items, and not with the block's own changes.
final class ComputesOfWhatIsCommitted: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/aggregate-own-changes", "twin/aggregate"] }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.rows = { request, _ throws(DataStoreError) in
            try ReferenceQuery.rows(request, in: memory.committed)
        }
        return rules
    }
}

/// Streams items in batches, each from the latest commit.
final class WalksInSnapshots: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["stream/one-snapshot"] }

    override class func forEach(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory,
        _ body: (any DataStoreItem) throws -> Void
    ) throws {
        var met = 0
        while true {
            let batch = DataStoreRequest(
                type: request.type, predicate: request.predicate,
                sortDescriptors: request.sortDescriptors, offset: met, limit: 200)
            let items = try fetchCommitted(batch, in: block, memory)
            if items.isEmpty { return }
            for item in items { try body(item) }
            met += items.count
        }
    }
}

/// Continues a stream whose body has thrown.
final class GoesOnBehindAnError: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["stream/left-early"] }

    override class func forEach(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory,
        _ body: (any DataStoreItem) throws -> Void
    ) throws {
        try super.forEach(request, in: block, memory) { item in try? body(item) }
    }
}
