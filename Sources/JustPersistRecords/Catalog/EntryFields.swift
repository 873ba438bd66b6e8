import JustPersist

/// The fields of a catalog entry or of the header, to which later releases can add.
///
/// ```
/// 1   bits 0–5: the number of the field
///     bit 6: a release that does not know the field must not write what the entry describes
///     bit 7: it must not read it either
/// …   length of the field (LEB128)
/// …   the field
/// ```
///
/// A release keeps unknown fields, byte for byte, after the fields that it knows. A known field of another length than
/// this release writes is damaged: a later release adds data in fields with new numbers.
struct EntryFields {
    private(set) var bytes: [UInt8] = []

    /// The bits of a field whose entry must be neither read nor written by a release that does not know the field.
    static let neitherReadNorWritten: UInt8 = 0xC0

    mutating func append(_ number: UInt8, _ field: [UInt8]) {
        bytes.append(number)
        bytes.append(varint: field.count)
        bytes += field
    }

    mutating func append(_ number: UInt8, _ text: String) { append(number, Array(text.utf8)) }

    mutating func append<Word: FixedWidthInteger>(_ number: UInt8, _ word: Word) {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: word)
        append(number, bytes)
    }

    /// Appends fields that were kept.
    mutating func append(_ unknown: UnknownFields) { bytes += unknown.bytes }

    /// Calls `body` with each field in `range`.
    ///
    /// Returns false if the bytes in `range` do not consist of fields.
    ///
    /// - Parameter body: Returns whether the field is known; `nil` if it is damaged. Unknown fields are kept in
    ///   `unknown`.
    static func read(
        _ bytes: Span<UInt8>, _ range: Range<Int>, keeping unknown: inout UnknownFields,
        _ body: (_ number: UInt8, _ field: Range<Int>) -> Bool?
    ) -> Bool {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let start = offset
            let head = bytes[offset]
            offset += 1
            guard
                let length = ValueDecoding.varint(in: bytes, at: &offset, end: range.upperBound),
                length <= range.upperBound - offset
            else { return false }
            let field = offset..<(offset + length)
            offset = field.upperBound
            guard let isKnown = body(head & 0x3F, field) else { return false }
            if !isKnown { unknown.append(head, bytes.copied(start..<offset)) }
        }
        return true
    }
}

/// The fields of a later release, and whether this one may read and write the entry.
struct UnknownFields: Sendable {
    private(set) var bytes: [UInt8] = []
    private(set) var forbidsReading = false
    private(set) var forbidsWriting = false

    fileprivate mutating func append(_ head: UInt8, _ field: [UInt8]) {
        bytes += field
        if head & 0x80 != 0 { forbidsReading = true }
        if head & 0xC0 != 0 { forbidsWriting = true }
    }

    /// Notes that a known field has contents that only a later release can read.
    mutating func forbidReading() { (forbidsReading, forbidsWriting) = (true, true) }

    /// Notes that the entry has contents that only a later release can write.
    mutating func forbidWriting() { forbidsWriting = true }

    /// Adds the restrictions of an entry nested in this one.
    mutating func add(rulesOf inner: UnknownFields) {
        forbidsReading = forbidsReading || inner.forbidsReading
        forbidsWriting = forbidsWriting || inner.forbidsWriting
    }
}
