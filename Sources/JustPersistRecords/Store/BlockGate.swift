import Foundation
import JustPersist

/// Decides which blocks of a store may run: open and closed, one writer at a time, and who is inside.
///
/// A thread is known by its `Thread` object, which lives as long as the thread does.
final class BlockGate: Sendable {
    fileprivate enum Phase {
        case closed, opening, open, closing
    }

    fileprivate struct State {
        var phase = Phase.closed
        /// The blocks that run, by thread.
        var inside: [ObjectIdentifier: Int] = [:]
        var writer: ObjectIdentifier?
        /// Blocks that were queued and have not ended.
        var queued = 0
    }

    private let state = Locked(State())

    private static var currentThread: ObjectIdentifier { ObjectIdentifier(Thread.current) }

    // MARK: Life

    /// Runs `body` to go from closed to open, unless the store is open.
    ///
    /// One caller runs it, others wait.
    func open(_ body: () throws -> Void) throws {
        let isMine = try state.wait { state throws(DataStoreError) -> Bool? in
            switch state.phase {
            case .open: return false
            case .closed:
                state.phase = .opening
                return true
            case .opening, .closing:
                try state.refuseInside("open")
                return nil
            }
        }
        guard isMine else { return }
        var next = Phase.closed
        defer { state.change { $0.phase = next } }
        try body()
        next = .open
    }

    /// Lets no new block in, waits for those inside and those queued, and runs `body`.
    ///
    /// On a closed store `body` runs only if it is to run in any case. The store is closed afterwards,
    /// whatever `body` does.
    func close(
        _ operation: String, evenIfClosed: Bool = false, _ body: () throws -> Void
    ) throws {
        let isMine = try state.wait { state throws(DataStoreError) -> Bool? in
            try state.refuseInside(operation)
            switch state.phase {
            case .closed where !evenIfClosed: return false
            case .open, .closed:
                state.phase = .closing
                return true
            case .opening, .closing: return nil
            }
        }
        guard isMine else { return }
        state.wait { $0.inside.isEmpty && $0.queued == 0 ? () : nil }
        defer { state.change { $0.phase = .closed } }
        try body()
    }

    // MARK: Blocks

    /// Runs a read block.
    func read(_ body: () throws -> Void) throws {
        let thread = Self.currentThread
        try state.withLock { state throws(DataStoreError) -> Void in
            guard state.admits(thread) else { throw .notSetUp(in: "read") }
            state.inside[thread, default: 0] += 1
        }
        defer { state.change { $0.leave(thread) } }
        try body()
    }

    /// Throws if the calling thread is inside a write block.
    func refuseNestedWrite() throws(DataStoreError) {
        let thread = Self.currentThread
        if state.withLock({ $0.writer == thread }) { throw .nestedWrite(in: "write") }
    }

    /// Runs a write block once no other runs.
    ///
    /// Not to be called inside one.
    ///
    /// A queued one may still run while the store is closing.
    func write(isQueued: Bool, _ body: () throws -> Void) throws {
        let thread = Self.currentThread
        try state.withLock { state throws(DataStoreError) -> Void in
            guard isQueued || state.admits(thread) else { throw .notSetUp(in: "write") }
            // Counted before the wait, so that a store is not closed under a writer that waits.
            state.inside[thread, default: 0] += 1
        }
        state.wait { state -> Void? in
            guard state.writer == nil else { return nil }
            state.writer = thread
            return ()
        }
        defer {
            state.change { state in
                state.writer = nil
                state.leave(thread)
            }
        }
        try body()
    }

    /// Notes a queued block; false if the store takes none.
    func enqueue() -> Bool {
        let thread = Self.currentThread
        return state.withLock { state in
            guard state.admits(thread) else { return false }
            state.queued += 1
            return true
        }
    }

    /// Notes that a queued block has ended.
    func dequeue() { state.change { $0.queued -= 1 } }
}

extension BlockGate.State {
    /// Whether a thread may begin a block.
    ///
    /// One that is inside a block may open more while the store waits for it to leave.
    func admits(_ thread: ObjectIdentifier) -> Bool {
        phase == .open || phase == .closing && inside[thread] != nil
    }

    mutating func leave(_ thread: ObjectIdentifier) {
        let left = (inside[thread] ?? 1) - 1
        inside[thread] = left == 0 ? nil : left
    }

    /// Throws if the calling thread is inside a block, for which `operation` would have to wait.
    func refuseInside(_ operation: String) throws(DataStoreError) {
        guard inside[ObjectIdentifier(Thread.current)] != nil else { return }
        throw DataStoreError(
            .insideBlock, in: operation,
            """
            This thread is inside a block of the store, and the call would have to wait for that block. \
            Call it after the block has returned.
            """)
    }
}
