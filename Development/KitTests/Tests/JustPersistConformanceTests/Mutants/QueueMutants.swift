@testable import JustPersist
@testable import JustPersistConformance

/// Stores that go wrong with blocks that are queued, and with no others.
enum QueueMutants {
    static let all: [SabotagedType] = [
        QueuesSmallBlocks.self, QueuesOneBlock.self, SwallowsErrorsOfQueuedBlocks.self,
        CommitsQueuedBlocksThatThrow.self,
    ]
}

/// Drops the oldest items of a queued block behind which there are more than a thousand.
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

/// Carries out the first block that is queued, and says of the others that it did.
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

/// Tells no completion of an error.
final class SwallowsErrorsOfQueuedBlocks: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["prim/enqueueWrite-error"] }

    override func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        super.enqueueWrite(block) { error in completion(error is Upset ? nil : error) }
    }
}

/// Commits what a queued block did before it threw.
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
