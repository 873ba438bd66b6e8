import Foundation
import JustPersist

extension [UInt8] {
    /// Appends a value's payload and returns its tag.
    ///
    /// The article on the file format describes the layout of each tag.
    mutating func append(payloadOf value: DataStoreValue, _ types: BlockCatalog) -> UInt8 {
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
            return append(value)
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
            append(littleEndian: types.number(of: value.itemTypeKey))
            append(value.id)
            return ValueTag.reference
        case .array(let values):
            append(varint: values.count)
            for value in values { append(nested: value, types) }
            return ValueTag.array
        case .dictionary(let entries):
            append(varint: entries.count)
            // Sorted, so equal dictionaries have equal bytes.
            for (key, value) in entries.sorted(by: {
                $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
            }) {
                append(varint: key.utf8.count)
                append(contentsOf: key.utf8)
                append(nested: value, types)
            }
            return ValueTag.dictionary
        }
    }

    /// Appends an id, the most significant byte first, so that the bytes sort as the ids do.
    mutating func append(_ id: ItemID) {
        append(littleEndian: id.high.byteSwapped)
        append(littleEndian: id.low.byteSwapped)
    }

    /// Appends a nonnegative number with seven bits per byte, the least significant first (LEB128).
    mutating func append(varint number: Int) {
        var rest = UInt(bitPattern: number)
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    /// Appends a value inside a collection: its tag, its length unless the tag determines it, and its payload.
    private mutating func append(nested value: DataStoreValue, _ types: BlockCatalog) {
        let start = count
        append(0)
        let tag = append(payloadOf: value, types)
        self[start] = tag
        if ValueTag.fixedLength(of: tag) == nil {
            var length: [UInt8] = []
            length.append(varint: count - start - 1)
            insert(contentsOf: length, at: start + 1)
        }
    }
}
