/// The changes that are committed in a store, as they occur.
///
/// ```swift
/// for await change in store.changes(of: Restaurant.self) {
///     if !change.isComplete { try reloadAll() }
///     try reload(change.inserted + change.updated.map(\.id))
///     remove(change.deleted)
/// }
/// ```
///
/// Each iteration observes the store from the moment it begins. A stream without a token immediately returns an element
/// that names no items and is not complete: read the state then, and every change that is not in it is reported. With a
/// token, the stream returns the changes after the token, or an incomplete element if the store no longer knows them. A
/// change that is committed while you read the state may be reported although you have read it already; it may be the
/// deletion of an item that you have not seen. Apply changes by reading the items that they name.
///
/// An element arrives when its commits are visible and durable, in the order of the commits, and each commit is in one
/// element. While the loop is busy, commits are collected and reported as one difference. A slow loop never delays a
/// writer and uses a bounded amount of memory: if more has changed than the store keeps for its observers (see
/// ``ChangeFeed``), the element is not complete, and the loop has to read the state again.
///
/// The stream ends when the store is closed, after it has reported all earlier commits, and when the task is cancelled.
/// An error that prevents it from beginning is passed to the store's error handler, and the stream ends immediately:
/// ``DataStoreError/Code/notSetUp`` for a store that is not open, ``DataStoreError/Code/unsupported`` for one without
/// change streams (``DataStoreCapabilities/changeStreams``).
public struct ChangeStream<Element: Sendable>: AsyncSequence, Sendable {
    /// The stream does not throw.
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

    /// Begins an iteration, which reports every commit from now on.
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

    /// An iteration, which observes the store until it is released.
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
