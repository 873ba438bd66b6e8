import Foundation
import JustPersist

/// What a running check has found so far, and whether it still shows signs of life.
final class Recorder: Sendable {
    private struct State {
        var expectations = 0
        var sites: Set<String> = []
        var failures: [CheckResult.Failure] = []
        var failureCount = 0
        var measurements: [CheckResult.Measurement] = []
        var lastSign = ContinuousClock.now
        /// How many processes the check waits for.
        var waiting = 0
        var lastPlace: String?
        /// The calls of stores that have not ended, by their numbers.
        var calls: [Int: String] = [:]
        var callCount = 0
    }

    /// The most failures that are kept word for word.
    private static let failureLimit = 20

    private let state = Locked(State())
    /// The stores whose calls are noted, by the stores below them.
    let watched = Locked<[ObjectIdentifier: WeakWatchedStore]>([:])

    /// Notes that an expectation was looked at, by the code of a line that may serve several places.
    func record(at place: String, via line: Int = 0) {
        state.withLock {
            $0.expectations += 1
            $0.sites.insert("\(place) \(line)")
            $0.lastSign = .now
            $0.lastPlace = place
        }
    }

    /// Notes that an expectation did not hold.
    func fail(_ message: String, at place: String) {
        state.withLock {
            $0.failureCount += 1
            guard $0.failureCount <= Self.failureLimit else { return }
            $0.failures.append(CheckResult.Failure(message: message, place: place))
        }
    }

    func measure(_ measurement: CheckResult.Measurement) {
        state.withLock { $0.measurements.append(measurement) }
    }

    /// Notes that the check is alive.
    func tick() { state.withLock { $0.lastSign = .now } }

    /// Runs what waits for another process, whose own signs of life do not come through.
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

    /// Notes that a call of a store begins, and gives its number.
    func begin(_ call: String) -> Int {
        state.withLock { state in
            state.lastSign = .now
            state.callCount += 1
            state.calls[state.callCount] = call
            return state.callCount
        }
    }

    /// Notes that a call of a store has ended.
    func end(_ call: Int) {
        state.withLock { state in
            state.lastSign = .now
            state.calls[call] = nil
        }
    }

    /// Notes a call of a store while it lasts.
    func during<Result>(_ call: String, _ body: () throws -> Result) rethrows -> Result {
        let number = begin(call)
        defer { end(number) }
        return try body()
    }

    /// The calls of stores that have not ended, the first one first, as a sentence.
    var openCalls: String {
        let names = state.withLock { $0.calls.sorted { $0.key < $1.key }.map(\.value) }
        return names.isEmpty
            ? "No call of a store is open." : "Not ended: \(names.joined(separator: ", "))."
    }

    /// The last sign of life, and how long ago it was.
    var lastSign: (ContinuousClock.Instant, stillness: Duration) {
        state.withLock { ($0.lastSign, $0.waiting > 0 ? .zero : .now - $0.lastSign) }
    }

    /// Where the last expectation was looked at.
    var lastPlace: String? { state.withLock { $0.lastPlace } }

    /// Puts what was found into a result.
    func fill(_ result: inout CheckResult) {
        state.withLock { state in
            result.expectations = state.expectations
            result.sites = state.sites.count
            result.failures = state.failures
            if state.failureCount > Self.failureLimit {
                result.failures.append(
                    CheckResult.Failure(
                        message: "… and \(state.failureCount - Self.failureLimit) more",
                        place: state.failures.last?.place ?? ""))
            }
            result.measurements = state.measurements
        }
    }
}
