import Foundation
import JustPersist

/// Decodes values from bytes that may be damaged or hostile: every length is checked against the remaining bytes, and a
/// stored number never determines how much memory is reserved.
enum ValueDecoding {
    /// The value with that tag and the payload in `range`; `nil` if the bytes are not such a value.
    static func value(
        tag: UInt8, in bytes: Span<UInt8>, _ range: Range<Int>, _ types: BlockCatalog,
        depth: Int = 0
    ) -> DataStoreValue? {
        guard range.upperBound <= bytes.count else { return nil }
        if let length = ValueTag.fixedLength(of: tag), length != range.count { return nil }
        let start = range.lowerBound
        switch tag {
        case ValueTag.null: return .null
        case ValueTag.no: return .bool(false)
        case ValueTag.yes: return .bool(true)
        case ValueTag.int: return .int(Int64(bitPattern: bytes.word64(at: start)))
        case ValueTag.double: return .double(Double(bitPattern: bytes.word64(at: start)))
        case ValueTag.plainText, ValueTag.text: return .string(bytes.text(in: range))
        case ValueTag.date:
            return .date(
                Date(
                    timeIntervalSinceReferenceDate: Double(bitPattern: bytes.word64(at: start))))
        case ValueTag.data: return .data(Data(bytes.copied(range)))
        case ValueTag.uuid: return .uuid(id(in: bytes, at: start).uuid)
        case ValueTag.decimal: return decimal(in: bytes, range)
        case ValueTag.url: return url(bytes.text(in: range))
        case ValueTag.reference:
            return types.key(of: bytes.word32(at: start)).map {
                .reference(ItemReference(itemTypeKey: $0, id: id(in: bytes, at: start + 4)))
            }
        case ValueTag.array: return array(in: bytes, range, types, depth: depth)
        case ValueTag.dictionary: return dictionary(in: bytes, range, types, depth: depth)
        default: return nil
        }
    }

    /// The id whose 16 bytes begin at `offset`.
    static func id(in bytes: Span<UInt8>, at offset: Int) -> ItemID {
        ItemID(
            high: bytes.word64(at: offset).byteSwapped,
            low: bytes.word64(at: offset + 8).byteSwapped)
    }

    private static func decimal(in bytes: Span<UInt8>, _ range: Range<Int>) -> DataStoreValue? {
        guard range.count >= 5 else { return nil }
        let start = range.lowerBound
        let exponent = Int32(bitPattern: bytes.word32(at: start))
        let digits = (start + 5)..<range.upperBound
        switch bytes[start + 4] {
        case 2: return digits.isEmpty ? .decimal(.nan) : nil
        case 0, 1: break
        default: return nil
        }
        guard -128...127 ~= exponent, digits.count <= 39,
            let significand = Decimal(string: bytes.text(in: digits))
        else { return nil }
        return .decimal(
            Decimal(
                sign: bytes[start + 4] == 1 ? .minus : .plus, exponent: Int(exponent),
                significand: significand))
    }

    private static func url(_ text: String) -> DataStoreValue? {
        let parts = text.split(separator: "\0", maxSplits: 1, omittingEmptySubsequences: false)
        let base = parts.count == 2 ? URL(string: String(parts[1])) : nil
        return URL(string: String(parts[0]), relativeTo: base).map { .url($0) }
    }

    private static func array(
        in bytes: Span<UInt8>, _ range: Range<Int>, _ types: BlockCatalog, depth: Int
    ) -> DataStoreValue? {
        var offset = range.lowerBound
        guard depth < DataStoreValue.depthLimit,
            let count = varint(in: bytes, at: &offset, end: range.upperBound)
        else { return nil }
        var values: [DataStoreValue] = []
        // A value takes at least one byte.
        values.reserveCapacity(min(count, range.upperBound - offset))
        for _ in 0..<count {
            guard
                let value = nested(
                    in: bytes, at: &offset, end: range.upperBound, types, depth: depth)
            else { return nil }
            values.append(value)
        }
        return offset == range.upperBound ? .array(values) : nil
    }

    private static func dictionary(
        in bytes: Span<UInt8>, _ range: Range<Int>, _ types: BlockCatalog, depth: Int
    ) -> DataStoreValue? {
        var offset = range.lowerBound
        guard depth < DataStoreValue.depthLimit,
            let count = varint(in: bytes, at: &offset, end: range.upperBound)
        else { return nil }
        var entries: [String: DataStoreValue] = [:]
        entries.reserveCapacity(min(count, (range.upperBound - offset) / 2))
        for _ in 0..<count {
            guard let length = varint(in: bytes, at: &offset, end: range.upperBound),
                length <= range.upperBound - offset
            else { return nil }
            let key = bytes.text(in: offset..<(offset + length))
            offset += length
            guard
                let value = nested(
                    in: bytes, at: &offset, end: range.upperBound, types, depth: depth)
            else { return nil }
            entries[key] = value
        }
        return offset == range.upperBound ? .dictionary(entries) : nil
    }

    private static func nested(
        in bytes: Span<UInt8>, at offset: inout Int, end: Int, _ types: BlockCatalog,
        depth: Int
    ) -> DataStoreValue? {
        guard offset < end else { return nil }
        let tag = bytes[offset]
        offset += 1
        let length: Int
        if let fixed = ValueTag.fixedLength(of: tag) {
            length = fixed
        } else if let stored = varint(in: bytes, at: &offset, end: end) {
            length = stored
        } else {
            return nil
        }
        guard length <= end - offset else { return nil }
        defer { offset += length }
        return value(tag: tag, in: bytes, offset..<(offset + length), types, depth: depth + 1)
    }

    static func varint(
        in bytes: Span<UInt8>, at offset: inout Int, end: Int
    ) -> Int? {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while offset < end, shift < 63 {
            let byte = bytes[offset]
            offset += 1
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return Int(exactly: number) }
            shift += 7
        }
        return nil
    }
}
