import Foundation
import JustPersist

/// The encoding of the keys of index entries: their bytes have the order that the contract defines for the values.
///
/// ```
/// 04  type (4)  index (2)  component …  item id (16)
/// ```
///
/// A component consists of a byte for the kind of the value, in the order of kinds, and the value:
///
/// ```
/// 10  null
/// 20  number: the greatest Double that is not above it (8), and 1 if the number is above it, else 0
/// 30  text: its composed form, 00 as 00 FF; then 00 00, or 00 01 if the text is longer
/// 40  date: seconds since 2001 as a Double (8)
/// 50  data: written as texts are
/// 60  UUID (16)
/// 70  URL: its absolute text, written as texts are
/// 80  reference: id (16); the type is looked up in the record, for it may be renamed
/// 90  array, 98 dictionary: that the value is one; of an array in an index over one attribute each element has an
///     entry of its own beside this one
/// F0  a value that depends on other items: it may be anything
/// ```
///
/// A Double is encoded so that its bytes sort like the number: the sign bit is inverted, and all bits if it is
/// negative. NaN sorts after all numbers. The value of an entry is a checksum of its key.
enum IndexKey {
    static let null: UInt8 = 0x10
    static let number: UInt8 = 0x20
    static let text: UInt8 = 0x30
    static let date: UInt8 = 0x40
    static let data: UInt8 = 0x50
    static let uuid: UInt8 = 0x60
    static let url: UInt8 = 0x70
    static let reference: UInt8 = 0x80
    static let array: UInt8 = 0x90
    static let dictionary: UInt8 = 0x98
    static let unknown: UInt8 = 0xF0

    static let idLength = 16
    private static let headLength = 7
    /// The maximum number of attributes of an index: each has room for at least a UUID or a reference.
    static let mostComponents = 16

    /// The value of an entry: the low 32 bits of the wyhash of its key.
    ///
    /// Requests may be answered from entries alone, so damage to entries must be detected.
    @inline(__always)
    static func checksum(of key: Span<UInt8>) -> UInt32 {
        UInt32(truncatingIfNeeded: key.wyhash(0..<key.count, seed: 0))
    }

    /// Whether an entry's checksum is that of its key.
    @inline(__always)
    static func isSound(_ key: Span<UInt8>, _ value: Span<UInt8>) -> Bool {
        value.count == 4 && value.word32(at: 0) == checksum(of: key)
    }

    /// The common prefix of the keys of all entries of an index.
    static func prefix(type: UInt32, index: UInt16) -> [UInt8] {
        var key = KeySpace.key(KeySpace.indexTag, type: type)
        key.append(littleEndian: index.byteSwapped)
        return key
    }

    /// The entries of all indexes of a type.
    static func range(type: UInt32) -> KeyRange {
        KeyRange(prefix: KeySpace.key(KeySpace.indexTag, type: type))
    }

    /// The maximum length of a text in an index with this number of attributes: every engine takes keys of 480 bytes.
    static func longestText(components: Int) -> Int {
        (480 - headLength - idLength) / max(1, components) - 3
    }

    /// The end of the component at an offset of an entry's key, and whether it determines the value; `nil` if there is
    /// no valid component.
    ///
    /// - Parameter idLength: The length of the id that follows the components; 0 for a prefix of a key.
    static func component(
        in key: Span<UInt8>, at offset: Int, idLength: Int = IndexKey.idLength
    ) -> (end: Int, precision: IndexPrecision)? {
        guard offset < key.count else { return nil }
        var end = offset + 1
        var precision = IndexPrecision.exact
        switch key[offset] {
        case null, array, dictionary, unknown: break
        case number:
            end += 9
            if end <= key.count, key[end - 1] != 0 { precision = .cut }
        case date: end += 8
        case uuid: end += 16
        case reference:
            end += 16
            precision = .cut
        case text, data, url:
            while end + 1 < key.count, key[end] != 0 || key[end + 1] == 0xFF {
                end += key[end] == 0 ? 2 : 1
            }
            guard end + 1 < key.count else { return nil }
            if key[end + 1] != 0 { precision = .cut }
            end += 2
        default: return nil
        }
        return end <= key.count - idLength ? (end, precision) : nil
    }

    /// The id at the end of an entry's key.
    @inline(__always)
    static func id(in key: Span<UInt8>) -> ItemID {
        ItemID(
            high: key.word64(at: key.count - 16).byteSwapped,
            low: key.word64(at: key.count - 8).byteSwapped)
    }

    /// Maps Doubles to unsigned numbers with the same order: NaN is last, and both zeros are equal.
    @inline(__always)
    static func orderedBits(_ value: Double) -> UInt64 {
        if value.isNaN { return .max }
        let bits = (value + 0).bitPattern
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }
}

