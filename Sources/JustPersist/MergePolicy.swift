/// Whose change stays when a child store and its parent changed the same thing.
public enum MergePolicy: String, Sendable, Hashable, CaseIterable, Codable {
    /// The child's, attribute by attribute.
    ///
    /// What the child deleted is deleted; what the parent deleted stays deleted.
    case childWins
    /// The parent's, attribute by attribute.
    ///
    /// What the parent deleted stays deleted; what the child deleted and the parent changed stays.
    case parentWins
    /// Neither's: the merge is refused with ``DataStoreError/Code/mergeConflict``, and nothing changes.
    case fail
}
