import Foundation

@testable import JustPersist
@testable import JustPersistConformance

/// Stores that commit several write blocks together, with a fault.
enum GroupMutants {
    static let all: [SabotagedType] = [
        RollsBackTheNeighbourOfAQueuedBlock.self, RollsBackTheNeighbourOfAWriter.self,
        CompletesQueuedBlocksInAnotherOrder.self, LetsQueuedBlocksPassBesideWriters.self,
    ]
}

/// Rolls back with a queued block that throws the one that was queued before it.
final class RollsBackTheNeighbourOfAQueuedBlock: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["conc/group-rolls-back-alone"] }

    override func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        super.enqueueWrite(
            { [memory] db in
                let hasThrown = memory.count.withLock { count in
                    defer { count = 0 }
                    return count > 0
                }
                if hasThrown { try db.deleteLastNamedItem() }
                do {
                    try block(db)
                } catch {
                    _ = memory.next()
                    throw error
                }
            }, completion: completion)
    }
}

/// Rolls back with a block that throws the one that another thread committed before it.
final class RollsBackTheNeighbourOfAWriter: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["conc/group-writers"] }

    override func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        do {
            try super.performWrite(block)
        } catch let error as Upset {
            try super.performWrite { db in try db.deleteLastNamedItem() }
            throw error
        }
    }
}

/// Calls the completion of every fifth queued block after that of the next.
final class CompletesQueuedBlocksInAnotherOrder: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["conc/group-order"] }
    private let waiting = Locked<[@Sendable () -> Void]>([])

    override func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let number = memory.next()
        super.enqueueWrite(block) { [waiting] error in
            if number % 5 == 0 {
                return waiting.withLock { $0.append { completion(error) } }
            }
            completion(error)
            let others = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for other in others { other() }
        }
    }
}

/// Queues a block late while another thread writes, so that others overtake it.
final class LetsQueuedBlocksPassBesideWriters: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["conc/group-order"] }

    override func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        memory.count.withLock { $0 += 1 }
        defer { memory.count.withLock { $0 -= 1 } }
        try super.performWrite(block)
    }

    override func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let call: @Sendable () -> Void = { [reference] in
            reference.enqueueWrite(block, completion: completion)
        }
        guard memory.count.withLock({ $0 > 0 }) else { return call() }
        DispatchQueue.global().asyncAfter(
            deadline: .now() + .milliseconds(.random(in: 1...5)), execute: call)
    }
}

extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// Deletes the youngest of the items that the checks of blocks work with.
    fileprivate func deleteLastNamedItem() throws {
        let request = DataStoreRequest(itemTypeKey: "ConformanceNamed")
        guard let last = try performFetch(request).last else { return }
        _ = try performDelete(last)
    }
}
