public import Foundation

// Kinds are distinct: a string is never read as a number, nor a UUID as a string. The one exception is exact
// conversion between numbers: `3` reads as `3.0` and `3.0` as `3`, but `2.5` does not read as an `Int`, nor 2^53 + 1
// as a `Double`. Imported JSON, which has one kind of number, needs that.

extension AttributeValue where Self: FixedWidthInteger {
    /// The kind of whole numbers.
    @inlinable public static var attributeKind: DataStoreValue.Kind? { .int }

    /// The number, if it is whole and in this type's range.
    @inlinable public init?(_ value: DataStoreValue) {
        switch value {
        case .int(let number): self.init(exactly: number)
        case .double(let number): self.init(exactly: number)
        default: return nil
        }
    }

    /// The number, unless it is outside the range of `Int64`.
    @inlinable public func storedValue() throws(DataStoreError) -> DataStoreValue {
        guard let number = Int64(exactly: self) else {
            throw DataStoreError(
                .unsupportedValue, in: "setValue",
                """
                The \(Self.self) \(self) does not fit the 64 bits with sign of a stored whole number. \
                Declare the attribute as a Decimal or a String.
                """)
        }
        return .int(number)
    }

    /// Uses the backing's fast path.
    @inlinable
    public static func read(at index: Int, from backing: any ItemBacking) -> Self? {
        backing.integer(at: index).flatMap { Self(exactly: $0) }
    }

    /// Uses the backing's fast path.
    @inlinable
    public func write(at index: Int, to backing: any ItemBacking) -> Bool {
        guard let number = Int64(exactly: self) else { return false }
        return backing.setInteger(number, at: index)
    }
}

extension Int: AttributeValue {}
extension Int8: AttributeValue {}
extension Int16: AttributeValue {}
extension Int32: AttributeValue {}
extension Int64: AttributeValue {}
extension Int128: AttributeValue {}
extension UInt: AttributeValue {}
extension UInt8: AttributeValue {}
extension UInt16: AttributeValue {}
extension UInt32: AttributeValue {}
extension UInt64: AttributeValue {}
extension UInt128: AttributeValue {}

extension Double: AttributeValue {
    /// The kind of floating-point numbers.
    @inlinable public static var attributeKind: DataStoreValue.Kind? { .double }

    /// The number; a whole one only if a `Double` represents it exactly.
    @inlinable public init?(_ value: DataStoreValue) {
        switch value {
        case .double(let number): self = number
        case .int(let number): self.init(exactly: number)
        default: return nil
        }
    }

    /// The number with all its bits.
    @inlinable public func storedValue() -> DataStoreValue { .double(self) }

    /// Uses the backing's fast path.
    @inlinable
    public static func read(at index: Int, from backing: any ItemBacking) -> Self? {
        backing.double(at: index)
    }

    /// Uses the backing's fast path.
    @inlinable
    public func write(at index: Int, to backing: any ItemBacking) -> Bool {
        backing.setDouble(self, at: index)
    }
}

extension Float: AttributeValue {
    /// The kind of floating-point numbers.
    @inlinable public static var attributeKind: DataStoreValue.Kind? { .double }

    /// The number, if a `Float` represents it exactly, or is NaN.
    @inlinable public init?(_ value: DataStoreValue) {
        switch value {
        case .double(let number) where number.isNaN: self.init(number)
        case .double(let number): self.init(exactly: number)
        case .int(let number): self.init(exactly: number)
        default: return nil
        }
    }

    /// The number as a `Double`.
    @inlinable public func storedValue() -> DataStoreValue { .double(Double(self)) }
}

extension Decimal: AttributeValue {
    /// The kind of decimal numbers.
    @inlinable public static var attributeKind: DataStoreValue.Kind? { .decimal }

    /// The number, if it is a decimal or a whole number.
    @inlinable public init?(_ value: DataStoreValue) {
        switch value {
        case .decimal(let number): self = number
        case .int(let number): self.init(number)
        default: return nil
        }
    }

    /// The number.
    @inlinable public func storedValue() -> DataStoreValue { .decimal(self) }
}

extension Bool: AttributeValue {
    /// The kind of truth values.
    @inlinable public static var attributeKind: DataStoreValue.Kind? { .bool }

    /// The truth value; numbers are not converted.
    @inlinable public init?(_ value: DataStoreValue) {
        guard case .bool(let value) = value else { return nil }
        self = value
    }

    /// The truth value.
    @inlinable public func storedValue() -> DataStoreValue { .bool(self) }

    /// Uses the backing's fast path.
    @inlinable
    public static func read(at index: Int, from backing: any ItemBacking) -> Self? {
        backing.bool(at: index)
    }

    /// Uses the backing's fast path.
    @inlinable
    public func write(at index: Int, to backing: any ItemBacking) -> Bool {
        backing.setBool(self, at: index)
    }
}

extension String: AttributeValue {
    /// The kind of texts.
    @inlinable public static var attributeKind: DataStoreValue.Kind? { .string }

    /// The text; other kinds are not converted.
    @inlinable public init?(_ value: DataStoreValue) {
        guard case .string(let value) = value else { return nil }
        self = value
    }

    /// The text, not normalised.
    @inlinable public func storedValue() -> DataStoreValue { .string(self) }

    /// Uses the backing's fast path.
    @inlinable
    public static func read(at index: Int, from backing: any ItemBacking) -> Self? {
        backing.text(at: index)
    }

    /// Uses the backing's fast path.
    @inlinable
    public func write(at index: Int, to backing: any ItemBacking) -> Bool {
        backing.setText(self, at: index)
    }
}

extension Date: AttributeValue {
    /// The kind of points in time.
    @inlinable public static var attributeKind: DataStoreValue.Kind? { .date }

    /// The point in time; numbers are not converted.
    @inlinable public init?(_ value: DataStoreValue) {
        guard case .date(let value) = value else { return nil }
        self = value
    }

    /// The point in time.
    @inlinable public func storedValue() -> DataStoreValue { .date(self) }

    /// Uses the backing's fast path.
    @inlinable
    public static func read(at index: Int, from backing: any ItemBacking) -> Self? {
        backing.date(at: index)
    }

    /// Uses the backing's fast path.
    @inlinable
    public func write(at index: Int, to backing: any ItemBacking) -> Bool {
        backing.setDate(self, at: index)
    }
}

extension Data: AttributeValue {
    /// The kind of bytes.
    @inlinable public static var attributeKind: DataStoreValue.Kind? { .data }

    /// The bytes.
    @inlinable public init?(_ value: DataStoreValue) {
        guard case .data(let value) = value else { return nil }
        self = value
    }

    /// The bytes.
    @inlinable public func storedValue() -> DataStoreValue { .data(self) }
}

extension UUID: AttributeValue {
    /// The kind of UUIDs.
    @inlinable public static var attributeKind: DataStoreValue.Kind? { .uuid }

    /// The UUID; texts are not converted.
    @inlinable public init?(_ value: DataStoreValue) {
        guard case .uuid(let value) = value else { return nil }
        self = value
    }

    /// The UUID.
    @inlinable public func storedValue() -> DataStoreValue { .uuid(self) }
}

extension URL: AttributeValue {
    /// The kind of URLs.
    @inlinable public static var attributeKind: DataStoreValue.Kind? { .url }

    /// The URL; texts are not converted.
    @inlinable public init?(_ value: DataStoreValue) {
        guard case .url(let value) = value else { return nil }
        self = value
    }

    /// The URL as it was written.
    @inlinable public func storedValue() -> DataStoreValue { .url(self) }
}
