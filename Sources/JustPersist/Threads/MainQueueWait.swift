import Foundation

/// Runs blocks for the main queue while its thread waits in a store.
///
/// The thread may wait for a block that itself waits for the main queue: for example, a queued write block that reads a
/// store whose read blocks run there. All waits of a store are waits for a ``Locked`` value, which calls this type.
package enum MainQueueWait {
    private struct State {
        /// The blocks that have not begun.
        var jobs: [MainQueueJob] = []
        /// The conditions on which threads of the main queue wait.
        var conditions: [NSCondition] = []
    }

    /// The calls of a wait before and after a block that runs during it.
    package struct Interruption {
        /// Prepares for a block; returns `false` if none may run, because the wait is over.
        let begin: () -> Bool
        let end: () -> Void
    }

    private static let state = Locked(State(), isProcessWide: true)

    /// Adds a block, and wakes the waiting threads that can run it.
    static func post(_ job: MainQueueJob) {
        let conditions = state.withLock { state in
            state.jobs.append(job)
            return state.conditions
        }
        for condition in conditions {
            // A thread that holds the lock either has not looked for blocks yet, or is waiting once the lock is free.
            condition.lock()
            condition.unlock()
            condition.broadcast()
        }
    }

    /// Removes a block that has begun or was cancelled.
    static func remove(_ job: MainQueueJob) {
        state.withLock { $0.jobs.removeAll { $0 === job } }
    }

    /// Waits on a locked condition, at most until `deadline`, and meanwhile runs a block that needs this thread, if
    /// any.
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
        // The wait may have ended while the condition was not locked.
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
        // Foundation ends the process if it has to wait while the clock is before 1970.
        condition.unlock()
        usleep(1_000)
        condition.lock()
        return deadline > .now
    }
}

/// A block that the thread of the main queue must run, and for which another thread waits.
// Unchecked because one thread runs the block, which need not be sendable, while the thread that created it waits.
final class MainQueueJob: @unchecked Sendable {
    private enum State {
        case waiting, running
        case ended(Result<Void, any Error>)
    }

    private let state = Locked(State.waiting)
    /// Whether the calling thread must not run it during its wait.
    let isForbidden: @Sendable () -> Bool
    private var body: (() throws -> Void)?

    init(unless isForbidden: @escaping @Sendable () -> Bool, _ body: @escaping () throws -> Void) {
        self.isForbidden = isForbidden
        self.body = body
    }

    /// Runs the block, unless it has begun or was cancelled.
    func run() {
        guard take() else { return }
        let result = Result { try runBody() }
        state.change { $0 = .ended(result) }
    }

    // A separate function, so nothing refers to the block any more when its caller continues.
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

    /// Waits until the block has run, and throws its error.
    ///
    /// If the caller's task is cancelled first, throws ``DataStoreError/Code/cancelled``, and the block does not run.
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
