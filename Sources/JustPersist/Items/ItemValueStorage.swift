/// How the structs of values that `@Item` makes keep their attributes; not for use by hand.
///
/// The structs are `Hashable` and `Sendable`, and the types of attributes need not be. A macro cannot see what a type
/// conforms to, so the compiler chooses the storage by these overloads.
public enum ItemValueStorage {
    /// A value of a type that is `Hashable` and `Sendable`, as it is.
    @inlinable
    public static func of<Value: Hashable & Sendable>(
        _ type: Value.Type, _ value: Value
    ) -> KeptValue<Value> { KeptValue(value) }

    /// A value of a type that is not `Hashable`, as it is; compared in the form that stores keep.
    @_disfavoredOverload
    public static func of<Value: Codable & Sendable>(
        _ type: Value.Type, _ value: Value
    ) -> ComparedValue<Value> { ComparedValue(value) }

    /// A value of a type that is not `Sendable`, in the form that stores keep.
    @_disfavoredOverload
    public static func of<Value: Codable>(
        _ type: Value.Type, _ value: Value
    ) -> EncodedValue<Value> { EncodedValue(value) }

    /// A value of a type that cannot be stored: its property says so, and a second error would not help.
    @_disfavoredOverload
    public static func of<Value>(_ type: Value.Type, _ value: Value) -> UnstorableValue<Value> {
        UnstorableValue(value)
    }
}

/// A value as it is.
///
/// See ``ItemValueStorage``.
public struct KeptValue<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The value.
    public var value: Value

    /// Keeps a value.
    @inlinable
    public init(_ value: Value) { self.value = value }
}

/// A value of a type that is not `Hashable`: two are equal if stores keep them alike.
///
/// Comparing and hashing encode the value. See ``ItemValueStorage``.
public struct ComparedValue<Value: Codable & Sendable>: Hashable, Sendable {
    /// The value.
    public var value: Value

    /// Keeps a value.
    public init(_ value: Value) { self.value = value }

    /// Compares what stores would keep.
    public static func == (lhs: ComparedValue, rhs: ComparedValue) -> Bool {
        lhs.stored == rhs.stored
    }

    /// Hashes what stores would keep.
    public func hash(into hasher: inout Hasher) { hasher.combine(stored) }

    private var stored: DataStoreValue? { try? DataStoreValueEncoder().encode(value) }
}

/// A value of a type that is not `Sendable`, in the form that stores keep: each access decodes it anew.
///
/// See ``ItemValueStorage``.
public struct EncodedValue<Value: Codable>: Hashable, Sendable {
    private var stored: DataStoreValue

    /// Encodes a value; if that fails, the failure is logged, and an optional becomes `nil`.
    public init(_ value: Value) { stored = Self.encoded(value) ?? .null }

    /// The value.
    ///
    /// A value that cannot be encoded is logged and changes nothing. A type that does not decode what it has encoded ends
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

/// A value of a type that cannot be stored, in code that does not compile for another reason.
///
/// See ``ItemValueStorage``.
public struct UnstorableValue<Value>: Hashable, Sendable {
    /// Nothing that could be read.
    public var value: Value {
        get { preconditionFailure("a value of a type that cannot be stored") }
        set { _ = newValue }
    }

    /// Keeps nothing.
    public init(_ value: Value) {}
}
