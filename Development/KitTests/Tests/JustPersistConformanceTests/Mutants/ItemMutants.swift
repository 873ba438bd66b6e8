import Foundation
import JustPersist

@testable import JustPersistConformance

/// Stores that create, change, delete or return items wrongly.
enum ItemMutants {
    static let all: [SabotagedType] = [
        FillsNewItems.self, TakesIDsAgain.self, InsertsUnderNewIDs.self, GoesByIDsAlone.self,
        ChangesIDsOnUpdate.self, KeepsOnlyWhatIsSet.self, KeepsClearedValues.self,
        DeletesNothing.self, DeletesTwice.self, DeletesStoredItemsOnly.self,
        DeletesByPrefix.self, DeletesOneTypeOnly.self, ThawsCopies.self,
        GivesLiveItems.self, WritesInReadBlocks.self,
    ]
}

/// Gives each attribute of a new item an empty text.
final class FillsNewItems: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["crud/create-returns-requested-type"] }

    override class func create(
        _ type: ItemType, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> any MutableDataStoreItem {
        let item = try super.create(type, in: block, memory)
        for name in item.backing.attributeNames {
            try item.backing.setValue(.string(""), forAttribute: name)
        }
        return item
    }
}

/// Gives a new item the id after the last committed one.
final class TakesIDsAgain: SabotagedStore, Fault, @unchecked Sendable {
    override class var number: Int? { 28 }
    override class var caughtBy: [String] {
        ["crud/tokens-are-unique", "crud/recreate-does-not-resurrect"]
    }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.newID = {
            let last = memory.committed.rows.last?.key.id
            return ItemID(high: last?.high ?? 0, low: (last?.low ?? 0) &+ 1)
        }
        return rules
    }
}

/// Inserts items under ids of its own.
final class InsertsUnderNewIDs: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/insert-own-changes", "prim/insert-again"] }

    override class func insert(
        _ item: any MutableDataStoreItem, to block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Bool {
        guard let detached = item.backing as? DictionaryBacking else {
            return try super.insert(item, to: block, memory)
        }
        return try super.insert(
            DynamicItem(detached.itemTypeKey, values: detached.values), to: block, memory)
    }
}

/// Mistakes an item of another store for its own with that id, or for a new one.
final class GoesByIDsAlone: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["prim/insert-error", "prim/delete-error", "prim/mutableVersion-error"]
    }

    private static func detached(
        _ item: any DataStoreItem, _ block: ReferenceBlock
    ) -> (any MutableDataStoreItem)? {
        guard let backing = item.backing.storeBacking as? ReferenceBacking,
            backing.family != block.context.family
        else { return nil }
        return DynamicItem(backing.itemTypeKey, id: backing.id)
    }

    override class func insert(
        _ item: any MutableDataStoreItem, to block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Bool {
        try super.insert(detached(item, block) ?? item, to: block, memory)
    }

    override class func delete(
        _ item: any DataStoreItem, from block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Bool {
        try super.delete(detached(item, block) ?? item, from: block, memory)
    }

    override class func mutableVersion(
        _ item: any DataStoreItem, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> (any MutableDataStoreItem)? {
        try super.mutableVersion(detached(item, block) ?? item, in: block, memory)
    }
}

/// Writes a changed item as a new one.
final class ChangesIDsOnUpdate: RowMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["crud/token-is-stable", "prim/set-own-changes"] }

    override class func kept(_ row: ReferenceRow, over old: ReferenceRow?) -> ReferenceRow {
        old == nil
            ? row : ReferenceRow(ReferenceKey(row.key.itemType, ItemID()), values: row.values)
    }
}

/// Writes only the changed attributes of an item.
final class KeepsOnlyWhatIsSet: RowMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["crud/update-leaves-other-attributes"] }

    override class func kept(_ row: ReferenceRow, over old: ReferenceRow?) -> ReferenceRow {
        ReferenceRow(row.key, values: row.values.filter { old?[$0.key] != $0.value })
    }
}

/// Merges a changed item's values with the old ones, so that removed values stay.
final class KeepsClearedValues: RowMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        [
            "crud/set-nil-clears", "crud/recreate-does-not-resurrect", "model/metamorphic-history",
        ]
    }

    override class func kept(_ row: ReferenceRow, over old: ReferenceRow?) -> ReferenceRow {
        let kept = row.values.filter { !$0.value.isNull }
        return ReferenceRow(row.key, values: kept.merging(old?.values ?? [:]) { new, _ in new })
    }
}

