import Foundation

@testable import JustPersist
@testable import JustPersistConformance

/// Stores whose write blocks are not atomic.
enum TransactionMutants {
    static let all: [SabotagedType] = [
        ReturnsBeforeItCommits.self, KeepsOldIndexEntries.self, PublishesOneByOne.self,
        HidesOwnWrites.self, SlicesNothingOverChanges.self, ReplacesErrors.self,
        IsBrokenByFailedBlocks.self, RefusesEmptyBlocks.self, CommitsInTwoSteps.self,
    ]
}

/// Commits a block when the next one begins.
final class ReturnsBeforeItCommits: OutcomeMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 1 }
    override class var caughtBy: [String] {
        ["tx/commit-on-return", "iso/real-time-order"]
    }

    override class func committed(
        _ before: ReferenceState, _ after: ReferenceState, _ memory: Memory
    ) -> ReferenceState {
        memory.state.withLock { $0 = after }
        return before
    }

    override func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        if let state = memory.state.withLock({ $0 }) { memory.publish(state) }
        try super.performWrite(block)
    }
}

/// Answers by an index in which the old values of changed items still stand beside the new ones.
final class KeepsOldIndexEntries: OutcomeMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 6 }
    override class var caughtBy: [String] {
        ["crud/change-kind-of-attribute", "sort/after-update"]
    }

    override class func committed(
        _ before: ReferenceState, _ after: ReferenceState, _ memory: Memory
    ) -> ReferenceState {
        let changed = before.rows.filter { old in
            after.row(old.key).map { $0.values != old.values } ?? false
        }
        memory.rows.withLock { $0 += changed }
        return after
    }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.rows = { request, state throws(DataStoreError) in
            try request.validate()
            let old = memory.rows.withLock { $0 }.filter { state.row($0.key) != nil }
            let entries = (state.rows + old).filter { $0.key.itemType == request.type.key }
            let matching = ReferenceQuery.filtered(entries, request, state)
            var seen: Set<ReferenceKey> = []
            let sorted = ReferenceQuery.sorted(matching, request, state)
                .filter { seen.insert($0.key).inserted }.compactMap { state.row($0.key) }
            return ReferenceQuery.sliced(sorted, offset: request.offset, limit: request.limit)
        }
        return rules
    }
}

// MARK: While a block runs

/// Makes each change of a block visible immediately, and undoes them if it throws.
final class PublishesOneByOne: SabotagedStore, Fault, @unchecked Sendable {
    override class var number: Int? { 7 }
    override class var caughtBy: [String] {
        ["tx/many-types-atomic", "iso/G1b", "conc/reader-runs-while-writer-open"]
    }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.changed = { state in memory.publish(state) }
        return rules
    }
}

/// Answers requests in write blocks from the committed state.
final class HidesOwnWrites: BlockMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 13 }
    override class var caughtBy: [String] {
        [
            "twin/fetch", "twin/count", "prim/fetch-own-changes", "prim/count-own-changes",
            "prim/enqueueWrite-own-changes",
        ]
    }

    override class func fetch(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> [any DataStoreItem] {
        guard block.isWriting else { return try super.fetch(request, in: block, memory) }
        return try fetchCommitted(request, in: block, memory)
    }

    override class func count(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Int {
        guard block.isWriting else { return try super.count(request, in: block, memory) }
        return try block.context.rules.count(request, memory.committed)
    }
}

/// Gives all items where those of a block or of a child lie over those that are committed.
final class SlicesNothingOverChanges: SabotagedStore, Fault, @unchecked Sendable {
    override class var number: Int? { 14 }
    override class var caughtBy: [String] {
        ["twin/fetch", "child/queries"]
    }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.rows = { request, state throws(DataStoreError) in
            let committed = memory.committed
            let isChanged =
                state.rows.count != committed.rows.count
                || !zip(state.rows, committed.rows).allSatisfy {
                    $0.key == $1.key && $0.values == $1.values
                }
            guard isChanged else { return try ReferenceQuery.rows(request, in: state) }
            return try ReferenceQuery.rows(
                DataStoreRequest(
                    type: request.type, predicate: request.predicate,
                    sortDescriptors: request.sortDescriptors), in: state)
        }
        return rules
    }
}

// MARK: At the end of a block

/// Replaces the error of a block by its own.
final class ReplacesErrors: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["tx/error-passes-through"] }

    override func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        do { try super.performWrite(block) } catch {
            throw DataStoreError(.storageFailure, in: "write", "The block failed.")
        }
    }
}

/// Refuses all write blocks once one has thrown.
final class IsBrokenByFailedBlocks: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/create-rollback"] }

    override func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        if memory.count.withLock({ $0 }) > 0 {
            throw DataStoreError(.storageFailure, in: "write", "A transaction is open already.")
        }
        do { try super.performWrite(block) } catch {
            _ = memory.next()
            throw error
        }
    }
}

/// Treats a block without changes as a failure.
final class RefusesEmptyBlocks: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["tx/empty-block"] }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.changed = { _ in _ = memory.next() }
        return rules
    }

    override func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        let changes = memory.count.withLock { $0 }
        try super.performWrite(block)
        if memory.count.withLock({ $0 }) == changes {
            throw DataStoreError(.storageFailure, in: "write", "There is nothing to commit.")
        }
    }
}

/// Commits the first half of a block's changes, and the rest a moment later.
final class CommitsInTwoSteps: OutcomeMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["tx/ten-thousand-items-atomic", "tx/many-types-atomic", "iso/no-torn-item"]
    }

    override class func committed(
        _ before: ReferenceState, _ after: ReferenceState, _ memory: Memory
    ) -> ReferenceState {
        let changed = after.rows.filter { before.row($0.key)?.values != $0.values }
        var half = after
        for row in changed.dropFirst(changed.count / 2) {
            _ = half.remove(row.key)
            if var old = before.row(row.key) {
                let name = row.values.keys.sorted().first { row[$0] != old[$0] }
                if let name { old.values[name] = row[name] }
                half.put(old)
            }
        }
        memory.publish(half)
        Thread.sleep(forTimeInterval: 0.002 + 2e-5 * Double(changed.count))
        return after
    }
}
