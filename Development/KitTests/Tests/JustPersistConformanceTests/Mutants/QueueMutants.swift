@testable import JustPersist
@testable import JustPersistConformance

/// Stores with faults in queued blocks only.
enum QueueMutants {
    static let all: [SabotagedType] = [
        QueuesSmallBlocks.self, QueuesOneBlock.self, SwallowsErrorsOfQueuedBlocks.self,
        CommitsQueuedBlocksThatThrow.self,
    ]
}

/// Deletes all but a thousand items in each queued block.
final class QueuesSmallBlocks: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/enqueueWrite-many"] }

    override func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        super.enqueueWrite(
            { db in
                try block(db)
                for item in try db.performFetch(Shelf.all).dropFirst(1_000) {
                    _ = try db.performDelete(item)
                }
            }, completion: completion)
    }
}

/// Carries out only the first queued block, and reports success for the others.
final class QueuesOneBlock: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/enqueueWrite-again", "conc/async-order"] }

    override func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let isFirst = memory.next() == 1
        super.enqueueWrite({ db in if isFirst { try block(db) } }, completion: completion)
    }
}

/// Calls all completions without an error.
final class SwallowsErrorsOfQueuedBlocks: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/enqueueWrite-error"] }

    override func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        super.enqueueWrite(block) { error in completion(error is Upset ? nil : error) }
    }
}

/// Commits the changes of a queued block before it threw.
final class CommitsQueuedBlocksThatThrow: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/enqueueWrite-rollback"] }

    override func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let thrown = Locked<(any Error)?>(nil)
        super.enqueueWrite(
            { db in
                do { try block(db) } catch { thrown.withLock { $0 = error } }
            }
        ) { error in completion(error ?? thrown.withLock { $0 }) }
    }
}
