import Foundation

/// A value behind a lock that the thread sanitizer knows, as it does not know `Mutex` on Linux.
// Sendable because every use of the value holds the lock.
final class Guarded<Value>: @unchecked Sendable {
    private let condition = NSCondition()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func with<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        return try body(&value)
    }

    /// Waits until the value is as wanted.
    func wait(until isSo: (Value) -> Bool) {
        condition.lock()
        defer { condition.unlock() }
        while !isSo(value) { condition.wait() }
    }
}
