/// What a committed write survives.
///
/// A choice for a whole store, never for one write.
public enum Durability: String, Sendable, Hashable, CaseIterable, Codable {
    /// A write that has returned survives the death of the process and a loss of power.
    case full
    /// A write that has returned survives the death of the process. A loss of power may take the last
    /// commits, newest first; what remains is whole.
    case relaxed
}
