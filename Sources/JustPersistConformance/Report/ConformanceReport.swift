import Foundation

/// The report of a run of the kit.
public struct ConformanceReport: Sendable, Codable {
    /// The name of the store.
    public let store: String
    /// The level that was requested.
    public let level: ConformanceLevel
    /// The thoroughness of the run.
    public let profile: ConformanceProfile
    /// The seed of every random choice.
    public let seed: UInt64
    /// The duration of the run in seconds.
    public let seconds: Double
    /// The results of the checks, in order.
    public let results: [CheckResult]

    /// Whether at least one check passed, and none failed except advisory ones.
    public var isConformant: Bool {
        !results.contains { $0.outcome == .fail && !$0.isAdvisory }
            && results.contains { $0.outcome == .pass }
    }

    /// The number of checks with an outcome.
    public func count(_ outcome: CheckOutcome) -> Int {
        results.count { $0.outcome == outcome }
    }

    /// One sentence with the store, the level, and the verdict.
    var verdict: String {
        let tally = CheckOutcome.allCases
            .map { ($0, count($0)) }.filter { $0.1 > 0 }
            .map { "\($0.1) \($0.0.word)" }.joined(separator: ", ")
        let judgement =
            if results.contains(where: { $0.outcome == .fail && !$0.isAdvisory }) {
                "does NOT keep the contract"
            } else if !isConformant {
                "was not examined"
            } else if count(.knownFailing) > 0 {
                "keeps the contract but for its known failures"
            } else {
                "keeps the contract"
            }
        return "\(store) \(judgement) (level \(level.rawValue), \(profile.rawValue)): \(tally)."
    }
}

extension ConformanceReport: CustomStringConvertible {
    /// The report as a table for a terminal.
    public var description: String { text(as: .table) }
}

extension CheckOutcome {
    /// The outcome as a word after a number.
    var word: String {
        switch self {
        case .pass: "passed"
        case .fail: "failed"
        case .notApplicable: "not applicable"
        case .knownFailing: "known failing"
        case .unverified: "unverified"
        }
    }
}
