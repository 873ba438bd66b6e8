/// A transactional store of items: the protocol that every engine and wrapper implements.
///
/// The requirements are the primitives that the author of a wrapper implements. Programs use the methods in
/// the extensions: `read`, `write`, `writeSync` and `writeAsync`. These exist in the original library's form (no
/// `try`; failures go to ``errorHandler``), in a throwing form and in an `async` form.
///
/// Every member may be called from any thread.
public protocol DataStore: AnyObject, Sendable {
    /// The features of this store. Constant over the store's life.
    var capabilities: DataStoreCapabilities { get }

    /// Receives each failure of a call that cannot throw, on the thread where it happened, before that
    /// call returns.
    ///
    /// It may be replaced at any time; failures that follow go to the new one. Without a handler they are
    /// logged, with swift-log. A store can keep it in a ``SharedErrorHandler``.
    var errorHandler: DataStoreErrorHandler? { get set }

    /// Opens the store. Does nothing if it is open. After a failure the store is closed, and a later call may succeed.
    func open() throws

    /// Closes the store and keeps its data: waits for the blocks that run and commits those that are queued. Does
    /// nothing if it is closed.
    ///
    /// Inside a block of this store it is refused with ``DataStoreError/Code/insideBlock``.
    func close() throws

    /// Closes the store, if it is open, and deletes its data. It is empty after the next ``open()``.
    ///
    /// Refused inside a block of this store with ``DataStoreError/Code/insideBlock``, and by a store that is
    /// read-only with ``DataStoreError/Code/readOnly``.
    func destroy() throws

    /// Runs a block once on one snapshot of the store, before it returns; throws the block's error.
    func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws

    /// Runs a block that may change the store once, and commits before it returns.
    ///
    /// Throws the block's error, in which case nothing has changed. Inside a write block of the same store it is
    /// refused with ``DataStoreError/Code/nestedWrite``.
    ///
    /// A store may commit blocks of several callers together. The call then returns after blocks that were waiting
    /// when its own ended, so a write block must not wait for another write call of the same store to return.
    func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws

    /// Queues a block that may change the store, and returns.
    ///
    /// Queued blocks run one by one in the order of the calls, never on the main thread. Each is followed
    /// by its completion, called once: with `nil` when its changes are visible and durable, or else with
    /// the error. Completions are called off the main thread too; one may come after ``close()`` has returned,
    /// and may wait for blocks that were queued after its own.
    ///
    /// A store may commit several blocks together, each of which is atomic on its own. A block sees the changes of the
    /// blocks before it. A read block inside it sees the committed state, which may lack some of those changes.
    func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    )

    /// The store that this one is a child of; `nil` if it is not a child store.
    var parent: (any DataStore)? { get }

    /// Makes a child of this store, which collects changes until they are merged.
    ///
    /// Implement this only if you declare ``DataStoreCapabilities/childStores``. The child is returned closed and must
    /// be opened. It keeps a strong reference to its parent.
    ///
    /// Each block of a child sees the state that this store had committed when the block started, overlaid with
    /// the child's own changes. This store and its other children do not see these changes. Closing the child
    /// discards the changes that were not merged. Among a store and its descendants, an item is identified by its
    /// type and id. Closing this store closes its children. While this store is closed, this throws
    /// ``DataStoreError/Code/notSetUp``.
    func makeChild() throws -> any DataStore

    /// Writes the changes that a child has committed since its last merge into this store.
    ///
    /// The merge is one atomic write, as durable as every write of this store. Returns a report of the conflicts.
    /// `child` is always a child of this store: the calls in the extensions check that. A closed child is refused
    /// with ``DataStoreError/Code/notSetUp``. After a failure, nothing has changed in either store.
    func performMerge(_ child: any DataStore, policy: MergePolicy) throws -> MergeReport

    /// Begins to observe the commits of this store.
    ///
    /// Implement this only if you declare ``DataStoreCapabilities/changeStreams``; a ``ChangeFeed`` does the work. The
    /// change streams are built on it. While this store is closed, this throws ``DataStoreError/Code/notSetUp``.
    ///
    /// - Parameters:
    ///   - scope: The items to observe.
    ///   - token: Where to begin; `nil` for the present state. An unknown token, or one that is no longer known, is
    ///     not an error: the first set says that it is not complete, see ``ChangeObservation/next()``.
    func observeChanges(
        _ scope: ChangeScope, since token: ChangeToken?
    ) throws -> any ChangeObservation

    /// Checks the whole store for damage.
    ///
    /// The default reads all items. A store that can check its own file structure implements this itself.
    func verify() throws -> VerificationReport

    /// Waits until all declared indexes are ready, and writes the missing entries.
    ///
    /// An index that is declared for a type with many items may be written in the background, and is used once it is
    /// complete. Call this if a program needs the index from the start, or shows its progress. The default returns
    /// immediately.
    ///
    /// - Parameter progress: Called from time to time on the calling thread. If it throws, the call ends with that
    ///   error.
    func buildIndexes(progress: (IndexProgress) throws -> Void) throws

    /// Runs a write block of a step in batches, as ``performWrite(_:)`` does, also while a step is unfinished.
    ///
    /// From the commit of a block that returns true until that of one that returns false, the store refuses all blocks but
    /// those of this call with ``DataStoreError/Code/migrationRunning``: in all processes, after reopening, and in copies of
    /// its files. The default refuses a block that returns true, so that ``apply(_:allowingNewer:backup:progress:)`` refuses
    /// steps that need more than one batch.
    ///
    /// While children of the store are open, this throws ``DataStoreError/Code/unsupported``.
    ///
    /// - Parameter block: Returns whether a step is unfinished after it.
    func performStep(_ block: (borrowing DataStoreWriter) throws -> Bool) throws
}

extension DataStore {
    /// Returns immediately.
    public func buildIndexes(progress: (IndexProgress) throws -> Void) throws {}

    /// Waits until all declared indexes are ready.
    public func buildIndexes() throws { try buildIndexes { _ in } }
}

/// Receives the failures of calls that cannot throw.
public typealias DataStoreErrorHandler = @Sendable (DataStoreError) -> Void
