import JustPersist

@testable import JustPersistConformance

// MARK: Errors

/// Declares an unknown type when an item of it is to be created, in place of an error.
final class MakesUnknownTypes: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/create-error"] }

    override class func create(
        _ type: ItemType, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> any MutableDataStoreItem {
        try declare(ItemSchema(type.key, attributes: []), in: block, memory)
        return try super.create(type, in: block, memory)
    }
}

/// Reports that an item of another store existed already.
final class AddsForeignItems: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/insert-error"] }

    override class func insert(
        _ item: any MutableDataStoreItem, to block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Bool {
        (try? super.insert(item, to: block, memory)) ?? false
    }
}

/// Reports that an item of another store did not exist.
final class RemovesForeignItems: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/delete-error"] }

    override class func delete(
        _ item: any DataStoreItem, from block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Bool {
        (try? super.delete(item, from: block, memory)) ?? false
    }
}

/// Finds nothing live for an item of another store.
final class ThawsForeignItems: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/mutableVersion-error"] }

    override class func mutableVersion(
        _ item: any DataStoreItem, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> (any MutableDataStoreItem)? {
        (try? super.mutableVersion(item, in: block, memory)) ?? nil
    }
}

/// Silently ignores an invalid declaration.
final class SwallowsRefusedDeclarations: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/declare-error"] }

    override class func declare(
        _ schema: ItemSchema, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) {
        try? super.declare(schema, in: block, memory)
    }
}

/// Silently ignores an invalid value.
final class SwallowsRefusedValues: AccessorMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/set-error"] }

    override class func changes(_ memory: Memory) -> AccessorChanges {
        AccessorChanges(backing: { Backing($0) })
    }

    private final class Backing: WrappingBacking {
        override func setValue(
            _ value: DataStoreValue, forAttribute name: String
        ) throws(DataStoreError) {
            try? super.setValue(value, forAttribute: name)
        }
    }
}

/// Refuses to delete all items of a type that has none.
final class RefusesUnknownTypesToRemove: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/deleteAll-error"] }

    override class func deleteAll(
        _ types: [ItemType], from block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) {
        for type in types where block.state.type(type.key) == nil {
            throw .undeclaredType(type.key, in: "deleteAll")
        }
        try super.deleteAll(types, from: block, memory)
    }
}

/// Removes everything for a type that it does not know.
final class RemovesAllForAnUnknownType: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/deleteAll-error"] }

    override class func deleteAll(
        _ types: [ItemType], from block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) {
        let isKnown = types.allSatisfy { block.state.type($0.key) != nil }
        try super.deleteAll(
            isKnown ? types : block.state.types.map { ItemType(dynamic: $0.key) }, from: block,
            memory)
    }
}

// MARK: A second time

/// Reports an existing item as new.
final class AddsItemsAnew: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/insert-again"] }

    override class func insert(
        _ item: any MutableDataStoreItem, to block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Bool {
        _ = try super.insert(item, to: block, memory)
        return true
    }
}

/// Reports a removed item as existing.
final class RemovesItemsAnew: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/delete-again"] }

    override class func delete(
        _ item: any DataStoreItem, from block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Bool {
        _ = try super.delete(item, from: block, memory)
        return true
    }
}

/// Returns a new object for an item each time.
final class ThawsItemsAnew: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/mutableVersion-again"] }

    override class func mutableVersion(
        _ item: any DataStoreItem, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> (any MutableDataStoreItem)? {
        guard let live = try super.mutableVersion(item, in: block, memory) else { return nil }
        return DynamicItem(backing: live.backing)
    }
}

/// Keeps only the attributes of a type that were declared last.
final class ForgetsDeclarations: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/declare-again"] }

    override class func declare(
        _ schema: ItemSchema, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) {
        block.state = block.state.with(
            types: block.state.types.filter { $0.key != schema.itemTypeKey })
        try super.declare(schema, in: block, memory)
    }
}

/// Returns the item that it made last in place of every second one.
final class MakesAnItemTwice: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/create-again", "prim/create-many"] }

    override class func create(
        _ type: ItemType, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> any MutableDataStoreItem {
        if memory.next().isMultiple(of: 2), let last = block.state.rows.last,
            last.key.itemType == type.key,
            let item = try block.item(last, as: type) as? any MutableDataStoreItem
        {
            return item
        }
        return try super.create(type, in: block, memory)
    }
}

/// Removes all items of a type only the first time.
final class RemovesAllOnce: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/deleteAll-again"] }

    override class func deleteAll(
        _ types: [ItemType], from block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) {
        if memory.next() <= 1 { try super.deleteAll(types, from: block, memory) }
    }
}

/// Changes a number once, and ignores later changes.
final class ChangesItemsOnce: OutcomeMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/set-again", "prim/mutableVersion-again"] }

    override class func committed(
        _ before: ReferenceState, _ after: ReferenceState, _ memory: Memory
    ) -> ReferenceState {
        var state = after
        for row in before.rows where after.row(row.key) != nil {
            if case .int(let number) = row["number"], number >= 1_000 { state.put(row) }
        }
        return state
    }
}

// MARK: Reopening

/// A persistent store that contains other items when it is opened.
class ReopeningMutant: PersistentStore, @unchecked Sendable {
    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        let open = rules.opened
        rules.opened = { () throws(DataStoreError) in reopened(try open()) }
        return rules
    }

    class func reopened(_ state: ReferenceState) -> ReferenceState { state }
}

/// Opens with the first thousand items.
final class ReopensWithAThousandItems: ReopeningMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        Question.allCases.filter { $0 != .schemas }.map { "prim/\($0.rawValue)-reopened" }
            + [Change.create, .insert, .set, .mutableVersion].map { "prim/\($0.rawValue)-reopened" }
    }

    override class func reopened(_ state: ReferenceState) -> ReferenceState {
        var kept = state
        for row in state.rows.dropFirst(1_000).reversed() { _ = kept.remove(row.key) }
        return kept
    }
}

/// Opens with the first hundred types.
final class ReopensWithAHundredTypes: ReopeningMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/schemas-reopened", "prim/declare-reopened"] }

    override class func reopened(_ state: ReferenceState) -> ReferenceState {
        state.with(types: state.types.prefix(100))
    }
}

/// Does not write deletions.
final class ReopensWithWhatWasDeleted: PersistentStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/delete-reopened", "prim/deleteAll-reopened"] }

    override class func publish(
        _ commit: CommitRecord, to log: CommitLog, _ memory: Memory
    ) {
        var commit = commit
        commit.removed = []
        super.publish(commit, to: log, memory)
    }
}

/// Does not write the second change of an item.
final class ReopensWithFirstValues: PersistentStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["prim/set-reopened", "prim/mutableVersion-reopened", "prim/enqueueWrite-reopened"]
    }

    override class func publish(
        _ commit: CommitRecord, to log: CommitLog, _ memory: Memory
    ) {
        var commit = commit
        commit.rows.removeAll { row in
            if case .int(let number) = row.values["number"] { number >= 1_000 } else { false }
        }
        super.publish(commit, to: log, memory)
    }
}

extension ReferenceState {
    /// These items, with other types.
    func with(types: some Sequence<ReferenceType>) -> ReferenceState {
        var state = ReferenceState()
        for type in types { state.put(type) }
        for row in rows { state.put(row) }
        return state
    }
}
