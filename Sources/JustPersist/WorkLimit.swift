import Synchronization

/// Ends work that takes long: when its task is cancelled, or when the deadline of its request has passed.
///
/// A store's loops call ``check()`` now and then: at every 256th record, say, or after every thousand steps. The limits
/// belong to the thread, so nothing has to be passed on: the `async` calls of a store set the cancellation of their task
/// for the thread on which their block runs, and ``DataStoreRequest/withinDeadline(_:)`` sets a deadline.
public final class WorkLimit: Sendable {
    /// A task-local value holds for a thread without a task, too.
    @TaskLocal private static var current: WorkLimit?

    private let cancellation: Cancellation?
    private let deadline: Deadline?
    /// The thread that the limit is for: a task that the work begins inherits the value, but is not part of the work.
    private let thread = BlockThread.current
    private let isOver = Atomic(false)

    fileprivate struct Deadline {
        let instant: ContinuousClock.Instant
        let duration: Duration
    }

    private init(_ cancellation: Cancellation?, _ deadline: Deadline?) {
        self.cancellation = cancellation
        self.deadline = deadline
    }

    /// Throws if the work of this thread is to end.
    ///
    /// It looks at the task that the caller runs in, if it runs in one, or at the task that waits for the block; and, if
    /// the request has a deadline, at the clock.
    ///
    /// - Throws: ``DataStoreError/Code/cancelled`` or ``DataStoreError/Code/deadlineExceeded``.
    public static func check() throws(DataStoreError) {
        let limit = limitOfThread
        if isCancelled(limit) {
            throw DataStoreError(
                .cancelled, in: "request", "The task was cancelled while a store worked for it.")
        }
        guard let deadline = limit?.deadline, deadline.instant <= .now else { return }
        throw DataStoreError(
            .deadlineExceeded, in: "request",
            """
            The request was given up after \(deadline.duration), its deadline. Set a later deadline, filter the items by \
            an indexed attribute first, or write the predicate without SUBQUERYs inside one another and without costly \
            regular expressions.
            """)
    }

    /// Whether the task was cancelled for which this thread works.
    package static var isCancelled: Bool { isCancelled(limitOfThread) }

    private static func isCancelled(_ limit: WorkLimit?) -> Bool {
        limit?.cancellation?.isRequested ?? Task.isCancelled
    }

    private static var limitOfThread: WorkLimit? {
        guard let limit = current, limit.thread == BlockThread.current,
            !limit.isOver.load(ordering: .relaxed)
        else { return nil }
        return limit
    }

    // MARK: Setting limits

    /// Runs `body`, whose work ends when the cancellation is requested, whatever becomes of the task of this thread.
    package static func withCancellation<Value>(
        _ cancellation: Cancellation, _ body: () throws -> Value
    ) rethrows -> Value {
        try run(WorkLimit(cancellation, nil), body)
    }

    /// Runs `body`, whose work ends after some time.
    static func within<Value, Failure: Error>(
        _ duration: Duration, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let outer = limitOfThread
        var deadline = Deadline(instant: .now + duration, duration: duration)
        if let earlier = outer?.deadline, earlier.instant < deadline.instant { deadline = earlier }
        return try run(WorkLimit(outer?.cancellation, deadline)) {
            Result { () throws(Failure) in try body() }
        }.get()
    }

    private static func run<Value>(
        _ limit: WorkLimit, _ body: () throws -> Value
    ) rethrows -> Value {
        defer { limit.isOver.store(true, ordering: .relaxed) }
        return try $current.withValue(limit, operation: body)
    }

    // MARK: Work on another thread

    /// The limits of this thread, for work that another thread does for it.
    struct Carried: Sendable {
        fileprivate let cancellation: Cancellation
        fileprivate let deadline: Deadline?

        /// Runs the work on the other thread.
        func run<Value>(_ body: () throws -> Value) rethrows -> Value {
            try WorkLimit.run(WorkLimit(cancellation, deadline), body)
        }

        /// Carries a cancellation of the task on, which the other thread cannot see.
        func update() {
            if WorkLimit.isCancelled { cancellation.request() }
        }
    }

    static var carried: Carried {
        let limit = limitOfThread
        return Carried(
            cancellation: limit?.cancellation ?? Cancellation(), deadline: limit?.deadline)
    }

    /// Whether this thread works for a task, which may be cancelled.
    static var isCancellable: Bool {
        if limitOfThread?.cancellation != nil { return true }
        // Unsafe for the task that it gives, which is only compared with nil.
        return unsafe withUnsafeCurrentTask { unsafe $0 != nil }
    }

    /// Runs `body`, and makes Swift's own error of a cancellation: it leaves the store here.
    package static func throwingCancellation<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw leavingStore(error) }
    }

    /// Swift's own error of a cancellation in place of the store's; all other errors as they are.
    @usableFromInline
    package static func leavingStore(_ error: any Error) -> any Error {
        (error as? DataStoreError)?.code == .cancelled ? CancellationError() : error
    }
}

/// Whether work is to end, which any thread may request.
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
