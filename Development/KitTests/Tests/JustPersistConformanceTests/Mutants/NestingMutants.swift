import Foundation

@testable import JustPersist
@testable import JustPersistConformance

/// Stores with faults in nested blocks, and in items that leave their block.
enum NestingMutants {
    static let all: [SabotagedType] = [
        HangsInANestedWrite.self, HidesANestedWrite.self, RefusesNestedBlocks.self,
        ReadsWhatIsNotCommitted.self, WritesThroughKeptItems.self, ReadsThroughFrozenItems.self,
        AnswersOneThreadOnly.self,
    ]
}

/// Knows on which threads its blocks run.
class NestingMutant: SabotagedStore, @unchecked Sendable {
    private let inside = Locked<[ObjectIdentifier]>([])

    /// Whether a block of the store runs on the calling thread.
    var isInside: Bool { inside.withLock { $0.contains(ThreadingChecks.currentThread) } }

    private func noting(_ body: () throws -> Void) throws {
        let thread = ThreadingChecks.currentThread
        inside.withLock { $0.append(thread) }
        defer {
            inside.withLock { inside in
                if let place = inside.lastIndex(of: thread) { inside.remove(at: place) }
            }
        }
        try body()
    }

    override func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        try noting { try super.performRead(block) }
    }

    override func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        try noting { try super.performWrite(block) }
    }
}

/// Waits in a write block inside a write block for the end of the outer one.
final class HangsInANestedWrite: SabotagedStore, Fault, @unchecked Sendable {
    override class var number: Int? { 32 }
    override class var hangs: Bool { true }
    override class var caughtBy: [String] { ["thread/nested-write-in-write"] }

    private let lock = NSLock()

    override func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        lock.lock()
        defer { lock.unlock() }
        try super.performWrite(block)
    }
}

/// Silently ignores a write block inside a write block.
final class HidesANestedWrite: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["thread/nested-write-in-write", "err/errors-are-typed", "err/handler-absent"]
    }

    override func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        do {
            try super.performWrite(block)
        } catch let error as DataStoreError where error.code == .nestedWrite {
            return
        }
    }
}

/// Declares that blocks nest, and refuses every block inside another.
final class RefusesNestedBlocks: NestingMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 49 }
    override class var caughtBy: [String] {
        [
            "thread/nested-read-in-read", "thread/nested-read-in-write",
            "thread/nested-write-in-read",
        ]
    }

    override func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        if isInside { throw DataStoreError(.insideBlock, in: "read", "A block is open.") }
        try super.performRead(block)
    }

    override func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        if isInside { throw DataStoreError(.insideBlock, in: "write", "A block is open.") }
        try super.performWrite(block)
    }
}

/// Shows a read block inside a write block the uncommitted changes of the latter.
final class ReadsWhatIsNotCommitted: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["thread/nested-read-in-write", "conc/group-nested-read"]
    }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.changed = { state in memory.publish(state) }
        return rules
    }
}

/// Lets items that were kept from a write block write to the store as long as it is open.
final class WritesThroughKeptItems: AccessorMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 33 }
    override class var caughtBy: [String] { ["thread/accessor-escape-refused"] }

    override class func changes(_ memory: Memory) -> AccessorChanges {
        var changes = super.changes(memory)
        changes.backing = { KeptBacking($0, memory) }
        return changes
    }

    private final class KeptBacking: WrappingBacking {
        private let memory: Memory

        init(_ inner: any ItemBacking, _ memory: Memory) {
            self.memory = memory
            super.init(inner)
        }

        override func setValue(
            _ value: DataStoreValue, forAttribute name: String
        ) throws(DataStoreError) {
            do throws(DataStoreError) {
                try super.setValue(value, forAttribute: name)
            } catch  where error.code == .itemNotMutable {
                var state = memory.committed
                state.set(value, ofAttribute: name, of: ReferenceKey(itemTypeKey, id))
                memory.publish(state)
            }
        }
    }
}

/// Reads the values of items that were kept from write blocks from the store whenever they are asked for.
final class ReadsThroughFrozenItems: AccessorMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["thread/item-escape"] }

    override class func changes(_ memory: Memory) -> AccessorChanges {
        var changes = super.changes(memory)
        changes.backing = { LaterBacking($0, memory) }
        return changes
    }

    private final class LaterBacking: WrappingBacking {
        private let memory: Memory

        init(_ inner: any ItemBacking, _ memory: Memory) {
            self.memory = memory
            super.init(inner)
        }

        override func value(forAttribute name: String) throws(DataStoreError) -> DataStoreValue {
            let stored = memory.committed.row(ReferenceKey(itemTypeKey, id))
            if let stored { return stored[name] }
            return try super.value(forAttribute: name)
        }
    }
}

/// Finds nothing when an accessor is used on another thread than its block's.
final class AnswersOneThreadOnly: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["thread/accessor-on-other-thread"] }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.rows = { request, state throws(DataStoreError) in
            if CheckContext.isOnMain { return [] }
            return try ReferenceQuery.rows(request, in: state)
        }
        return rules
    }
}
