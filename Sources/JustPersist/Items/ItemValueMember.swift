/// The type of a property in the structs of values that `@Item` makes, where that depends on whether the property of the
/// class is a relationship; not for direct use.
///
/// The compiler infers `Value` from `type`, for which it chooses an overload of ``ItemValueStorage``.
public protocol ItemValueMember: SendableMetatype {
    /// The type of the property.
    associatedtype Value
    /// Stands for the type.
    static var type: ItemValueType<Value> { get }
}

/// Stands for a type; not for direct use.
public struct ItemValueType<Value>: Sendable {
    init() {}
}

/// The value of a relationship to many in the structs of values that `@Item` makes: nothing, because the others would take a
/// look-up for each copy.
public struct OthersNotCopied: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// Takes no elements.
    public init(arrayLiteral elements: Never...) {}
}

/// Properties that are attributes or relationships.
extension ItemValueStorage {
    /// The id of the other item.
    public static func type<Other: DataStoreItem>(
        of type: Other?.Type
    ) -> ItemValueType<ItemID?> { ItemValueType() }

    /// Nothing.
    public static func type<Other: DataStoreItem>(
        of type: [Other].Type
    ) -> ItemValueType<OthersNotCopied> { ItemValueType() }

    /// The type of an attribute.
    @_disfavoredOverload
    public static func type<Value>(of type: Value.Type) -> ItemValueType<Value> { ItemValueType() }

    /// The id of the other item, without a look-up.
    public static func value<Other: DataStoreItem>(
        of type: Other?.Type, in item: some DataStoreItem, _ name: String,
        _ value: @autoclosure () -> Other?
    ) -> ItemID? { item.relatedID(name) }

    /// Nothing.
    public static func value<Other: DataStoreItem>(
        of type: [Other].Type, in item: some DataStoreItem, _ name: String,
        _ value: @autoclosure () -> [Other]
    ) -> OthersNotCopied { [] }

    /// The value of an attribute.
    @inlinable @inline(__always) @_disfavoredOverload
    public static func value<Value>(
        of type: Value.Type, in item: some DataStoreItem, _ name: String,
        _ value: @autoclosure () -> Value
    ) -> Value { value() }

    /// Sets a relationship to the item with an id.
    public static func assign<Other: DataStoreItem>(
        _ id: ItemID?, of type: Other?.Type, to item: some MutableDataStoreItem, _ name: String,
        _ set: (Other?) -> Void
    ) {
        item.setRelatedID(name, to: id, of: Other.self)
    }

    /// Changes nothing.
    public static func assign<Other: DataStoreItem>(
        _ others: OthersNotCopied, of type: [Other].Type, to item: some MutableDataStoreItem,
        _ name: String, _ set: ([Other]) -> Void
    ) {}

    /// Sets an attribute.
    @inlinable @inline(__always) @_disfavoredOverload
    public static func assign<Value>(
        _ value: Value, of type: Value.Type, to item: some MutableDataStoreItem, _ name: String,
        _ set: (Value) -> Void
    ) {
        set(value)
    }

    /// Nothing, for a relationship to one under another name or with a value, which is refused.
    @available(
        *, deprecated,
        message: """
            a relationship to one is written Author?, without a typealias for the optional and without a value; it is not \
            among the values
            """
    )
    public static func of<Other: DataStoreItem>(
        _ type: Other?.Type, _ value: @autoclosure () -> Other?
    ) -> ItemNotCopied<Other> { ItemNotCopied(nil) }
}

/// The storage of a relationship to one that is written in another form; see ``ItemValueStorage``.
public struct ItemNotCopied<Other: DataStoreItem>: Hashable, Sendable {
    /// Nil; what is set is not kept.
    public var value: Other? {
        get { nil }
        set { _ = newValue }
    }

    /// Keeps nothing.
    public init(_ value: Other?) {}
}
