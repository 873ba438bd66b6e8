/// Values on their way from a thread that makes them to a task that takes them.
///
/// It holds one batch. The thread waits until that is taken before it hands over the next one, and is told to stop when the
/// task takes no more.
final class ValueChannel<Value: Sendable>: Sendable {
    /// Tells the thread to stop: nobody takes its values any more.
    struct Stop: Error {}

    private struct State: Sendable {
        var batch: [Value] = []
        /// How the thread has ended.
        var end: Result<Void, any Error>?
        /// Why the thread has to stop: `nil` as long as it need not.
        var stop: (any Error)?
        /// The task, if it waits.
        var taker: CheckedContinuation<[Value]?, any Error>?
    }

    private let state = Locked(State())
    /// Ends the search for the next value when nobody takes it.
    let cancellation = Cancellation()

    // MARK: The thread that makes values

    /// Hands values over once the ones before are taken.
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

    /// Notes that no more values come; an error follows those that are not taken yet.
    func end(_ result: Result<Void, any Error>) {
        let taker = state.withLock { state in
            state.end = result
            defer { state.taker = nil }
            return state.taker
        }
        taker?.resume(with: result.map { nil })
    }

    // MARK: The task that takes them

    /// The next values; `nil` behind the last ones.
    ///
    /// - Throws: What the thread ended with, the error of ``stop(_:)``, or `CancellationError` if the task is cancelled.
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

    /// Ends the stream with an error for the task, unless it has ended, and drops what is not taken.
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
