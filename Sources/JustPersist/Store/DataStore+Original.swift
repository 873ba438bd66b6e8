/// The original library's calls: failures go to the error handler.
extension DataStore {
    /// Opens the store, and reports a failure to the error handler.
    ///
    /// After a failure, the store is closed.
    public func setup() { reporting { try open() } }

    /// Closes the store and keeps its data.
    ///
    /// A failure is reported.
    public func tearDown() { reporting { try close() } }

    /// Runs a read block on one snapshot of the store, and returns when it has ended.
    ///
    /// If this fails, for example because the store is closed, the failure is reported and the block does not run.
    ///
    /// ```swift
    /// store.read { accessor in
    ///     print(accessor.countItems(forRequest: request))
    /// }
    /// ```
    public var read: ((borrowing DataStoreReader) -> Void) -> Void {
        // Not a method: in an asynchronous function the compiler would choose the asynchronous method of that name,
        // and demand `try await`.
        { [self] block in readSync(block) }
    }

    /// Runs a read block as `read` does, also in asynchronous functions.
    public func readSync(_ block: (borrowing DataStoreReader) -> Void) {
        reporting { try performRead { accessor in block(accessor) } }
    }

    /// Runs a write block, and commits its changes before it returns.
    ///
    /// If the block cannot be committed, it is rolled back and the failure is reported. A property that cannot be read or
    /// changed is reported too, but does not stop the block.
    public func writeSync(_ block: (borrowing DataStoreWriter) -> Void) {
        reporting {
            try performWrite { accessor in PropertyFailures.reporting { block(accessor) } }
        }
    }

    /// Runs a write block, commits its changes, and returns the block's result.
    ///
    /// If the block cannot be committed, it is rolled back, the failure is reported, and this returns `nil`. This
    /// form allows a block that consists of one call with a result, such as `delete(item:)`.
    @discardableResult
    public func writeSync<Value: Sendable>(
        _ block: (borrowing DataStoreWriter) -> Value
    ) -> Value? {
        var value: Value?
        var isCommitted = false
        reporting {
            try performWrite { accessor in
                value = PropertyFailures.reporting { block(accessor) }
            }
            isCommitted = true
        }
        return isCommitted ? value : nil
    }

    /// Queues a write block, and calls `completion` once its changes are visible and durable.
    ///
    /// If the block fails, the failure is reported first, and then `completion` is called.
    public func writeAsync(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) -> Void,
        completion: (@Sendable () -> Void)? = nil
    ) {
        enqueueWrite({ accessor in PropertyFailures.reporting { block(accessor) } }) {
            [self] error in
            if let error { reportOnce(error) }
            completion?()
        }
    }

    /// Makes a child store, which collects changes until you merge them with ``merge(_:)``.
    ///
    /// Call `setup()` on the child before you use it. `tearDown()` discards the changes that were not merged. If
    /// this store does not support child stores, that is reported, and every call on the returned store fails with
    /// ``DataStoreError/Code/unsupported``.
    public func makeChildDataStore() -> any DataStore {
        var child: (any DataStore)?
        reporting { child = try makeChild() }
        return child ?? RefusedChildDataStore(errorHandler: errorHandler)
    }

    /// Writes the changes that a child store has committed into this store.
    ///
    /// If the changes of the two stores conflict, the child's change wins. If the merge fails, nothing has changed, and
    /// the failure is reported. Use ``merge(_:policy:)`` to choose another policy or to list the conflicts.
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
