/// Overloads for properties that hold another item, or several: the compiler shows the advice to use references.
extension DataStoreItem {
    /// Not available: an item holds no other item.
    @available(
        *, unavailable,
        message: """
            an attribute cannot hold another item: write @Relationship before this property, or declare it as \
            ItemReference? and find the other item with item(_:_:) of the accessor; or mark it @Transient
            """
    )
    @_disfavoredOverload
    public func attribute<Value: DataStoreItem>(
        at index: Int, default defaultValue: @autoclosure () -> Value
    ) -> Value {
        defaultValue()
    }

    /// Not available: an item holds no other item.
    @available(
        *, unavailable,
        message: """
            an attribute cannot hold another item: write @Relationship before this property, or declare it as \
            ItemReference? and find the other item with item(_:_:) of the accessor; or mark it @Transient
            """
    )
    @_disfavoredOverload
    public func optionalAttribute<Value: DataStoreItem>(at index: Int) -> Value? { nil }

    /// Not available: an item holds no other items.
    @available(
        *, unavailable,
        message: """
            an attribute cannot hold other items: write @Relationship before this property, or declare it as \
            [ItemReference] and find the items with item(_:_:) of the accessor; or mark it @Transient
            """
    )
    @_disfavoredOverload
    public func attribute<Value: Collection>(
        at index: Int, default defaultValue: @autoclosure () -> Value
    ) -> Value where Value.Element: DataStoreItem {
        defaultValue()
    }

    /// Not available: an item holds no other items.
    @available(
        *, unavailable,
        message: """
            an attribute cannot hold other items: write @Relationship before this property, or declare it as \
            [ItemReference] and find the items with item(_:_:) of the accessor; or mark it @Transient
            """
    )
    @_disfavoredOverload
    public func optionalAttribute<Value: Collection>(at index: Int) -> Value?
    where Value.Element: DataStoreItem { nil }
}

extension MutableDataStoreItem {
    /// Not available: an item holds no other item.
    @available(
        *, unavailable,
        message: """
            an attribute cannot hold another item: write @Relationship before this property, or declare it as \
            ItemReference? and find the other item with item(_:_:) of the accessor; or mark it @Transient
            """
    )
    @_disfavoredOverload
    public func setAttribute<Value: DataStoreItem>(_ value: Value, at index: Int) {}

    /// Not available: an item holds no other item.
    @available(
        *, unavailable,
        message: """
            an attribute cannot hold another item: write @Relationship before this property, or declare it as \
            ItemReference? and find the other item with item(_:_:) of the accessor; or mark it @Transient
            """
    )
    @_disfavoredOverload
    public func setOptionalAttribute<Value: DataStoreItem>(_ value: Value?, at index: Int) {}

    /// Not available: an item holds no other items.
    @available(
        *, unavailable,
        message: """
            an attribute cannot hold other items: write @Relationship before this property, or declare it as \
            [ItemReference] and find the items with item(_:_:) of the accessor; or mark it @Transient
            """
    )
    @_disfavoredOverload
    public func setAttribute<Value: Collection>(_ value: Value, at index: Int)
    where Value.Element: DataStoreItem {}

    /// Not available: an item holds no other items.
    @available(
        *, unavailable,
        message: """
            an attribute cannot hold other items: write @Relationship before this property, or declare it as \
            [ItemReference] and find the items with item(_:_:) of the accessor; or mark it @Transient
            """
    )
    @_disfavoredOverload
    public func setOptionalAttribute<Value: Collection>(_ value: Value?, at index: Int)
    where Value.Element: DataStoreItem {}
}
