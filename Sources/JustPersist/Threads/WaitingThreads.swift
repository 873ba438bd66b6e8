import Foundation

/// Threads for blocks that a task waits for: such a block may wait for anything, and must not block a thread of
/// Swift's cooperative pool.
///
/// Dispatch's global queues are unsuitable: on Linux, the pool uses their threads.
package enum WaitingThreads {
    private struct State {
        /// The idle threads; the one that worked last is at the end.
        var idle: [WaitingThread] = []
        var count = 0
        /// The jobs that wait because there are too many threads.
        var jobs: [@Sendable () -> Void] = []
    }

    /// More threads would not increase the speed, and each uses memory.
    private static let mostThreads = 512
    /// How long an idle thread waits for a job, in seconds.
    private static let patience = 2.0
    private static let state = Locked(State(), isProcessWide: true)

    /// Runs `body` on a thread of its own.
    package static func run(_ body: @escaping @Sendable () -> Void) {
        if let scheduler = Surroundings.scheduler {
            return scheduler.start("JustPersist.read", body)
        }
        enum Place { case thread(WaitingThread), new, later }
        let place = state.withLock { state -> Place in
            if let thread = state.idle.popLast() { return .thread(thread) }
            if state.count == mostThreads {
                state.jobs.append(body)
                return .later
            }
            state.count += 1
            return .new
        }
        switch place {
        case .thread(let thread): thread.job.change { $0 = body }
        case .new: start(with: body)
        case .later: break
        }
    }

    /// Runs `body` on a thread of its own, and returns its result.
    static func value<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            run { continuation.resume(returning: body()) }
        }
    }

    private static func start(with body: @escaping @Sendable () -> Void) {
        let own = WaitingThread()
        own.job.change { $0 = body }
        let thread = Thread {
            while let job = next(of: own) { job() }
        }
        thread.name = "JustPersist.read"
        // A predicate may be a hundred levels deep.
        thread.stackSize = 2 << 20
        thread.start()
    }

    /// The next job of a thread; `nil` if the thread is not needed any more.
    private static func next(of thread: WaitingThread) -> (@Sendable () -> Void)? {
        // The first job of a new thread, without being idle before.
        if let job = thread.job.withLock({ $0.take() }) { return job }
        let job = state.withLock { state -> (@Sendable () -> Void)? in
            if !state.jobs.isEmpty { return state.jobs.removeFirst() }
            state.idle.append(thread)
            return nil
        }
        if let job { return job }
        let deadline = Date(timeIntervalSinceNow: patience)
        if let job = thread.job.wait(upTo: deadline, until: { $0.take() }) { return job }
        let isDone = state.withLock { state in
            guard let place = state.idle.firstIndex(where: { $0 === thread }) else { return false }
            state.idle.remove(at: place)
            state.count -= 1
            return true
        }
        // The caller that took this thread off the list is about to give it a job.
        return isDone ? nil : thread.job.wait { $0.take() }
    }
}

/// A thread, represented by its next job.
private final class WaitingThread: Sendable {
    let job = Locked<(@Sendable () -> Void)?>(nil, isProcessWide: true)
}
