import JustPersist

/// An observer that takes a store's changes as soon as they are reported.
final class ChangeListener: Sendable {
    private let state = Locked(State())

    private struct State {
        var sets: [ChangeSet] = []
        var hasEnded = false
    }

    /// Begins to observe a store.
    ///
    /// Every commit after this call is reported.
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
            // The first set only requires that the observer reads the state.
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

    /// Waits until the reported changes fulfil the condition, and returns them by type.
    func sets(until isSo: ([ItemChanges]) -> Bool) -> [ItemChanges] {
        state.wait { state in
            let told = state.sets.flatMap(\.types)
            return isSo(told) || state.hasEnded ? told : nil
        }
    }

    /// The first set that fulfils the condition; `nil` if the store was closed before.
    func set(where isIt: (ChangeSet) -> Bool) -> ChangeSet? {
        state.wait { state in
            if let set = state.sets.first(where: isIt) { return .some(set) }
            return state.hasEnded ? .some(nil) : nil
        }
    }

    /// Waits for the end of the observation.
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
    /// The items of `other`, in a store that was opened again.
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

    /// Adds an item in a separate block, and returns its id.
    func added(_ name: String, _ number: Int = 0) throws -> ItemID {
        try store.write { db in try make(name, number, db).uniqueToken }
    }

    /// Deletes the item with a name in a separate block.
    func remove(_ name: String) throws {
        try store.write { db in _ = try db.performDelete(try known(name, db)) }
    }

    /// The item with a name, which must exist.
    func known(_ name: String, _ db: borrowing DataStoreWriter) throws -> DynamicItem {
        guard let item = try item(name, db) else { throw MissingName(name: name) }
        return item
    }
}

/// The error for an item that a check has created, and that is not found by its name.
struct MissingName: Error, CustomStringConvertible {
    let name: String

    var description: String { "The item named “\(name)”, made before, is not found." }
}
