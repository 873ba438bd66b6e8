/// How a check ended.
///
/// None is silent: each stands in the report.
public enum CheckOutcome: String, Sendable, Codable, CaseIterable {
    /// The store keeps what the check demands.
    case pass
    /// It does not.
    case fail
    /// The store does not declare what the check is about, or declares what a counter-check is about.
    case notApplicable = "not applicable"
    /// It does not, and the fixture says so.
    case knownFailing = "known failing"
    /// It could not be found out.
    case unverified
}
