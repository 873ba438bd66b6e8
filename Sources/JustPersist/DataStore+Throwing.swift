/// The calls that throw.
extension DataStore {
    /// Runs a block on one snapshot of the store, and returns what it returns.
    ///
    /// Throws what the block throws. The value must be `Sendable`: items stay in their block, copies of
    /// their values leave it.
    public func read<Value: Sendable>(
        _ block: (borrowing DataStoreReader) throws -> Value
    ) throws -> Value {
        var value: Value?
        try performRead { accessor in value = try block(accessor) }
        return try result(value, of: "read")
    }

    /// Runs a block that may change the store, commits, and returns what the block returned.
    ///
    /// Throws what the block throws, or the first change of a property that was refused in it, and then nothing
    /// has changed.
    @discardableResult
    public func write<Value: Sendable>(
        _ block: (borrowing DataStoreWriter) throws -> Value
    ) throws -> Value {
        var value: Value?
        try performWrite { accessor in
            value = try RefusedChanges.throwing { try block(accessor) }
        }
        return try result(value, of: "write")
    }

    /// The same as `write`, under the original library's name.
    @discardableResult
    public func writeSync<Value: Sendable>(
        _ block: (borrowing DataStoreWriter) throws -> Value
    ) throws -> Value {
        try write(block)
    }

    /// Queues a block that may change the store, and calls `completion` with what it returned once its
    /// changes are visible and durable, or with the error: the block's own, or the first change of a property
    /// that was refused in it.
    public func writeAsync<Value: Sendable>(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let value = Handover<Value>()
        enqueueWrite({ accessor in
            value.put(try RefusedChanges.throwing { try block(accessor) })
        }) { error in
            completion(
                Result {
                    if let error { throw error }
                    return try result(value.take(), of: "writeAsync")
                })
        }
    }

    /// Carries what a child of this store committed since it was merged last into this one, as one atomic,
    /// durable write, and tells what both had changed.
    ///
    /// Per attribute and by value: an attribute that only one of the two changed since the child first
    /// changed it gets that one's value; where both did, to different values, the policy decides. The
    /// child stays open and sees the outcome. What its queue still holds is left for a later merge.
    ///
    /// Throws ``DataStoreError/Code/mergeConflict``, with the conflicts in ``DataStoreError/conflicts``,
    /// under ``MergePolicy/fail``, and ``DataStoreError/Code/incompatibleChildDataStore`` for a store that
    /// is no child of this one. After any error nothing has changed, and the child stays usable. A merge is
    /// a write of this store: inside one of its write blocks it is refused with
    /// ``DataStoreError/Code/nestedWrite``.
    @discardableResult
    public func merge(_ child: any DataStore, policy: MergePolicy) throws -> MergeReport {
        try checkedMerge(child, policy: policy)
    }
}

/// The value that a block left, which it did if the store kept the contract and ran it.
func result<Value>(_ value: Value?, of operation: String) throws -> Value {
    guard let value else {
        throw DataStoreError(
            .storageFailure, in: operation,
            "The store reported success without running the block, which breaks its contract.")
    }
    return value
}
