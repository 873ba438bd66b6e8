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
