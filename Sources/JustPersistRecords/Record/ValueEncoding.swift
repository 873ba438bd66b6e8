import Foundation
import JustPersist

extension [UInt8] {
    /// Appends a value's payload and gives its tag.
    ///
    /// The layout per tag stands in the article on the file format.
    mutating func append(payloadOf value: DataStoreValue) -> UInt8 {
        switch value {
        case .null: return ValueTag.null
        case .bool(let value): return value ? ValueTag.yes : ValueTag.no
        case .int(let value):
            append(littleEndian: value)
            return ValueTag.int
        case .double(let value):
            append(littleEndian: value.bitPattern)
            return ValueTag.double
        case .string(let value):
            let start = count
            append(contentsOf: value.utf8)
            // 0xCC is the first byte of U+0300 in UTF-8; every scalar behind that begins with a greater one.
            return self[start...].contains { $0 >= 0xCC } ? ValueTag.text : ValueTag.plainText
        case .date(let value):
            append(littleEndian: value.timeIntervalSinceReferenceDate.bitPattern)
            return ValueTag.date
        case .data(let value):
            append(contentsOf: value)
            return ValueTag.data
        case .uuid(let value):
            append(ItemID(value))
            return ValueTag.uuid
        case .decimal(let value):
            append(littleEndian: Int32(truncatingIfNeeded: value.isNaN ? 0 : value.exponent))
            append(value.isNaN ? 2 : value.sign == .minus ? 1 : 0)
            if !value.isNaN { append(contentsOf: value.significand.description.utf8) }
            return ValueTag.decimal
        case .url(let value):
            append(contentsOf: value.relativeString.utf8)
            if let base = value.baseURL {
                append(0)
                append(contentsOf: base.absoluteString.utf8)
            }
            return ValueTag.url
        case .reference(let value):
            append(value.id)
            append(contentsOf: value.itemTypeKey.utf8)
            return ValueTag.reference
        case .array(let values):
            append(varint: values.count)
            for value in values { append(nested: value) }
            return ValueTag.array
        case .dictionary(let entries):
            append(varint: entries.count)
            // Sorted, so that equal dictionaries have equal bytes.
            for (key, value) in entries.sorted(by: {
                $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
            }) {
                append(varint: key.utf8.count)
                append(contentsOf: key.utf8)
                append(nested: value)
            }
            return ValueTag.dictionary
        }
    }

    /// Appends an id, the most significant byte first, so that the order of the bytes is that of the ids.
    mutating func append(_ id: ItemID) {
        append(littleEndian: id.high.byteSwapped)
        append(littleEndian: id.low.byteSwapped)
    }

    /// Appends a number of 0 or more, seven bits a byte, the least significant first (LEB128).
    mutating func append(varint number: Int) {
        var rest = UInt(bitPattern: number)
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    /// Appends a value inside a collection: its tag, its length where the tag does not give it, its payload.
    private mutating func append(nested value: DataStoreValue) {
        let start = count
        append(0)
        let tag = append(payloadOf: value)
        self[start] = tag
        if ValueTag.fixedLength(of: tag) == nil {
            var length: [UInt8] = []
            length.append(varint: count - start - 1)
            insert(contentsOf: length, at: start + 1)
        }
    }
}

extension DataStoreValue {
    /// The bytes of the value's payload, or one more than `limit` as soon as that is passed; `nil` if
    /// collections are nested too deep.
    func storedSize(limit: Int, depth: Int = 0) -> Int? {
        switch self {
        case .null, .bool: return 0
        case .int, .double, .date: return 8
        case .uuid: return 16
        case .string(let value): return value.utf8.count
        case .data(let value): return value.count
        case .decimal(let value): return 5 + value.significand.description.utf8.count
        case .url(let value):
            let base = value.baseURL.map { $0.absoluteString.utf8.count + 1 } ?? 0
            return value.relativeString.utf8.count + base
        case .reference(let value): return 16 + value.itemTypeKey.utf8.count
        case .array(let values):
            guard depth < DataStoreValue.depthLimit else { return nil }
            var size = Self.varintSize(values.count)
            for value in values {
                guard let inner = value.nestedSize(limit: limit, depth: depth) else { return nil }
                size += inner
                if size > limit { return limit + 1 }
            }
            return size
        case .dictionary(let entries):
            guard depth < DataStoreValue.depthLimit else { return nil }
            var size = Self.varintSize(entries.count)
            for (key, value) in entries {
                guard let inner = value.nestedSize(limit: limit, depth: depth) else { return nil }
                size += Self.varintSize(key.utf8.count) + key.utf8.count + inner
                if size > limit { return limit + 1 }
            }
            return size
        }
    }

    /// The bytes of the value as one of a collection: its tag, its length where that is stored, its payload.
    private func nestedSize(limit: Int, depth: Int) -> Int? {
        guard let size = storedSize(limit: limit, depth: depth + 1) else { return nil }
        switch self {
        case .null, .bool, .int, .double, .date, .uuid: return 1 + size
        default: return 1 + Self.varintSize(size) + size
        }
    }

    private static func varintSize(_ number: Int) -> Int {
        max(1, (Int.bitWidth - number.leadingZeroBitCount + 6) / 7)
    }
}
