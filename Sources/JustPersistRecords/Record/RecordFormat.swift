import JustPersist

/// The layout of a record.
///
/// The article on the file format describes each byte.
///
/// ```
/// 0   8      checksum: wyhash of all that follows, seeded from the key
/// 8   1      format of the record: 1
/// 9   1      flags: bit 0 = wide table; the other bits belong to later releases
/// 10  2      n, the number of fields
/// 12  4n|8n  table, ascending by attribute id
///     …      payloads, one after the other in the order of the table
/// ```
///
/// A narrow entry has 12 bits of attribute id, 4 bits of tag, and 16 bits of the payload's end; a wide one has 16, 8
/// and 32. Ends count from the start of the first payload. An attribute that was never set has no field; one that was
/// set to null has a field without payload.
enum RecordFormat {
    static let version: UInt8 = 1
    static let wideFlag: UInt8 = 1
    static let headerLength = 12
    /// The tag, in memory only, of an entry whose attribute has no value.
    static let absentTag: UInt8 = ValueTag.lastPossible

    /// One field, with the place of its payload in the record.
    struct Field {
        let attribute: UInt16
        let tag: UInt8
        let start: Int
        let end: Int

        var range: Range<Int> { start..<end }
    }

    /// The table of a record, checked once and then used for each of its fields.
    struct Table {
        let count: Int
        let payload: Int
        let isWide: Bool

        /// The length of an entry of the table.
        var entryLength: Int { isWide ? 8 : 4 }

        /// `nil` if the table is not inside the record.
        @inline(__always)
        init?(_ record: Span<UInt8>) {
            // Checks both bytes together: the version, and that no flag except that of a wide table is set.
            guard record.count >= headerLength,
                record.word16(at: 8) & ~(UInt16(wideFlag) << 8) == UInt16(version)
            else { return nil }
            count = Int(record.word16(at: 10))
            isWide = record[9] & wideFlag != 0
            payload = headerLength + count << (isWide ? 3 : 2)
            if payload > record.count { return nil }
        }

        /// The field of an attribute; `nil` if there is none, or if it is invalid.
        ///
        /// Attribute ids count up from 0: in a record without gaps an attribute's entry is at the index of its id,
        /// otherwise before it.
        @inline(__always)
        func field(_ attribute: UInt16, in record: Span<UInt8>) -> Field? {
            var index = min(Int(attribute), count - 1)
            guard index >= 0 else { return nil }
            if entry(at: index, in: record).attribute != attribute {
                guard let found = search(attribute, below: index, in: record) else { return nil }
                index = found
            }
            return field(at: index, in: record)
        }

        /// The field at an index of the table; `nil` if its payload is not inside the record.
        @inline(__always)
        func field(at index: Int, in record: Span<UInt8>) -> Field? {
            let entry = entry(at: index, in: record)
            let start = start(at: index, in: record)
            guard start <= entry.end, payload + entry.end <= record.count else { return nil }
            return Field(
                attribute: entry.attribute, tag: entry.tag, start: payload + start,
                end: payload + entry.end)
        }

        private func search(
            _ attribute: UInt16, below end: Int, in record: Span<UInt8>
        ) -> Int? {
            let place = place(of: attribute, below: end, in: record)
            return place < end && entry(at: place, in: record).attribute == attribute ? place : nil
        }

        /// The index of an attribute's entry, or of where it would be inserted.
        func place(of attribute: UInt16, in record: Span<UInt8>) -> Int {
            place(of: attribute, below: count, in: record)
        }

        private func place(of attribute: UInt16, below end: Int, in record: Span<UInt8>) -> Int {
            var lower = 0
            var upper = end
            while lower < upper {
                let middle = (lower + upper) / 2
                if entry(at: middle, in: record).attribute < attribute {
                    lower = middle + 1
                } else {
                    upper = middle
                }
            }
            return lower
        }

        /// The start of the payload of the entry at an index, counted from the start of the first payload.
        @inline(__always)
        func start(at index: Int, in record: Span<UInt8>) -> Int {
            index == 0 ? 0 : entry(at: index - 1, in: record).end
        }

        @inline(__always)
        func entry(at index: Int, in record: Span<UInt8>) -> Entry {
            isWide
                ? Entry(wide: record.word64(at: headerLength + index << 3))
                : Entry(narrow: record.word32(at: headerLength + index << 2))
        }
    }

    /// An entry of the table.
    struct Entry {
        var attribute: UInt16
        var tag: UInt8
        /// The end of the payload, counted from the start of the first payload.
        var end: Int

        @inline(__always)
        init(attribute: UInt16, tag: UInt8, end: Int) {
            self.attribute = attribute
            self.tag = tag
            self.end = end
        }

        @inline(__always)
        init(wide word: UInt64) {
            attribute = UInt16(truncatingIfNeeded: word)
            tag = UInt8(truncatingIfNeeded: word >> 16)
            end = Int(word >> 32)
        }

        @inline(__always)
        init(narrow word: UInt32) {
            attribute = UInt16(truncatingIfNeeded: word & 0xFFF)
            tag = UInt8(truncatingIfNeeded: word >> 12 & 0xF)
            end = Int(word >> 16)
        }

        @inline(__always) var wide: UInt64 {
            UInt64(attribute) | UInt64(tag) << 16 | UInt64(truncatingIfNeeded: end) << 32
        }

        @inline(__always) var narrow: UInt32 {
            UInt32(attribute) | UInt32(tag & 0xF) << 12 | UInt32(truncatingIfNeeded: end) << 16
        }
    }

    /// The field of an attribute in a record; `nil` if there is none, or if it is invalid.
    static func field(_ attribute: UInt16, in record: Span<UInt8>) -> Field? {
        Table(record)?.field(attribute, in: record)
    }

    /// Whether a record is intact, in a form that only a later release knows.
    static func isLater(_ record: Span<UInt8>, type: UInt32, id: ItemID) -> Bool {
        record.count >= headerLength
            && (record[8] > version || record[8] == version && record[9] & ~wideFlag != 0)
            && hasChecksum(record, type: type, id: id)
    }

    /// Whether an intact record has values of kinds that a later release has added.
    static func hasLaterKinds(_ record: Span<UInt8>) -> Bool {
        guard let table = Table(record) else { return false }
        for index in 0..<table.count
        where table.entry(at: index, in: record).tag > ValueTag.lastPossible { return true }
        return false
    }

    /// Whether a record has the checksum that belongs to its key.
    static func hasChecksum(_ record: Span<UInt8>, type: UInt32, id: ItemID) -> Bool {
        record.wyhash(8..<record.count, seed: seed(type: type, id: id)) == record.word64(at: 0)
    }

    /// A record with the checksum for an id.
    static func sealed(_ record: [UInt8], type: UInt32, id: ItemID) -> [UInt8] {
        var record = record
        let checksum = record.span.wyhash(8..<record.count, seed: seed(type: type, id: id))
        record.store(littleEndian: checksum, at: 0)
        return record
    }

    /// The seed that ties a record's checksum to its key, to detect records that were swapped.
    @inline(__always)
    static func seed(type: UInt32, id: ItemID) -> UInt64 {
        id.high ^ (id.low << 32 | id.low >> 32) ^ UInt64(type)
    }
}
