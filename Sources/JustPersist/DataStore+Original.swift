/// The original library's calls: failures go to the error handler.
extension DataStore {
    /// Opens the store.
    ///
    /// A failure is reported, and leaves the store as it was.
    public func setup() { reporting { try open() } }

    /// Closes the store and keeps its data.
    ///
    /// A failure is reported.
    public func tearDown() { reporting { try close() } }

    /// Runs a block on one snapshot of the store, before it returns.
    ///
    /// On failure the block may not run, and the failure is reported.
    public func read(_ block: (borrowing DataStoreReader) -> Void) {
        reporting { try performRead { accessor in block(accessor) } }
    }

    /// Runs a block that may change the store, and commits before it returns.
    ///
    /// On failure nothing has changed, and the failure is reported. A change of a property that is refused is
    /// reported too, and the block goes on.
    public func writeSync(_ block: (borrowing DataStoreWriter) -> Void) {
        reporting {
            try performWrite { accessor in RefusedChanges.reporting { block(accessor) } }
        }
    }

    /// Runs a block that may change the store, commits, and returns what the block returned: `nil` on
    /// failure, which is reported, and then nothing has changed.
    ///
    /// So that a block may consist of one call that has a result, such as `delete(item:)`.
    @discardableResult
    public func writeSync<Value: Sendable>(
        _ block: (borrowing DataStoreWriter) -> Value
    ) -> Value? {
        var value: Value?
        var isCommitted = false
        reporting {
            try performWrite { accessor in
                value = RefusedChanges.reporting { block(accessor) }
            }
            isCommitted = true
        }
        return isCommitted ? value : nil
    }

    /// Queues a block that may change the store, and calls `completion`, if there is one, once its changes
    /// are visible and durable.
    ///
    /// On failure that is reported first.
    public func writeAsync(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) -> Void,
        completion: (@Sendable () -> Void)? = nil
    ) {
        enqueueWrite({ accessor in block(accessor) }) { [self] error in
            if let error { reportOnce(error) }
            completion?()
        }
    }

    /// Makes a child of this store, to be set up as any store: changes collect in it until ``merge(_:)``,
    /// and `tearDown()` discards those that were not merged.
    ///
    /// A refusal is reported, and the store returned then refuses everything, with
    /// ``DataStoreError/Code/unsupported``.
    public func makeChildDataStore() -> any DataStore {
        var child: (any DataStore)?
        reporting { child = try makeChild() }
        return child ?? RefusedChildDataStore(errorHandler: errorHandler)
    }

    /// Carries what a child of this store committed into this one; where both changed the same, the
    /// child's change stays.
    ///
    /// On failure nothing has changed, and the failure is reported. Use ``merge(_:policy:)`` to learn of
    /// conflicts.
    public func merge(_ child: any DataStore) {
        reporting { _ = try checkedMerge(child, policy: .childWins) }
    }

    private func reporting(_ body: () throws -> Void) {
        do { try body() } catch { reportOnce(error) }
    }

    private func reportOnce(_ error: any Error) {
        let failure =
            error as? DataStoreError
            ?? DataStoreError(.storageFailure, in: "store", "The store failed: \(error)")
        if !failure.isReported { report(failure) }
    }
}
