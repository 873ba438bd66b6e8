/// Overloads for blocks that take a copy of the accessor, as the original library's do: the compiler shows advice on
/// how to declare the block.
extension DataStore {
    /// Not available: an accessor cannot be copied.
    @available(
        *, unavailable,
        message: """
            a block's accessor cannot be copied or kept. Where this block, or a function that it calls, says \
            'DataStoreReadAccessor', write 'borrowing DataStoreReader'
            """
    )
    @_disfavoredOverload
    public func read<Value>(
        _ block: (any DataStoreReadAccessor) throws -> Value
    ) rethrows -> Value { fatalError() }

    /// Not available: an accessor cannot be copied.
    @available(
        *, unavailable,
        message: """
            a block's accessor cannot be copied or kept. Where this block, or a function that it calls, says \
            'DataStoreReadAccessor', write 'borrowing DataStoreReader'
            """
    )
    @_disfavoredOverload
    public func readSync<Value>(
        _ block: (any DataStoreReadAccessor) throws -> Value
    ) rethrows -> Value { fatalError() }

    /// Not available: an accessor cannot be copied.
    @available(
        *, unavailable,
        message: """
            a block's accessor cannot be copied or kept. Where this block, or a function that it calls, says \
            'DataStoreReadWriteAccessor', write 'borrowing DataStoreWriter'; where a function says \
            'DataStoreReadAccessor', write 'borrowing some DataStoreReadAccessor & ~Copyable'
            """
    )
    @_disfavoredOverload
    public func write<Value>(
        _ block: (any DataStoreReadWriteAccessor) throws -> Value
    ) rethrows -> Value { fatalError() }

    /// Not available: an accessor cannot be copied.
    @available(
        *, unavailable,
        message: """
            a block's accessor cannot be copied or kept. Where this block, or a function that it calls, says \
            'DataStoreReadWriteAccessor', write 'borrowing DataStoreWriter'; where a function says \
            'DataStoreReadAccessor', write 'borrowing some DataStoreReadAccessor & ~Copyable'
            """
    )
    @_disfavoredOverload
    public func writeSync<Value>(
        _ block: (any DataStoreReadWriteAccessor) throws -> Value
    ) rethrows -> Value { fatalError() }

    /// Not available: an accessor cannot be copied.
    @available(
        *, unavailable,
        message: """
            a block's accessor cannot be copied or kept. Where this block, or a function that it calls, says \
            'DataStoreReadWriteAccessor', write 'borrowing DataStoreWriter'; where a function says \
            'DataStoreReadAccessor', write 'borrowing some DataStoreReadAccessor & ~Copyable'. The block is '@Sendable'
            """
    )
    @_disfavoredOverload
    public func writeAsync(
        _ block: @escaping (any DataStoreReadWriteAccessor) throws -> Void,
        completion: (() -> Void)? = nil
    ) {}
}
