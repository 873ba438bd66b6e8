import JustPersist

/// A value or an error that one thread waits for and another one brings.
final class Promise<Value: Sendable>: Sendable {
    private let outcome = Locked<Result<Value, any Error>?>(nil)

    /// Brings it; once is enough.
    func settle(_ result: Result<Value, any Error>) { outcome.change { $0 = result } }

    /// Whether it has come.
    var isSettled: Bool { outcome.withLock { $0 != nil } }

    /// Waits for it, and throws the error.
    func get() throws -> Value { try outcome.wait { $0 }.get() }
}
