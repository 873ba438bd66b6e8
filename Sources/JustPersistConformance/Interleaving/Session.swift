/// One session of a script: a block that is begun, takes steps, and ends.
struct Session: Sendable, Hashable {
    let name: String

    init(_ name: String) { self.name = name }

    /// Begins a write block.
    var begin: Step { step(.begin, "begin") }
    /// Begins a read block.
    var beginReading: Step { step(.beginReading, "begin reading") }
    /// Returns from the block.
    var commit: Step { step(.commit, "commit") }
    /// Throws an error from the block.
    var rollBack: Step { step(.rollBack, "roll back") }

    // MARK: Reading

    /// Reads an item's number.
    func get(_ item: String) -> Step { step(.get(item), "get \(item)") }

    /// Reads the numbers of the items that match, in ascending order.
    func items(where predicate: String) -> Step {
        step(.items(predicate), "items where \(predicate)")
    }

    /// Counts the items that match.
    func count(where predicate: String) -> Step {
        step(.count(predicate), "count where \(predicate)")
    }

    // MARK: Writing

    /// Changes an item's number.
    func set(_ item: String, to number: Int) -> Step {
        step(.set(item, number), "set \(item) to \(number)")
    }

    /// Sets an item's number to the sum of `number` and the value that this block read before.
    func add(_ number: Int, to item: String) -> Step {
        step(.add(number, item), "set \(item) to what it read and \(number)")
    }

    /// Adds to the numbers of the items that match.
    func add(_ number: Int, where predicate: String) -> Step {
        step(.addWhere(number, predicate), "add \(number) where \(predicate)")
    }

    /// Creates an item.
    func insert(_ item: String, _ number: Int) -> Step {
        step(.insert(item, number), "insert \(item) with \(number)")
    }

    /// Deletes the items that match.
    func delete(where predicate: String) -> Step {
        step(.delete(predicate), "delete where \(predicate)")
    }

    private func step(_ action: Step.Action, _ text: String) -> Step {
        Step(session: self, action: action, text: text)
    }
}

/// One step of one session.
struct Step: Sendable {
    /// The action of the step; predicates are in the language of `DataStorePredicate`.
    enum Action: Sendable {
        case begin
        case beginReading
        case get(String)
        case items(String)
        case count(String)
        case set(String, Int)
        case add(Int, String)
        case addWhere(Int, String)
        case insert(String, Int)
        case delete(String)
        case commit
        case rollBack
    }

    let session: Session
    let action: Action
    /// The step as the transcript shows it.
    let text: String
}
