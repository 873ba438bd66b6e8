import Foundation
import JustPersist

/// Records the findings of a running check, and its progress for the watchdog.
final class Recorder: Sendable {
    private struct State {
        var expectations = 0
        var sites: Set<String> = []
        var failures: [CheckResult.Failure] = []
        /// The number of failures at each place.
        var failureCounts: [String: Int] = [:]
        var measurements: [CheckResult.Measurement] = []
        var lastSign = ContinuousClock.now
        /// The number of processes that the check waits for.
        var waiting = 0
        var lastPlace: String?
        /// The calls of stores that have not ended, by their numbers.
        var calls: [Int: Call] = [:]
        var callCount = 0
    }

    private struct Call {
        let name: String
        /// The time since which the store has had control; `nil` while a block of the check runs in the call, and for a
        /// call that waits in a queue.
        var waitingSince: ContinuousClock.Instant?
    }

    /// The most failures whose messages are kept: at one place, and in all.
    private static let failureLimits = (ofPlace: 3, ofCheck: 20)

    private let state = Locked(State())
    /// The stores whose calls are recorded, by the stores that they wrap.
    let watched = Locked<[ObjectIdentifier: WeakWatchedStore]>([:])

    /// Records that an expectation was evaluated, by a line of code that may serve several places.
    func record(at place: String, via line: Int = 0) {
        state.withLock {
            $0.expectations += 1
            $0.sites.insert("\(place) \(line)")
            $0.lastSign = .now
            $0.lastPlace = place
        }
    }

    /// Records a failed expectation.
    func fail(_ message: String, at place: String) {
        state.withLock {
            $0.failureCounts[place, default: 0] += 1
            guard $0.failureCounts[place, default: 0] <= Self.failureLimits.ofPlace,
                $0.failures.count < Self.failureLimits.ofCheck
            else { return }
            $0.failures.append(CheckResult.Failure(message: message, place: place))
        }
    }

    func measure(_ measurement: CheckResult.Measurement) {
        state.withLock { $0.measurements.append(measurement) }
    }

    /// Records progress of the check.
    func tick() { state.withLock { $0.lastSign = .now } }

    /// Runs code that waits for another process, whose progress this process cannot observe.
    func whileWaiting<Result>(_ body: () throws -> Result) rethrows -> Result {
        state.withLock { $0.waiting += 1 }
        defer {
            state.withLock {
                $0.waiting -= 1
                $0.lastSign = .now
            }
        }
        return try body()
    }

    /// Records that a block is added to a store's queue, and returns the number of the call.
    func beginQueued(_ call: String) -> Int { begin(Call(name: call)) }

    private func begin(_ call: Call) -> Int {
        state.withLock { state in
            state.lastSign = .now
            state.callCount += 1
            state.calls[state.callCount] = call
            return state.callCount
        }
    }

    /// Records that a call of a store has ended.
    func end(_ call: Int) {
        state.withLock { state in
            state.lastSign = .now
            state.calls[call] = nil
        }
    }

    /// Records a call of a store while `body` runs.
    ///
    /// `body` receives the number of the call.
    func during<Result>(_ call: String, _ body: (Int) throws -> Result) rethrows -> Result {
        let number = begin(Call(name: call, waitingSince: .now))
        defer { end(number) }
        return try body(number)
    }

    /// Records a block of the check while it runs inside a call of a store.
    func during<Result>(
        _ block: String, in call: Int, _ body: () throws -> Result
    ) rethrows -> Result {
        let number = begin(Call(name: block))
        state.withLock { $0.calls[call]?.waitingSince = nil }
        defer {
            state.withLock { $0.calls[call]?.waitingSince = .now }
            end(number)
        }
        return try body()
    }

    /// A sentence that lists the calls of stores that have not ended, the earliest first.
    var openCalls: String {
        let names = state.withLock { $0.calls.sorted { $0.key < $1.key }.map(\.value.name) }
        return names.isEmpty
            ? "No call of a store is open." : "Not ended: \(names.joined(separator: ", "))."
    }

    /// The state that the watchdog reads.
    struct Pulse {
        let lastSign: ContinuousClock.Instant
        /// The time since the last progress.
        let stillness: Duration
        /// The longest time for which the store has had control in a call that has not ended.
        let longestCall: Duration
    }

    var pulse: Pulse {
        state.withLock { state in
            let now = ContinuousClock.now
            if state.waiting > 0 {
                return Pulse(lastSign: state.lastSign, stillness: .zero, longestCall: .zero)
            }
            let oldest = state.calls.values.compactMap(\.waitingSince).min() ?? now
            return Pulse(
                lastSign: state.lastSign, stillness: now - state.lastSign,
                longestCall: now - oldest)
        }
    }

    /// The place of the last expectation.
    var lastPlace: String? { state.withLock { $0.lastPlace } }

    /// Copies the findings into a result.
    func fill(_ result: inout CheckResult) {
        state.withLock { state in
            result.expectations = state.expectations
            result.sites = state.sites.count
            result.failures = state.failures
            for (place, count) in state.failureCounts.sorted(by: { $0.key < $1.key }) {
                let left = count - state.failures.count { $0.place == place }
                if left == 0 { continue }
                result.failures.append(
                    CheckResult.Failure(message: "… and \(left) more", place: place))
            }
            result.measurements = state.measurements
        }
    }
}
