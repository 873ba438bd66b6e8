/// The changes that are committed in a store, as they come.
///
/// ```swift
/// for await change in store.changes(of: Restaurant.self) {
///     if !change.isComplete { try reloadAll() }
///     try reload(change.inserted + change.updated.map(\.id))
///     remove(change.deleted)
/// }
/// ```
///
/// Each iteration observes the store from its beginning on. A stream that begins without a token gives an element at once
/// that names no items and is not complete: read the state then, and every change that is not in it is told. With a token
/// it gives what was committed behind it, and an element that is not complete if the store does not know that any more.
/// A change that is committed while you read the state may be told although it was read already, be it the deletion of an item
/// that you have not met: apply changes by reading the items that they name.
///
/// An element comes when its commits are visible and durable, in the order of the commits, and each commit is in one. While the
/// loop is busy, what is committed is collected, and told as one difference. A loop that is slow never holds a writer up, and
/// never costs more than a bounded amount of memory: if more has changed than the store keeps for its observers (see
/// ``ChangeFeed``), the element is not complete, and the loop has to read anew.
///
/// The stream ends when the store is closed, after what was committed before, and when the task is cancelled. What keeps it from
/// beginning is passed to the store's error handler, and it ends at once: ``DataStoreError/Code/notSetUp`` for a store that is
/// not open, ``DataStoreError/Code/unsupported`` for one without change streams (``DataStoreCapabilities/changeStreams``).
public struct ChangeStream<Element: Sendable>: AsyncSequence, Sendable {
    /// It does not throw.
    public typealias Failure = Never

    private let store: any DataStore
    private let scope: ChangeScope
    private let token: ChangeToken?
    private let element: @Sendable (ChangeSet) -> Element?

    init(
        of store: any DataStore, _ scope: ChangeScope, since token: ChangeToken?,
        _ element: @escaping @Sendable (ChangeSet) -> Element?
    ) {
        self.store = store
        self.scope = scope
        self.token = token
        self.element = element
    }

    /// Begins an iteration: what is committed from now on is told.
    public func makeAsyncIterator() -> Iterator {
        do {
            let observation = try store.observeChanges(scope, since: token)
            return Iterator(observation: observation, element: element)
        } catch {
            store.report(
                error as? DataStoreError
                    ?? DataStoreError(
                        .storageFailure, in: "changes", "The store cannot be observed: \(error)"))
            return Iterator(observation: nil, element: element)
        }
    }

    /// An iteration, which observes the store until it is let go.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var observation: (any ChangeObservation)?
        fileprivate let element: @Sendable (ChangeSet) -> Element?

        /// The next changes; `nil` if the store was closed, or the task is cancelled.
        public mutating func next() async -> Element? {
            await next(isolation: #isolation)
        }

        /// The next changes; `nil` if the store was closed, or the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Never) -> Element? {
            while let set = await observation?.next() {
                if let element = element(set) { return element }
            }
            observation = nil
            return nil
        }
    }
}
