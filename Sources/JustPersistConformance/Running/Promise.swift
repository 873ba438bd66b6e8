import JustPersist

/// A value or an error that one thread waits for and another one provides.
final class Promise<Value: Sendable>: Sendable {
    private let outcome = Locked<Result<Value, any Error>?>(nil)

    /// Sets the value or the error.
    func settle(_ result: Result<Value, any Error>) { outcome.change { $0 = result } }

    /// Whether the value or the error is set.
    var isSettled: Bool { outcome.withLock { $0 != nil } }

    /// Waits for the value and returns it, or throws the error.
    func get() throws -> Value { try outcome.wait { $0 }.get() }
}
