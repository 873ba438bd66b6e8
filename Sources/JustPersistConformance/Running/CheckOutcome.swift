/// The outcome of a check.
///
/// The report includes every outcome.
public enum CheckOutcome: String, Sendable, Codable, CaseIterable {
    /// The store meets the check's expectations.
    case pass
    /// The store does not meet them.
    case fail
    /// The store does not declare the capability that the check examines, or declares the one that a counter-check
    /// requires to be absent.
    case notApplicable = "not applicable"
    /// The store does not meet them, and the fixture lists the check as a known failure.
    case knownFailing = "known failing"
    /// The check could not be carried out.
    case unverified
}
