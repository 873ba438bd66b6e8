import JustPersist

/// The division of a store's ordered key space by the first byte of the key.
///
/// Numbers in keys are big-endian, so keys sort by their numbers.
///
/// ```
/// 00                     store header
/// 01 type                catalog entry of a type
/// 02 type                number of items of a type
/// 03 type id             record (type: 4 bytes, id: 16)
/// 04 type index … id     index entry (IndexKey)
/// 05 commit              entry of the change log (commit: 8 bytes)
/// 06 …                   links between items (reserved; left unchanged)
/// 07 …                   operations on the whole store, such as applied migrations (reserved; left unchanged)
/// FF                     the engine's own keys; never read or written by records
/// ```
enum KeySpace {
    static let headerTag: UInt8 = 0x00
    static let catalogTag: UInt8 = 0x01
    static let counterTag: UInt8 = 0x02
    static let recordTag: UInt8 = 0x03
    static let indexTag: UInt8 = 0x04
    static let changeTag: UInt8 = 0x05
    static let linkTag: UInt8 = 0x06
    static let workTag: UInt8 = 0x07
    static let engineTag: UInt8 = 0xFF

    static let header: [UInt8] = [headerTag]

    /// The range of keys that is reserved for later releases.
    static let laterRange = KeyRange(from: [linkTag], upTo: [workTag + 1])

    /// Whether an entry of a later release is intact: its value ends with the checksum of the bytes before it, seeded
    /// with the hash of the key.
    static func isSoundLater(_ key: Span<UInt8>, _ value: Span<UInt8>) -> Bool {
        let end = value.count - 8
        return end >= 0
            && value.wyhash(0..<end, seed: key.wyhash(0..<key.count, seed: 0))
                == value.word64(at: end)
    }

    static func key(_ tag: UInt8, type: UInt32) -> [UInt8] {
        var key: [UInt8] = [tag]
        key.append(littleEndian: type.byteSwapped)
        return key
    }
}

/// The key of a record, in a buffer that is reused for each record.
struct RecordKey {
    private(set) var bytes: [UInt8]

    static let idOffset = 5
    static let length = 21

    init(type: UInt32) {
        bytes = KeySpace.key(KeySpace.recordTag, type: type)
        bytes.append(contentsOf: repeatElement(0, count: 16))
    }

    @inline(__always)
    mutating func set(_ id: ItemID) {
        bytes.setID(id)
    }

    /// The id in the key of a record.
    @inline(__always)
    static func id(in key: Span<UInt8>) -> ItemID {
        ItemID(
            high: key.word64(at: idOffset).byteSwapped,
            low: key.word64(at: idOffset + 8).byteSwapped)
    }

    /// Whether a key is that of a record of a type.
    @inline(__always)
    static func isKey(_ key: Span<UInt8>, ofType number: UInt32) -> Bool {
        key.count == length && key[0] == KeySpace.recordTag
            && key.word32(at: 1).byteSwapped == number
    }

    /// The keys of all records of a type.
    static func range(type: UInt32) -> KeyRange {
        KeyRange(prefix: KeySpace.key(KeySpace.recordTag, type: type))
    }

    /// The keys of a type's records whose ids are in a range.
    static func range(type: UInt32, _ ids: ClosedRange<ItemID>) -> KeyRange {
        var (first, last) = (RecordKey(type: type), RecordKey(type: type))
        first.set(ids.lowerBound)
        last.set(ids.upperBound)
        return KeyRange(from: first.bytes, upTo: last.bytes + [0])
    }
}

extension [UInt8] {
    /// Puts an id into the key of a record.
    @inline(__always)
    mutating func setID(_ id: ItemID) {
        store(bigEndian: id.high, at: RecordKey.idOffset)
        store(bigEndian: id.low, at: RecordKey.idOffset + 8)
    }
}

/// Conversions between keys, ranges of keys, and records.
extension RecordKey {
    /// The type and the id in the key of a record; `nil` for any other key.
    static func parts(of key: Span<UInt8>) -> (type: UInt32, id: ItemID)? {
        guard key.count == length, key[0] == KeySpace.recordTag else { return nil }
        return (key.word32(at: 1).byteSwapped, id(in: key))
    }

    /// The type to which all keys in a range belong; `nil` if there is none, or the range has other keys too.
    static func type(of range: KeyRange) -> UInt32? {
        guard range.lower.count >= idOffset, range.lower[0] == KeySpace.recordTag else {
            return nil
        }
        let type = range.lower.span.word32(at: 1).byteSwapped
        guard let upper = range.upper, let end = self.range(type: type).upper,
            !end.span.isOrdered(before: upper.span)
        else { return nil }
        return type
    }

    /// The ids of the records in a range of a type's keys; `nil` if there can be none.
    static func ids(in range: KeyRange, ofType type: UInt32) -> ClosedRange<ItemID>? {
        if let upper = range.upper, !range.lower.span.isOrdered(before: upper.span) { return nil }
        let (lower, isAfterLower) = firstID(notBefore: range.lower)
        guard let lower = isAfterLower ? lower.successor : lower else { return nil }
        var upper: ItemID? = .last
        if let end = range.upper, end != self.range(type: type).upper {
            let (id, isAfterID) = firstID(notBefore: end)
            upper = isAfterID ? id : id.predecessor
        }
        guard let upper, lower <= upper else { return nil }
        return lower...upper
    }

    /// The first id whose key is not less than another key, and whether that key is longer than the key of a record.
    private static func firstID(notBefore key: [UInt8]) -> (id: ItemID, isLonger: Bool) {
        let padded = key + repeatElement(0, count: max(0, length - key.count))
        return (id(in: padded.span), key.count > length)
    }
}

extension ItemID {
    fileprivate static let last = ItemID(high: .max, low: .max)

    /// The next id in ascending order; `nil` after the last.
    fileprivate var successor: ItemID? {
        if low < .max { return ItemID(high: high, low: low + 1) }
        return high < .max ? ItemID(high: high + 1, low: 0) : nil
    }

    /// The previous id; `nil` before the first.
    fileprivate var predecessor: ItemID? {
        if low > 0 { return ItemID(high: high, low: low - 1) }
        return high > 0 ? ItemID(high: high - 1, low: .max) : nil
    }
}
