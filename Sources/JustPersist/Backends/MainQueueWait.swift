import Foundation

/// What the thread of the main queue does while it waits in a store: it runs the blocks that need it.
///
/// It may wait for a block that itself waits for the main queue: for a queued write block, for example, in which a store is
/// read whose read blocks run there. All waits of a store are waits for a ``Locked`` value, which asks here.
package enum MainQueueWait {
    private struct State {
        /// The blocks that no thread has begun.
        var jobs: [MainQueueJob] = []
        /// The conditions on which threads of the main queue wait.
        var conditions: [NSCondition] = []
    }

    /// What a wait has to do around a block that is run in it.
    package struct Interruption {
        /// Prepares for a block; `false` if none may be run, for what is waited for is there.
        let begin: () -> Bool
        let end: () -> Void
    }

    private static let state = Locked(State(), isProcessWide: true)

    /// Adds a block, and wakes the threads that wait and can run it.
    static func post(_ job: MainQueueJob) {
        let conditions = state.withLock { state in
            state.jobs.append(job)
            return state.conditions
        }
        for condition in conditions {
            // A thread that has the lock has not looked for blocks, or waits by the time that it is free.
            condition.lock()
            condition.unlock()
            condition.broadcast()
        }
    }

    /// Takes a block out that was begun or given up.
    static func remove(_ job: MainQueueJob) {
        state.withLock { $0.jobs.removeAll { $0 === job } }
    }

    /// Waits on a locked condition, no longer than up to `deadline`, and runs a block meanwhile if one needs this thread.
    ///
    /// Returns whether the deadline has not passed.
    static func pause(
        _ condition: NSCondition, upTo deadline: Date?, _ interruption: Interruption?
    ) -> Bool {
        guard MainQueue.isCurrent else { return sleep(condition, upTo: deadline) }
        let jobs = state.withLock { state in
            state.conditions.append(condition)
            return state.jobs
        }
        defer {
            state.withLock { state in
                let place = state.conditions.lastIndex { $0 === condition }
                if let place { state.conditions.remove(at: place) }
            }
        }
        if jobs.isEmpty { return sleep(condition, upTo: deadline) }
        condition.unlock()
        let job = jobs.first { !$0.isForbidden() }
        if let job, interruption?.begin() ?? true {
            job.run()
            interruption?.end()
        }
        condition.lock()
        if job != nil { return true }
        // What is waited for may have come while the condition was not locked.
        let soon = Date(timeIntervalSinceNow: 0.01)
        return sleep(condition, upTo: min(soon, deadline ?? soon))
            || deadline.map { $0 > .now } ?? true
    }

    private static func sleep(_ condition: NSCondition, upTo deadline: Date?) -> Bool {
        guard let deadline else {
            condition.wait()
            return true
        }
        if deadline.timeIntervalSince1970 > 0 { return condition.wait(until: deadline) }
        // Foundation ends the process where it should wait by a clock that stands before 1970.
        condition.unlock()
        usleep(1_000)
        condition.lock()
        return deadline > .now
    }
}

/// A block that the thread of the main queue has to run, and that another thread waits for.
// Unchecked because the block, which need not be sendable, is run by one thread while the one that made it waits.
final class MainQueueJob: @unchecked Sendable {
    private enum State {
        case waiting, running
        case ended(Result<Void, any Error>)
    }

    private let state = Locked(State.waiting)
    /// Whether the calling thread must not run it where it waits.
    let isForbidden: @Sendable () -> Bool
    private var body: (() throws -> Void)?

    init(unless isForbidden: @escaping @Sendable () -> Bool, _ body: @escaping () throws -> Void) {
        self.isForbidden = isForbidden
        self.body = body
    }

    /// Runs the block, unless it was begun or given up.
    func run() {
        guard take() else { return }
        let result = Result { try runBody() }
        state.change { $0 = .ended(result) }
    }

    // By itself, so that nothing refers to the block any more when its caller goes on.
    @inline(never)
    private func runBody() throws {
        guard let body = body.take() else { return }
        try body()
    }

    private func take() -> Bool {
        let isMine = state.withLock { state in
            guard case .waiting = state else { return false }
            state = .running
            return true
        }
        if isMine { MainQueueWait.remove(self) }
        return isMine
    }

    /// Waits until the block has run, and throws what it threw.
    ///
    /// If the caller's task is cancelled before, throws ``DataStoreError/Code/cancelled``, and the block does not run.
    func wait(_ carried: WorkLimit.Carried) throws {
        let result = try state.wait(polling: {
            carried.update()
            guard WorkLimit.isCancelled, take() else { return }
            body = nil
            try WorkLimit.check()
        }) { state -> Result<Void, any Error>? in
            if case .ended(let result) = state { result } else { nil }
        }
        try result.get()
    }
}
