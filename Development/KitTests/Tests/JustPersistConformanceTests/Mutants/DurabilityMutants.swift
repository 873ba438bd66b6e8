import Foundation

@testable import JustPersist
@testable import JustPersistConformance

/// Stores whose files lack data once the store is closed or its process has died.
enum DurabilityMutants {
    static let all: [SabotagedType] = [
        KeepsNothing.self, WritesLazily.self, WritesPiecemeal.self, WritesBeforeTheCommit.self,
        CountsApart.self, LosesReaderSlotsForEver.self, RoundsWhatItWrites.self,
        ClosesWithoutWriting.self, CompletesBeforeItWrites.self,
    ]
}

/// Declares that it is persistent, and has no file.
final class KeepsNothing: SabotagedStore, Fault, @unchecked Sendable {
    override class var number: Int? { 43 }
    override class var caughtBy: [String] {
        [
            "dur/reopen", "dur/reopen-other-process", "dur/async-survives-teardown",
            "life/setup-after-teardown", "life/drop-without-teardown", "child/merge-is-durable",
        ]
    }

    override var capabilities: DataStoreCapabilities {
        var capabilities = super.capabilities
        capabilities.persistence = .reopening
        return capabilities
    }
}

/// Reports that a block is committed, and writes it some time later.
final class WritesLazily: PersistentStore, Fault, @unchecked Sendable {
    override class var number: Int? { 41 }
    override class var caughtBy: [String] { ["dur/kill9-after-sync", "dur/kill9-mid-writes"] }

    private static let queue = DispatchQueue(label: "WritesLazily")

    override class func publish(
        _ commit: CommitRecord, to log: CommitLog, _ memory: Memory
    ) {
        queue.asyncAfter(deadline: .now() + 0.1) { log.append(commit) }
    }

    override class func closing(_ memory: Memory) {
        Thread.sleep(forTimeInterval: 0.15)
        queue.sync {}
    }
}

/// Calls the completion of a queued block before the block is in the file.
final class CompletesBeforeItWrites: PersistentStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["dur/kill9-queued"] }

    private static let queue = DispatchQueue(label: "CompletesBeforeItWrites")

    override class func publish(
        _ commit: CommitRecord, to log: CommitLog, _ memory: Memory
    ) {
        let isQueued = memory.count.withLock { count in
            defer { count = 0 }
            return count > 0
        }
        if isQueued {
            queue.asyncAfter(deadline: .now() + 0.05) { log.append(commit) }
        } else {
            queue.sync { log.append(commit) }
        }
    }

    override class func closing(_ memory: Memory) {
        Thread.sleep(forTimeInterval: 0.1)
        queue.sync {}
    }

    override func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        super.enqueueWrite(
            { [memory] db in
                try block(db)
                _ = memory.next()
            }, completion: completion)
    }
}

/// Writes a commit piece by piece, each on its own.
final class WritesPiecemeal: PersistentStore, Fault, @unchecked Sendable {
    override class var number: Int? { 42 }
    override class var caughtBy: [String] {
        ["dur/kill9-mid-writes", "dur/kill9-mid-delete-all", "dur/kill9-mid-merge"]
    }

    override class func publish(
        _ commit: CommitRecord, to log: CommitLog, _ memory: Memory
    ) {
        for piece in commit.singly {
            log.append(piece)
            Thread.sleep(forTimeInterval: 0.001)
        }
    }
}

/// Writes the changes of a block while it runs, and undoes them when the block fails.
final class WritesBeforeTheCommit: PersistentStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["dur/kill9-inside-block"] }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        let write = rules.published
        let written = Locked<ReferenceState?>(nil)
        rules.changed = { state in
            // A fault in some of the commits is enough.
            guard memory.next().isMultiple(of: 20) else { return }
            let before = written.withLock { $0 } ?? memory.committed
            written.withLock { $0 = state }
            write?(before, state)
        }
        rules.published = { before, after in
            let before = written.withLock { written in
                defer { written = nil }
                return written ?? before
            }
            write?(before, after)
        }
        return rules
    }
}

/// Keeps the number of items in another file, written after the items.
final class CountsApart: PersistentStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["dur/kill9-indexes-agree"] }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        let (open, write) = (rules.opened, rules.published)
        let counts = Locked(0)
        rules.opened = { () throws(DataStoreError) in
            let state = try open()
            let text = file(memory).flatMap { try? String(contentsOf: $0, encoding: .utf8) }
            counts.withLock { $0 = text.flatMap { Int($0) } ?? 0 }
            return state
        }
        rules.published = { before, after in
            write?(before, after)
            Thread.sleep(forTimeInterval: 0.005)
            counts.withLock { $0 = after.rows.count }
            if let file = file(memory) {
                try? "\(after.rows.count)".write(to: file, atomically: true, encoding: .utf8)
            }
        }
        rules.count = { request, state throws(DataStoreError) in
            if request.predicate == nil { return counts.withLock { $0 } }
            return try ReferenceQuery.rows(request, in: state).count
        }
        return rules
    }

    private static func file(_ memory: Memory) -> URL? {
        memory.directory.withLock { $0?.appending(path: "count") }
    }
}

/// Records its readers in a file of 400 slots, and does not release those of a process that died.
final class LosesReaderSlotsForEver: PersistentStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["dur/kill9-readers"] }

    private let slots = NSLock()

    private func change(by difference: Int) throws {
        slots.lock()
        defer { slots.unlock() }
        let file = directory.appending(path: "readers")
        let text = try? String(contentsOf: file, encoding: .utf8)
        let count = (text.flatMap { Int($0) } ?? 0) + difference
        if count > 400 {
            throw DataStoreError(.storageFailure, in: "read", "There are too many readers.")
        }
        try "\(count)".write(to: file, atomically: true, encoding: .utf8)
    }

    override func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        try change(by: 1)
        defer { try? change(by: -1) }
        try super.performRead(block)
    }
}

/// Writes doubles with fewer digits than they have.
final class RoundsWhatItWrites: PersistentStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["dur/reopen", "dur/reopen-other-process"] }

    override class func publish(
        _ commit: CommitRecord, to log: CommitLog, _ memory: Memory
    ) {
        var commit = commit
        for place in commit.rows.indices {
            commit.rows[place].values = commit.rows[place].values.mapValues { value in
                guard case .double(let number) = value else { return value }
                return .double(Double(Float(number)))
            }
        }
        super.publish(commit, to: log, memory)
    }
}

/// Does not write queued blocks when it is closed.
final class ClosesWithoutWriting: PersistentStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["dur/async-survives-teardown"] }

    override class func publish(
        _ commit: CommitRecord, to log: CommitLog, _ memory: Memory
    ) {
        if memory.count.withLock({ $0 == 0 }) { super.publish(commit, to: log, memory) }
    }

    override func close() throws {
        _ = memory.next()
        try super.close()
    }
}
