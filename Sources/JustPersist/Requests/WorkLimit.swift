import Synchronization

/// Ends long work when its task is cancelled or the deadline of its request has passed.
///
/// A store's loops call ``check()`` at intervals: for example at every 256th record, or after every thousand steps.
/// The limits belong to the thread and need not be passed on: the `async` calls of a store set the cancellation of
/// their task for the thread on which their block runs, and ``DataStoreRequest/withinDeadline(_:_:)`` sets a deadline.
public final class WorkLimit: Sendable {
    /// Task-local values work on a thread without a task, too.
    @TaskLocal private static var current: WorkLimit?

    private let cancellation: Cancellation?
    private let deadline: Deadline?
    /// The deadline of a costly request that sets none: only the work of the store counts.
    private let allowance: Deadline?
    /// How long the work was paused, in nanoseconds.
    private let paused = Atomic<Int64>(0)
    /// The thread that the limit applies to: a task that the work starts inherits the value, but is not part of the
    /// work.
    private let thread = BlockThread.current
    private let isOver = Atomic(false)

    fileprivate struct Deadline {
        var instant: ContinuousClock.Instant
        let duration: Duration

        /// The earlier of two deadlines.
        func orEarlier(_ other: Deadline?) -> Deadline {
            if let other, other.instant < instant { other } else { self }
        }
    }

    private init(
        _ cancellation: Cancellation?, _ deadline: Deadline? = nil, _ allowance: Deadline? = nil
    ) {
        self.cancellation = cancellation
        self.deadline = deadline
        self.allowance = allowance
    }

    /// Throws if the work of this thread must end.
    ///
    /// It checks the caller's task if there is one, or else the task that waits for the block; and the clock, if the
    /// request has a deadline.
    ///
    /// - Throws: ``DataStoreError/Code/cancelled`` or ``DataStoreError/Code/deadlineExceeded``.
    public static func check() throws(DataStoreError) {
        let limit = limitOfThread
        if isCancelled(limit) {
            throw DataStoreError(
                .cancelled, in: "request", "The task was cancelled while a store worked for it.")
        }
        guard let deadline = limit?.passedDeadline else { return }
        throw DataStoreError(
            .deadlineExceeded, in: "request",
            """
            The request was given up after \(deadline.duration), its deadline. Set a later deadline, filter the items by \
            an indexed attribute first, or write the predicate without SUBQUERYs inside one another and without costly \
            regular expressions.
            """)
    }

    /// Whether the task that this thread works for was cancelled.
    package static var isCancelled: Bool { isCancelled(limitOfThread) }

    private static func isCancelled(_ limit: WorkLimit?) -> Bool {
        limit?.cancellation?.isRequested ?? Task.isCancelled
    }

    private var passedDeadline: Deadline? {
        if deadline == nil, allowance == nil { return nil }
        return [deadline, extendedAllowance].lazy.compactMap(\.self).first {
            $0.instant <= Surroundings.now
        }
    }

    private var extendedAllowance: Deadline? {
        guard var allowance else { return nil }
        allowance.instant += .nanoseconds(paused.load(ordering: .relaxed))
        return allowance
    }

    private static var limitOfThread: WorkLimit? {
        guard let limit = current, limit.thread == BlockThread.current,
            !limit.isOver.load(ordering: .relaxed)
        else { return nil }
        return limit
    }

    // MARK: Setting limits

    /// Runs `body`, whose work ends when the cancellation is requested, independently of the task of this thread.
    package static func withCancellation<Value>(
        _ cancellation: Cancellation, _ body: () throws -> Value
    ) rethrows -> Value {
        try run(WorkLimit(cancellation), body)
    }

    /// Runs `body`, whose work ends after some time.
    ///
    /// - Parameter countsPauses: Whether the time of ``pausing(_:)`` counts.
    package static func within<Value, Failure: Error>(
        _ duration: Duration, countsPauses: Bool, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let outer = limitOfThread
        let new = Deadline(instant: Surroundings.now + duration, duration: duration)
        let limit =
            countsPauses
            ? WorkLimit(outer?.cancellation, new.orEarlier(outer?.deadline))
            : WorkLimit(
                outer?.cancellation, outer?.deadline, new.orEarlier(outer?.extendedAllowance))
        return try run(limit) { Result { () throws(Failure) in try body() } }.get()
    }

    /// Runs what the caller of a request does with an item, while the store does not work for the request.
    ///
    /// Its time does not count if the request has only the deadline of costly predicates. Use it where a request
    /// calls a closure of the program, as in ``DataStoreReadAccessor/forEach(_:_:)``.
    public static func pausing<Value>(_ body: () throws -> Value) rethrows -> Value {
        guard let limit = limitOfThread, limit.allowance != nil else { return try body() }
        let start = Surroundings.now
        defer {
            let pause = start.duration(to: Surroundings.now) / .nanoseconds(1)
            limit.paused.add(Int64(pause), ordering: .relaxed)
        }
        return try run(WorkLimit(limit.cancellation, limit.deadline), body)
    }

    /// Whether ``pausing(_:)`` has an effect on this thread.
    package static var canPause: Bool { limitOfThread?.allowance != nil }

    private static func run<Value>(
        _ limit: WorkLimit, _ body: () throws -> Value
    ) rethrows -> Value {
        defer { limit.isOver.store(true, ordering: .relaxed) }
        return try $current.withValue(limit, operation: body)
    }

    // MARK: Work on another thread

    /// The limits of this thread, for work that another thread does on its behalf.
    struct Carried: Sendable {
        fileprivate let cancellation: Cancellation
        fileprivate let deadline: Deadline?
        fileprivate let allowance: Deadline?

        /// Runs the work on the other thread.
        func run<Value>(_ body: () throws -> Value) rethrows -> Value {
            try WorkLimit.run(WorkLimit(cancellation, deadline, allowance), body)
        }

        /// Forwards a cancellation of the task, which the other thread cannot see.
        func update() {
            if WorkLimit.isCancelled { cancellation.request() }
        }
    }

    static var carried: Carried {
        let limit = limitOfThread
        return Carried(
            cancellation: limit?.cancellation ?? Cancellation(), deadline: limit?.deadline,
            allowance: limit?.extendedAllowance)
    }

    /// Whether this thread works for a task that may be cancelled.
    static var isCancellable: Bool {
        if limitOfThread?.cancellation != nil { return true }
        // Unsafe because of the task, which is only compared with nil.
        return unsafe withUnsafeCurrentTask { unsafe $0 != nil }
    }

    /// Runs `body`, and converts a cancellation into Swift's own error, because it leaves the store here.
    package static func throwingCancellation<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw leavingStore(error) }
    }

    /// Swift's own error in place of the store's for a cancellation; all other errors unchanged.
    @usableFromInline
    package static func leavingStore(_ error: any Error) -> any Error {
        (error as? DataStoreError)?.code == .cancelled ? CancellationError() : error
    }
}

/// Whether work must end; any thread may request it.
package final class Cancellation: Sendable {
    private let flag = Atomic(false)

    /// A cancellation that is not requested yet.
    package init() {}

    /// Whether it was requested.
    package var isRequested: Bool { flag.load(ordering: .relaxed) }

    /// Ends the work.
    package func request() { flag.store(true, ordering: .relaxed) }
}

/// Checks the limits of the work at every 256th step of a loop.
package struct WorkSteps {
    @usableFromInline package var steps = 0

    /// No steps yet.
    package init() {}

    /// Counts a step.
    @inlinable @inline(__always)
    package mutating func count() throws(DataStoreError) {
        steps &+= 1
        if steps & 255 == 0 { try WorkLimit.check() }
    }
}
