/// What the compiler is left with for a block that takes a copy of its accessor: advice how to declare it.
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
