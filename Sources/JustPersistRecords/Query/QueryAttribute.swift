import JustPersist

/// An attribute that a request names, tied to where its values are in the records of a type.
// A class, because one that is used for each record is then not copied each time.
final class QueryAttribute {
    /// `nil` if no record has a value for it.
    let id: UInt16?
    private let schema: AttributeSchema
    /// What a record has that holds no value for it.
    let missing: DataStoreValue
    /// The tags of the values that are given as they are, a bit for each.
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

    /// Whether a value with that tag is given as it is.
    @inline(__always)
    func isPlain(tag: UInt8) -> Bool { plainTags & 1 << UInt16(tag) != 0 }

    /// Whether null stands for the default.
    var nullIsMissing: Bool { !schema.isOptional }

    /// The value in a record that was found sound; `nil` if its bytes are no value.
    @inline(__always)
    func value(
        in record: Span<UInt8>, _ table: RecordFormat.Table, _ known: BlockCatalog
    ) -> DataStoreValue? {
        guard let id, let field = table.field(id, in: record) else { return missing }
        return value(of: field, in: record, known)
    }

    /// The field in a record that was found sound; `nil` if it has none for the attribute.
    @inline(__always)
    func field(in record: Span<UInt8>, _ table: RecordFormat.Table) -> RecordFormat.Field? {
        id.flatMap { table.field($0, in: record) }
    }

    /// The tag and the bits of a value of 8 bytes that is given as it is; `nil` for any other.
    @inline(__always)
    func word(in record: Span<UInt8>, _ table: RecordFormat.Table) -> (tag: UInt8, bits: UInt64)? {
        guard let id, let field = table.field(id, in: record), field.end - field.start == 8,
            field.tag == ValueTag.int || field.tag == ValueTag.double
                || field.tag == ValueTag.date,
            plainTags & 1 << UInt16(field.tag) != 0
        else { return nil }
        return (field.tag, record.word64(at: field.start))
    }

    /// The value of a field of a record; `nil` if its bytes are no value.
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
