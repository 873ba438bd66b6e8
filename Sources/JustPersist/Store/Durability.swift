/// The failures that a committed write survives.
///
/// The choice applies to a whole store, never to one write.
public enum Durability: String, Sendable, Hashable, CaseIterable, Codable {
    /// A write that has returned survives the death of the process and a loss of power.
    case full
    /// A write that has returned survives the death of the process. A loss of power may lose the last commits, newest
    /// first; the remaining state is consistent.
    case relaxed
}
