import Foundation

@testable import JustPersist
@testable import JustPersistConformance

/// Stores with faults in their location, their opening and their closing.
enum LifeMutants {
    static let all: [SabotagedType] = [
        IgnoresItsDirectory.self, ChangesItsMind.self, WritesBesideItsDirectory.self,
        ComesWithItems.self, AnswersWhileClosed.self, OpensItself.self,
        StartsAgainAtASecondOpen.self, RefusesASecondClose.self, StaysOpen.self,
        ClosesBehindItsBack.self, ClosesInsideBlocks.self, OpensTooEarly.self,
        DropsQueuedBlocks.self, HidesAFailedOpen.self, LeavesFilesOpen.self, HoldsItself.self,
    ]
}

/// Keeps all stores of a process in one place, whatever directory they were given.
final class IgnoresItsDirectory: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["fixture/stores-are-isolated"] }

    private static let first = Locked<SabotagedStore?>(nil)
    private var place: ReferenceDataStore {
        Self.first.withLock { first in
            first = first ?? self
            return first?.reference ?? reference
        }
    }

    override func open() throws { try place.open() }

    override func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        try place.performRead(block)
    }

    override func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        try place.performWrite(block)
    }
}

/// Declares its limits only once it is open.
final class ChangesItsMind: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["fixture/capabilities-are-stable"] }

    override var capabilities: DataStoreCapabilities {
        var capabilities = super.capabilities
        if memory.count.withLock({ $0 == 0 }) { capabilities.limits.nameBytes = .max }
        return capabilities
    }

    override func open() throws {
        try super.open()
        _ = memory.next()
    }
}

/// Makes a lock file next to its directory.
final class WritesBesideItsDirectory: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["fixture/stays-in-its-directory"] }

    override func open() throws {
        try Data().write(to: directory.appendingPathExtension("lock"))
        try super.open()
    }
}

/// Contains an item of its own as soon as it is opened.
final class ComesWithItems: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["fixture/fresh-store-is-empty"] }

    override func open() throws {
        try super.open()
        try performWrite { db in
            try db.declare(ItemSchema("ConformanceItem", attributes: []))
            _ = try db.create("ConformanceItem")
        }
    }
}

/// Runs read blocks while it is closed, on nothing.
final class AnswersWhileClosed: SabotagedStore, Fault, @unchecked Sendable {
    override class var number: Int? { 35 }
    override class var caughtBy: [String] {
        [
            "life/use-before-setup-refused", "life/use-after-teardown-refused",
            "life/teardown-without-setup", "err/handler-called-once", "err/errors-are-typed",
            "err/handler-absent", "child/needs-setup", "child/parent-torn-down-first",
            "child/grandchild-discard-middle",
        ]
    }

    override func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        do {
            try super.performRead(block)
        } catch let error as DataStoreError where error.code == .notSetUp {
            let nothing = ReferenceBlock(
                state: ReferenceState(), isWriting: false,
                context: ReferenceBlock.Context(family: ItemID()) { _ in })
            try block(ReferenceReadAccessor(nothing))
        }
    }
}

/// Opens itself when it is used.
final class OpensItself: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        [
            "life/use-before-setup-refused", "life/use-after-teardown-refused",
            "life/teardown-without-setup", "child/needs-setup",
        ]
    }

    override func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        try open()
        try super.performRead(block)
    }
}

/// Starts empty when it is opened while it is open.
final class StartsAgainAtASecondOpen: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["life/setup-twice-keeps-data"] }

    override func open() throws {
        try super.open()
        if memory.next() > 1 { memory.publish(ReferenceState()) }
    }
}

/// Refuses a second close, and one before the first open.
final class RefusesASecondClose: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["life/teardown-twice", "life/teardown-without-setup", "err/no-error-on-success"]
    }

    override func open() throws {
        try super.open()
        memory.count.withLock { $0 = 1 }
    }

    override func close() throws {
        if memory.count.withLock({ $0 == 0 }) { throw DataStoreError.notSetUp(in: "close") }
        try super.close()
        memory.count.withLock { $0 = 0 }
    }
}

/// Ignores close.
final class StaysOpen: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        [
            "life/use-after-teardown-refused", "life/setup-after-teardown",
            "life/teardown-drains-async", "life/teardown-inside-block-refused",
            "life/teardown-while-reader-open", "thread/completion-once", "child/discard",
            "child/merge-after-child-teardown", "child/parent-torn-down-first",
            "child/grandchild-discard-middle",
        ]
    }

    override func close() {}
}

/// Closes on another thread, and returns immediately.
final class ClosesBehindItsBack: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["life/teardown-drains-async", "life/teardown-while-reader-open"]
    }

    override func close() {
        Thread.detachNewThread { [reference] in try? reference.close() }
    }
}

/// Reports success for a close inside a block, where it must be refused.
final class ClosesInsideBlocks: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["life/teardown-inside-block-refused"] }

    override func close() throws {
        do {
            try super.close()
        } catch let error as DataStoreError where error.code == .insideBlock {
            return
        }
    }
}

/// Records that it is open before it is.
final class OpensTooEarly: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["life/setup-concurrently"] }

    override func open() throws {
        if memory.next() > 1 { return }
        Thread.sleep(forTimeInterval: 0.02)
        try super.open()
    }
}

/// Drops queued blocks when it is closed, and calls their completions without an error.
final class DropsQueuedBlocks: SabotagedStore, Fault, @unchecked Sendable {
    override class var number: Int? { 34 }
    override class var caughtBy: [String] { ["life/teardown-drains-async"] }

    override func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        super.enqueueWrite(
            { [memory] db in if memory.count.withLock({ $0 == 0 }) { try block(db) } },
            completion: completion)
    }

    override func close() throws {
        _ = memory.next()
        try super.close()
    }
}

/// Hides the failure of an open.
final class HidesAFailedOpen: PersistentStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["life/setup-failure-is-reported", "err/not-a-store"]
    }

    override func open() { try? super.open() }
}

/// Opens another file at each open, and never closes it.
final class LeavesFilesOpen: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["life/no-descriptor-leak"] }

    private static let files = Locked<[FileHandle]>([])

    override func open() throws {
        try super.open()
        let file = try FileHandle(forReadingFrom: URL(filePath: "/dev/null"))
        Self.files.withLock { $0.append(file) }
    }
}

/// Retains itself in a cycle.
final class HoldsItself: PersistentStore, Fault, @unchecked Sendable {
    // The check waits for ten.
    override class var timeout: Double { 15 }
    override class var caughtBy: [String] { ["life/drop-without-teardown"] }

    private let holder = Locked<SabotagedStore?>(nil)

    override func open() throws {
        try super.open()
        holder.withLock { $0 = self }
    }
}
