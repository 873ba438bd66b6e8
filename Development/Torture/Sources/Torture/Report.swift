/// What a run found, as a table.
public struct Report: Sendable {
    /// The seed of the first round.
    public let seed: UInt64
    /// The campaigns that ran.
    public internal(set) var rows: [Row] = []
    /// The campaigns that could not run, and why.
    public internal(set) var skipped: [(campaign: String, reason: String)] = []

    /// One campaign on one engine.
    public struct Row: Sendable {
        /// The name of the campaign.
        public let campaign: String
        /// The engine below the stores.
        public let engine: Engine
        /// How many trials.
        public internal(set) var count = 0
        /// What happened in them.
        public internal(set) var tallies: [String: Int] = [:]
        /// The promises that were broken.
        public internal(set) var failures: [Failure] = []
        /// How long it took.
        public internal(set) var seconds = 0.0

        mutating func add(_ trial: Trial) {
            count += trial.outcome.count
            tallies.merge(trial.outcome.tallies, uniquingKeysWith: +)
            if let reason = trial.outcome.failure {
                failures.append(
                    Failure(reason: reason, command: trial.command, directory: trial.directory))
            }
        }

        /// The campaign's line without its name.
        var line: String {
            let tallies = tallies.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            return "\(count) trials, \(failures.count) failed, \(Int(seconds)) s"
                + (tallies.isEmpty ? "" : "; " + tallies.joined(separator: ", "))
        }
    }

    /// A promise that was broken.
    public struct Failure: Sendable {
        /// What was promised, and what was seen.
        public let reason: String
        /// What repeats it.
        public let command: String
        /// Where what is left of it is kept.
        public let directory: String?
    }

    struct Trial {
        let command: String
        let outcome: Outcome
        let directory: String?
    }

    /// All broken promises.
    public var failures: [Failure] { rows.flatMap(\.failures) }

    /// The table in Markdown, and below it each failure with the command that repeats it.
    public var text: String {
        var lines = [
            "| campaign | engine | trials | failed | what was seen |", "|---|---|---|---|---|",
        ]
        for row in rows {
            let tallies = row.tallies.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            lines.append(
                "| \(row.campaign) | \(row.engine) | \(row.count) | \(row.failures.count) | "
                    + "\(tallies.joined(separator: ", ")) |")
        }
        for (campaign, reason) in skipped {
            lines.append("| \(campaign) | | not run | | \(reason) |")
        }
        for failure in failures {
            lines += [
                "", "FAILED: \(failure.reason)", "  make torture TORTURE=\"\(failure.command)\"",
            ]
            if let directory = failure.directory { lines.append("  kept: \(directory)") }
        }
        lines += ["", "seed \(seed)"]
        return lines.joined(separator: "\n")
    }
}
