/// The effect of the declared kinds and the default on the values of an attribute.
extension AttributeSchema {
    /// The value that an item has for the attribute, given its stored value or `nil` if it stores none.
    ///
    /// A stored value of a kind that is not declared is converted if the conversion is exact. Otherwise it is returned
    /// unchanged; ``check(_:ofType:)`` throws for such a value.
    public func value(stored: DataStoreValue?) -> DataStoreValue {
        guard let stored, isOptional || !stored.isNull else { return defaultValue ?? .null }
        return accepted(stored) ?? stored
    }

    /// The value to store when the attribute is set: unchanged, or converted to a declared kind.
    ///
    /// - Throws: `.kindMismatch` for a value of another kind that cannot be converted exactly.
    public func check(
        _ value: DataStoreValue, ofType itemType: String
    ) throws(DataStoreError) -> DataStoreValue {
        if let value = accepted(value) { return value }
        throw .kindMismatch(
            value.kind, of: name, ofType: itemType, declared: kinds, in: "setValue",
            "nothing was changed. Set a value of that kind, or declare the attribute otherwise.")
    }

    /// This attribute with the default that a store has recorded, unless that cannot be a value of the declared kinds.
    public func withDefault(recorded: DataStoreValue?) -> AttributeSchema {
        guard let recorded, recorded != defaultValue,
            kinds.isEmpty || recorded.exactly(asOneOf: kinds) != nil
        else { return self }
        return AttributeSchema(
            name, kinds: kinds, storedKinds: storedKinds, default: recorded, isOptional: isOptional,
            formerNames: formerNames, isUnique: isUnique, isIndexed: isIndexed,
            ignoresCase: ignoresCase, keyPath: keyPath)
    }

    /// The value as one of the declared kinds; `nil` if it cannot be converted.
    private func accepted(_ value: DataStoreValue) -> DataStoreValue? {
        if kinds.isEmpty || value.isNull || kinds.contains(value.kind) { return value }
        return value.exactly(asOneOf: kinds)
    }
}

extension DataStoreValue {
    /// This value as one of several kinds, the first that it can be converted to.
    package func exactly(asOneOf kinds: Set<Kind>) -> DataStoreValue? {
        for kind in kinds.sorted(by: { $0.rawValue < $1.rawValue }) {
            if let value = exactly(as: kind) { return value }
        }
        return nil
    }
}

extension DataStoreError {
    /// The refusal of a value of another kind than its attribute declares.
    public static func kindMismatch(
        _ kind: DataStoreValue.Kind, of attribute: String, ofType itemType: String,
        declared: Set<DataStoreValue.Kind>, in operation: String, _ outcome: String
    ) -> DataStoreError {
        let kinds = declared.sorted { $0.rawValue < $1.rawValue }.map { "\($0)" }
            .joined(separator: " or ")
        return DataStoreError(
            .kindMismatch, in: operation,
            "“\(attribute)” of “\(itemType)” holds \(kinds), and the value is of kind \(kind): \(outcome)",
            itemType: itemType, attribute: attribute)
    }
}

extension AttributeSchema {
    /// The default of an attribute of a type, as it is stored; `nil` if it cannot be.
    public static func defaultValue<Value: AttributeValue>(
        of type: Value.Type, _ value: Value
    ) -> DataStoreValue? { try? value.storedValue() }

    /// The default of an attribute of an enum: its raw value.
    @_disfavoredOverload
    public static func defaultValue<Value: RawRepresentable & Codable>(
        of type: Value.Type, _ value: Value
    ) -> DataStoreValue? where Value.RawValue: AttributeValue { try? value.rawValue.storedValue() }

    /// The default of an attribute of any other type, as the type encodes itself.
    @_disfavoredOverload
    public static func defaultValue<Value: Codable>(
        of type: Value.Type, _ value: Value
    ) -> DataStoreValue? { try? DataStoreValueEncoder().encode(value) }

    /// No default: the type cannot be stored, which the compiler reports at the property.
    @_disfavoredOverload
    public static func defaultValue<Value>(of type: Value.Type, _ value: Value) -> DataStoreValue? {
        nil
    }
}
