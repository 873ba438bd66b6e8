/// A store of items with transactions: the one contract that every backend and wrapper keeps.
///
/// The requirements are the primitives that the author of a wrapper implements. The calls of daily use
/// are written once, in extensions: `read`, `write`, `writeSync`, `writeAsync`, each in the original
/// library's shape (no `try`; failures go to ``errorHandler``) and in a throwing and an `async` one.
///
/// Every member may be called from any thread.
public protocol DataStore: AnyObject, Sendable {
    /// What this store can do. Constant over the store's life.
    var capabilities: DataStoreCapabilities { get }

    /// Receives each failure of a call that cannot throw, on the thread where it happened, before that
    /// call returns.
    ///
    /// It may be replaced at any time; failures that follow go to the new one. Without a handler they are
    /// logged, with swift-log. A store can keep it in a ``SharedErrorHandler``.
    var errorHandler: DataStoreErrorHandler? { get set }

    /// Opens the store. Harmless if it is open. After a failure the store is closed, and a later call may
    /// succeed.
    func open() throws

    /// Closes the store and keeps its data: waits for the blocks that run and commits those that are
    /// queued. Harmless if it is closed.
    ///
    /// Inside a block of this store it is refused with ``DataStoreError/Code/insideBlock``.
    func close() throws

    /// Closes the store, if it is open, and deletes its data. It is empty after the next ``open()``.
    ///
    /// Refused inside a block of this store with ``DataStoreError/Code/insideBlock``, and by a store that is
    /// read-only with ``DataStoreError/Code/readOnly``.
    func destroy() throws

    /// Runs a block on one snapshot of the store, once, before it returns; throws what the block throws.
    func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws

    /// Runs a block that may change the store, once, and commits before it returns.
    ///
    /// Throws what the block throws, and then nothing has changed. Inside a write block of the same store
    /// it is refused with ``DataStoreError/Code/nestedWrite``.
    func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws

    /// Queues a block that may change the store, and returns.
    ///
    /// Queued blocks run one by one in the order of the calls, never on the main thread. Each is followed
    /// by its completion, called once: with `nil` when its changes are visible and durable, or else with
    /// the error. Completions are called off the main thread too; one may come after ``close()`` has returned,
    /// and may wait for blocks that were queued after its own.
    func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    )

    /// The store that this one is a child of; `nil` for one that stands alone.
    var parent: (any DataStore)? { get }

    /// Makes a closed child of this store: changes collect in it, and reach this one when they are
    /// merged. Needed only by stores that declare ``DataStoreCapabilities/childStores``.
    ///
    /// Each block of a child sees this store's committed state as of the block's start, with the child's
    /// own changes on top; this store and its other children see none of those. The child holds its
    /// parent, and is used as any store: it must be opened, and closing it discards what was not merged.
    /// Items of stores that descend from one another stand for each other by type and id. Refused with
    /// ``DataStoreError/Code/notSetUp`` while this store is closed; closing it closes its children.
    func makeChild() throws -> any DataStore

    /// Carries what a child committed since it was merged last into this store, as one write that is
    /// atomic and as durable as every write of this store; tells what both had changed.
    ///
    /// `child` is one of this store's own: the calls in the extensions see to that. A child that is
    /// closed is refused with ``DataStoreError/Code/notSetUp``. On failure nothing has changed, in the
    /// child neither.
    func performMerge(_ child: any DataStore, policy: MergePolicy) throws -> MergeReport

    /// Checks the whole store. There is a default; a store that can look below its items has its own.
    func verify() throws -> VerificationReport
}

/// Receives the failures of calls that cannot throw.
public typealias DataStoreErrorHandler = @Sendable (DataStoreError) -> Void
