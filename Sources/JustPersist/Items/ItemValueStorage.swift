/// The storage of attributes in the structs of values that `@Item` makes; not for direct use.
///
/// The structs are `Hashable` and `Sendable`, and the types of attributes need not be. A macro cannot see what a type
/// conforms to, so the compiler chooses the storage by these overloads.
public enum ItemValueStorage {
    /// A value of a type that is `Hashable` and `Sendable`, stored unchanged.
    @inlinable
    public static func of<Value: Hashable & Sendable>(
        _ type: Value.Type, _ value: Value
    ) -> KeptValue<Value> { KeptValue(value) }

    /// A value of a type that is not `Hashable`, stored unchanged and compared in its stored form.
    @_disfavoredOverload
    public static func of<Value: Codable & Sendable>(
        _ type: Value.Type, _ value: Value
    ) -> ComparedValue<Value> { ComparedValue(value) }

    /// A value of a type that is not `Sendable`, in its stored form.
    @_disfavoredOverload
    public static func of<Value: Codable>(
        _ type: Value.Type, _ value: Value
    ) -> EncodedValue<Value> { EncodedValue(value) }

    /// A value of a type that cannot be stored: the compiler reports that at the property, and a second error would
    /// not help.
    @_disfavoredOverload
    public static func of<Value>(_ type: Value.Type, _ value: Value) -> UnstorableValue<Value> {
        UnstorableValue(value)
    }
}

/// A value stored unchanged.
///
/// See ``ItemValueStorage``.
public struct KeptValue<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The value.
    public var value: Value

    /// Keeps a value.
    @inlinable
    public init(_ value: Value) { self.value = value }
}

/// A value of a type that is not `Hashable`: two are equal if their stored forms are.
///
/// Comparing and hashing encode the value. See ``ItemValueStorage``.
public struct ComparedValue<Value: Codable & Sendable>: Hashable, Sendable {
    /// The value.
    public var value: Value

    /// Keeps a value.
    public init(_ value: Value) { self.value = value }

    /// Compares the stored forms.
    public static func == (lhs: ComparedValue, rhs: ComparedValue) -> Bool {
        lhs.stored == rhs.stored
    }

    /// Hashes the stored form.
    public func hash(into hasher: inout Hasher) { hasher.combine(stored) }

    private var stored: DataStoreValue? { try? DataStoreValueEncoder().encode(value) }
}

/// A value of a type that is not `Sendable`, in its stored form: each access decodes it.
///
/// See ``ItemValueStorage``.
public struct EncodedValue<Value: Codable>: Hashable, Sendable {
    private var stored: DataStoreValue

    /// Encodes a value; if that fails, the failure is logged, and an optional becomes `nil`.
    public init(_ value: Value) { stored = Self.encoded(value) ?? .null }

    /// The value.
    ///
    /// A value that cannot be encoded is logged and changes nothing. A type that cannot decode its own encoding ends
    /// the program.
    public var value: Value {
        get {
            do throws(DataStoreError) {
                return try DataStoreValueDecoder().decode(Value.self, from: stored)
            } catch {
                preconditionFailure("\(Value.self) does not decode what it encodes: \(error)")
            }
        }
        set { stored = Self.encoded(newValue) ?? stored }
    }

    private static func encoded(_ value: Value) -> DataStoreValue? {
        do throws(DataStoreError) {
            return try DataStoreValueEncoder().encode(value)
        } catch {
            error.log()
            return nil
        }
    }
}

/// A value of a type that cannot be stored, in code that does not compile for that reason.
///
/// See ``ItemValueStorage``.
public struct UnstorableValue<Value>: Hashable, Sendable {
    /// Never read: the code does not compile.
    public var value: Value {
        get { preconditionFailure("a value of a type that cannot be stored") }
        set { _ = newValue }
    }

    /// Stores nothing.
    public init(_ value: Value) {}
}
