/// The accessors that the properties of item classes use, for attributes of an ``AttributeValue`` type.
///
/// The index is the attribute's position in the class's schema. Properties cannot throw: a failure is reported to the
/// store's error handler, the getter returns its default, and the setter changes nothing. A block of a throwing form
/// then fails with the error at its end.
extension DataStoreItem {
    /// The value of an attribute, or the default if the item has none.
    ///
    /// A stored value of another kind, or out of the type's range, is reported, and this returns the default.
    @inlinable
    public func attribute<Value: AttributeValue>(
        at index: Int, default defaultValue: @autoclosure () -> Value
    ) -> Value {
        optionalAttribute(at: index) ?? defaultValue()
    }

    /// The value of an attribute, or `nil` if the item has none.
    ///
    /// A stored value of another kind, or out of the type's range, is reported, and this returns `nil`.
    @inlinable
    public func optionalAttribute<Value: AttributeValue>(at index: Int) -> Value? {
        let backing = backing
        if let value = Value.read(at: index, from: backing) { return value }
        do throws(DataStoreError) {
            let stored = try backing.value(at: index)
            if case .null = stored { return nil }
            if let value = Value(stored) { return value }
            reportUnreadable(stored, as: Value.self, of: Value.attributeKind, at: index)
        } catch {
            backing.fail(error)
        }
        return nil
    }
}

extension MutableDataStoreItem {
    /// Changes an attribute.
    ///
    /// A read-only item or a value that does not fit is reported, and nothing changes.
    @inlinable
    public func setAttribute<Value: AttributeValue>(_ value: Value, at index: Int) {
        if value.write(at: index, to: backing) { return }
        do throws(DataStoreError) {
            try backing.setValue(try value.storedValue(), at: index)
        } catch {
            reportUnchanged(error, at: index)
        }
    }

    /// Changes an attribute, or removes its value.
    ///
    /// A read-only item or a value that does not fit is reported, and nothing changes.
    @inlinable
    public func setOptionalAttribute<Value: AttributeValue>(_ value: Value?, at index: Int) {
        if let value, value.write(at: index, to: backing) { return }
        do throws(DataStoreError) {
            try backing.setValue(try value.storedValue(), at: index)
        } catch {
            reportUnchanged(error, at: index)
        }
    }
}

extension DataStoreItem {
    /// Reports that a stored value is not of the property's type.
    ///
    /// Separate from the getters, which are specialized for each type.
    @usableFromInline
    func reportUnreadable(
        _ stored: DataStoreValue, as type: Any.Type, of kind: DataStoreValue.Kind?, at index: Int
    ) {
        reportUnreadable(
            DataStoreError(
                stored.kind == kind ? .unsupportedValue : .kindMismatch, in: "value",
                "its value of kind \(stored.kind) is no \(type)."),
            at: index)
    }

    /// Reports that a stored value cannot be read as the property's type.
    @usableFromInline
    func reportUnreadable(_ error: DataStoreError, at index: Int) {
        backing.fail(described(error, at: index, outcome: "cannot be read"))
    }

    /// Reports that a value was not stored.
    @usableFromInline
    func reportUnchanged(_ error: DataStoreError, at index: Int) {
        // A backing names the attribute itself; a value does not know its attribute.
        if error.attribute != nil { return backing.fail(error) }
        backing.fail(described(error, at: index, outcome: "was not changed"))
    }

    private func described(
        _ error: DataStoreError, at index: Int, outcome: String
    ) -> DataStoreError {
        let name = Self.schema.name(at: index)
        return DataStoreError(
            error.code, in: error.operation,
            "“\(name)” of “\(backing.itemTypeKey)” \(outcome): \(error.message)",
            itemType: backing.itemTypeKey, attribute: name, engine: error.engine)
    }
}
