/// Overloads for properties of a type that cannot be stored: the compiler shows one clear error.
extension DataStoreItem {
    /// Not available: a store cannot keep the property's type.
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

    /// Not available: a store cannot keep the property's type.
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
    /// Not available: a store cannot keep the property's type.
    @available(
        *, unavailable,
        message: """
            this property's type cannot be stored: make it Codable, use a type of DataStoreValue, or mark \
            the property @Transient; another item is kept as an ItemReference
            """
    )
    @_disfavoredOverload
    public func setAttribute<Value>(_ value: Value, at index: Int) {}

    /// Not available: a store cannot keep the property's type.
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
