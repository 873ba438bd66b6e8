/// Properties of item classes whose types make them relationships, such as `var author: Author?` and `var books: [Book] = []`.
///
/// A macro cannot see whether a type is an item class. `@Item` therefore writes the same calls for such a property as for an
/// attribute, and the compiler chooses these overloads if the type is an item class, also if it is `Codable`.
extension DataStoreItem {
    /// The item of a relationship to one, declared by the type of its property.
    ///
    /// The index is that of the attribute with the reference.
    public func optionalAttribute<Other: DataStoreItem>(at index: Int) -> Other? {
        related(Self.schema.name(at: index))
    }

    /// The items of a relationship to many, declared by the type of its property.
    public func attribute<Other: DataStoreItem>(
        at index: Int, named name: String, default defaultValue: @autoclosure () -> [Other]
    ) -> [Other] {
        related(toMany: name).items
    }
}

extension MutableDataStoreItem {
    /// Sets the item of a relationship to one, declared by the type of its property, and keeps the other side in step.
    public func setOptionalAttribute<Other: DataStoreItem>(_ other: Other?, at index: Int) {
        setRelated(Self.schema.name(at: index), to: other)
    }

    /// Makes exactly these items the others of a relationship to many, declared by the type of its property.
    public func setAttribute<Other: DataStoreItem>(
        _ others: [Other], at index: Int, named name: String
    ) {
        related(toMany: name).replace(with: others)
    }
}

/// The accessors for arrays that are attributes, under the names that may also stand for a relationship.
extension DataStoreItem {
    /// The value of an attribute with an array of an ``AttributeValue`` type.
    @inlinable
    public func attribute<Element: AttributeValue>(
        at index: Int, named name: String, default defaultValue: @autoclosure () -> [Element]
    ) -> [Element] {
        attribute(at: index, default: defaultValue())
    }

    /// The value of an attribute with an array of another type.
    @inlinable @_disfavoredOverload
    public func attribute<Element: Codable>(
        at index: Int, named name: String, default defaultValue: @autoclosure () -> [Element]
    ) -> [Element] {
        attribute(at: index, default: defaultValue())
    }

    /// Not available: a store cannot keep the elements.
    @available(
        *, unavailable,
        message: """
            this property's type cannot be stored: make it Codable, use a type of DataStoreValue, or mark \
            the property @Transient; other items need a class with @Item
            """
    )
    @_disfavoredOverload
    public func attribute<Element>(
        at index: Int, named name: String, default defaultValue: @autoclosure () -> [Element]
    ) -> [Element] {
        defaultValue()
    }
}

extension MutableDataStoreItem {
    /// Changes an attribute with an array of an ``AttributeValue`` type.
    @inlinable
    public func setAttribute<Element: AttributeValue>(
        _ value: [Element], at index: Int, named name: String
    ) {
        setAttribute(value, at: index)
    }

    /// Changes an attribute with an array of another type.
    @inlinable @_disfavoredOverload
    public func setAttribute<Element: Codable>(
        _ value: [Element], at index: Int, named name: String
    ) {
        setAttribute(value, at: index)
    }

    /// Not available: a store cannot keep the elements.
    @available(
        *, unavailable,
        message: """
            this property's type cannot be stored: make it Codable, use a type of DataStoreValue, or mark \
            the property @Transient; other items need a class with @Item
            """
    )
    @_disfavoredOverload
    public func setAttribute<Element>(_ value: [Element], at index: Int, named name: String) {}
}

extension AttributeSchema {
    /// The number of attributes that a property takes: none if it is an array of items, which is a relationship to many.
    @inlinable @inline(__always)
    public static func places<Other: DataStoreItem>(of type: [Other].Type) -> Int { 0 }

    /// The number of attributes that a property takes: one.
    @inlinable @inline(__always) @_disfavoredOverload
    public static func places<Value>(of type: Value.Type) -> Int { 1 }

    /// A value that no relationship can have: the schema is refused.
    public static func defaultValue<Other: DataStoreItem>(
        of type: Other.Type, _ value: @autoclosure () -> Other
    ) -> DataStoreValue? { .bool(true) }
}
