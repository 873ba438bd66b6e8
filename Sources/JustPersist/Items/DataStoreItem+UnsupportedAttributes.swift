/// What the compiler is left with for a property of a type that cannot be kept: one clear refusal.
extension DataStoreItem {
    /// Not available: the property's type is not one that a store keeps.
    @available(
        *, unavailable,
        message: """
            this property's type cannot be stored: make it Codable, use a type of DataStoreValue, or mark \
            the property @Transient; another item is kept as an ItemReference
            """
    )
    @_disfavoredOverload
    public func attribute<Value>(
        at index: Int, default defaultValue: @autoclosure () -> Value
    ) -> Value {
        defaultValue()
    }

    /// Not available: the property's type is not one that a store keeps.
    @available(
        *, unavailable,
        message: """
            this property's type cannot be stored: make it Codable, use a type of DataStoreValue, or mark \
            the property @Transient; another item is kept as an ItemReference
            """
    )
    @_disfavoredOverload
    public func optionalAttribute<Value>(at index: Int) -> Value? { nil }
}

extension MutableDataStoreItem {
    /// Not available: the property's type is not one that a store keeps.
    @available(
        *, unavailable,
        message: """
            this property's type cannot be stored: make it Codable, use a type of DataStoreValue, or mark \
            the property @Transient; another item is kept as an ItemReference
            """
    )
    @_disfavoredOverload
    public func setAttribute<Value>(_ value: Value, at index: Int) {}

    /// Not available: the property's type is not one that a store keeps.
    @available(
        *, unavailable,
        message: """
            this property's type cannot be stored: make it Codable, use a type of DataStoreValue, or mark \
            the property @Transient; another item is kept as an ItemReference
            """
    )
    @_disfavoredOverload
    public func setOptionalAttribute<Value>(_ value: Value?, at index: Int) {}
}
