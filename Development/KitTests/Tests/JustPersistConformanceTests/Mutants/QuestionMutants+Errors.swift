@testable import JustPersist
@testable import JustPersistConformance

// MARK: Blocks that failed

/// A store that remembers the items that failed blocks made.
class FailureMutant: BlockMutant, @unchecked Sendable {
    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.rolledBack = { before, after in
            memory.rows.withLock { $0 = after.rows.filter { before.row($0.key) == nil } }
            return before
        }
        return rules
    }
}

/// Streams items of blocks that were rolled back.
final class WalksOnOverFailedBlocks: FailureMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/forEach-rollback"] }

    override class func forEach(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory,
        _ body: (any DataStoreItem) throws -> Void
    ) throws {
        try super.forEach(request, in: block, memory, body)
        for row in memory.rows.withLock({ $0 }) where row.key.itemType == request.type.key {
            try body(try block.item(row, as: request.type))
        }
    }
}

/// Counts items of blocks that were rolled back.
final class CountsFailedBlocks: FailureMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/count-rollback"] }

    override class func count(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Int {
        try super.count(request, in: block, memory) + memory.rows.withLock { $0.count }
    }
}

/// Does not find items by id that a rolled back block deleted.
final class FindsItemsOfFailedBlocks: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/fetchItem-rollback"] }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.rolledBack = { before, after in
            memory.rows.withLock { $0 = before.rows.filter { after.row($0.key) == nil } }
            return before
        }
        return rules
    }

    override class func fetchItem(
        _ type: ItemType, _ id: ItemID, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        if memory.rows.withLock({ $0.contains { $0.key.id == id } }) { return nil }
        return try super.fetchItem(type, id, in: block, memory)
    }
}

// MARK: Errors

/// Ends a stream whose body throws as if it had succeeded.
final class SwallowsErrorsOfWalks: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/forEach-error"] }

    override class func forEach(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory,
        _ body: (any DataStoreItem) throws -> Void
    ) throws {
        try request.validate()
        try? super.forEach(request, in: block, memory, body)
    }
}

/// Continues a stream whose body throws, and throws at its end.
final class WalksOnBehindErrors: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/forEach-error"] }

    override class func forEach(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory,
        _ body: (any DataStoreItem) throws -> Void
    ) throws {
        var first: (any Error)?
        try super.forEach(request, in: block, memory) { item in
            do { try body(item) } catch { first = first ?? error }
        }
        if let first { throw first }
    }
}

/// Replaces the error of the body of a stream by its own.
final class WrapsErrorsOfWalks: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/forEach-error"] }

    override class func forEach(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory,
        _ body: (any DataStoreItem) throws -> Void
    ) throws {
        try request.validate()
        do { try super.forEach(request, in: block, memory, body) } catch {
            throw DataStoreError(.storageFailure, in: "forEach", "The walk failed: \(error)")
        }
    }
}

/// Returns nothing for an invalid request.
final class FetchesTheImpossible: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/fetch-error"] }

    override class func fetch(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> [any DataStoreItem] {
        if request.limit ?? 0 < 0 { return [] }
        return try super.fetch(request, in: block, memory)
    }
}

/// Returns the count 0 for an invalid request.
final class CountsTheImpossible: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/count-error"] }

    override class func count(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Int {
        if request.limit ?? 0 < 0 { return 0 }
        return try super.count(request, in: block, memory)
    }
}

/// Rolls back the block of an invalid request.
final class IsPoisonedByRefusals: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/fetch-error"] }

    override class func fetch(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> [any DataStoreItem] {
        do throws(DataStoreError) {
            return try super.fetch(request, in: block, memory)
        } catch {
            block.poison(error)
            throw error
        }
    }
}

/// Replaces the error of a read block by its own.
final class ReplacesErrorsOfReaders: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        Question.allCases.map { "prim/\($0.rawValue)-error" }
    }

    override func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        do { try super.performRead(block) } catch is Upset {
            throw DataStoreError(.storageFailure, in: "read", "The block failed.")
        }
    }
}

// MARK: A second time

/// Gives all items to the first request of a block, and none to the next.
final class FetchesOnceInABlock: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/fetch-again"] }

    override class func fetch(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> [any DataStoreItem] {
        let items = try super.fetch(request, in: block, memory)
        return memory.isFirst(in: block) ? items : []
    }
}

/// Doubles every count of a block after the first one.
final class CountsTwiceAsMany: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/count-again"] }

    override class func count(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Int {
        let count = try super.count(request, in: block, memory)
        return memory.isFirst(in: block) ? count : 2 * count
    }
}

/// Finds nothing by an id in a block that has found something.
final class FindsAnIDOnce: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/fetchItem-again"] }

    override class func fetchItem(
        _ type: ItemType, _ id: ItemID, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        memory.isFirst(in: block) ? try super.fetchItem(type, id, in: block, memory) : nil
    }
}

/// Streams nothing in a block after or inside another stream.
final class WalksOnceInABlock: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/forEach-again"] }

    override class func forEach(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory,
        _ body: (any DataStoreItem) throws -> Void
    ) throws {
        if memory.isFirst(in: block) { try super.forEach(request, in: block, memory, body) }
    }
}

/// Lists no types in a block that has listed them.
final class ListsTypesOnce: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/schemas-again"] }

    override class func schemas(
        in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> [ItemSchema] {
        memory.isFirst(in: block) ? try super.schemas(in: block, memory) : []
    }
}
