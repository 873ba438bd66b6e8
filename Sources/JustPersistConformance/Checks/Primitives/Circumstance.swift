/// The situations in which a primitive must work: the columns of the table of the checks of primitives.
enum Circumstance: String, CaseIterable, Sendable {
    case many
    case ownChanges = "own-changes"
    case snapshot
    case rollback
    case reopened
    case error
    case again

    /// The end of the sentence that the check asserts.
    var words: String {
        switch self {
        case .many: "among more than a thousand"
        case .ownChanges: "over what its own block has changed"
        case .snapshot: "beside a block that began before a later commit and asks after it"
        case .rollback: "when its block is rolled back"
        case .reopened: "when the store was reopened"
        case .error: "when something throws"
        case .again: "a second time"
        }
    }

    /// The clauses of the contract that require it.
    var clauses: [Int] {
        switch self {
        case .many: [4, 8]
        case .ownChanges, .snapshot: [4]
        case .rollback: [5]
        case .reopened: [1, 6]
        case .error: [5, 14]
        case .again: [8]
        }
    }

    /// The condition that a store must meet for the check to apply.
    var gate: Gate {
        switch self {
        case .snapshot: .requires(.concurrentReads)
        case .reopened: .requires(.persistent)
        case .many, .ownChanges, .rollback, .error, .again: .mandatory
        }
    }
}
