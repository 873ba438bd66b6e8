import Foundation
import JustPersist

/// As many checks in processes of their own at once as the machine has processors.
///
/// A test library starts all cases of a test that is not serialized at once, and a process that gets no
/// share of the machine looks as if it hung.
final class ProcessSlots: Sendable {
    static let shared = ProcessSlots(ProcessInfo.processInfo.activeProcessorCount)

    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>

    init(_ count: Int) { state = Locked(State(free: count)) }

    /// Runs `body` as soon as there is a slot; who came first is served first.
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
