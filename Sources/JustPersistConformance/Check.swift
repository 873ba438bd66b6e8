/// One check of the kit, bound to the store that it examines.
public struct Check: Sendable, Identifiable, CustomStringConvertible {
    /// Its group, name and variant: `crud/set-nil-clears@reopened`.
    public var id: String { definition.id + variant.suffix }

    /// The statement that the check asserts, in one sentence.
    public var summary: String { definition.summary }

    /// The id.
    public var description: String { id }

    let definition: CheckDefinition
    let variant: StoreVariant
    let assessment: Assessment

    /// Runs the check, and returns its result.
    ///
    /// The result is included in the report of the run that the check belongs to.
    public func result() async -> CheckResult { await assessment.result(of: self) }

    /// Runs the check, and throws a ``CheckFailure`` if the store fails it.
    public func run() async throws {
        let result = await result()
        if result.outcome == .fail, !result.isAdvisory { throw CheckFailure(result: result) }
    }
}
