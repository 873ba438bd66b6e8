import JustPersist

extension BlockType {
    /// The field of the attribute at an index of the class's schema, if its value is of a declared kind.
    @inline(__always)
    func field(at index: Int, in record: Span<UInt8>) -> RecordFormat.Field? {
        guard let attribute = id(at: index), let table = RecordFormat.Table(record),
            let field = table.field(attribute, in: record), allows(tag: field.tag, atPlace: index)
        else { return nil }
        return field
    }

    /// The value of an attribute for which an item has no field: its default, or null.
    func absentValue(atPlace place: Int) -> DataStoreValue {
        if isNullWhereAbsent(place) { return .null }
        return attribute(atPlace: place)?.value(stored: nil) ?? .null
    }

    /// The value of a field of an item, of the attribute declared at a place.
    @inline(__always)
    func value(
        of field: RecordFormat.Field, in record: Span<UInt8>, atPlace place: Int, of item: ItemID
    ) throws(DataStoreError) -> DataStoreValue {
        guard let value = ValueDecoding.value(tag: field.tag, in: record, field.range, known)
        else {
            let name = stored?.attributes[Int(field.attribute)].name
            throw field.tag > ValueTag.lastPossible
                ? .laterRecord(item, ofType: itemType.key, attribute: name)
                : corrupted(item, attribute: name)
        }
        if field.tag != ValueTag.null, allows(tag: field.tag, atPlace: place) { return value }
        return try declared(value, atPlace: place)
    }

    /// The value that reading an attribute returns for null, or for a value of an undeclared kind.
    ///
    /// For an item without a class, a value that cannot be converted is returned unchanged, so that every value can be
    /// read.
    private func declared(
        _ stored: DataStoreValue, atPlace place: Int
    ) throws(DataStoreError) -> DataStoreValue {
        guard let attribute = attribute(atPlace: place) else { return stored }
        let value = attribute.value(stored: stored)
        if value.isNull || attribute.kinds.isEmpty || attribute.kinds.contains(value.kind)
            || itemType.schema == nil
        {
            return value
        }
        throw unreadable(stored.kind, atPlace: place)
    }

    /// The class's name for an attribute; the store's own names may change on another thread.
    func declaredName(at index: Int) -> String {
        guard let attributes = itemType.schema?.attributes, attributes.indices.contains(index)
        else { return "#\(index)" }
        return attributes[index].name
    }
}
