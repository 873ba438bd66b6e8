import JustPersist

/// Where things are in a record.
///
/// The article on the file format shows it byte by byte.
///
/// ```
/// 0   8      checksum: wyhash of all that follows, seeded from the key
/// 8   1      format of the record: 1
/// 9   1      flags: bit 0 = wide table
/// 10  2      n, the number of fields
/// 12  4n|8n  table, ascending by attribute id
///     …      payloads, one behind the other in the order of the table
/// ```
///
/// A narrow entry has 12 bits of attribute id, 4 bits of tag, and 16 bits of the payload's end; a wide one
/// has 16, 8 and 32. Ends count from the first payload's start. An attribute that was
/// never set has no field; one that was set to null has a field without payload.
enum RecordFormat {
    static let version: UInt8 = 1
    static let wideFlag: UInt8 = 1
    static let headerLength = 12

    /// One field: where its payload lies in the record.
    struct Field {
        let attribute: UInt16
        let tag: UInt8
        let start: Int
        let end: Int

        var range: Range<Int> { start..<end }
    }

    /// The table of a record, found sound once and then used for each of its fields.
    struct Table {
        let count: Int
        let payload: Int
        private let isWide: Bool

        /// `nil` if the table is not inside the record.
        @inline(__always)
        init?(_ record: Span<UInt8>) {
            guard record.count >= headerLength, record[8] == version else { return nil }
            count = Int(record.word16(at: 10))
            isWide = record[9] & wideFlag != 0
            payload = headerLength + count << (isWide ? 3 : 2)
            if payload > record.count { return nil }
        }

        /// The field of an attribute; `nil` if the record has none, or an impossible one.
        ///
        /// Attribute ids count up from 0, so in a record without gaps an attribute's entry stands at its
        /// id; otherwise it stands before that.
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
            let start = index == 0 ? 0 : self.entry(at: index - 1, in: record).end
            guard start <= entry.end, payload + entry.end <= record.count else { return nil }
            return Field(
                attribute: entry.attribute, tag: entry.tag, start: payload + start,
                end: payload + entry.end)
        }

        private func search(
            _ attribute: UInt16, below end: Int, in record: Span<UInt8>
        ) -> Int? {
            var lower = 0
            var upper = end
            while lower < upper {
                let middle = (lower + upper) / 2
                let found = entry(at: middle, in: record).attribute
                if found == attribute { return middle }
                if found < attribute { lower = middle + 1 } else { upper = middle }
            }
            return nil
        }

        @inline(__always)
        private func entry(
            at index: Int, in record: Span<UInt8>
        ) -> (attribute: UInt16, tag: UInt8, end: Int) {
            if isWide {
                let word = record.word64(at: headerLength + index << 3)
                return (
                    UInt16(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 16),
                    Int(word >> 32)
                )
            }
            let word = record.word32(at: headerLength + index << 2)
            return (
                UInt16(truncatingIfNeeded: word & 0xFFF),
                UInt8(truncatingIfNeeded: word >> 12 & 0xF), Int(word >> 16)
            )
        }
    }

    /// The field of an attribute in a record; `nil` if it has none, or an impossible one.
    static func field(_ attribute: UInt16, in record: Span<UInt8>) -> Field? {
        Table(record)?.field(attribute, in: record)
    }

    /// The seed that ties a record's checksum to its key, so that two swapped values are noticed.
    @inline(__always)
    static func seed(type: UInt32, id: ItemID) -> UInt64 {
        id.high ^ (id.low << 32 | id.low >> 32) ^ UInt64(type)
    }
}
