/// Identifies a commit of a store on a server.
///
/// An error with the code ``DataStoreError/Code/commitOutcomeUnknown`` carries it.
public struct CommitToken: RawRepresentable, Hashable, Sendable, Codable {
    /// The token as the backend wrote it.
    public let rawValue: String

    /// A token that a backend wrote.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The outcome of a commit.
public enum CommitOutcome: String, Sendable, Codable {
    /// All changes of the commit are in the store.
    case committed
    /// The commit has changed nothing, and never will.
    case notCommitted
}
