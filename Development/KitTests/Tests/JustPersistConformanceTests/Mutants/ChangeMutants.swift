import JustPersist

@testable import JustPersistConformance

/// Stores in which one of the primitives that change them is wrong in one circumstance.
enum ChangeMutants {
    static let all: [SabotagedType] = [
        KeepsAThousandNewItems.self, RemovesAThousand.self, ChangesAThousand.self,
        DeclaresAThousandTypes.self, RemovesCommittedItemsOnly.self, SparesItsNewItems.self,
        DoesNotThawNewItems.self, MakesTypesKnownWithTheCommit.self, KeepsFirstValues.self,
        MakesOneItemBehindAnother.self, AddsOneItemInABlock.self, KeepsTypesOfFailedBlocks.self,
        MakesUnknownTypes.self, AddsForeignItems.self, RemovesForeignItems.self,
        ThawsForeignItems.self, SwallowsRefusedDeclarations.self, SwallowsRefusedValues.self,
        RefusesUnknownTypesToRemove.self, RemovesAllForAnUnknownType.self, AddsItemsAnew.self,
        RemovesItemsAnew.self, ThawsItemsAnew.self, ForgetsDeclarations.self,
        MakesAnItemTwice.self, RemovesAllOnce.self, ChangesItemsOnce.self,
        ReopensWithAThousandItems.self, ReopensWithAHundredTypes.self,
        ReopensWithWhatWasDeleted.self, ReopensWithFirstValues.self,
    ]
}

// MARK: More than a thousand

/// Keeps only the first thousand items that a block creates.
final class KeepsAThousandNewItems: OutcomeMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/create-many", "prim/insert-many"] }

    override class func committed(
        _ before: ReferenceState, _ after: ReferenceState, _ memory: Memory
    ) -> ReferenceState {
        var state = after
        let new = after.rows.filter { before.row($0.key) == nil }
        for row in new.dropFirst(1_000).reversed() { _ = state.remove(row.key) }
        return state
    }
}

/// Removes a thousand items in a block at most.
final class RemovesAThousand: OutcomeMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/delete-many", "prim/deleteAll-many"] }

    override class func committed(
        _ before: ReferenceState, _ after: ReferenceState, _ memory: Memory
    ) -> ReferenceState {
        var state = after
        for row in before.rows.filter({ after.row($0.key) == nil }).dropFirst(1_000) {
            state.put(row)
        }
        return state
    }
}

/// Changes a thousand items in a block at most.
final class ChangesAThousand: OutcomeMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/set-many", "prim/mutableVersion-many"] }

    override class func committed(
        _ before: ReferenceState, _ after: ReferenceState, _ memory: Memory
    ) -> ReferenceState {
        var state = after
        let changed = before.rows.filter { old in
            after.row(old.key).map { $0.values != old.values } ?? false
        }
        for row in changed.dropFirst(1_000) { state.put(row) }
        return state
    }
}

/// Keeps a thousand types at most.
final class DeclaresAThousandTypes: OutcomeMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/declare-many", "prim/schemas-many"] }

    override class func committed(
        _ before: ReferenceState, _ after: ReferenceState, _ memory: Memory
    ) -> ReferenceState {
        after.types.count > 1_000 ? after.with(types: after.types.prefix(1_000)) : after
    }
}

// MARK: A block's own changes

/// Removes only the items that existed before the block.
final class RemovesCommittedItemsOnly: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/deleteAll-own-changes"] }

    override class func deleteAll(
        _ types: [ItemType], from block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) {
        let committed = memory.committed
        let new = block.state.rows.filter { committed.row($0.key) == nil }
        try super.deleteAll(types, from: block, memory)
        for row in new { block.state.put(row) }
    }
}

/// Reports that it removed an item that its block has made, and does not.
final class SparesItsNewItems: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/delete-own-changes"] }

    override class func delete(
        _ item: any DataStoreItem, from block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Bool {
        let key = ReferenceKey(item.backing.itemTypeKey, item.uniqueToken)
        if memory.committed.row(key) == nil, block.state.row(key) != nil { return true }
        return try super.delete(item, from: block, memory)
    }
}

/// Finds no live object for an item that its block has made.
final class DoesNotThawNewItems: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/mutableVersion-own-changes"] }

    override class func mutableVersion(
        _ item: any DataStoreItem, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> (any MutableDataStoreItem)? {
        let key = ReferenceKey(item.backing.itemTypeKey, item.uniqueToken)
        if memory.committed.row(key) == nil { return nil }
        return try super.mutableVersion(item, in: block, memory)
    }
}

/// Makes no items of a type that its block has declared.
final class MakesTypesKnownWithTheCommit: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/declare-own-changes"] }

    override class func create(
        _ type: ItemType, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> any MutableDataStoreItem {
        if memory.committed.type(type.key) == nil { throw .undeclaredType(type.key, in: "create") }
        return try super.create(type, in: block, memory)
    }
}

/// Keeps the number that a new item had before it was raised.
final class KeepsFirstValues: OutcomeMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/set-own-changes"] }

    override class func committed(
        _ before: ReferenceState, _ after: ReferenceState, _ memory: Memory
    ) -> ReferenceState {
        var state = after
        for var row in after.rows where before.row(row.key) == nil {
            guard case .int(let number) = row["number"], number >= 1_000 else { continue }
            row.values["number"] = .int(number % 1_000)
            state.put(row)
        }
        return state
    }
}

/// Forgets an item that its block makes when it makes the next one.
final class MakesOneItemBehindAnother: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/create-own-changes", "prim/create-many"] }

    override class func create(
        _ type: ItemType, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> any MutableDataStoreItem {
        if let last = block.state.rows.last, memory.committed.row(last.key) == nil {
            _ = block.state.remove(last.key)
        }
        return try super.create(type, in: block, memory)
    }
}

/// Inserts only the first item of a block, and reports that it inserted the others too.
final class AddsOneItemInABlock: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/insert-own-changes", "prim/insert-many"] }

    override class func insert(
        _ item: any MutableDataStoreItem, to block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Bool {
        memory.isFirst(in: block) ? try super.insert(item, to: block, memory) : true
    }
}

// MARK: Blocks that failed

/// Keeps the types that a failed block declared.
final class KeepsTypesOfFailedBlocks: OutcomeMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["prim/declare-rollback", "prim/schemas-rollback", "life/verify-counts"]
    }

    override class func rolledBack(
        _ before: ReferenceState, _ after: ReferenceState, _ memory: Memory
    ) -> ReferenceState {
        var state = before
        for type in after.types where before.type(type.key) == nil {
            state.put(type)
            for row in after.rows where row.key.itemType == type.key { state.put(row) }
        }
        return state
    }
}
