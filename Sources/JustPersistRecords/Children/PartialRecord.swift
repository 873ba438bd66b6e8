import JustPersist

/// Some fields of a record, in the format of a record.
///
/// It holds a child store's changes of an item.
///
/// A field may state that the attribute has no value (``RecordFormat/absentTag``); a stored record has no field in that
/// case. A whole record is a partial record, too. The checksum is not kept.
struct PartialRecord: Sendable {
    private(set) var bytes: [UInt8]

    /// No fields.
    static let empty = PartialRecord(EditableRecord.Template(attributes: 0).bytes)

    /// The fields of a record.
    init(_ record: [UInt8]) { bytes = record }

    /// The record under a key; `nil` if there is none.
    init?(of key: [UInt8], in reader: any KeyValueReader) throws(DataStoreError) {
        var record: [UInt8]?
        _ = try reader.withValue(forKey: key) { (bytes) throws(DataStoreError) in
            record = bytes.copied()
        }
        guard let record else { return nil }
        self.init(record)
    }

    /// The attributes that have a field, in ascending order.
    var attributes: [UInt16] {
        let span = bytes.span
        guard let table = RecordFormat.Table(span) else { return [] }
        return (0..<table.count).map { table.entry(at: $0, in: span).attribute }
    }

    /// Whether there is a field for an attribute, even if it states that there is no value.
    func tells(_ attribute: UInt16) -> Bool {
        RecordFormat.field(attribute, in: bytes.span) != nil
    }

    /// The field of an attribute; `nil` if it has no value.
    func field(_ attribute: UInt16) -> RecordFormat.Field? {
        guard let field = RecordFormat.field(attribute, in: bytes.span),
            field.tag != RecordFormat.absentTag
        else { return nil }
        return field
    }

    /// Whether an attribute has the same bytes in both, or no value in both.
    func hasSame(_ attribute: UInt16, as other: PartialRecord) -> Bool {
        switch (field(attribute), other.field(attribute)) {
        case (nil, nil): true
        case (let mine?, let theirs?):
            mine.tag == theirs.tag
                && bytes.span.compare(mine.range, other.bytes.span.extracting(theirs.range)) == 0
        default: false
        }
    }

    /// The record as it is stored, without fields that state that there is no value.
    var withoutAbsences: PartialRecord {
        var record = RecordBuilder()
        for attribute in attributes { record.append(attribute, of: self, keepsAbsence: false) }
        return record.record
    }

    /// The attributes that have a field in one of two records, in ascending order.
    static func attributes(of one: PartialRecord, _ other: PartialRecord) -> [UInt16] {
        union(one.attributes, other.attributes)
    }

    /// The ids in one of two sorted lists.
    static func union(_ one: [UInt16], _ other: [UInt16]) -> [UInt16] {
        if one == other { return one }
        var all: [UInt16] = []
        all.reserveCapacity(one.count + other.count)
        var (a, b) = (0, 0)
        while a < one.count || b < other.count {
            let next = min(a < one.count ? one[a] : .max, b < other.count ? other[b] : .max)
            all.append(next)
            if a < one.count, one[a] == next { a += 1 }
            if b < other.count, other[b] == next { b += 1 }
        }
        return all
    }
}

/// Builds a record from the fields of others, in ascending order of the attributes' ids.
struct RecordBuilder {
    private var entries: [RecordFormat.Entry] = []
    private var payload: [UInt8] = []

    var isEmpty: Bool { entries.isEmpty }

    /// Adds the field of an attribute in a record.
    ///
    /// - Parameter keepsAbsence: Whether to add a field if the attribute has no value.
    mutating func append(
        _ attribute: UInt16, of record: PartialRecord, keepsAbsence: Bool = true
    ) {
        var tag = RecordFormat.absentTag
        if let field = record.field(attribute) {
            tag = field.tag
            payload += record.bytes[field.range]
        } else if !keepsAbsence {
            return
        }
        entries.append(RecordFormat.Entry(attribute: attribute, tag: tag, end: payload.count))
    }

    /// The record, without its checksum.
    var record: PartialRecord {
        var bytes = EditableRecord.Template(attributes: 0).bytes
        let isWide =
            payload.count > Int(UInt16.max)
            || entries.contains { $0.attribute > 0xFFF || $0.tag > 0xF }
        bytes.reserveCapacity(bytes.count + entries.count * (isWide ? 8 : 4) + payload.count)
        if isWide { bytes[9] = RecordFormat.wideFlag }
        bytes.store(littleEndian: UInt16(truncatingIfNeeded: entries.count), at: 10)
        for entry in entries {
            if isWide {
                bytes.append(littleEndian: entry.wide)
            } else {
                bytes.append(littleEndian: entry.narrow)
            }
        }
        return PartialRecord(bytes + payload)
    }
}