/// Whether an entry's key determines the value, or only its position among others.
enum IndexPrecision {
    case exact
    /// Other values may have the same key, as for a long text or a number between two Doubles.
    case cut
}

extension [UInt8] {
    /// Appends a component of an entry's key; texts are truncated to `longest` bytes.
    mutating func append(component value: DataStoreValue, longest: Int) -> IndexPrecision {
        switch value {
        case .null: append(IndexKey.null)
        case .bool(let value): appendComponent(Int64(value ? 1 : 0))
        case .int(let value): return appendComponent(value)
        case .double(let value): appendNumber(value, isAbove: false)
        case .decimal(let decimal):
            guard !decimal.isNaN, var below = Double(decimal.description) else {
                appendNumber(.nan, isAbove: false)
                return .exact
            }
            var order = value.order(against: .double(below))
            if order == .ascending {
                below = below.nextDown
                order = .descending
            }
            appendNumber(below, isAbove: order == .descending)
            return order == .descending ? .cut : .exact
        case .string(let value):
            append(IndexKey.text)
            if appendPlain(value, longest: longest) { return .exact }
            return append(ordered: value.bytesForOrder(longest + 1).span, longest: longest)
        case .date(let value):
            append(IndexKey.date)
            append(
                littleEndian: IndexKey.orderedBits(value.timeIntervalSinceReferenceDate).byteSwapped
            )
        case .data(let value):
            append(IndexKey.data)
            return append(ordered: Array(value.prefix(longest + 1)).span, longest: longest)
        case .uuid(let value):
            append(IndexKey.uuid)
            append(ItemID(value))
        case .url(let value):
            append(IndexKey.url)
            return append(
                ordered: value.absoluteString.bytesForOrder(longest + 1).span, longest: longest)
        case .reference(let value):
            append(IndexKey.reference)
            append(value.id)
            return .cut
        case .array: append(IndexKey.array)
        case .dictionary: append(IndexKey.dictionary)
        }
        return .exact
    }

    /// Appends a whole number as a component.
    @discardableResult
    @inline(__always)
    mutating func appendComponent(_ value: Int64) -> IndexPrecision {
        var below = Double(value)
        // 2^63 itself is not an Int64.
        if below >= 0x1p63 || Int64(below) > value { below = below.nextDown }
        let isAbove = Int64(below) != value
        appendNumber(below, isAbove: isAbove)
        return isAbove ? .cut : .exact
    }

    /// Appends a number as a component: the greatest Double that is not above it, and whether the number is above this
    /// Double.
    @inline(__always)
    mutating func appendNumber(_ below: Double, isAbove: Bool) {
        append(IndexKey.number)
        append(littleEndian: IndexKey.orderedBits(below).byteSwapped)
        append(isAbove ? 1 : 0)
    }

    /// Appends the beginning of a text as a component, without its end.
    mutating func append(componentsBeginningWith text: String, longest: Int) -> IndexPrecision {
        append(IndexKey.text)
        let precision = append(ordered: text.bytesForOrder(longest + 1).span, longest: longest)
        removeLast(2)
        return precision
    }

    /// Appends a text whose UTF-8 needs no conversion, as for most texts; returns false for any other text.
    private mutating func appendPlain(_ text: String, longest: Int) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            let span = unsafe bytes.span
            // A null byte is escaped, a letter with marks may have to be composed, and a long text is truncated.
            guard span.count <= longest, span.isSurelyComposed, unsafe !bytes.contains(0) else {
                return false
            }
            unsafe append(contentsOf: bytes)
            append(0)
            append(0)
            return true
        }
    }

    /// Appends escaped bytes and a terminator, so that they keep their order whatever follows them.
    mutating func append(ordered bytes: Span<UInt8>, longest: Int) -> IndexPrecision {
        let end = count + longest
        for index in bytes.indices {
            let byte = bytes[index]
            guard count + (byte == 0 ? 2 : 1) <= end else {
                append(0)
                append(1)
                return .cut
            }
            append(byte)
            if byte == 0 { append(0xFF) }
        }
        append(0)
        append(0)
        return .exact
    }
}

extension String {
    /// The first `count` bytes of the form by which texts are ordered.
    fileprivate func bytesForOrder(_ count: Int) -> [UInt8] {
        // Composition looks no further than the next letter. So a prefix of a long text is enough, if it ends with a
        // whole character, well after the bytes that are needed.
        if utf8.count > count + 1024 {
            let end = utf8.index(startIndex, offsetBy: count + 512)
            let bytes = String(self[..<index(after: end)]).composed.utf8
            if bytes.count > count { return Array(bytes.prefix(count)) }
        }
        let bytes = Array(utf8)
        if bytes.count <= count, bytes.span.isSurelyComposed { return bytes }
        return Array(composed.utf8.prefix(count))
    }
}
