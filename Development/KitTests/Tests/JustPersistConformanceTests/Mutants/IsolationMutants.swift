import Foundation

@testable import JustPersist
@testable import JustPersistConformance

/// Stores whose blocks see or disturb each other.
enum IsolationMutants {
    static let all: [SabotagedType] = [
        ShowsUncommittedChanges.self, TakesNoSnapshots.self, LastWriterWins.self,
        FirstWriterWins.self, AllowsWriteSkew.self, LocksNothing.self,
        EvaluatesPredicatesOnLiveData.self, CountsLiveData.self, ReadsFromReplica.self,
    ]
}

// MARK: Concurrent blocks

/// A store whose write blocks run concurrently.
class LooseMutant: SabotagedStore, @unchecked Sendable {
    class var isolation: LooseStore.Isolation { .snapshot }
    private let loose: LooseStore

    required init(in directory: URL) {
        loose = LooseStore(Self.isolation)
        super.init(in: directory)
    }

    required init(childOf maker: SabotagedStore, _ reference: ReferenceDataStore) {
        loose = LooseStore(Self.isolation)
        super.init(childOf: maker, reference)
    }

    override var capabilities: DataStoreCapabilities { loose.capabilities }

    override func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        try loose.performRead(block)
    }

    override func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        try loose.performWrite(block)
    }

    override func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        loose.enqueueWrite(block, completion: completion)
    }
}

/// Shows the uncommitted changes of other blocks, also of those that are rolled back.
final class ShowsUncommittedChanges: LooseMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 8 }
    override class var caughtBy: [String] { ["iso/G1a", "iso/G1b"] }
    override class var isolation: LooseStore.Isolation { .readUncommitted }
}

/// Answers each query from the latest commit.
final class TakesNoSnapshots: LooseMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 9 }
    override class var caughtBy: [String] {
        [
            "iso/G-single", "iso/G-single-predicate", "iso/OTV", "iso/repeatable-read",
            "conc/writer-runs-while-reader-open",
        ]
    }
    override class var isolation: LooseStore.Isolation { .readCommitted }
}

/// Commits values that a block computed from others that have changed since it read them.
final class LastWriterWins: LooseMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 10 }
    override class var caughtBy: [String] {
        [
            "iso/P4", "iso/P4-counter", "iso/bank", "iso/elle-list-append",
            "conc/sync-and-async-mix",
        ]
    }
    override class var isolation: LooseStore.Isolation { .lastWriterWins }
}

/// Drops changes to items that others have changed since, and reports that the block succeeded.
final class FirstWriterWins: LooseMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["iso/PMP-write", "iso/G-single-write-predicate", "iso/P4"]
    }
    override class var isolation: LooseStore.Isolation { .firstWriterWins }
}

/// Detects conflicts between the writes of blocks, and not with their reads.
final class AllowsWriteSkew: LooseMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 12 }
    override class var caughtBy: [String] { ["iso/G2-item", "iso/G2"] }
    override class var isolation: LooseStore.Isolation { .snapshot }
}

/// Lets all blocks change shared items concurrently.
final class LocksNothing: LooseMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["iso/G0", "iso/G1c"] }
    override class var isolation: LooseStore.Isolation { .none }
}

// MARK: Snapshots

/// Evaluates predicates on the latest commit, also in an older block.
final class EvaluatesPredicatesOnLiveData: BlockMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 11 }
    override class var caughtBy: [String] { ["iso/PMP", "iso/G-single-predicate"] }

    override class func fetch(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> [any DataStoreItem] {
        if block.isWriting || request.predicate == nil {
            return try super.fetch(request, in: block, memory)
        }
        return try fetchCommitted(request, in: block, memory)
    }
}

/// Counts in the latest commit, and fetches from the snapshot of the block.
final class CountsLiveData: BlockMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["iso/count-and-items-agree"] }

    override class func count(
        _ request: DataStoreRequest, in block: ReferenceBlock, _ memory: Memory
    ) throws(DataStoreError) -> Int {
        if block.isWriting { return try super.count(request, in: block, memory) }
        return try block.context.rules.count(request, memory.committed)
    }
}

/// Reads every other block from a copy that is one commit behind.
final class ReadsFromReplica: OutcomeMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["iso/monotonic-reads", "iso/real-time-order", "conc/from-swift-tasks"]
    }

    override class func committed(
        _ before: ReferenceState, _ after: ReferenceState, _ memory: Memory
    ) -> ReferenceState {
        memory.state.withLock { $0 = before }
        return after
    }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.reader = { block in
            if memory.next() % 2 == 0, let old = memory.state.withLock({ $0 }) { block.state = old }
            return ReferenceReadAccessor(block)
        }
        return rules
    }
}
