/// The results of a request, kept up to date: first the whole list, then its changes.
///
/// ```swift
/// for try await change in store.results(
///     of: Restaurant.self, where: \.stars > 3, sortedBy: .ascending(\.name))
/// {
///     try change.apply(to: &rows) { id in try row(id) }
/// }
/// ```
///
/// The first element has all results as insertions. Another element arrives when a commit has changed the list or an
/// item in it. It covers all commits since the element before: a slow loop receives fewer elements and never delays a
/// writer. Each element is consistent with one state of the store, and each such state is later than the one before.
///
/// The request is executed again after each commit that concerns its type, or after every commit if it reads other
/// items through references. The stream keeps the ids of the results. Each update costs as much as the request: give
/// requests with many results a limit and an index.
///
/// The stream throws the errors of the request and those that prevent it from beginning, such as
/// ``DataStoreError/Code/unsupported`` for a store without change streams. It ends when the store is closed or the task
/// is cancelled.
public struct ResultStream: AsyncSequence, Sendable {
    /// Changes of the list.
    public typealias Element = ResultChanges
    /// Any error.
    public typealias Failure = any Error

    private let store: any DataStore
    private let request: Result<DataStoreRequest, DataStoreError>

    init(of store: any DataStore, _ request: Result<DataStoreRequest, DataStoreError>) {
        self.store = store
        self.request = request
    }

    /// Begins an iteration.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            store: store, request: request,
            observation: Result {
                let request = try request.get()
                return try store.observeChanges(request.changeScope, since: nil)
            })
    }

    /// An iteration, which observes the store until it is released.
    public struct Iterator: AsyncIteratorProtocol {
        // Not retained while the iteration waits: the stream ends when the store is released.
        private weak var store: (any DataStore)?
        fileprivate let request: Result<DataStoreRequest, DataStoreError>
        fileprivate var observation: Result<any ChangeObservation, any Error>?
        private var ids: [ItemID]?

        fileprivate init(
            store: any DataStore, request: Result<DataStoreRequest, DataStoreError>,
            observation: Result<any ChangeObservation, any Error>
        ) {
            self.store = store
            self.request = request
            self.observation = observation
        }

        /// The next changes; `nil` if the store was closed or the task is cancelled, and after an error.
        public mutating func next() async throws -> ResultChanges? {
            try await next(isolation: #isolation)
        }

        /// The next changes; `nil` if the store was closed or the task is cancelled, and after an error.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(any Error) -> ResultChanges? {
            guard let observed = observation else { return nil }
            do {
                let request = try request.get()
                let observation = try observed.get()
                while let set = await observation.next(), let store {
                    let new = try await Self.ids(request, in: store)
                    let changes = ResultChanges(
                        from: ids ?? [], to: new, updated: set.updates(ofType: request.type),
                        token: set.token)
                    let isFirst = ids == nil
                    ids = new
                    if isFirst || !changes.isEmpty { return changes }
                }
                self.observation = nil
                return nil
            } catch {
                self.observation = nil
                // The store was closed or the task cancelled: the stream ends as it does between two elements.
                if error is CancellationError { return nil }
                if ids != nil, let error = error as? DataStoreError, error.code == .notSetUp {
                    return nil
                }
                throw error
            }
        }

        private static func ids(
            _ request: DataStoreRequest, in store: any DataStore
        ) async throws -> [ItemID] {
            try await store.read { db in try db.performFetch(request).map(\.uniqueToken) }
        }
    }
}

extension ChangeSet {
    /// The items of a request's type that were changed, with the attributes; `nil` if any may have been changed.
    fileprivate func updates(ofType type: ItemType) -> [ItemID: Set<String>]? {
        let keys = [type.key] + (type.schema?.formerTypeKeys ?? [])
        guard isComplete else { return nil }
        var updates: [ItemID: Set<String>] = [:]
        // If the type has the key of a later release, the scope has no other type.
        for changes in types where types.count == 1 || keys.contains(changes.itemTypeKey) {
            if !changes.isComplete { return nil }
            for update in changes.updated { updates[update.id] = update.attributes }
        }
        return updates
    }
}

extension DataStoreRequest {
    /// The changes that can affect the results.
    fileprivate var changeScope: ChangeScope {
        var keys = (sortDescriptors ?? []).map(\.key)
        if let predicate {
            if predicate.mayLookAtOtherItems { return .everything }
            keys += predicate.paths.map { $0.components.joined(separator: ".") }
        }
        return keys.contains { $0.contains(".") } ? .everything : .types([type])
    }
}

extension DataStorePredicate {
    /// Whether the predicate may read other items in another way than through a path from the item.
    fileprivate var mayLookAtOtherItems: Bool {
        // A predicate that Foundation evaluates may read any item.
        var mayLook = !evaluations.isEmpty
        _ = mapExpressions { expression, _ in
            switch expression {
            case .keyPath, .subquery, .variable: mayLook = true
            default: break
            }
            return expression
        }
        return mayLook
    }
}
