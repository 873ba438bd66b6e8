/// Transfers values from the thread that makes them to the task that takes them.
///
/// It holds one batch. The thread waits until the batch is taken before it passes the next one, and is stopped when
/// the task takes no more.
final class ValueChannel<Value: Sendable>: Sendable {
    /// Stops the thread, because its values are not wanted any more.
    struct Stop: Error {}

    private struct State: Sendable {
        var batch: [Value] = []
        /// The result of the thread, once it has ended.
        var end: Result<Void, any Error>?
        /// The reason why the thread must stop; `nil` if it need not.
        var stop: (any Error)?
        /// The task, if it waits.
        var taker: CheckedContinuation<[Value]?, any Error>?
    }

    private let state = Locked(State())
    /// Ends the search for the next value if it is not wanted any more.
    let cancellation = Cancellation()

    // MARK: The thread that makes values

    /// Passes values on once the previous ones are taken.
    ///
    /// - Throws: ``Stop`` if they are not wanted.
    func put(_ values: [Value]) throws(Stop) {
        let taker = try state.wait {
            (state) throws(Stop) -> CheckedContinuation<[Value]?, any Error>?? in
            if state.stop != nil { throw Stop() }
            if let taker = state.taker {
                state.taker = nil
                return .some(taker)
            }
            guard state.batch.isEmpty else { return nil }
            state.batch = values
            return .some(nil)
        }
        taker?.resume(returning: values)
    }

    /// Records that no more values follow; an error is thrown after the values that are not taken yet.
    func end(_ result: Result<Void, any Error>) {
        let taker = state.withLock { state in
            state.end = result
            defer { state.taker = nil }
            return state.taker
        }
        taker?.resume(with: result.map { nil })
    }

    // MARK: The task that takes the values

    /// The next values; `nil` after the last ones.
    ///
    /// - Throws: The error with which the thread ended, the error of ``stop(_:)``, or `CancellationError` if the task
    ///   is cancelled.
    func take() async throws -> [Value]? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer = state.change { state -> Result<[Value]?, any Error>? in
                    if let stop = state.stop { return .failure(stop) }
                    if !state.batch.isEmpty {
                        defer { state.batch = [] }
                        return .success(state.batch)
                    }
                    if let end = state.end { return end.map { nil } }
                    state.taker = continuation
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            stop(CancellationError())
        }
    }

    /// Ends the stream with an error for the task, unless it has ended, and drops the values that are not taken.
    func stop(_ error: any Error) {
        cancellation.request()
        let taker = state.change { state -> CheckedContinuation<[Value]?, any Error>? in
            guard state.stop == nil else { return nil }
            state.stop = error
            state.batch = []
            defer { state.taker = nil }
            return state.taker
        }
        taker?.resume(throwing: error)
    }
}
