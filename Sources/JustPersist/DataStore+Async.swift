import Dispatch

/// The calls that suspend. None of them blocks a thread of Swift's cooperative pool.
extension DataStore {
    /// Runs a block on one snapshot of the store, off the calling thread, and returns what it returns.
    ///
    /// A task that was cancelled before the block began gets `CancellationError`, and the block does not
    /// run.
    public func read<Value: Sendable>(
        _ block: @escaping @Sendable (borrowing DataStoreReader) throws -> Value
    ) async throws -> Value {
        try await runUnlessCancelled { start, finish in
            DispatchQueue.global().async {
                finish(
                    Result {
                        try start()
                        var value: Value?
                        try self.performRead { accessor in value = try block(accessor) }
                        return try result(value, of: "read")
                    })
            }
        }
    }

    /// Queues a block that may change the store behind the others, and returns what it returned once its
    /// changes are visible and durable.
    ///
    /// Throws what the block throws, or the first change of a property that was refused in it, and then
    /// nothing has changed. A task that was cancelled before the
    /// block began gets `CancellationError`, and the block does not run; one that has begun is finished.
    @discardableResult
    public func write<Value: Sendable>(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Value
    ) async throws -> Value {
        try await runUnlessCancelled { start, finish in
            writeAsync(
                { accessor in
                    try start()
                    return try block(accessor)
                }, completion: finish)
        }
    }

    private func runUnlessCancelled<Value: Sendable>(
        _ run: (
            _ start: @escaping @Sendable () throws -> Void,
            _ finish: @escaping @Sendable (Result<Value, any Error>) -> Void
        ) -> Void
    ) async throws -> Value {
        let cancelled = Handover<Bool>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                run(
                    { if cancelled.take() == true { throw CancellationError() } },
                    { continuation.resume(with: $0) })
            }
        } onCancel: {
            cancelled.put(true)
        }
    }
}
