import JustPersist

/// A failed run, described as a test that reproduces it.
public struct SimulatedRunFailed: Error, CustomStringConvertible, Sendable {
    /// The seed of the run.
    public let seed: UInt64
    /// The decisions that the failure needs.
    public let decisions: [SimulationDecision]
    /// The error of the run with these decisions.
    public let failure: any Error
    /// The error of the run before it was reduced.
    private let original: any Error
    private let faults: SimulationFaults
    private let events: [String]
    private let isRepeatable: Bool

    /// A longer list of decisions is not printed.
    private static let mostDecisions = 100

    /// - Parameter original: The error of the first run with the seed; `nil` for `failure`.
    init(
        _ run: SimulatedRun, _ failure: any Error, original: (any Error)? = nil,
        isRepeatable: Bool = true
    ) {
        seed = run.seed
        decisions = run.decisions
        events = run.events
        faults = run.faults
        self.failure = failure
        self.original = original ?? failure
        self.isRepeatable = isRepeatable
    }

    /// The test as source code, and a log of the run.
    public var description: String {
        let isListed = isRepeatable && decisions.count <= Self.mostDecisions
        let list = decisions.map { "    \($0),\n" }.joined()
        let trait =
            isListed
            ? "seed: \(seed), decisions: [\n\(list)]" : "seeds: 1, from: \(seed)\(faults.argument)"
        let repetition =
            isRepeatable
            ? "fails with \(decisions.count.counted("decision")):"
            : """
            failed, but did not fail again with the same decisions. The block depends on something outside the simulation.
            """
        var account = events.suffix(60)
        if "\(original)" != "\(failure)" { account.append("Before it was reduced: \(original)") }
        let comments = account.flatMap { $0.split(separator: "\n") }.map { "\n// \($0)" }
        return """
            \(failure)
            Seed \(seed) \(repetition)
            @Test(.simulated(\(trait)))\(comments.joined())
            """
    }
}

extension SimulationFaults {
    /// The last argument of a trait; empty for all kinds.
    fileprivate var argument: String {
        if self == .all { return "" }
        let names: [(SimulationFaults, String)] = [
            (.crashes, ".crashes"), (.refusals, ".refusals"), (.fullDisks, ".fullDisks"),
            (.delays, ".delays"),
        ]
        return ", faults: [\(names.filter { contains($0.0) }.map(\.1).joined(separator: ", "))]"
    }
}
