/// The stored values that could not be read while the values of items were copied.
///
/// A property cannot throw. What copies values for a call that can throws in its stead.
@usableFromInline
final class UnreadableValues: Sendable {
    /// Those of the innermost copying on this thread; `nil` where failures are reported.
    @TaskLocal private static var current: UnreadableValues?

    private let first = Locked<DataStoreError?>(nil)

    private init() {}

    /// Runs a block, and throws what it throws, or else the first failure that was noted in it.
    @usableFromInline
    static func throwing<Value>(
        _ block: () throws(DataStoreError) -> Value
    ) throws(DataStoreError) -> Value {
        let noted = UnreadableValues()
        let result = $current.withValue(noted) {
            Result { () throws(DataStoreError) in try block() }
        }
        let value = try result.get()
        if let error = noted.first.withLock({ $0 }) { throw error }
        return value
    }

    /// Notes a failure, and tells whether somebody will throw it.
    static func note(_ error: DataStoreError) -> Bool {
        guard let current else { return false }
        current.first.withLock { $0 = $0 ?? error }
        return true
    }
}
