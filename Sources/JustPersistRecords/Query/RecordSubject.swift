import JustPersist

/// A record as the contract's evaluator sees it.
struct RecordSubject: PredicateSubject {
    let type: BlockType
    let id: ItemID
    let record: [UInt8]
    let block: Block

    func value(forAttribute name: String) -> DataStoreValue {
        failing { () throws(DataStoreError) in
            try Self.value(forAttribute: name, of: type, id, record.span)
        }
    }

    func value(forAttribute name: String, of reference: ItemReference) -> DataStoreValue {
        failing { () throws(DataStoreError) in
            let type = try block.blockType(ItemType(dynamic: reference.itemTypeKey))
            var value = DataStoreValue.null
            try block.withRecord(type, id: reference.id) { (record) throws(DataStoreError) in
                value = try Self.value(forAttribute: name, of: type, reference.id, record)
            }
            return value
        }
    }

    /// The evaluator cannot throw; the scan does, as soon as it is back.
    private func failing(
        _ body: () throws(DataStoreError) -> DataStoreValue
    ) -> DataStoreValue {
        do throws(DataStoreError) {
            return try body()
        } catch {
            block.failure = block.failure ?? error
            return .null
        }
    }

    /// The value of an attribute in a record whose checksum was verified: its default, or null, where there
    /// is none.
    static func value(
        forAttribute name: String, of type: BlockType, _ id: ItemID, _ record: Span<UInt8>
    ) throws(DataStoreError) -> DataStoreValue {
        guard let attribute = type.attributeForQuery(name) else {
            return name == DataStorePredicate.AttributePath.uniqueToken.components[0]
                ? .uuid(id.uuid) : .null
        }
        guard let field = attribute.id.flatMap({ RecordFormat.field($0, in: record) }) else {
            return attribute.schema.value(stored: nil)
        }
        guard let value = ValueDecoding.value(tag: field.tag, in: record, field.range) else {
            throw type.corrupted(id, attribute: name)
        }
        return attribute.schema.value(stored: value)
    }
}
