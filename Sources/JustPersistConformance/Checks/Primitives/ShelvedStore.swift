import JustPersist

/// An open store whose contents are described by a shelf.
struct ShelvedStore: Sendable {
    let check: CheckContext
    let store: any DataStore

    /// Makes a store with that many items and types, in blocks that no store refuses as too large.
    static func filled(
        items: Int = 20, types: Int = 1, _ check: CheckContext
    ) throws -> (ShelvedStore, Shelf) {
        let shelved = ShelvedStore(check: check, store: try check.openStore())
        var shelf = Shelf()
        try shelved.store.write { db in
            try db.declare(
                ItemSchema(
                    Shelf.key, attributes: [AttributeSchema("number"), AttributeSchema("text")]))
        }
        for (change, total) in [(Change.create, items), (.declare, types - 1)] {
            for first in stride(from: 0, to: total, by: 1_000) {
                shelf = try shelved.commit(change, min(1_000, total - first), to: shelf)
            }
        }
        return (shelved, shelf)
    }

    /// This store, closed and opened again.
    func reopened() throws -> ShelvedStore {
        ShelvedStore(check: check, store: try check.reopened(store))
    }

    /// The items that a read block returns.
    func frozen() throws -> [any DataStoreItem] {
        var items: [any DataStoreItem] = []
        try store.performRead { db in items = try db.performFetch(Shelf.all) }
        return items
    }

    /// Makes a change in a separate write block, and returns the new shelf.
    func commit(_ change: Change, _ count: Int, to shelf: Shelf) throws -> Shelf {
        let frozen = change == .mutableVersion ? try frozen() : []
        return try store.write { db in
            var shelf = shelf
            try change.apply(count, to: &shelf, frozen: frozen, db, check)
            return shelf
        }
    }

    /// Makes each of the changes on another thread, in a separate write block.
    func commitElsewhere(_ changes: [Change], to shelf: Shelf) throws -> Shelf {
        let outcome = Promise<Shelf>()
        let thread = check.start {
            outcome.settle(
                Result { try changes.reduce(shelf) { try commit($1, 5, to: $0) } })
        }
        try thread.join()
        return try outcome.get()
    }

    /// Expects that these primitives return the contents of the shelf, in a read block and in a write block.
    func expect(
        _ shelf: Shelf, _ when: String, by questions: [Question] = Question.allCases,
        file: String = #fileID, line: Int = #line
    ) throws {
        try store.read { db in
            for question in questions {
                try question.expect(shelf, when, db, check, file: file, line: line)
            }
        }
        try store.write { db in
            for question in questions {
                try question.expect(
                    shelf, "in a write block, \(when)", db, check, file: file, line: line)
            }
        }
    }
}
