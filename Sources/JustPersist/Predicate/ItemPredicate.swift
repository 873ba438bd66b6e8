import Foundation

/// A condition on the items of one class, written with key paths.
///
/// ```swift
/// try db.items(Restaurant.self, where: \.stars > 3 && \.cuisine == "Thai")
/// ```
///
/// Values compare as their type does. The store compares the kinds that it keeps, such as numbers, texts and dates.
/// For an enum that is `CaseIterable`, the comparison is evaluated for each case. Any other type may have its own `==`
/// or `<`, which a store does not know: such a comparison is refused, except with `nil`.
///
/// An operator cannot throw. If a key path or a value is invalid, ``predicate()`` throws the error. An attribute
/// without a value has its declared default; an attribute that was set to `nil` is null.
public struct ItemPredicate<Root: DataStoreItem>: Sendable {
    private let result: Result<DataStorePredicate, DataStoreError>

    /// A condition on items of this class.
    public init(_ predicate: DataStorePredicate) { result = .success(predicate) }

    /// Any condition of the class as one of this type.
    ///
    /// ``predicate()`` throws the error of an invalid condition.
    public init(_ condition: some ItemCondition<Root>) {
        result = Result { () throws(DataStoreError) in try condition.predicate() }
    }

    /// The opposite of a condition.
    init(opposite condition: some ItemCondition<Root>) {
        result = Result { () throws(DataStoreError) in
            if let predicate = condition as? Predicate<Root> {
                return try DataStorePredicate(oppositeOf: predicate)
            }
            return try condition.predicate().negated
        }
    }

    /// The comparison of an attribute with a value of a type, by the property's key path.
    init(
        _ keyPath: AnyKeyPath, _ relation: DataStorePredicate.Operator, _ value: Any,
        as type: Any.Type
    ) {
        result = Result { () throws(DataStoreError) in
            let path = DataStorePredicate.Expression.path(try Root.path(for: keyPath))
            let constant = DataStorePredicate.Expression.value(
                try DataStoreValue(attributeValue: value))
            let plain = DataStorePredicate.comparison(.init(path, relation, constant))
            let typed = TypedComparison(of: type, itemType: Root.itemTypeKey)
            return switch relation {
            case .in: try typed.membership(of: path, in: constant, plain)
            case .contains: try typed.membership(of: constant, in: path, plain)
            default: try typed.comparison(path, relation, constant)
            }
        }
    }

    /// The comparison of an attribute with a text, or with texts.
    init(
        _ keyPath: AnyKeyPath, _ relation: DataStorePredicate.Operator, text: DataStoreValue,
        _ options: DataStorePredicate.Options, modifier: DataStorePredicate.Modifier = .direct
    ) {
        result = Result { () throws(DataStoreError) in
            .comparison(
                DataStorePredicate.Comparison(
                    .path(try Root.path(for: keyPath)), relation, .value(text),
                    modifier: modifier, options: options))
        }
    }

    private init(_ result: Result<DataStorePredicate, DataStoreError>) { self.result = result }

    /// The condition in the form that every store accepts.
    ///
    /// Throws `.unknownAttribute` for a key path that is not an attribute of the class, `.unsupportedValue` for a
    /// value that cannot be stored, `.unsupported` for a type that may compare by its own rule.
    public func predicate() throws(DataStoreError) -> DataStorePredicate { try result.get() }

    /// Both conditions.
    public static func && (left: ItemPredicate, right: ItemPredicate) -> ItemPredicate {
        ItemPredicate(
            Result { () throws(DataStoreError) in try left.predicate() && right.predicate() })
    }

    /// Either condition or both.
    public static func || (left: ItemPredicate, right: ItemPredicate) -> ItemPredicate {
        ItemPredicate(
            Result { () throws(DataStoreError) in try left.predicate() || right.predicate() })
    }

    /// The opposite condition.
    public static prefix func ! (predicate: ItemPredicate) -> ItemPredicate {
        ItemPredicate(predicate.result.map { !$0 })
    }
}

extension DataStoreItem {
    /// The path of the attribute that a property's key path refers to.
    static func path(
        for keyPath: AnyKeyPath
    ) throws(DataStoreError) -> DataStorePredicate.AttributePath {
        if let name = schema.attributeName(for: keyPath) {
            return DataStorePredicate.AttributePath([name])
        }
        if let relationship = schema.relationships.first(where: {
            $0.keyPath.map { $0 == keyPath } ?? false
        }) {
            return DataStorePredicate.AttributePath([relationship.name])
        }
        if keyPath == \Self.uniqueToken || leadsToIdentity(keyPath) { return .uniqueToken }
        if let names = schema.names(along: "\(keyPath)".afterRoot) {
            return DataStorePredicate.AttributePath(names)
        }
        throw schema.noAttribute(keyPath)
    }

    /// Whether a key path leads to the identity of items, as `\Restaurant.id` does.
    private static func leadsToIdentity(_ keyPath: AnyKeyPath) -> Bool {
        guard let keyPath = keyPath as? KeyPath<Self, ItemID> else { return false }
        // `\Self.id` is the requirement of Identifiable, and differs from the key path of a class.
        let item = Self(backing: DictionaryBacking(itemTypeKey: itemTypeKey, schema: schema))
        return item[keyPath: keyPath] == item.uniqueToken
    }
}

extension DataStoreValue {
    /// The stored form of a property's value: an enum with a raw value as that, any other `Codable` type as a store
    /// would encode it.
    init(attributeValue value: Any) throws(DataStoreError) {
        if let optional = value as? any OptionalValue {
            guard let wrapped = optional.wrapped else {
                self = .null
                return
            }
            try self.init(attributeValue: wrapped)
        } else if let value = value as? any AttributeValue {
            self = try value.storedValue()
        } else if let value = value as? any RawRepresentable, value is any Codable,
            let rawValue = value.rawValue as? any AttributeValue
        {
            self = try rawValue.storedValue()
        } else if let value = value as? any Codable {
            self = try DataStoreValueEncoder().encode(value)
        } else {
            try self.init(value)
        }
    }
}
