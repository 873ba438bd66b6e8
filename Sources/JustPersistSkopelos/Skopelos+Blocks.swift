import Foundation

/// The calls that can be chained.
extension Skopelos {
    /// Runs a read block on one snapshot of the store.
    ///
    /// The block has ended when the call returns. If the store is closed, the block does not run, and
    /// ``handleError(_:)`` is called.
    @discardableResult
    public func read(_ statements: (borrowing DataStoreReader) -> Void) -> Self {
        dataStore.read(statements)
        return self
    }

    /// Runs a write block, and commits its changes before it returns.
    ///
    /// If the call fails, ``handleError(_:)`` receives the error, and nothing has changed.
    @discardableResult
    public func writeSync(_ changes: (borrowing DataStoreWriter) -> Void) -> Self {
        writeSync(changes, completion: nil)
    }

    /// Runs a write block, commits its changes before it returns, and calls `completion` on the main queue afterwards.
    ///
    /// `completion` is always called once, and also receives the error passed to ``handleError(_:)``.
    @discardableResult
    public func writeSync(
        _ changes: (borrowing DataStoreWriter) -> Void,
        completion: (@MainActor @Sendable (DataStoreError?) -> Void)?
    ) -> Self {
        Self.complete(completion, dataStore.outcome(ofWriteSync: changes))
        return self
    }

    /// Queues a write block, which runs off the main thread, after earlier queued blocks.
    ///
    /// If the call fails, ``handleError(_:)`` receives the error, and nothing has changed.
    public func writeAsync(
        _ changes: @escaping @Sendable (borrowing DataStoreWriter) -> Void
    ) {
        writeAsync(changes, completion: nil)
    }

    /// Queues a write block, and calls `completion` on the main queue when its changes are durable.
    ///
    /// `completion` is always called once, and also receives the error passed to ``handleError(_:)``.
    public func writeAsync(
        _ changes: @escaping @Sendable (borrowing DataStoreWriter) -> Void,
        completion: (@MainActor @Sendable (DataStoreError?) -> Void)?
    ) {
        dataStore.outcome(ofWriteAsync: changes) { error in Self.complete(completion, error) }
    }

    private static func complete(
        _ completion: (@MainActor @Sendable (DataStoreError?) -> Void)?, _ error: DataStoreError?
    ) {
        guard let completion else { return }
        DispatchQueue.main.async { completion(error) }
    }
}
