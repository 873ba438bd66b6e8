import Dispatch
package import Foundation
import Synchronization

/// Supplies time, threads and locks, from the system or from a simulation.
///
/// A simulation binds a ``Scheduler`` to the threads that it starts. The locks and queues that are made on these threads
/// belong to it permanently. In a process without a simulation, each call costs one load of a number.
package enum Surroundings {
    /// A scheduler, for one thread: a task that is made there inherits the value, but is not part of the simulation.
    private struct Binding: Sendable {
        let scheduler: any Scheduler
        let thread = BlockThread.current
    }

    @TaskLocal private static var bound: Binding?
    /// The number of simulations that this process has begun.
    private static let simulations = Atomic(0)

    /// The scheduler of the calling thread; `nil` for the system.
    package static var scheduler: (any Scheduler)? {
        guard simulations.load(ordering: .relaxed) > 0, let bound,
            bound.thread == BlockThread.current
        else { return nil }
        return bound.scheduler
    }

    /// Runs `body` on a thread of a simulation.
    package static func simulate<Result>(
        _ scheduler: any Scheduler, _ body: () throws -> Result
    ) rethrows -> Result {
        simulations.add(1, ordering: .relaxed)
        return try $bound.withValue(Binding(scheduler: scheduler), operation: body)
    }

    /// The current time of the calling thread.
    package static var now: ContinuousClock.Instant {
        guard let scheduler else { return ContinuousClock.now }
        return scheduler.now
    }

    /// The current date of the calling thread.
    package static var date: Date {
        guard let scheduler else { return Date() }
        return scheduler.date
    }

    /// The date in some seconds, for the deadline of a wait.
    package static func date(inSeconds seconds: Double) -> Date {
        guard let scheduler else { return Date(timeIntervalSinceNow: seconds) }
        return scheduler.date + seconds
    }

    /// Lets the calling thread sleep.
    package static func sleep(seconds: Double) {
        guard let scheduler else { return Thread.sleep(forTimeInterval: seconds) }
        scheduler.sleep(seconds: seconds)
    }

    /// Runs `body` on some other thread, which it does not block for long.
    package static func async(_ body: @escaping @Sendable () -> Void) {
        guard let scheduler else { return DispatchQueue.global().async(execute: body) }
        scheduler.start("JustPersist.global", body)
    }
}

/// The services that a simulation offers instead of the system.
package protocol Scheduler: AnyObject, Sendable {
    /// The current time.
    var now: ContinuousClock.Instant { get }
    var date: Date { get }

    /// Makes the lock of a value that the simulation's threads share. All other threads use `condition`.
    func makeLock(over condition: NSCondition) -> any SimulatedLock

    /// Runs `body` on a thread of its own.
    func start(_ name: String, _ body: @escaping @Sendable () -> Void)

    /// Lets the calling thread sleep.
    func sleep(seconds: Double)
}

/// The lock of a value that the threads of a simulation share.
@usableFromInline package protocol SimulatedLock: AnyObject, Sendable {
    func lock()
    func unlock()
    /// Waits for a broadcast, at most until `deadline`, in seconds since 2001.
    ///
    /// Returns false if the deadline has passed.
    func wait(upTo deadline: Double?) -> Bool
    func broadcast()
}

/// A queue whose jobs run one after the other, in the order in which they were added.
package final class SerialQueue: Sendable {
    private enum Kind {
        case dispatch(DispatchQueue)
        case simulated(any Scheduler, Locked<Jobs>)
    }

    private struct Jobs {
        var waiting: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let label: String
    private let kind: Kind

    /// A queue with a label for debugging.
    package init(label: String) {
        self.label = label
        if let scheduler = Surroundings.scheduler {
            kind = .simulated(scheduler, Locked(Jobs()))
        } else {
            kind = .dispatch(DispatchQueue(label: label))
        }
    }

    /// The queue of the system; `nil` in a simulation.
    var dispatchQueue: DispatchQueue? {
        if case .dispatch(let queue) = kind { queue } else { nil }
    }

    /// Adds a job, and returns immediately.
    package func async(_ job: @escaping @Sendable () -> Void) {
        switch kind {
        case .dispatch(let queue): queue.async(execute: job)
        case .simulated(let scheduler, let jobs):
            let isIdle = jobs.withLock { jobs in
                jobs.waiting.append(job)
                defer { jobs.isRunning = true }
                return !jobs.isRunning
            }
            guard isIdle else { return }
            scheduler.start(label) {
                while let job = Self.next(jobs) { job() }
            }
        }
    }

    /// Adds a job after a delay.
    package func async(after delay: Duration, _ job: @escaping @Sendable () -> Void) {
        if delay <= .zero { return async(job) }
        switch kind {
        case .dispatch(let queue): queue.asyncAfter(deadline: .now() + delay.seconds, execute: job)
        case .simulated(let scheduler, _):
            scheduler.start("\(label).timer") { [weak self] in
                scheduler.sleep(seconds: delay.seconds)
                self?.async(job)
            }
        }
    }

    private static func next(_ jobs: Locked<Jobs>) -> (@Sendable () -> Void)? {
        jobs.withLock { jobs in
            jobs.isRunning = !jobs.waiting.isEmpty
            return jobs.isRunning ? jobs.waiting.removeFirst() : nil
        }
    }
}

extension Duration {
    /// The duration in seconds, as the system's waits require it.
    package var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
