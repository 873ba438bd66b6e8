/// The rule that resolves conflicts between the changes of a child store and those of its parent.
public enum MergePolicy: String, Sendable, Hashable, CaseIterable, Codable {
    /// The child's change wins, attribute by attribute.
    ///
    /// Items that the child deleted are deleted; items that the parent deleted stay deleted.
    case childWins
    /// The parent's change wins, attribute by attribute.
    ///
    /// Items that the parent deleted stay deleted; items that the child deleted and the parent changed stay.
    case parentWins
    /// The merge is refused with ``DataStoreError/Code/mergeConflict``, and nothing changes.
    case fail
}
