import JustPersist

/// A check: one requirement of the contract, and the code that tests it.
struct CheckDefinition: Sendable {
    /// The group and name of the check: `crud/token-is-stable`.
    let id: String
    /// The clauses of the contract that the check tests.
    let clause: [Int]
    /// The condition that a store must meet for the check to apply.
    let gate: Gate
    /// The level of the kit that introduced the check.
    let since: ConformanceLevel
    /// The statement that the check asserts, in one sentence.
    let summary: String
    /// Tests a store.
    ///
    /// The code is synchronous and runs on its own thread, so it uses the forms of `read` and `write` that block.
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

    /// A result of the check with an outcome, without any findings.
    func result(_ variant: StoreVariant, _ outcome: CheckOutcome) -> CheckResult {
        var result = CheckResult(id: id + variant.suffix, outcome: outcome)
        result.summary = summary
        result.hint = Hints.member(for: id)
        result.clauses = clause
        if case .mandatory = gate { result.isMandatory = true }
        return result
    }

    /// Converts the failures of a check that cannot fail into an unverified outcome.
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

    /// The part of the id before the slash.
    var group: Substring { id.prefix { $0 != "/" } }
}
