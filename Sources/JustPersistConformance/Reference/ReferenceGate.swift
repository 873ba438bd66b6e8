import Foundation
package import JustPersist

/// Admits blocks to a store: none while it is closed, one writer at a time, and no further block while it is
/// closing, except on a thread that is inside already.
package final class ReferenceGate: Sendable {
    private enum Phase { case closed, open, closing }

    private struct State {
        var phase = Phase.closed
        /// The threads of the blocks that run, once for each block.
        var inside: [ObjectIdentifier] = []
        var writer: ObjectIdentifier?
        /// The blocks that were queued and have not ended.
        var queued = 0

        func admits(_ thread: ObjectIdentifier) -> Bool {
            phase == .open || phase == .closing && inside.contains(thread)
        }

        mutating func leave(_ thread: ObjectIdentifier) {
            if let place = inside.firstIndex(of: thread) { inside.remove(at: place) }
        }
    }

    private let state = Locked(State())

    /// A closed gate.
    package init() {}

    // A thread's object exists as long as the thread.
    private static var thread: ObjectIdentifier { ObjectIdentifier(Thread.current) }

    /// Opens a closed store with `body`.
    package func open(_ body: () throws -> Void) throws {
        try refuseInside("open", while: .closing)
        let failure = state.wait { state -> (any Error)?? in
            if state.phase == .closing { return nil }
            if state.phase == .open { return .some(nil) }
            do {
                try body()
                state.phase = .open
                return .some(nil)
            } catch {
                return .some(error)
            }
        }
        if let failure { throw failure }
    }

    /// Closes an open store with `body` once all blocks have ended; with `evenIfClosed`, also calls `body` for a closed
    /// one.
    package func close(
        _ operation: String, evenIfClosed: Bool = false, _ body: () -> Void
    ) throws {
        try refuseInside(operation)
        let isMine = state.wait { state -> Bool? in
            if state.phase == .closing { return nil }
            if state.phase == .closed, !evenIfClosed { return false }
            state.phase = .closing
            return true
        }
        guard isMine else { return }
        StreamThread.endStreams(onThreads: state.withLock { $0.inside })
        state.wait { $0.inside.isEmpty && $0.queued == 0 ? () : nil }
        body()
        state.change { $0.phase = .closed }
    }

    /// Throws if the calling thread is inside a block, because the call would wait for that block.
    package func refuseInside(_ operation: String) throws(DataStoreError) {
        try refuseInside(operation, while: nil)
    }

    private func refuseInside(_ operation: String, while phase: Phase?) throws(DataStoreError) {
        let thread = Self.thread
        let isInside = state.withLock { state in
            state.inside.contains(thread) && (phase == nil || state.phase == phase)
        }
        if isInside {
            throw DataStoreError(
                .insideBlock, in: operation,
                "This thread is inside a block of the store. Make the call after it has returned.")
        }
    }

    /// Runs a read block.
    ///
    /// An admitted block runs even while the store is closing, because the store waits for its caller.
    package func read(
        _ operation: String = "read", isAdmitted: Bool = false, _ body: () throws -> Void
    ) throws {
        let thread = Self.thread
        try state.withLock { state throws(DataStoreError) -> Void in
            guard isAdmitted || state.admits(thread) else { throw .notSetUp(in: operation) }
            state.inside.append(thread)
        }
        defer { state.change { $0.leave(thread) } }
        try body()
    }

    /// Whether the calling thread is inside a write block.
    package var isWriting: Bool {
        let thread = Self.thread
        return state.withLock { $0.writer == thread }
    }

    /// Throws if the calling thread is inside a write block.
    package func refuseNestedWrite() throws(DataStoreError) {
        if isWriting { throw .nestedWrite(in: "write") }
    }

    /// Runs a write block once no other write block runs.
    ///
    /// A queued block runs even while the store is closing.
    package func write(isAdmitted: Bool = false, _ body: () throws -> Void) throws {
        try refuseNestedWrite()
        let thread = Self.thread
        try state.withLock { state throws(DataStoreError) -> Void in
            guard isAdmitted || state.admits(thread) else { throw .notSetUp(in: "write") }
            state.inside.append(thread)
        }
        defer { state.change { $0.leave(thread) } }
        try state.wait(polling: {
            if WorkLimit.isCancelled { try WorkLimit.check() }
        }) { state -> Void? in
            guard state.writer == nil else { return nil }
            state.writer = thread
            return ()
        }
        defer { state.change { $0.writer = nil } }
        try body()
    }

    /// Notes that a block was queued.
    ///
    /// Returns false if the store does not accept blocks.
    package func enqueue() -> Bool {
        let thread = Self.thread
        return state.withLock { state in
            guard state.admits(thread) else { return false }
            state.queued += 1
            return true
        }
    }

    /// Notes that a queued block has ended.
    package func dequeue() { state.change { $0.queued -= 1 } }
}
