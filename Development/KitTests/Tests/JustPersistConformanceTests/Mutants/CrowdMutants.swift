import Foundation

@testable import JustPersist
@testable import JustPersistConformance

/// Stores that fail where there are many blocks, threads or items.
enum CrowdMutants {
    static let all: [SabotagedType] = [
        LosesBlocks.self, LosesValues.self, TakesSmallBlocksOnly.self, HasFewReaderSlots.self,
        RunsQueuedBlocksTwoByTwo.self, SharesItsLockWithOthers.self, StarvesWriters.self,
    ]
}

// MARK: Losses

/// Forgets every 500th block.
final class LosesBlocks: OutcomeMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 47 }
    override class var caughtBy: [String] { ["conc/writers-lose-nothing", "conc/async-burst"] }

    override class func committed(
        _ before: ReferenceState, _ after: ReferenceState, _ memory: Memory
    ) -> ReferenceState {
        memory.next() % 500 == 0 ? before : after
    }
}

/// Forgets every 500th value that is set, counted over all stores of the process.
final class LosesValues: ValueMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 47 }
    override class var caughtBy: [String] { ["model/crud"] }
    // A history of the quick profile sets fewer values.
    override class var profile: ConformanceProfile { .full }
    private static let memory = Memory()

    override class func stored(_ value: DataStoreValue) -> DataStoreValue {
        memory.next() % 500 == 0 ? .null : value
    }
}

/// Keeps only the first 4,096 items that a block creates.
final class TakesSmallBlocksOnly: OutcomeMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["size/large-block-then-small", "size/hundred-thousand-items"]
    }

    override class func committed(
        _ before: ReferenceState, _ after: ReferenceState, _ memory: Memory
    ) -> ReferenceState {
        var state = after
        let new = after.rows.filter { before.row($0.key) == nil }
        for row in new.dropFirst(4_096).reversed() { _ = state.remove(row.key) }
        return state
    }
}

// MARK: Many blocks

/// Shows the 127th reader an empty store.
final class HasFewReaderSlots: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["conc/many-reader-threads"] }

    override func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        let readers = memory.next()
        defer { memory.count.withLock { $0 -= 1 } }
        guard readers > 126 else { return try super.performRead(block) }
        let empty = ReferenceDataStore()
        try empty.open()
        try empty.performRead(block)
    }
}

/// Runs the second of two queued blocks first.
final class RunsQueuedBlocksTwoByTwo: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["conc/async-order"] }
    private let waiting = Locked<(@Sendable () -> Void)?>(nil)

    override func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let call: @Sendable () -> Void = { [reference] in
            reference.enqueueWrite(block, completion: completion)
        }
        let first = waiting.withLock { waiting in
            let first = waiting
            waiting = first == nil ? call : nil
            return first
        }
        guard let first else { return }
        call()
        first()
    }
}

/// Keeps all stores of the process under one lock.
final class SharesItsLockWithOthers: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["conc/two-stores-at-once"] }
    override class var hangs: Bool { true }
    private static let gate = ReferenceGate()

    override func open() throws {
        try super.open()
        try Self.gate.open {}
    }

    override func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        try Self.gate.write { try super.performWrite(block) }
    }
}

/// Lets a writer wait until there is no reader, and admits new readers before it.
final class StarvesWriters: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["conc/no-writer-starvation"] }
    override class var hangs: Bool { true }

    override func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        memory.count.change { $0 += 1 }
        // The next reader enters before this one leaves; a single reader does not wait for ever.
        defer {
            let left: Void? = memory.count.wait(upTo: Date(timeIntervalSinceNow: 1)) { readers in
                if readers == 1 { return nil }
                readers -= 1
                return ()
            }
            if left == nil { memory.count.change { $0 -= 1 } }
        }
        try super.performRead(block)
    }

    override func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        memory.count.wait { $0 == 0 ? () : nil }
        try super.performWrite(block)
    }
}
