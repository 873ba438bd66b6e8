import Foundation
import JustPersist

@testable import JustPersistConformance

/// Stores with faults in listing, streaming, sorting or inserting items.
enum MigrationMutants {
    static let all: [SabotagedType] = [
        ListsATypeLess.self, KeepsHalfOfABlock.self, ListsNoTypes.self, InsertsAgain.self,
        WalksPastTheFirst.self, ChangesWhatIsRead.self, SortsBackwards.self,
        DropsInsertedValues.self,
    ]
}

/// Does not list the last of its types.
final class ListsATypeLess: AccessorMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 45 }
    override class var caughtBy: [String] { ["mig/out", "mig/round-trip", "mig/many"] }

    override class func changes(_ memory: Memory) -> AccessorChanges {
        var changes = super.changes(memory)
        changes.schemas = { $0.dropLast() }
        return changes
    }
}

/// Keeps the changes of a block that failed.
final class KeepsHalfOfABlock: SabotagedStore, Fault, @unchecked Sendable {
    override class var number: Int? { 46 }
    override class var caughtBy: [String] { ["mig/fails-whole"] }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.rolledBack = { _, after in after }
        return rules
    }
}

/// Lists no types.
final class ListsNoTypes: AccessorMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["mig/target-not-empty", "mig/out", "mig/round-trip"] }

    override class func changes(_ memory: Memory) -> AccessorChanges {
        var changes = super.changes(memory)
        changes.schemas = { _ in [] }
        return changes
    }
}

/// Creates a second item when an existing one is inserted.
final class InsertsAgain: AccessorMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["mig/interrupted"] }

    override class func changes(_ memory: Memory) -> AccessorChanges {
        var changes = super.changes(memory)
        changes.inserted = { item, isThere in
            guard isThere, let item = item as? DynamicItem, let values = try? item.values() else {
                return item
            }
            return DynamicItem(item.backing.itemTypeKey, values: values)
        }
        return changes
    }
}

/// Begins a stream with the second item.
final class WalksPastTheFirst: AccessorMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["mig/out", "mig/round-trip", "mig/kind-not-supported-by-target"]
    }

    override class func changes(_ memory: Memory) -> AccessorChanges {
        var changes = super.changes(memory)
        changes.walked = { Array($0.dropFirst()) }
        return changes
    }
}

/// Changes an item when a stream reads it.
final class ChangesWhatIsRead: AccessorMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["mig/source-untouched"] }

    override class func changes(_ memory: Memory) -> AccessorChanges {
        var changes = super.changes(memory)
        changes.walked = { items in
            var state = memory.committed
            if let item = items.first {
                let key = ReferenceKey(item.backing.itemTypeKey, item.uniqueToken)
                state.set(.string("read"), ofAttribute: "name", of: key)
                memory.publish(state)
            }
            return items
        }
        return changes
    }
}

/// Sorts the other way round.
final class SortsBackwards: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["mig/queries-agree-after"] }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.rows = { request, state throws(DataStoreError) in
            let rows = try ReferenceQuery.rows(request, in: state)
            return request.sortDescriptors?.isEmpty == false ? rows.reversed() : rows
        }
        return rules
    }
}

/// Inserts items without their first value.
final class DropsInsertedValues: AccessorMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["mig/in", "mig/round-trip", "mig/rerun"] }

    override class func changes(_ memory: Memory) -> AccessorChanges {
        var changes = super.changes(memory)
        changes.inserted = { item, _ in
            guard let item = item as? DynamicItem, var values = try? item.values(),
                let name = values.keys.sorted().first
            else { return item }
            values[name] = nil
            return DynamicItem(item.backing.itemTypeKey, id: item.uniqueToken, values: values)
        }
        return changes
    }
}
