/// Overloads for properties that hold other items in a form that is no relationship: the compiler shows the forms that are.
extension DataStoreItem {
    /// Not available: a relationship to one is optional.
    @available(
        *, unavailable,
        message: """
            a relationship to one other item is optional and has no value: write Author?; or mark the property @Transient
            """
    )
    @_disfavoredOverload
    public func attribute<Value: DataStoreItem>(
        at index: Int, default defaultValue: @autoclosure () -> Value
    ) -> Value {
        defaultValue()
    }

    /// Not available: a relationship to many is an array that begins empty.
    @available(
        *, unavailable,
        message: """
            a relationship to many other items is an array, or ToMany: write [Book] = [], or ToMany<Book>; or mark the \
            property @Transient
            """
    )
    @_disfavoredOverload
    public func attribute<Value: Collection>(
        at index: Int, default defaultValue: @autoclosure () -> Value
    ) -> Value where Value.Element: DataStoreItem {
        defaultValue()
    }

    /// Not available: a relationship to many is an array that begins empty.
    @available(
        *, unavailable,
        message: """
            a relationship to many other items is an array, or ToMany: write [Book] = [], or ToMany<Book>; or mark the \
            property @Transient
            """
    )
    @_disfavoredOverload
    public func optionalAttribute<Value: Collection>(at index: Int) -> Value?
    where Value.Element: DataStoreItem { nil }
}

extension MutableDataStoreItem {
    /// Not available: a relationship to one is optional.
    @available(
        *, unavailable,
        message: """
            a relationship to one other item is optional and has no value: write Author?; or mark the property @Transient
            """
    )
    @_disfavoredOverload
    public func setAttribute<Value: DataStoreItem>(_ value: Value, at index: Int) {}

    /// Not available: a relationship to many is an array that begins empty.
    @available(
        *, unavailable,
        message: """
            a relationship to many other items is an array, or ToMany: write [Book] = [], or ToMany<Book>; or mark the \
            property @Transient
            """
    )
    @_disfavoredOverload
    public func setAttribute<Value: Collection>(_ value: Value, at index: Int)
    where Value.Element: DataStoreItem {}

    /// Not available: a relationship to many is an array that begins empty.
    @available(
        *, unavailable,
        message: """
            a relationship to many other items is an array, or ToMany: write [Book] = [], or ToMany<Book>; or mark the \
            property @Transient
            """
    )
    @_disfavoredOverload
    public func setOptionalAttribute<Value: Collection>(_ value: Value?, at index: Int)
    where Value.Element: DataStoreItem {}
}
