public import Foundation

/// One value as every store keeps it: a closed set of kinds, each of which is restored bit for bit.
///
/// `==` and hashing compare values as they are *stored*, by kind and bits: `1` differs from `1.0`, `0.0` differs from
/// `-0.0`, NaN equals itself, and a composed "é" differs from a decomposed one. Requests compare values differently
/// (numbers by value across kinds, strings by canonical equivalence); see ``isEqual(to:)``, ``order(against:)`` and
/// ``sortOrder(against:)``.
public enum DataStoreValue: Sendable {
    /// No value.
    case null
    /// A truth value.
    case bool(Bool)
    /// A whole number of 64 bits.
    case int(Int64)
    /// A binary floating-point number; infinities, NaN and the sign of zero are kept.
    case double(Double)
    /// A text, kept without normalisation; it may be empty and may contain NUL.
    case string(String)
    /// A point in time, kept with all the bits of its seconds since the reference date.
    case date(Date)
    /// Bytes.
    case data(Data)
    /// A UUID.
    case uuid(UUID)
    /// A decimal number of up to 38 digits.
    case decimal(Decimal)
    /// A URL, kept as it was written.
    case url(URL)
    /// A pointer to another item.
    case reference(ItemReference)
    /// Values in order.
    case array([DataStoreValue])
    /// Values by name; a name may be any string, including empty ones and ones with dots.
    case dictionary([String: DataStoreValue])

    /// The kind of a value.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable, Codable {
        /// The kind of ``DataStoreValue/null``.
        case null
        /// The kind of ``DataStoreValue/bool(_:)``.
        case bool
        /// The kind of ``DataStoreValue/int(_:)``.
        case int
        /// The kind of ``DataStoreValue/double(_:)``.
        case double
        /// The kind of ``DataStoreValue/string(_:)``.
        case string
        /// The kind of ``DataStoreValue/date(_:)``.
        case date
        /// The kind of ``DataStoreValue/data(_:)``.
        case data
        /// The kind of ``DataStoreValue/uuid(_:)``.
        case uuid
        /// The kind of ``DataStoreValue/decimal(_:)``.
        case decimal
        /// The kind of ``DataStoreValue/url(_:)``.
        case url
        /// The kind of ``DataStoreValue/reference(_:)``.
        case reference
        /// The kind of ``DataStoreValue/array(_:)``.
        case array
        /// The kind of ``DataStoreValue/dictionary(_:)``.
        case dictionary
    }

    /// The kind of this value.
    public var kind: Kind {
        switch self {
        case .null: .null
        case .bool: .bool
        case .int: .int
        case .double: .double
        case .string: .string
        case .date: .date
        case .data: .data
        case .uuid: .uuid
        case .decimal: .decimal
        case .url: .url
        case .reference: .reference
        case .array: .array
        case .dictionary: .dictionary
        }
    }

    /// Whether this is ``null``.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension DataStoreValue: Hashable {
    /// Whether both values are of one kind and have the same bits.
    public static func == (lhs: DataStoreValue, rhs: DataStoreValue) -> Bool {
        switch (lhs, rhs) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.int(let a), .int(let b)): a == b
        case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.date(let a), .date(let b)):
            a.timeIntervalSinceReferenceDate.bitPattern
                == b.timeIntervalSinceReferenceDate.bitPattern
        case (.data(let a), .data(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.decimal(let a), .decimal(let b)): a == b
        case (.url(let a), .url(let b)): a == b
        case (.reference(let a), .reference(let b)): a == b
        case (.array(let a), .array(let b)): a == b
        case (.dictionary(let a), .dictionary(let b)): a == b
        default: false
        }
    }

    /// Hashes the kind and the bits.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        switch self {
        case .null: break
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.bitPattern)
        case .string(let value):
            for byte in value.utf8 { hasher.combine(byte) }
        case .date(let value): hasher.combine(value.timeIntervalSinceReferenceDate.bitPattern)
        case .data(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .decimal(let value): hasher.combine(value)
        case .url(let value): hasher.combine(value)
        case .reference(let value): hasher.combine(value)
        case .array(let value): hasher.combine(value)
        case .dictionary(let value): hasher.combine(value)
        }
    }
}
