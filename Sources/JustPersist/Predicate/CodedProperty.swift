import Foundation

/// The stored properties of `Codable` structures, and the keys under which they are stored.
///
/// To find the property of a key path and its coding key, values of the structure are decoded from marked values: the
/// property's value in two such structures identifies the key.
enum CodedProperty {
    /// The key of a stored property; `nil` unless it is certain that the entry under it is the property's value.
    static func name(of keyPath: AnyKeyPath, in type: Any.Type) -> String? {
        guard let type = type as? any Codable.Type else { return nil }
        return key(of: keyPath, in: type)
    }

    private static func key<Value: Codable>(
        of keyPath: AnyKeyPath, in type: Value.Type
    ) -> String? {
        guard !(type is any AttributeValue.Type), !(type is any RawRepresentable.Type),
            let keyPath = keyPath as? PartialKeyPath<Value>,
            // Only stored properties of a structure have an offset.
            MemoryLayout<Value>.offset(of: keyPath) != nil
        else { return nil }
        var names: Set<String> = []
        for isSecond in [false, true] {
            let marks = Marks(isSecond: isSecond)
            guard let value = try? Value(from: MarkingDecoder(marks: marks)), !marks.isUnknown,
                let name = marks.name(of: value[keyPath: keyPath]),
                // The structure must be encoded as it is decoded.
                case .dictionary(let entries) = try? DataStoreValueEncoder().encode(value),
                let entry = entries[name], marks.name(ofStored: entry) == name
            else { return nil }
            names.insert(name)
        }
        guard names.count == 1, let name = names.first else { return nil }
        // A missing entry must give nil, not a default of the structure's own.
        let others = Marks(isSecond: false, without: name)
        if let value = try? Value(from: MarkingDecoder(marks: others)),
            (try? DataStoreValue(attributeValue: value[keyPath: keyPath])) != .null
        {
            return nil
        }
        return name
    }

    /// The values that were decoded, all of them different.
    private final class Marks {
        let isSecond: Bool
        /// The key without a value.
        let absent: String?
        private var values: [String: DataStoreValue] = [:]
        /// Whether a value was requested that cannot be marked.
        var isUnknown = false

        init(isSecond: Bool, without absent: String? = nil) {
            self.isSecond = isSecond
            self.absent = absent
        }

        func name(of value: Any) -> String? {
            guard let stored = try? DataStoreValue(attributeValue: value) else { return nil }
            return name(ofStored: stored)
        }

        func name(ofStored value: DataStoreValue) -> String? {
            let names = values.filter { $0.value == value }.map(\.key)
            return names.count == 1 ? names[0] : nil
        }

        /// A value of a type for a key: different for every other key, and different at the second call for a key.
        func value<Wanted: Decodable>(of type: Wanted.Type, for key: String) throws -> Wanted {
            if key == absent {
                throw DecodingError.valueNotFound(
                    type, .init(codingPath: [], debugDescription: key))
            }
            let index = values.count
            let value: DataStoreValue
            switch type {
            case is Bool.Type:
                // There are only two truth values, so only one property can be distinguished.
                value = .bool(isSecond)
            case is String.Type:
                value = .string(isSecond ? " Q\u{301}\(index) b" : " aB\u{308}\(index)\n")
            case is Int.Type, is Int64.Type:
                value = .int((isSecond ? -1 : 1) * (Int64.max - 1_000 - Int64(index)))
            case is Int32.Type:
                value = .int((isSecond ? -1 : 1) * (Int64(Int32.max) - Int64(index)))
            case is Double.Type:
                value = .double((isSecond ? -1 : 1) * (1e300 + Double(index) * 1e290))
            case is Decimal.Type: value = .decimal(Decimal((isSecond ? -1_000 : 1_000) - index) / 7)
            case is Date.Type:
                let seconds = (isSecond ? -1e10 : 1e10) + Double(index) + 0.123
                value = .date(Date(timeIntervalSinceReferenceDate: seconds))
            case is UUID.Type: value = .uuid(UUID())
            case is Data.Type: value = .data(Data([isSecond ? 0 : 255, UInt8(index & 255)]))
            case is [String].Type: value = .array([.string("\(isSecond) \(index)"), .string("")])
            case is [Int].Type:
                value = .array([.int(Int64(index)), .int(isSecond ? 7 : -7), .int(0)])
            case is [Double].Type:
                value = .array([.double(Double(index)), .double(isSecond ? 7 : -7)])
            default:
                isUnknown = true
                throw DecodingError.typeMismatch(type, .init(codingPath: [], debugDescription: key))
            }
            values[key] = value
            return try DataStoreValueDecoder().decode(type, from: value)
        }
    }

    /// Gives every key its mark.
    private struct MarkingDecoder: Decoder {
        let marks: Marks
        var codingPath: [any CodingKey] { [] }
        var userInfo: [CodingUserInfoKey: Any] { [:] }

        func container<Key: CodingKey>(
            keyedBy type: Key.Type
        ) throws -> KeyedDecodingContainer<Key> {
            KeyedDecodingContainer(Container(marks: marks))
        }

        func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw refusal }

        func singleValueContainer() throws -> any SingleValueDecodingContainer { throw refusal }

        private var refusal: DecodingError {
            marks.isUnknown = true
            return .dataCorrupted(.init(codingPath: [], debugDescription: "There are only keys."))
        }
    }

    private struct Container<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let marks: Marks
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { [] }

        func contains(_ key: Key) -> Bool { key.stringValue != marks.absent }

        func decodeNil(forKey key: Key) throws -> Bool { false }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try marks.value(of: type, for: key.stringValue)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<NestedKey> {
            throw refusal
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            throw refusal
        }

        func superDecoder() throws -> any Decoder { throw refusal }

        func superDecoder(forKey key: Key) throws -> any Decoder { throw refusal }

        private var refusal: DecodingError {
            marks.isUnknown = true
            return .dataCorrupted(.init(codingPath: [], debugDescription: "There are only values."))
        }
    }
}
