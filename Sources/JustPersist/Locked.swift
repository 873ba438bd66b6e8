package import Foundation

/// A value that one thread at a time uses, and whose changes others can wait for.
///
/// `Synchronization.Mutex` would do for the first, if the thread sanitizer knew its locks on Linux; it reports
/// races where there are none.
// Sendable because every use of the value holds the lock.
package final class Locked<Value>: @unchecked Sendable {
    @usableFromInline let condition = NSCondition()
    // Not checked at run time: the lock already excludes overlapping access.
    @usableFromInline @safe @exclusivity(unchecked) var value: Value

    /// A lock around a value that nobody else uses.
    package init(_ value: consuming sending Value) { self.value = value }

    /// Runs `body` with the value, while no other thread does.
    ///
    /// `body` must not come back to this lock.
    @inlinable @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        condition.lock()
        defer { condition.unlock() }
        return try body(&value)
    }

    /// The same for a change that others wait for in ``wait(until:)``.
    package func change<Result>(_ body: (inout Value) -> Result) -> Result {
        // Woken behind the unlocking: whoever is woken would have to wait for it otherwise.
        defer { condition.broadcast() }
        return withLock(body)
    }

    /// Wakes those who wait for a change, where ``withLock(_:)`` has made one that concerns them.
    package func signal() {
        withLock { _ in }
        condition.broadcast()
    }

    /// Tries `body` until it gives a result, again after each ``change(_:)``.
    ///
    /// The thread of the main queue runs blocks that need it meanwhile, with an interruption of the wait around each.
    package func wait<Result, Failure: Error>(
        _ interruption: MainQueueWait.Interruption? = nil,
        until body: (inout Value) throws(Failure) -> Result?
    ) throws(Failure) -> Result {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let result = try body(&value) { return result }
            _ = MainQueueWait.pause(condition, upTo: nil, interruption)
        }
    }

    /// The same, but no longer than up to `deadline`; `nil` if there was no result by then.
    package func wait<Result, Failure: Error>(
        upTo deadline: Date, _ interruption: MainQueueWait.Interruption? = nil,
        until body: (inout Value) throws(Failure) -> Result?
    ) throws(Failure) -> Result? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let result = try body(&value) { return result }
            guard MainQueueWait.pause(condition, upTo: deadline, interruption) else {
                return try body(&value)
            }
        }
    }

    /// The same for as long as it takes; where a task may be cancelled, `poll` is called now and then, and may throw.
    package func wait<Result>(
        _ interruption: MainQueueWait.Interruption? = nil, polling poll: () throws -> Void,
        until body: (inout Value) -> Result?
    ) throws -> Result {
        guard WorkLimit.isCancellable else { return wait(interruption, until: body) }
        while true {
            let soon = Date(timeIntervalSinceNow: 0.01)
            if let result = wait(upTo: soon, interruption, until: body) { return result }
            try poll()
        }
    }
}
