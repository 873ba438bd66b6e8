/// Overloads for blocks that take a copy of the accessor: the compiler shows advice on how to declare the block.
extension Skopelos {
    /// Not available: an accessor cannot be copied.
    @available(
        *, unavailable,
        message: """
            a block's accessor cannot be copied or kept. Where this block, or a function that it calls, says \
            'DataStoreReadAccessor', write 'borrowing DataStoreReader'
            """
    )
    @_disfavoredOverload
    @discardableResult
    public func read(_ statements: (any DataStoreReadAccessor) -> Void) -> Self { self }

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
    @discardableResult
    public func writeSync(
        _ changes: (any DataStoreReadWriteAccessor) -> Void,
        completion: (@MainActor @Sendable (DataStoreError?) -> Void)? = nil
    ) -> Self { self }

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
        _ changes: @escaping (any DataStoreReadWriteAccessor) -> Void,
        completion: (@MainActor @Sendable (DataStoreError?) -> Void)? = nil
    ) {}
}
