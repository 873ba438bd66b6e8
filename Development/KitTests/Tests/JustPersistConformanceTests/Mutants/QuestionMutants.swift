import JustPersist

@testable import JustPersistConformance

/// Stores in which one of the reading primitives is wrong in one circumstance.
enum QuestionMutants {
    static let all: [SabotagedType] = [
        FetchesAThousand.self, CountsAThousand.self, WalksAThousand.self, FindsAThousandByID.self,
        ListsAThousandTypes.self, WalksOverWhatIsCommitted.self, FindsCommittedItemsByID.self,
        ListsCommittedTypes.self, TakesItsSnapshotLate.self, WalksOverLiveData.self,
        FindsLiveItemsByID.self, ListsLiveTypes.self, WalksOnOverFailedBlocks.self,
        CountsFailedBlocks.self, FindsItemsOfFailedBlocks.self, SwallowsErrorsOfWalks.self,
        WalksOnBehindErrors.self, WrapsErrorsOfWalks.self, FetchesTheImpossible.self,
        CountsTheImpossible.self, IsPoisonedByRefusals.self, ReplacesErrorsOfReaders.self,
        FetchesOnceInABlock.self, CountsTwiceAsMany.self, FindsAnIDOnce.self,
        WalksOnceInABlock.self, ListsTypesOnce.self,
    ]
}

// MARK: More than a thousand

/// Gives a thousand items at most.
final class FetchesAThousand: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/fetch-many", "prim/create-many"] }

    override class func fetch(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> [any DataStoreItem] {
        Array(try super.fetch(request, in: block, memory).prefix(1_000))
    }
}

/// Counts a thousand items at most.
final class CountsAThousand: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/count-many"] }

    override class func count(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Int {
        min(try super.count(request, in: block, memory), 1_000)
    }
}

/// Streams a thousand items, and stops.
final class WalksAThousand: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/forEach-many", "life/verify-counts"] }

    override class func forEach(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory,
        _ body: (any DataStoreItem) throws -> Void
    ) throws {
        for item in try fetch(request, in: block, memory).prefix(1_000) { try body(item) }
    }
}

/// Finds only the first thousand items by their ids.
final class FindsAThousandByID: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/fetchItem-many"] }

    override class func fetchItem(
        _ type: ItemType, _ id: ItemID, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        let rows = block.state.rows
        if rows.count > 1_000, rows[999].key.id < id { return nil }
        return try super.fetchItem(type, id, in: block, memory)
    }
}

/// Lists a thousand types.
final class ListsAThousandTypes: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/schemas-many"] }

    override class func schemas(
        in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> [ItemSchema] {
        Array(try super.schemas(in: block, memory).prefix(1_000))
    }
}

// MARK: A block's own changes

/// Streams committed items, in write blocks too.
final class WalksOverWhatIsCommitted: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/forEach-own-changes"] }

    override class func forEach(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory,
        _ body: (any DataStoreItem) throws -> Void
    ) throws {
        guard block.isWriting else { return try super.forEach(request, in: block, memory, body) }
        for item in try fetchCommitted(request, in: block, memory) { try body(item) }
    }
}

/// Finds by their ids the items that are committed, in write blocks too.
final class FindsCommittedItemsByID: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/fetchItem-own-changes"] }

    override class func fetchItem(
        _ type: ItemType, _ id: ItemID, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        if block.isWriting, memory.committed.row(ReferenceKey(type.key, id)) == nil { return nil }
        return try super.fetchItem(type, id, in: block, memory)
    }
}

/// Lists the types that are committed, in write blocks too.
final class ListsCommittedTypes: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["prim/schemas-own-changes", "prim/declare-own-changes"]
    }

    override class func schemas(
        in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> [ItemSchema] {
        guard block.isWriting else { return try super.schemas(in: block, memory) }
        return memory.schemas
    }
}

// MARK: Snapshots

/// Takes the snapshot of a read block at its first request, not when it begins.
final class TakesItsSnapshotLate: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        Question.allCases.map { "prim/\($0.rawValue)-snapshot" }
            + Change.allCases.filter { $0 != .dropIndex }.map { "prim/\($0.rawValue)-snapshot" } + [
                "prim/enqueueWrite-snapshot"
            ]
    }

    private static func look(_ block: ReferenceBlock, _ memory: Memory) {
        if !block.isWriting, memory.isFirst(in: block) { block.state = memory.committed }
    }

    override class func fetch(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> [any DataStoreItem] {
        look(block, memory)
        return try super.fetch(request, in: block, memory)
    }

    override class func count(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Int {
        look(block, memory)
        return try super.count(request, in: block, memory)
    }

    override class func fetchItem(
        _ type: ItemType, _ id: ItemID, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        look(block, memory)
        return try super.fetchItem(type, id, in: block, memory)
    }

    override class func forEach(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory,
        _ body: (any DataStoreItem) throws -> Void
    ) throws {
        look(block, memory)
        try super.forEach(request, in: block, memory, body)
    }

    override class func schemas(
        in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> [ItemSchema] {
        look(block, memory)
        return try super.schemas(in: block, memory)
    }
}

/// Streams the latest commit, also in an older read block.
final class WalksOverLiveData: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/forEach-snapshot"] }

    override class func forEach(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory,
        _ body: (any DataStoreItem) throws -> Void
    ) throws {
        if block.isWriting { return try super.forEach(request, in: block, memory, body) }
        for item in try fetchCommitted(request, in: block, memory) { try body(item) }
    }
}

/// Finds items of the latest commit by their ids, also in an older read block.
final class FindsLiveItemsByID: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/fetchItem-snapshot"] }

    override class func fetchItem(
        _ type: ItemType, _ id: ItemID, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        if block.isWriting { return try super.fetchItem(type, id, in: block, memory) }
        guard let row = memory.committed.row(ReferenceKey(type.key, id)) else { return nil }
        return try block.item(row, as: type)
    }
}

/// Lists the types of the latest commit, also in an older read block.
final class ListsLiveTypes: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/schemas-snapshot", "prim/declare-snapshot"] }

    override class func schemas(
        in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> [ItemSchema] {
        if block.isWriting { return try super.schemas(in: block, memory) }
        return memory.schemas
    }
}

extension Memory {
    /// The types that are committed now.
    var schemas: [ItemSchema] {
        committed.types.map(\.schema).sorted { $0.itemTypeKey < $1.itemTypeKey }
    }
}
