extension CodingUserInfoKey {
    /// A key of a decoder's `userInfo`: if its value is `true`, the structs of values that `@Item` makes use defaults
    /// for missing keys.
    ///
    /// An attribute that is not optional then has its default if its key is absent or null. Otherwise decoding throws
    /// a `DecodingError` that names the attribute.
    ///
    /// ```swift
    /// let decoder = JSONDecoder()
    /// decoder.userInfo[.fillsInDefaults] = true
    /// ```
    public static let fillsInDefaults = {
        guard let key = CodingUserInfoKey(rawValue: "JustPersist.fillsInDefaults") else {
            preconditionFailure("A key of user info takes any name.")
        }
        return key
    }()
}

/// The decoding of the structs of values that `@Item` makes; not for direct use.
///
/// The keys are the names of the attributes, and `id`.
public struct ItemValuesDecoder {
    private let container: KeyedDecodingContainer<ItemValuesKey>
    private let fillsInDefaults: Bool

    /// Reads the container of one item.
    public init(_ decoder: any Decoder) throws {
        container = try decoder.container(keyedBy: ItemValuesKey.self)
        fillsInDefaults = decoder.userInfo[.fillsInDefaults] as? Bool ?? false
    }

    /// The identity of the item; a new one if it is absent or null.
    public func id(_ key: String) throws -> ItemID {
        try container.decodeIfPresent(ItemID.self, forKey: ItemValuesKey(key)) ?? ItemID()
    }

    /// The value of an attribute that is not optional.
    ///
    /// An absent key and null throw errors that name the attribute, unless the decoder is configured to use defaults.
    public func attribute<Value: Decodable>(
        _ name: String, default defaultValue: @autoclosure () -> Value
    ) throws -> Value {
        let key = ItemValuesKey(name)
        if fillsInDefaults {
            return try container.decodeIfPresent(Value.self, forKey: key) ?? defaultValue()
        }
        if container.contains(key) { return try container.decode(Value.self, forKey: key) }
        // An optional type under another name, such as a type alias.
        if Value.self is any ExpressibleByNilLiteral.Type { return defaultValue() }
        throw DecodingError.keyNotFound(
            key,
            DecodingError.Context(
                codingPath: container.codingPath,
                debugDescription: """
                    “\(name)” is absent, and is not optional. Add it, declare the attribute optional, or set \
                    userInfo[.fillsInDefaults] of the decoder to true.
                    """))
    }

    /// The value of an attribute; `nil` if it is null, and its default if it is absent.
    public func optionalAttribute<Value: Decodable>(
        _ name: String, default defaultValue: @autoclosure () -> Value? = nil
    ) throws -> Value? {
        let key = ItemValuesKey(name)
        if !container.contains(key) { return defaultValue() }
        return try container.decodeIfPresent(Value.self, forKey: key)
    }

    // For types that cannot be stored, which the compiler reports at their properties.

    /// The default.
    @_disfavoredOverload
    public func attribute<Value>(
        _ name: String, default defaultValue: @autoclosure () -> Value
    ) throws -> Value { defaultValue() }

    /// The default.
    @_disfavoredOverload
    public func optionalAttribute<Value>(
        _ name: String, default defaultValue: @autoclosure () -> Value? = nil
    ) throws -> Value? { defaultValue() }
}

/// The encoding of the structs of values that `@Item` makes; not for direct use.
public struct ItemValuesEncoder {
    private var container: KeyedEncodingContainer<ItemValuesKey>

    /// Begins to write one item.
    public init(_ encoder: any Encoder) {
        container = encoder.container(keyedBy: ItemValuesKey.self)
    }

    /// Writes the identity of the item.
    public mutating func id(_ id: ItemID, _ key: String) throws {
        try container.encode(id, forKey: ItemValuesKey(key))
    }

    /// Writes the value of an attribute.
    public mutating func attribute<Value: Encodable>(_ name: String, _ value: Value) throws {
        try container.encode(value, forKey: ItemValuesKey(name))
    }

    /// Writes the value of an attribute.
    ///
    /// `nil` is left out, or written as null if an absent value would become the default.
    public mutating func optionalAttribute<Value: Encodable>(
        _ name: String, _ value: Value?, hasDefault: Bool = false
    ) throws {
        let key = ItemValuesKey(name)
        if let value {
            try container.encode(value, forKey: key)
        } else if hasDefault {
            try container.encodeNil(forKey: key)
        }
    }

    // For types that cannot be stored, which the compiler reports at their properties.

    /// Writes nothing.
    @_disfavoredOverload
    public mutating func attribute<Value>(_ name: String, _ value: Value) throws {}

    /// Writes nothing.
    @_disfavoredOverload
    public mutating func optionalAttribute<Value>(
        _ name: String, _ value: Value?, hasDefault: Bool = false
    ) throws {}
}

/// The name of an attribute as a key.
private struct ItemValuesKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
