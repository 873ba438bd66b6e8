import JustPersist

/// One requirement of the contract, and the code that tests it.
struct CheckDefinition: Sendable {
    /// Its group and name: `crud/token-is-stable`.
    let id: String
    /// The clauses of the contract that it stands for.
    let clause: [Int]
    /// For which stores it counts.
    let gate: Gate
    /// The edition of the kit it came with.
    let since: ConformanceLevel
    /// The statement that it asserts, in one sentence.
    let summary: String
    /// Holds a store to it.
    ///
    /// Synchronous, on a thread of its own: the blocking forms of `read` and `write` are meant, and may
    /// block.
    let run: @Sendable (CheckContext) throws -> Void

    init(
        _ id: String, clause: [Int], gate: Gate = .mandatory, since: ConformanceLevel = .v1,
        _ summary: String,
        run: @escaping @Sendable (CheckContext) throws -> Void
    ) {
        self.id = id
        self.clause = clause
        self.gate = gate
        self.since = since
        self.summary = summary
        self.run = run
    }

    /// A result of the check with an outcome, and nothing found yet.
    func result(_ variant: StoreVariant, _ outcome: CheckOutcome) -> CheckResult {
        var result = CheckResult(id: id + variant.suffix, outcome: outcome)
        result.summary = summary
        result.hint = Hints.member(for: id)
        result.clauses = clause
        if case .mandatory = gate { result.isMandatory = true }
        return result
    }

    /// Puts the failures of a check that cannot fail among what could not be found out.
    func settle(_ result: inout CheckResult) {
        if result.failures.isEmpty { return }
        guard case .report = gate else {
            result.outcome = .fail
            return
        }
        result.outcome = .unverified
        result.reason = result.failures.map(\.message).joined(separator: "; ")
        result.failures = []
    }

    /// The part of the id in front of the slash.
    var group: Substring { id.prefix { $0 != "/" } }
}
