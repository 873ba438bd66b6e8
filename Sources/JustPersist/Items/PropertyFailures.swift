import Foundation
import Synchronization

/// The failures of properties: values that could not be read, and changes that were refused.
///
/// A property cannot throw. The innermost block or call of its thread that can throw does so instead. Failures are
/// rare, so a block only compares their number at its start and at its end.
@usableFromInline
package enum PropertyFailures {
    /// The number of failures in this process.
    private static let count = Atomic(0)
    /// Whether the innermost call throws them without a report.
    @TaskLocal private static var areOnlyThrown = false

    /// The failures of one thread that no call has thrown, in their order.
    private final class Noted {
        // Failures outside of blocks are never thrown, so their number is limited.
        static let limit = 1024
        var failures: [(number: Int, error: DataStoreError)] = []
    }

    private static let key = "JustPersist.propertyFailures"

    /// Runs a block of a throwing form, and throws its error, or else its first failure, which has been reported.
    @inlinable @inline(__always)
    static func failingBlock<Value>(_ block: () throws -> Value) throws -> Value {
        let mark = mark
        let value: Value
        do {
            value = try block()
        } catch {
            _ = take(since: mark)
            throw error
        }
        if let error = take(since: mark) { throw error }
        return value
    }

    /// Runs a part of a throwing call, and throws its error, or else its first failure, which is not reported.
    @usableFromInline
    package static func failingCall<Value>(
        _ body: () throws(DataStoreError) -> Value
    ) throws(DataStoreError) -> Value {
        let mark = mark
        let result = $areOnlyThrown.withValue(true) {
            Result { () throws(DataStoreError) in try body() }
        }
        let failure = take(since: mark)
        let value = try result.get()
        if let failure { throw failure }
        return value
    }

    /// Runs a block in which failures are only reported.
    static func reporting<Value>(_ block: () -> Value) -> Value {
        let mark = mark
        defer { _ = take(since: mark) }
        return $areOnlyThrown.withValue(false) { block() }
    }

    /// Records a failure, and returns whether the caller must report it.
    fileprivate static func note(_ error: DataStoreError) -> Bool {
        let isReported = !areOnlyThrown
        var error = error
        error.isReported = isReported
        add(error)
        return isReported
    }

    private static func add(_ error: DataStoreError) {
        let dictionary = Thread.current.threadDictionary
        let noted = dictionary[key] as? Noted ?? Noted()
        dictionary[key] = noted
        // The oldest ones happened outside of blocks, or in a block that has hundreds of others to throw.
        if noted.failures.count == Noted.limit { noted.failures.removeFirst(Noted.limit / 2) }
        noted.failures.append((count.add(1, ordering: .relaxed).newValue, error))
    }

    /// Runs `body`, and moves its failures that were not thrown to `failures`, for another thread to ``receive(_:)``.
    static func handingOver(
        to failures: Locked<[DataStoreError]>, _ body: () throws -> Void
    ) rethrows {
        let mark = mark
        defer {
            let left = takeAll(since: mark)
            if !left.isEmpty { failures.withLock { $0 = left } }
        }
        try body()
    }

    /// Records the failures of another thread: they fail the enclosing block or call on this thread.
    static func receive(_ failures: Locked<[DataStoreError]>) {
        for error in failures.withLock({ $0 }) { add(error) }
    }

    /// The number of the last failure.
    @usableFromInline
    static var mark: Int { count.load(ordering: .relaxed) }

    /// Removes the failures of this thread since `mark`, and returns the first.
    @usableFromInline
    static func take(since mark: Int) -> DataStoreError? {
        mark == self.mark ? nil : takeAll(since: mark).first
    }

    private static func takeAll(since mark: Int) -> [DataStoreError] {
        guard mark != self.mark, let noted = Thread.current.threadDictionary[key] as? Noted,
            let place = noted.failures.firstIndex(where: { $0.number > mark })
        else { return [] }
        defer { noted.failures.removeSubrange(place...) }
        return noted.failures[place...].map(\.error)
    }
}

extension ItemBacking {
    /// Reports that a property could not be read or changed, and fails the enclosing block or call if that can throw.
    @usableFromInline
    func fail(_ error: DataStoreError) {
        if PropertyFailures.note(error) { report(error) }
    }
}
