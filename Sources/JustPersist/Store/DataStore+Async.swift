/// The calls that suspend. None of them blocks a thread of Swift's cooperative pool.
extension DataStore {
    /// Runs a read block on one snapshot of the store, off the calling thread, and returns its result.
    ///
    /// If the task is cancelled before the block starts, the block does not run. If it is cancelled later, the block's
    /// requests end with ``DataStoreError/Code/cancelled``. In both cases this throws `CancellationError`. Code of the
    /// block that makes no requests is not interrupted.
    ///
    /// The block runs on another thread, so it may wait without blocking the task's thread. For a short read, changing
    /// the thread costs more than the read itself: `readSync` runs the block on the calling thread.
    public func read<Value: Sendable>(
        _ block: @escaping @Sendable (borrowing DataStoreReader) throws -> Value
    ) async throws -> Value {
        try await cancellable { work in
            WaitingThreads.run {
                work.end(
                    Result {
                        var value: Value?
                        try work.run {
                            try self.performRead { accessor in
                                value = try PropertyFailures.failingBlock { try block(accessor) }
                            }
                        }
                        return try result(value, of: "read")
                    })
            }
        }
    }

    /// Queues a write block, and returns its result once its changes are visible and durable.
    ///
    /// Queued blocks run in the order of the calls. This throws the error that the block throws, or else
    /// the first failure of a property, as `write` without `await` does; in both cases the block is rolled back.
    ///
    /// If the task is cancelled before the block starts, this throws `CancellationError` immediately, and the block
    /// never runs. If it is cancelled later, the block's requests end with ``DataStoreError/Code/cancelled``, the
    /// block is rolled back at its end, and this throws `CancellationError`. A block that makes no further request is
    /// committed.
    @discardableResult
    public func write<Value: Sendable>(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Value
    ) async throws -> Value {
        try await cancellable { work in
            writeAsync(
                { accessor in try work.run { try block(accessor) } },
                completion: { work.end($0) })
        }
    }

    private func cancellable<Value: Sendable>(
        _ begin: (TaskWork<Value>) -> Void
    ) async throws -> Value {
        try Task.checkCancellation()
        let work = TaskWork<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if work.isAwaited(by: continuation) { begin(work) }
            }
        } onCancel: {
            work.cancel()
        }
    }
}

/// The state of a block that a task waits for.
///
/// The block may run on any thread.
private final class TaskWork<Value: Sendable>: Sendable {
    private struct State {
        var isRunning = false
        var isCancelled = false
        var continuation: CheckedContinuation<Value, any Error>?
    }

    private let state = Locked(State())
    private let cancellation = Cancellation()

    /// Records the waiting task.
    ///
    /// Returns false if the task was cancelled meanwhile, so that the block must not begin.
    func isAwaited(by continuation: CheckedContinuation<Value, any Error>) -> Bool {
        let begins = state.withLock { state in
            if !state.isCancelled { state.continuation = continuation }
            return !state.isCancelled
        }
        if !begins { continuation.resume(throwing: CancellationError()) }
        return begins
    }

    /// Cancels the block if it is running.
    ///
    /// If it has not begun, drops it and resumes the task immediately.
    func cancel() {
        cancellation.request()
        let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            state.isCancelled = true
            return state.isRunning ? nil : state.continuation.take()
        }
        continuation?.resume(throwing: CancellationError())
    }

    /// Runs the block, unless the task was cancelled before.
    func run<Result>(_ block: () throws -> Result) throws -> Result {
        try state.withLock { state in
            if state.isCancelled { throw CancellationError() }
            state.isRunning = true
        }
        return try WorkLimit.withCancellation(cancellation, block)
    }

    /// Resumes the task, if it still waits.
    func end(_ result: Swift.Result<Value, any Error>) {
        state.withLock { $0.continuation.take() }?
            .resume(with: result.mapError(WorkLimit.leavingStore))
    }
}
