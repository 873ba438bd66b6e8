/// The calls that suspend. None of them blocks a thread of Swift's cooperative pool.
extension DataStore {
    /// Runs a read block on one snapshot of the store, off the calling thread, and returns its result.
    ///
    /// If the task is cancelled before the block starts, the block does not run, and this throws
    /// `CancellationError`.
    ///
    /// The block runs on another thread, so that it may wait without holding the task's. For a short read that costs more
    /// than the read itself: `readSync` runs it on the calling thread.
    public func read<Value: Sendable>(
        _ block: @escaping @Sendable (borrowing DataStoreReader) throws -> Value
    ) async throws -> Value {
        try await runUnlessCancelled { start, finish in
            WaitingThreads.run {
                finish(
                    Result {
                        try start()
                        var value: Value?
                        try self.performRead { accessor in
                            value = try PropertyFailures.failingBlock { try block(accessor) }
                        }
                        return try result(value, of: "read")
                    })
            }
        }
    }

    /// Queues a write block, and returns its result once its changes are visible and durable.
    ///
    /// Queued blocks run in the order of the calls. This throws the error that the block throws, or else the
    /// first failure of a property, as `write` without `await` does; in both cases the block is rolled back. If the task is
    /// cancelled before the block starts, the block does not run, and this throws `CancellationError`. A block that has
    /// started always runs to its end.
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
        try Task.checkCancellation()
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
