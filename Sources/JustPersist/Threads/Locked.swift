package import Foundation

/// A value that one thread at a time uses, and whose changes other threads can wait for.
///
/// `Synchronization.Mutex` would suffice for the first part, but the thread sanitizer does not know its locks on Linux
/// and reports races where there are none.
// Sendable because every use of the value holds the lock.
package final class Locked<Value>: @unchecked Sendable {
    @usableFromInline let condition = NSCondition()
    /// The lock that the threads of a simulation use instead.
    @usableFromInline let simulated: (any SimulatedLock)?
    // Not checked at run time: the lock already excludes overlapping access.
    @usableFromInline @safe @exclusivity(unchecked) var value: Value

    /// A lock around a value that has no other user.
    ///
    /// - Parameter isProcessWide: Pass true for a global variable; it then belongs to no simulation.
    package init(_ value: consuming sending Value, isProcessWide: Bool = false) {
        self.value = value
        simulated = isProcessWide ? nil : Surroundings.scheduler?.makeLock(over: condition)
    }

    @inlinable @inline(__always) func lock() {
        if let simulated { simulated.lock() } else { condition.lock() }
    }

    @inlinable @inline(__always) func unlock() {
        if let simulated { simulated.unlock() } else { condition.unlock() }
    }

    private func broadcast() {
        if let simulated { simulated.broadcast() } else { condition.broadcast() }
    }

    private func pause(upTo deadline: Date?, _ interruption: MainQueueWait.Interruption?) -> Bool {
        if let simulated { return simulated.wait(upTo: deadline?.timeIntervalSinceReferenceDate) }
        return MainQueueWait.pause(condition, upTo: deadline, interruption)
    }

    /// Runs `body` with exclusive use of the value.
    ///
    /// `body` must not use this lock again.
    @inlinable @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body(&value)
    }

    /// Changes the value, and wakes the threads in ``wait(until:)``.
    package func change<Result>(_ body: (inout Value) -> Result) -> Result {
        // Signalled after unlocking, because a woken thread would otherwise have to wait for the lock.
        defer { broadcast() }
        return withLock(body)
    }

    /// Wakes the waiting threads, after ``withLock(_:)`` has made a change that concerns them.
    package func signal() {
        withLock { _ in }
        broadcast()
    }

    /// Calls `body` until it returns a result, again after each ``change(_:)``.
    ///
    /// The thread of the main queue runs pending blocks during the wait, and interrupts the wait around each.
    package func wait<Result, Failure: Error>(
        _ interruption: MainQueueWait.Interruption? = nil,
        until body: (inout Value) throws(Failure) -> Result?
    ) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        while true {
            if let result = try body(&value) { return result }
            _ = pause(upTo: nil, interruption)
        }
    }

    /// Waits for a result until `deadline`; `nil` if there was none by then.
    package func wait<Result, Failure: Error>(
        upTo deadline: Date, _ interruption: MainQueueWait.Interruption? = nil,
        until body: (inout Value) throws(Failure) -> Result?
    ) throws(Failure) -> Result? {
        lock()
        defer { unlock() }
        while true {
            if let result = try body(&value) { return result }
            guard pause(upTo: deadline, interruption) else {
                return try body(&value)
            }
        }
    }

    /// Waits for a result without a deadline.
    ///
    /// If a task may be cancelled, `poll` is called from time to time, and may throw.
    package func wait<Result>(
        _ interruption: MainQueueWait.Interruption? = nil, polling poll: () throws -> Void,
        until body: (inout Value) -> Result?
    ) throws -> Result {
        guard WorkLimit.isCancellable else { return wait(interruption, until: body) }
        while true {
            let soon = Surroundings.date(inSeconds: 0.01)
            if let result = wait(upTo: soon, interruption, until: body) { return result }
            try poll()
        }
    }
}
