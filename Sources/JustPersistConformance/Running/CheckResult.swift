/// The result of one check.
public struct CheckResult: Sendable, Codable, Identifiable {
    /// One expectation that did not hold.
    public struct Failure: Sendable, Codable, Hashable {
        /// The operation, its result, and the result that the contract requires.
        public let message: String
        /// Where in the kit it was noticed: file and line.
        public let place: String
    }

    /// A figure that a check took.
    public struct Measurement: Sendable, Codable, Hashable {
        /// The measurement.
        public let name: String
        /// How much it was.
        public let value: Double
        /// In which unit.
        public let unit: String
    }

    /// The id, with the variant: `crud/set-nil-clears@reopened`.
    public let id: String
    /// The statement that the check asserts.
    public var summary = ""
    /// The member of the store, its accessors or its items that a store which fails has to mend.
    public var hint = ""
    /// The clauses of the contract it stands for.
    public var clauses: [Int] = []
    /// Whether the contract demands it of every store.
    public var isMandatory = false
    /// Whether it belongs to a later level than the one the store is held to, and so cannot fail.
    public var isAdvisory = false
    /// How it ended.
    public var outcome: CheckOutcome
    /// Why, where the outcome is not a matter of expectations.
    public var reason: String?
    /// The expectations that did not hold: the first three of each place, and twenty in all.
    public var failures: [Failure] = []
    /// The number of expectations recorded.
    public var expectations = 0
    /// The number of places in the check's code that recorded one; what a helper demands counts for each place
    /// that calls it.
    public var sites = 0
    /// The figures taken.
    public var measurements: [Measurement] = []
    /// The seconds it took.
    public var seconds = 0.0
    /// Whether the check did not finish: the store trapped, hung or threw an unexpected error.
    public var isBroken = false
    /// The command that runs it again in the same way.
    public var rerun = ""

    /// The group: the part of the id in front of the slash.
    public var group: String { String(id.prefix { $0 != "/" }) }
}

extension CheckResult: CustomStringConvertible {
    /// The id, the outcome, what failed, and how to run it again.
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

    /// The failed expectations, and how to run the check again.
    public var description: String { result.description }
}
