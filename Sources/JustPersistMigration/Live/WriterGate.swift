import JustPersist

/// Lets writers in together, and whoever is to change the store that they write to alone.
///
/// Queued blocks count from the call until they have ended. While somebody is to be alone, new ones are kept back, in order.
final class WriterGate: Sendable {
    private let state = Locked(State())

    private struct State {
        /// Whether somebody is alone, or waits to be.
        var isShut = false
        /// The threads inside, and how many blocks of each.
        var inside: [UInt: Int] = [:]
        /// The queued blocks that have not ended.
        var queued = 0
        /// What would queue the blocks that are kept back.
        var keptBack: [@Sendable () -> Void] = []
    }

    /// Runs a block of a writer.
    func write(_ body: () throws -> Void) rethrows {
        let thread = BlockThread.current
        state.wait { state -> Void? in
            // Whoever is inside is waited for, and so must not wait.
            if state.isShut, state.inside[thread] == nil { return nil }
            state.inside[thread, default: 0] += 1
            return ()
        }
        defer { leave(thread) }
        try body()
    }

    /// Queues a block with `enqueue`, now or when nobody is alone any more.
    func enqueue(_ enqueue: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.queued += 1
            // Under the lock, so that blocks are queued in the order of the calls.
            if state.isShut { state.keptBack.append(enqueue) } else { enqueue() }
        }
    }

    /// Runs a queued block, which is counted already.
    func runQueued(_ body: () throws -> Void) rethrows {
        let thread = BlockThread.current
        state.withLock { $0.inside[thread, default: 0] += 1 }
        defer { leave(thread) }
        try body()
    }

    /// Notes that a queued block has ended.
    func queuedBlockHasEnded() { state.change { $0.queued -= 1 } }

    /// Waits until all queued blocks have ended.
    func waitUntilQueueIsEmpty() { state.wait { $0.queued == 0 ? () : nil } }

    /// Runs `body` while no writer is inside and no block queued.
    func alone<Result>(_ body: () throws -> Result) rethrows -> Result {
        // One after the other.
        state.wait { state -> Void? in
            if state.isShut { return nil }
            state.isShut = true
            return ()
        }
        defer {
            state.change { state in
                state.isShut = false
                for enqueue in state.keptBack { enqueue() }
                state.keptBack = []
            }
        }
        state.wait { state -> Void? in
            state.inside.isEmpty && state.queued == state.keptBack.count ? () : nil
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
