/// The result of one check.
public struct CheckResult: Sendable, Codable, Identifiable {
    /// One expectation that did not hold.
    public struct Failure: Sendable, Codable, Hashable {
        /// The operation, its result, and the result that the contract requires.
        public let message: String
        /// The place in the kit at which the failure was detected: file and line.
        public let place: String
    }

    /// A measurement of a check.
    public struct Measurement: Sendable, Codable, Hashable {
        /// The name of the measured quantity.
        public let name: String
        /// The measured value.
        public let value: Double
        /// The unit of the value.
        public let unit: String
    }

    /// The id, with the variant: `crud/set-nil-clears@reopened`.
    public let id: String
    /// The statement that the check asserts.
    public var summary = ""
    /// The member of the store, its accessors or its items to correct if the check fails.
    public var hint = ""
    /// The clauses of the contract that the check examines.
    public var clauses: [Int] = []
    /// Whether the contract requires it of every store.
    public var isMandatory = false
    /// Whether the check belongs to a later level than the requested one, so that it does not count as a failure.
    public var isAdvisory = false
    /// The outcome of the check.
    public var outcome: CheckOutcome
    /// The reason of the outcome, if it does not result from expectations.
    public var reason: String?
    /// The failed expectations: the first three of each place, and at most twenty in all.
    public var failures: [Failure] = []
    /// The number of expectations recorded.
    public var expectations = 0
    /// The number of places in the check's code that recorded an expectation.
    ///
    /// An expectation in a helper counts for each place that calls the helper.
    public var sites = 0
    /// The measurements.
    public var measurements: [Measurement] = []
    /// The duration of the check in seconds.
    public var seconds = 0.0
    /// Whether the check did not finish: the store trapped, hung or threw an unexpected error.
    public var isBroken = false
    /// The command that runs the check again with the same options.
    public var rerun = ""

    /// The group: the part of the id before the slash.
    public var group: String { String(id.prefix { $0 != "/" }) }
}

extension CheckResult: CustomStringConvertible {
    /// The id, the outcome, the failures, and the command that runs the check again.
    public var description: String {
        var lines = ["\(id): \(outcome.rawValue)" + (reason.map { ": \($0)" } ?? "")]
        lines += failures.map { "  \($0.message) (\($0.place))" }
        if outcome == .fail {
            if !summary.isEmpty {
                let cited = clauses.map(String.init).joined(separator: ", ")
                lines.append(
                    "  demanded: \(summary)" + (cited.isEmpty ? "" : " [contract \(cited)]"))
            }
            if !hint.isEmpty { lines.append("  implemented by: \(hint)") }
            lines.append("  run it again: \(rerun)")
        }
        return lines.joined(separator: "\n")
    }
}

/// A check that failed.
public struct CheckFailure: Error, CustomStringConvertible {
    /// The outcome of the check.
    public let result: CheckResult

    /// The failed expectations, and the command that runs the check again.
    public var description: String { result.description }
}
