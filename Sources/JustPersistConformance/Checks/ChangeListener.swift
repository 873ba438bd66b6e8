import JustPersist

/// An observer that takes a store's changes as soon as they are reported.
final class ChangeListener: Sendable {
    private let state = Locked(State())

    private struct State {
        var sets: [ChangeSet] = []
        var hasEnded = false
    }

    /// Begins to observe a store, and returns when every later commit will be reported.
    ///
    /// - Parameter body: Called with each set, before the next one is taken.
    init(
        _ store: any DataStore, of scope: ChangeScope = .everything,
        _ body: @escaping @Sendable (ChangeSet) async throws -> Void = { _ in }
    ) throws {
        let observation = try store.observeChanges(scope, since: nil)
        let hasBegun = Latch()
        let state = state
        Task {
            // It says that the state is to be read.
            _ = await observation.next()
            hasBegun.open()
            while let set = await observation.next() {
                try? await body(set)
                state.change { $0.sets.append(set) }
            }
            state.change { $0.hasEnded = true }
        }
        hasBegun.wait()
    }

    /// The changes reported so far, by type.
    var told: [ItemChanges] { state.withLock { $0.sets.flatMap(\.types) } }

    /// The changes reported, by type, once they fulfil the condition.
    func sets(until isSo: ([ItemChanges]) -> Bool) -> [ItemChanges] {
        state.wait { state in
            let told = state.sets.flatMap(\.types)
            return isSo(told) || state.hasEnded ? told : nil
        }
    }

    /// The first set that is what is waited for; `nil` if the store was closed before.
    func set(where isIt: (ChangeSet) -> Bool) -> ChangeSet? {
        state.wait { state in
            if let set = state.sets.first(where: isIt) { return .some(set) }
            return state.hasEnded ? .some(nil) : nil
        }
    }

    /// Waits for the end.
    var ends: Bool { state.wait { $0.hasEnded ? true : nil } }
}

extension CheckContext {
    /// The next set of an observation; `nil` at its end.
    func next(_ observation: any ChangeObservation) throws -> ChangeSet? {
        let outcome = Promise<ChangeSet?>()
        Task { outcome.settle(.success(await observation.next())) }
        return try outcome.get()
    }
}

extension NamedItems {
    /// These items in a store that was opened again.
    init(_ store: any DataStore, like other: NamedItems) {
        self.store = store
        key = other.key
    }

    /// The ids of all items, in the order of their creation.
    func ids() throws -> [ItemID] { try store.read { db in try ids(db) } }

    /// The ids of all items, in the order of their creation.
    func ids(_ db: borrowing DataStoreReader) throws -> [ItemID] {
        try db.performFetch(request()).map(\.uniqueToken)
    }

    /// Adds an item in a block of its own.
    func added(_ name: String, _ number: Int = 0) throws -> ItemID {
        try store.write { db in try make(name, number, db).uniqueToken }
    }

    /// Deletes the item of a name in a block of its own.
    func remove(_ name: String) throws {
        try store.write { db in _ = try db.performDelete(try known(name, db)) }
    }

    /// The item of a name, which is there.
    func known(_ name: String, _ db: borrowing DataStoreWriter) throws -> DynamicItem {
        guard let item = try item(name, db) else { throw MissingName(name: name) }
        return item
    }
}

/// An item that a check had made before is not found by its name.
struct MissingName: Error, CustomStringConvertible {
    let name: String

    var description: String { "The item named “\(name)”, made before, is not found." }
}
