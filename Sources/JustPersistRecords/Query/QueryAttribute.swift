import JustPersist

/// An attribute that a request names, resolved to its field in the records of a type.
// A class, so that it is not copied for each record.
final class QueryAttribute {
    /// `nil` if no record has a value for it.
    let id: UInt16?
    private let schema: AttributeSchema
    /// The value of a record that has no field for the attribute.
    let missing: DataStoreValue
    /// The tags of the values that are returned as they are stored, a bit for each.
    private let plainTags: UInt16

    init(id: UInt16?, _ schema: AttributeSchema) {
        self.id = id
        self.schema = schema
        missing = schema.value(stored: nil)
        plainTags =
            (schema.kinds.isEmpty ? .max : ValueTag.bits(of: schema.kinds))
            & ~(1 << UInt16(ValueTag.null))
    }

    /// The name that the attribute has now.
    var name: String { schema.name }

    /// Whether a value with this tag is returned as it is stored.
    @inline(__always)
    func isPlain(tag: UInt8) -> Bool { plainTags & 1 << UInt16(tag) != 0 }

    /// Whether null stands for the default.
    var nullIsMissing: Bool { !schema.isOptional }

    /// The value in a verified record; `nil` if its bytes are not a value.
    @inline(__always)
    func value(
        in record: Span<UInt8>, _ table: RecordFormat.Table, _ known: BlockCatalog
    ) -> DataStoreValue? {
        guard let id, let field = table.field(id, in: record) else { return missing }
        return value(of: field, in: record, known)
    }

    /// The field in a verified record; `nil` if it has none for the attribute.
    @inline(__always)
    func field(in record: Span<UInt8>, _ table: RecordFormat.Table) -> RecordFormat.Field? {
        id.flatMap { table.field($0, in: record) }
    }

    /// The tag and the bits of an 8-byte value that is returned as it is stored; `nil` for any other value.
    @inline(__always)
    func word(in record: Span<UInt8>, _ table: RecordFormat.Table) -> (tag: UInt8, bits: UInt64)? {
        guard let id, let field = table.field(id, in: record), field.end - field.start == 8,
            field.tag == ValueTag.int || field.tag == ValueTag.double
                || field.tag == ValueTag.date,
            plainTags & 1 << UInt16(field.tag) != 0
        else { return nil }
        return (field.tag, record.word64(at: field.start))
    }

    /// The value of a field of a record; `nil` if its bytes are not a value.
    @inline(__always)
    func value(
        of field: RecordFormat.Field, in record: Span<UInt8>, _ known: BlockCatalog
    ) -> DataStoreValue? {
        guard
            let value = ValueDecoding.value(tag: field.tag, in: record, field.range, known)
        else { return nil }
        return plainTags & 1 << UInt16(field.tag) != 0 ? value : schema.value(stored: value)
    }
}