/// Reports that it deleted an item, and does not.
final class DeletesNothing: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["prim/delete-own-changes", "prim/mutableVersion-again"]
    }

    override class func delete(
        _ item: any DataStoreItem, from block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Bool { true }
}

/// Reports that it deleted an item that was deleted before.
final class DeletesTwice: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/delete-again"] }

    override class func delete(
        _ item: any DataStoreItem, from block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Bool {
        _ = try super.delete(item, from: block, memory)
        return true
    }
}

/// Deletes the committed items of a type, and not those of the block.
final class DeletesStoredItemsOnly: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/deleteAll-own-changes"] }

    override class func deleteAll(
        _ types: [ItemType], from block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) {
        let keys = Set(types.map(\.key))
        for row in memory.committed.rows where keys.contains(row.key.itemType) {
            _ = block.state.remove(row.key)
        }
    }
}

/// Finds and deletes by the beginning of a type's key.
final class DeletesByPrefix: BlockMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 27 }
    override class var caughtBy: [String] {
        [
            "crud/delete-all-leaves-other-types", "crud/types-do-not-mix", "uni/type-keys",
            "many/types", "model/replay-corpus",
        ]
    }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.rows = { request, state throws(DataStoreError) in
            try request.validate()
            let all = state.rows.filter { $0.key.itemType.utf8.starts(with: request.type.key.utf8) }
            let matching = ReferenceQuery.filtered(all, request, state)
            return ReferenceQuery.sliced(
                ReferenceQuery.sorted(matching, request, state), offset: request.offset,
                limit: request.limit)
        }
        return rules
    }

    override class func deleteAll(
        _ types: [ItemType], from block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) {
        let keys = Set(block.state.rows.map(\.key.itemType)).filter { key in
            types.contains { key.utf8.starts(with: $0.key.utf8) }
        }
        try super.deleteAll(keys.map { ItemType(dynamic: $0) }, from: block, memory)
    }
}

/// Deletes the items of one of several types.
final class DeletesOneTypeOnly: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/deleteAll-again"] }

    override class func deleteAll(
        _ types: [ItemType], from block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) {
        try super.deleteAll(Array(types.prefix(1)), from: block, memory)
    }
}

/// Makes a new object each time that a mutable version is asked for.
final class ThawsCopies: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["crud/mutable-version"] }

    override class func mutableVersion(
        _ item: any DataStoreItem, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> (any MutableDataStoreItem)? {
        guard let live = try super.mutableVersion(item, in: block, memory),
            let backing = live.backing.storeBacking as? ReferenceBacking,
            let row = block.state.row(ReferenceKey(backing.itemTypeKey, backing.id))
        else { return nil }
        let copy = ReferenceBacking(row, backing.type, in: block)
        return type(of: live).init(backing: copy)
    }
}

/// Permits changes of items of read blocks, which are not committed.
final class WritesInReadBlocks: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["tx/read-block-cannot-write"] }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.reader = { block in
            ReferenceReadAccessor(
                ReferenceBlock(state: block.state, isWriting: true, context: block.context))
        }
        return rules
    }
}

/// Returns items of read blocks that show the latest commit.
final class GivesLiveItems: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["val/copies-not-aliases", "req/results-are-frozen", "crud/mutable-version"]
    }

    private static func live(_ item: any DataStoreItem, _ memory: Memory) -> any DataStoreItem {
        type(of: item).init(backing: LiveBacking(item.backing, memory))
    }

    override class func fetch(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> [any DataStoreItem] {
        let items = try super.fetch(request, in: block, memory)
        return block.isWriting ? items : items.map { live($0, memory) }
    }

    override class func fetchItem(
        _ type: ItemType, _ id: ItemID, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        let item = try super.fetchItem(type, id, in: block, memory)
        return block.isWriting ? item : item.map { live($0, memory) }
    }
}

/// An item's values in the latest commit.
private final class LiveBacking: WrappingBacking {
    private let memory: Memory

    init(_ frozen: any ItemBacking, _ memory: Memory) {
        self.memory = memory
        super.init(frozen)
    }

    override func value(forAttribute name: String) throws(DataStoreError) -> DataStoreValue {
        _ = try super.value(forAttribute: name)
        return memory.committed.row(ReferenceKey(itemTypeKey, id))?[name] ?? .null
    }
}
