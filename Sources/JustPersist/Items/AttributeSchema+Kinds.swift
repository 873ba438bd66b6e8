extension AttributeSchema {
    /// The kinds of values that an attribute of a type holds; empty if they vary.
    public static func kinds<Value: AttributeValue>(
        of type: Value.Type
    ) -> Set<DataStoreValue.Kind> {
        type.attributeKind.map { [$0] } ?? []
    }

    /// The kinds of an enum's raw values.
    @_disfavoredOverload
    public static func kinds<Value: RawRepresentable & Codable>(
        of type: Value.Type
    ) -> Set<DataStoreValue.Kind> where Value.RawValue: AttributeValue {
        kinds(of: Value.RawValue.self)
    }

    /// Any kind: the stored kind of such a type is known only from its values.
    @_disfavoredOverload
    public static func kinds<Value>(of type: Value.Type) -> Set<DataStoreValue.Kind> { [] }
}
