/// The accessors for attributes of other types. An enum with a raw value is stored as that; any other `Codable` type
/// is encoded and decoded at each use, a struct as a dictionary and a collection as an array.
///
/// A type that is also an ``AttributeValue`` is stored as one.
extension DataStoreItem {
    /// The value of an attribute, or the default if the item has none.
    ///
    /// A stored value that is not one of the raw values is reported, and this returns the default.
    @inlinable @_disfavoredOverload
    public func attribute<Value: RawRepresentable & Codable>(
        at index: Int, default defaultValue: @autoclosure () -> Value
    ) -> Value where Value.RawValue: AttributeValue {
        optionalAttribute(at: index) ?? defaultValue()
    }

    /// The value of an attribute, or `nil` if the item has none.
    ///
    /// A stored value that is not one of the raw values is reported, and this returns `nil`.
    @inlinable @_disfavoredOverload
    public func optionalAttribute<Value: RawRepresentable & Codable>(
        at index: Int
    ) -> Value? where Value.RawValue: AttributeValue {
        guard let raw: Value.RawValue = optionalAttribute(at: index) else { return nil }
        if let value = Value(rawValue: raw) { return value }
        reportUnknownCase(of: Value.self, at: index)
        return nil
    }

    /// The value of an attribute, or the fallback if the item has none, or one that is none of the raw values.
    ///
    /// Such a value stays stored until the attribute is set; nothing is reported.
    @inlinable
    public func attribute<Value: RawRepresentable & Codable>(
        at index: Int, orUnknown fallback: @autoclosure () -> Value
    ) -> Value where Value.RawValue: AttributeValue {
        optionalAttributeOrUnknown(at: index) ?? fallback()
    }

    /// The value of an attribute, or `nil` if the item has none, or one that is none of the raw values.
    ///
    /// Such a value stays stored until the attribute is set; nothing is reported.
    @inlinable
    public func optionalAttributeOrUnknown<Value: RawRepresentable & Codable>(
        at index: Int
    ) -> Value? where Value.RawValue: AttributeValue {
        guard let raw: Value.RawValue = optionalAttribute(at: index) else { return nil }
        return Value(rawValue: raw)
    }

    /// The value of an attribute, or the default if the item has none.
    ///
    /// A stored value that cannot be decoded is reported, and this returns the default.
    @_disfavoredOverload
    public func attribute<Value: Codable>(
        at index: Int, default defaultValue: @autoclosure () -> Value
    ) -> Value {
        optionalAttribute(at: index) ?? defaultValue()
    }

    /// The value of an attribute, or `nil` if the item has none.
    ///
    /// A stored value that cannot be decoded is reported, and this returns `nil`.
    @_disfavoredOverload
    public func optionalAttribute<Value: Codable>(at index: Int) -> Value? {
        let stored: DataStoreValue
        do throws(DataStoreError) {
            stored = try backing.value(at: index)
        } catch {
            backing.fail(error)
            return nil
        }
        if stored.isNull { return nil }
        do throws(DataStoreError) {
            return try DataStoreValueDecoder().decode(Value.self, from: stored)
        } catch {
            reportUnreadable(
                DataStoreError(
                    error.code, in: error.operation,
                    """
                    \(error.message) Decode the earlier form in init(from:), or replace such values in a step of a \
                    SchemaPlan, where a DynamicItem reads them.
                    """), at: index)
            return nil
        }
    }

    /// Reports that a stored value is no case of an enum.
    @usableFromInline
    func reportUnknownCase(of type: Any.Type, at index: Int) {
        reportUnreadable(
            DataStoreError(
                .unsupportedValue, in: "value",
                """
                its value is none of the values of \(type). Keep such values with @Attribute(unknown: .keep), or replace \
                them in a step of a SchemaPlan, where a DynamicItem reads them.
                """), at: index)
    }
}

extension MutableDataStoreItem {
    /// Changes an attribute.
    ///
    /// A read-only item is reported, and nothing changes.
    @inlinable @_disfavoredOverload
    public func setAttribute<Value: RawRepresentable & Codable>(
        _ value: Value, at index: Int
    ) where Value.RawValue: AttributeValue {
        setAttribute(value.rawValue, at: index)
    }

    /// Changes an attribute, or removes its value.
    ///
    /// A read-only item is reported, and nothing changes.
    @inlinable @_disfavoredOverload
    public func setOptionalAttribute<Value: RawRepresentable & Codable>(
        _ value: Value?, at index: Int
    ) where Value.RawValue: AttributeValue {
        setOptionalAttribute(value?.rawValue, at: index)
    }

    /// Changes an attribute.
    ///
    /// A read-only item or a value that cannot be encoded is reported, and nothing changes.
    @_disfavoredOverload
    public func setAttribute<Value: Codable>(_ value: Value, at index: Int) {
        do throws(DataStoreError) {
            try backing.setValue(try DataStoreValueEncoder().encode(value), at: index)
        } catch {
            reportUnchanged(error, at: index)
        }
    }

    /// Changes an attribute, or removes its value.
    ///
    /// A read-only item or a value that cannot be encoded is reported, and nothing changes.
    @_disfavoredOverload
    public func setOptionalAttribute<Value: Codable>(_ value: Value?, at index: Int) {
        if let value {
            setAttribute(value, at: index)
        } else {
            setAttribute(DataStoreValue.null, at: index)
        }
    }
}
