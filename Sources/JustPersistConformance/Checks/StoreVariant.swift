/// A state in which a store must keep the contract as a new store does.
enum StoreVariant: String, Sendable, Codable, CaseIterable {
    /// New and empty.
    case plain
    /// Written to, closed and opened again.
    case reopened
    /// With 1,000 items of another type.
    case populated
    /// A child of a new store.
    case child
    /// A child of a child.
    case grandchild

    /// The suffix of the id of a check in this state.
    var suffix: String { self == .plain ? "" : "@\(rawValue)" }

    /// Whether the store is a child of another one.
    var isChild: Bool { self == .child || self == .grandchild }

    /// The capabilities that the state requires.
    var requirement: Requirement? {
        switch self {
        case .plain, .reopened, .populated: nil
        case .child: .childStores
        case .grandchild: .nestedChildStores
        }
    }
}
