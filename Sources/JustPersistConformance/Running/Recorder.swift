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
    }

    /// The most failures that are kept word for word.
    private static let failureLimit = 20

    private let state = Locked(State())

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

    /// How long there was no sign of life.
    var stillness: Duration {
        state.withLock { $0.waiting > 0 ? .zero : .now - $0.lastSign }
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
