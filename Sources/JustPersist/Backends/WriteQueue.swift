import Foundation

/// Write blocks whose callers do not wait: they run in the order of the calls, on a thread of the queue.
///
/// As many as possible run in one turn, and share its transaction.
final class WriteQueue: QueueAtExit {
    private struct Block {
        let body: @Sendable () throws -> Void
        let completion: Completion
    }

    private typealias Completion = @Sendable ((any Error)?) -> Void

    private struct State {
        var blocks: [Block?] = []
        /// Whether ``work()`` runs or is about to.
        var isWorking = false
        /// The number of blocks queued so far, and the number of those that have not ended.
        var total = 0
        var count = 0
    }

    private let storeName: @Sendable () -> String

    private let turns: WriteTurns
    private let visitors: Visitors
    private let state = Locked(State())
    private let worker = SerialQueue(label: "JustPersist.write")
    let completions = CompletionQueue(label: "JustPersist.completion")

    init(
        _ turns: WriteTurns, _ visitors: Visitors, storeName: @escaping @Sendable () -> String
    ) {
        self.turns = turns
        self.visitors = visitors
        self.storeName = storeName
    }

    /// Queues a block; on a closed store, its completion receives the error.
    func append(
        _ body: @escaping @Sendable () throws -> Void,
        _ completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let thread = BlockThread.current
        // Inside, so that the store is not closed in between.
        guard visitors.enter(thread) else {
            return completions.async { completion(DataStoreError.notSetUp(in: "writeAsync")) }
        }
        let (isIdle, isFirst) = state.withLock { state in
            state.blocks.append(Block(body: body, completion: completion))
            state.total += 1
            state.count += 1
            defer { state.isWorking = true }
            return (!state.isWorking, state.total == 1)
        }
        if isFirst { WriteQueuesAtExit.add(self) }
        visitors.leave(thread)
        if isIdle { worker.async { self.work() } }
    }

    /// Waits until all queued blocks have ended.
    func waitUntilAllHaveEnded() { state.wait { $0.count == 0 ? () : nil } }

    var nameAtExit: String { storeName() }

    func finish(patience: Double) -> Int {
        let isInWriteBlock = (try? turns.refuseNested()) == nil
        if isInWriteBlock { return state.withLock { $0.count } }
        let total = state.withLock { $0.total }
        state.waitForProgress(patience: patience, to: total) { $0.total - $0.count }
        completions.finish(patience: patience)
        return state.withLock { $0.count }
    }

    // MARK: The worker

    private func work() {
        let thread = BlockThread.current
        var pending = PendingBlocks()
        while refill(&pending) {
            var ended: [(completion: Completion, failure: (any Error)?)] = []
            var failure: (any Error)?
            // Retains the store, which closes its engine when it is deallocated: not before the commit.
            var last: Block?
            // A queued block may also run while the store is closing, which waits for it.
            _ = visitors.enter(thread, isQueued: true)
            do {
                try turns.take(mayPass: false) { turn in
                    repeat {
                        guard let block = pending.next() else { return }
                        last = block
                        do {
                            try turn.run(block.body)
                            ended.append((block.completion, nil))
                        } catch {
                            ended.append((block.completion, error))
                            if turn.isRolledBack { throw error }
                        }
                    } while turn.hasRoom && refill(&pending, orStop: false)
                }
            } catch {
                failure = error
                // The transaction could not be begun.
                if ended.isEmpty, let block = pending.next() {
                    ended.append((block.completion, error))
                }
            }
            visitors.leave(thread)
            end(ended, failure)
            withExtendedLifetime(last) {}
        }
    }

    /// The blocks that the worker has taken over.
    private struct PendingBlocks {
        var blocks: [Block?] = []
        var place = 0

        var isEmpty: Bool { place == blocks.count }

        mutating func next() -> Block? {
            guard !isEmpty else { return nil }
            defer { place += 1 }
            // Removed, because it may refer to large objects.
            return blocks[place].take()
        }
    }

    /// Takes over new blocks if there are none left, and returns whether there are any; if not, the worker may stop.
    private func refill(_ pending: inout PendingBlocks, orStop mayStop: Bool = true) -> Bool {
        if !pending.isEmpty { return true }
        pending = PendingBlocks()
        return state.withLock { state in
            if state.blocks.isEmpty {
                if mayStop { state.isWorking = false }
                return false
            }
            swap(&pending.blocks, &state.blocks)
            return true
        }
    }

    private func end(
        _ ended: [(completion: Completion, failure: (any Error)?)], _ failure: (any Error)?
    ) {
        // Before they count as ended: a thread that waits for the blocks may wait for the completions next.
        completions.async(
            ended.map { block in { block.completion(block.failure ?? failure) } })
        state.change { $0.count -= ended.count }
    }
}
