import JustPersist

/// Admits any number of writers, and excludes them during an operation that concerns all of them.
///
/// A queued block counts from the call until the block has ended. While writers are excluded, new ones wait in order.
final class WriterGate: Sendable {
    private let state = Locked(State())

    private struct State {
        /// The thread that excludes writers, or is about to.
        var shutter: UInt?
        /// Whether the last writer has left.
        var isExclusive = false
        /// The threads inside, with the number of blocks of each.
        var inside: [UInt: Int] = [:]
        /// The number of blocks queued so far, and the number of those that have not ended.
        var total = 0
        var queued = 0
        /// Closures that queue the waiting blocks, in order.
        var waiting: [@Sendable () -> Void] = []
        /// Whether a thread is queueing the waiting blocks.
        var isQueueing = false
    }

    /// Whether the calling thread is inside a block of a writer.
    var isInside: Bool {
        let thread = BlockThread.current
        return state.withLock { $0.inside[thread] != nil }
    }

    /// Whether a write on the calling thread would wait for that thread itself, or interrupt its exclusive operation.
    var isHeldHere: Bool {
        let thread = BlockThread.current
        return state.withLock { $0.inside[thread] != nil || $0.shutter == thread }
    }

    /// Runs a block of a writer.
    ///
    /// While the main thread waits for writers to leave, it runs blocks of other threads, which may write.
    func write(_ body: () throws -> Void) throws {
        let thread = BlockThread.current
        try state.wait { (state) throws(DataStoreError) -> Void? in
            if state.shutter == thread, state.isExclusive { throw .nestedWrite(in: "write") }
            if state.shutter != nil, state.shutter != thread { return nil }
            state.inside[thread, default: 0] += 1
            return ()
        }
        defer { leave(thread) }
        try body()
    }

    /// Queues a block with `enqueue`, now or when writers are admitted again.
    func enqueue(_ enqueue: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.total += 1
            state.queued += 1
            state.waiting.append(enqueue)
        }
        queueWaiting()
    }

    /// Queues the waiting blocks in order, unless writers are excluded or another thread is queueing them.
    ///
    /// It does not hold the lock, because a store may refuse a block immediately, and call back.
    private func queueWaiting() {
        let isMine = state.withLock { state in
            defer { state.isQueueing = true }
            return !state.isQueueing
        }
        guard isMine else { return }
        while let next = nextWaiting() { next() }
    }

    private func nextWaiting() -> (@Sendable () -> Void)? {
        state.change { state in
            if state.shutter != nil || state.waiting.isEmpty {
                state.isQueueing = false
                return nil
            }
            return state.waiting.removeFirst()
        }
    }

    /// Runs a queued block, which counts already.
    func runQueued(_ body: () throws -> Void) rethrows {
        let thread = BlockThread.current
        state.withLock { $0.inside[thread, default: 0] += 1 }
        defer { leave(thread) }
        try body()
    }

    /// Notes that a queued block has ended.
    func queuedBlockHasEnded() { state.change { $0.queued -= 1 } }

    /// Waits until the blocks that are queued now have ended, or none has ended for `patience` seconds; returns the
    /// number of blocks that are not queued yet.
    func finish(patience: Double) -> Int {
        let total = state.withLock { $0.total }
        if !isHeldHere {
            state.waitForProgress(patience: patience, to: total) { $0.total - $0.queued }
        }
        return state.withLock { $0.waiting.count }
    }

    /// Waits until all queued blocks have ended.
    func waitUntilQueueIsEmpty() { state.wait { $0.queued == 0 ? () : nil } }

    /// Runs `body` while no writer is inside and no block is queued.
    func exclusively<Result>(_ body: () throws -> Result) rethrows -> Result {
        let thread = BlockThread.current
        state.wait { state -> Void? in
            if state.shutter != nil { return nil }
            state.shutter = thread
            return ()
        }
        defer {
            state.change { state in
                state.shutter = nil
                state.isExclusive = false
            }
            queueWaiting()
        }
        state.wait { state -> Void? in
            guard state.inside.isEmpty, state.queued == state.waiting.count else { return nil }
            state.isExclusive = true
            return ()
        }
        return try body()
    }

    private func leave(_ thread: UInt) {
        state.change { state in
            let blocks = (state.inside[thread] ?? 1) - 1
            state.inside[thread] = blocks > 0 ? blocks : nil
        }
    }
}
