import Foundation
import JustPersist

/// Limits the number of checks that run in child processes at the same time to the number of processors.
///
/// A test library starts all cases of a test concurrently unless the test is serialized, and a process that gets no
/// processor time would seem to hang.
final class ProcessSlots: Sendable {
    static let shared = ProcessSlots(ProcessInfo.processInfo.activeProcessorCount)

    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>

    init(_ count: Int) { state = Locked(State(free: count)) }

    /// Runs `body` as soon as a slot is free.
    ///
    /// Slots are assigned in the order of the calls.
    func withSlot<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
        defer { release() }
        return try await body()
    }

    private func release() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
