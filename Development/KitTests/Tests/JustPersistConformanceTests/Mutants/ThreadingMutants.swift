import Dispatch
import Foundation
import JustPersist

@testable import JustPersistConformance

/// Stores that run blocks on other threads, more often or later than they declare.
enum ThreadingMutants {
    static let all: [SabotagedType] =
        [
            SkipsBlocks.self, RunsReadsTwice.self, TriesFailedWritesAgain.self, WrapsErrors.self,
            RunsQueuedBlocksAtOnce.self, RunsQueuedBlocksOnMain.self, SaysItRunsOnMain.self,
            CompletesTwice.self, CompletesOnlySuccess.self, CompletesBeforeTheCommit.self,
            RefusesToQueueInsideBlocks.self,
        ] + NestingMutants.all
}

/// Runs blocks that are called on the main thread on another.
final class SkipsBlocks: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        [
            "thread/read-is-synchronous", "thread/write-sync-is-synchronous",
        ]
    }

    override func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        if !CheckContext.isOnMain { try super.performRead(block) }
    }

    override func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        if !CheckContext.isOnMain { try super.performWrite(block) }
    }
}

/// Runs each read block twice, the first time to find out what it reads.
final class RunsReadsTwice: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["thread/block-runs-once"] }

    override func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        try super.performRead(block)
        try super.performRead(block)
    }
}

/// Runs a failed write block a second time.
final class TriesFailedWritesAgain: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["thread/block-runs-once"] }

    override func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        do { try super.performWrite(block) } catch { try super.performWrite(block) }
    }
}

/// Wraps the errors of blocks in errors of its own.
final class WrapsErrors: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["thread/block-runs-once", "err/error-in-read-leaves-store-usable"]
    }

    override func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        do {
            try super.performRead(block)
        } catch {
            throw DataStoreError(.storageFailure, in: "read", "The block failed: \(error)")
        }
    }
}

/// Runs queued blocks on the thread that queues them, before it goes on.
final class RunsQueuedBlocksAtOnce: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["thread/write-async-returns-first", "thread/async-runs-elsewhere"]
    }

    override func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        do {
            try performWrite(block)
            completion(nil)
        } catch {
            completion(error)
        }
    }
}

/// Runs queued blocks on the main thread.
final class RunsQueuedBlocksOnMain: SabotagedStore, Fault, @unchecked Sendable {
    override class var hangs: Bool { true }
    override class var caughtBy: [String] { ["thread/async-runs-elsewhere"] }

    override func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        DispatchQueue.main.async { [reference] in
            do {
                try reference.performWrite(block)
                completion(nil)
            } catch {
                completion(error)
            }
        }
    }
}

/// Declares that blocks run on the main thread, and runs them where they come from.
final class SaysItRunsOnMain: SabotagedStore, Fault, @unchecked Sendable {
    override class var number: Int? { 49 }
    override class var caughtBy: [String] { ["thread/declared-block-thread"] }

    override var capabilities: DataStoreCapabilities {
        var capabilities = super.capabilities
        capabilities.threading = .mainThread
        return capabilities
    }
}

/// A store that changes the completions of queued blocks.
class CompletionMutant: SabotagedStore, @unchecked Sendable {
    override func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        super.enqueueWrite(block) { [self] error in complete(error, completion) }
    }

    func complete(_ error: (any Error)?, _ completion: @Sendable ((any Error)?) -> Void) {
        completion(error)
    }
}

/// Calls completions twice.
final class CompletesTwice: CompletionMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 30 }
    override class var caughtBy: [String] { ["thread/completion-once"] }

    override func complete(
        _ error: (any Error)?, _ completion: @Sendable ((any Error)?) -> Void
    ) {
        completion(error)
        completion(error)
    }
}

/// Never calls the completions of blocks that fail.
final class CompletesOnlySuccess: CompletionMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 30 }
    override class var hangs: Bool { true }
    override class var caughtBy: [String] { ["thread/completion-once"] }

    override func complete(
        _ error: (any Error)?, _ completion: @Sendable ((any Error)?) -> Void
    ) {
        if error == nil { completion(nil) }
    }
}

/// Calls completions while their blocks run.
final class CompletesBeforeTheCommit: SabotagedStore, Fault, @unchecked Sendable {
    override class var number: Int? { 31 }
    override class var caughtBy: [String] { ["thread/completion-after-visibility"] }

    override func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        super.enqueueWrite(
            { db in
                completion(nil)
                try block(db)
            }, completion: { _ in })
    }
}

/// Queues nothing while a block of it runs on the thread.
final class RefusesToQueueInsideBlocks: NestingMutant, Fault, @unchecked Sendable {
    override class var hangs: Bool { true }
    override class var caughtBy: [String] { ["thread/async-from-inside-blocks"] }

    override func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        if isInside {
            completion(DataStoreError(.insideBlock, in: "writeAsync", "A block is open."))
        } else {
            super.enqueueWrite(block, completion: completion)
        }
    }
}
