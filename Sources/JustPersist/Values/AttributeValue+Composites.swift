extension ItemReference: AttributeValue {
    /// The kind of references.
    @inlinable public static var attributeKind: DataStoreValue.Kind? { .reference }

    /// The reference.
    @inlinable public init?(_ value: DataStoreValue) {
        guard case .reference(let value) = value else { return nil }
        self = value
    }

    /// The reference.
    @inlinable public func storedValue() -> DataStoreValue { .reference(self) }
}

extension ItemID: AttributeValue {
    /// The kind of UUIDs.
    @inlinable public static var attributeKind: DataStoreValue.Kind? { .uuid }

    /// The id with the bits of a stored UUID.
    @inlinable public init?(_ value: DataStoreValue) {
        guard case .uuid(let value) = value else { return nil }
        self.init(value)
    }

    /// The bits as a UUID.
    @inlinable public func storedValue() -> DataStoreValue { .uuid(uuid) }
}

extension DataStoreValue: AttributeValue {
    /// No single kind: an attribute of this type holds any.
    @inlinable public static var attributeKind: Kind? { nil }

    /// The value itself.
    @inlinable public init(_ value: DataStoreValue) { self = value }

    /// The value itself.
    @inlinable public func storedValue() -> DataStoreValue { self }
}

/// `nil` is stored as null, so that collections may hold it.
extension Optional: AttributeValue where Wrapped: AttributeValue {
    /// The kind of the wrapped type.
    @inlinable public static var attributeKind: DataStoreValue.Kind? { Wrapped.attributeKind }

    /// The wrapped value, or `nil` for null.
    @inlinable public init?(_ value: DataStoreValue) {
        if value.isNull {
            self = nil  // A value here, unlike `return nil`.
        } else if let wrapped = Wrapped(value) {
            self = wrapped
        } else {
            return nil
        }
    }

    /// The wrapped value, or null.
    @inlinable public func storedValue() throws(DataStoreError) -> DataStoreValue {
        switch self {
        case .some(let wrapped): try wrapped.storedValue()
        case .none: .null
        }
    }
}

extension Array: AttributeValue where Element: AttributeValue {
    /// The kind of arrays.
    @inlinable public static var attributeKind: DataStoreValue.Kind? { .array }

    /// The elements, if each of them can be converted to the element type.
    @inlinable public init?(_ value: DataStoreValue) {
        guard case .array(let values) = value else { return nil }
        self = []
        reserveCapacity(values.count)
        for value in values {
            guard let element = Element(value) else { return nil }
            append(element)
        }
    }

    /// The elements in their stored form.
    @inlinable public func storedValue() throws(DataStoreError) -> DataStoreValue {
        .array(try map { (element) throws(DataStoreError) in try element.storedValue() })
    }
}

extension Dictionary: AttributeValue where Key == String, Value: AttributeValue {
    /// The kind of dictionaries.
    @inlinable public static var attributeKind: DataStoreValue.Kind? { .dictionary }

    /// The entries, if each of them can be converted to the value type.
    @inlinable public init?(_ value: DataStoreValue) {
        guard case .dictionary(let entries) = value else { return nil }
        self.init(minimumCapacity: entries.count)
        for (key, entry) in entries {
            guard let value = Value(entry) else { return nil }
            self[key] = .some(value)
        }
    }

    /// The entries in their stored form.
    @inlinable public func storedValue() throws(DataStoreError) -> DataStoreValue {
        var entries: [String: DataStoreValue] = [:]
        entries.reserveCapacity(count)
        for (key, value) in self { entries[key] = try value.storedValue() }
        return .dictionary(entries)
    }
}
