/// The calls that throw.
extension DataStore {
    /// Runs a read block on one snapshot of the store, and returns its result.
    ///
    /// Throws the block's error, or else the first failure of a property: a stored value that could not be read, for
    /// which the property has returned its default. The result must be `Sendable`, so a block can return values of
    /// items but not the items themselves.
    ///
    /// If it is called in a task that is cancelled meanwhile, the block's requests end with
    /// ``DataStoreError/Code/cancelled``, for which this throws `CancellationError`.
    ///
    /// Asynchronous code cannot call this form: there, `read` is the form that suspends, and `readSync` blocks.
    @available(
        *, noasync,
        message:
            "this form blocks. In async functions write 'try await store.read'; at the top level of a file, 'try store.readSync'"
    )
    @inlinable @inline(__always)
    public func read<Value: Sendable>(
        _ block: (borrowing DataStoreReader) throws -> Value
    ) throws -> Value {
        // Inlined, so that short blocks need not look up the generic type of their result.
        var value: Value?
        do {
            try performRead { accessor in
                value = try PropertyFailures.failingBlock { try block(accessor) }
            }
        } catch {
            throw WorkLimit.leavingStore(error)
        }
        return try result(value, of: "read")
    }

    /// Runs a read block as `read` does, also in asynchronous functions, where `read` is the form that suspends.
    ///
    /// The block runs on the calling thread, unless ``DataStoreThreading/mainThread`` requires the main thread, and
    /// blocks it. Inside a task, do not wait in the block for other tasks.
    @inlinable @inline(__always)
    public func readSync<Value: Sendable>(
        _ block: (borrowing DataStoreReader) throws -> Value
    ) throws -> Value {
        try read(block)
    }

    /// Runs a write block, commits its changes, and returns the block's result.
    ///
    /// Throws the block's error, or else the first failure of a property: a change that was refused, or a stored value
    /// that could not be read. In both cases the block is rolled back.
    ///
    /// If it is called in a task that is cancelled while it waits for another writer, or while a request of the block runs,
    /// it throws `CancellationError`, and nothing has changed.
    ///
    /// Asynchronous code cannot call this form: there, `write` is the form that suspends, and `writeSync` blocks.
    @available(
        *, noasync,
        message:
            "this form blocks. In async functions write 'try await store.write'; at the top level of a file, 'try store.writeSync'"
    )
    @discardableResult
    public func write<Value: Sendable>(
        _ block: (borrowing DataStoreWriter) throws -> Value
    ) throws -> Value {
        var value: Value?
        try WorkLimit.throwingCancellation {
            try performWrite { accessor in
                value = try PropertyFailures.failingBlock { try block(accessor) }
            }
        }
        return try result(value, of: "write")
    }

    /// Runs a write block as `write` does, under the original library's name; also in asynchronous functions, where
    /// `write` is the form that suspends.
    @discardableResult
    public func writeSync<Value: Sendable>(
        _ block: (borrowing DataStoreWriter) throws -> Value
    ) throws -> Value {
        try write(block)
    }

    /// Queues a write block, and passes its result to `completion` once its changes are visible and durable.
    ///
    /// If the block throws, or a property cannot be read or changed, the block is rolled back, and `completion` receives
    /// that error.
    public func writeAsync<Value: Sendable>(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let value = Handover<Value>()
        enqueueWrite({ accessor in
            value.put(try PropertyFailures.failingBlock { try block(accessor) })
        }) { error in
            completion(
                Result {
                    if let error { throw WorkLimit.leavingStore(error) }
                    return try result(value.take(), of: "writeAsync")
                })
        }
    }

    /// Writes the changes that a child store has committed since its last merge into this store.
    ///
    /// The merge is one atomic, durable write, and returns a report of the conflicts. It works attribute by attribute:
    /// if only one of the stores has changed an attribute since the child first changed it, that value is kept; if
    /// both have set different values, the policy decides. The child stays open and sees the result. Blocks that
    /// are still queued in the child are left for a later merge.
    ///
    /// Throws ``DataStoreError/Code/mergeConflict``, with the conflicts in ``DataStoreError/conflicts``,
    /// under ``MergePolicy/fail``, and ``DataStoreError/Code/incompatibleChildDataStore`` for a store that
    /// is no child of this one. After any error nothing has changed, and the child stays usable. A merge is
    /// a write of this store: inside one of its write blocks it is refused with
    /// ``DataStoreError/Code/nestedWrite``.
    @discardableResult
    public func merge(_ child: any DataStore, policy: MergePolicy) throws -> MergeReport {
        try WorkLimit.throwingCancellation { try checkedMerge(child, policy: policy) }
    }
}

/// The value that a block stored; a store that keeps the contract has run the block.
@inlinable
func result<Value>(_ value: Value?, of operation: String) throws -> Value {
    guard let value else {
        throw DataStoreError(
            .storageFailure, in: operation,
            "The store reported success without running the block, which breaks its contract.")
    }
    return value
}
