import JustPersist

/// A record as a subject of the contract's evaluator.
struct RecordSubject: PredicateSubject {
    let type: BlockType
    let id: ItemID
    let record: [UInt8]
    let block: Block

    func value(forAttribute name: String) throws(DataStoreError) -> DataStoreValue {
        try block.value(forAttribute: name, of: type, id, record.span)
    }

    func value(
        forAttribute name: String, of reference: ItemReference
    ) throws(DataStoreError) -> DataStoreValue {
        try block.value(forAttribute: name, of: reference)
    }

    /// A read-only item over the record, which the block shares with no other caller.
    func item(as itemClass: any DataStoreItem.Type) throws(DataStoreError) -> any DataStoreItem {
        var type = type
        if type.itemType.itemClass != itemClass {
            let other = try block.blockType(ItemType(itemClass))
            guard let number = type.table?.number, other.table?.number == number else {
                throw DataStoreError(
                    .invalidRequest, in: "predicate",
                    """
                    The predicate is about “\(itemClass.itemTypeKey)”, and the request about “\(type.itemType.key)”. \
                    Make both about one type.
                    """, itemType: type.itemType.key)
            }
            type = other
        }
        return itemClass.init(
            backing: FrozenBacking.make(type, id: id, record: record.span, block: block))
    }
}

extension Block {
    /// The value of an attribute in a verified record; its default, or null, if there is none.
    func value(
        forAttribute name: String, of type: BlockType, _ id: ItemID, _ record: Span<UInt8>
    ) throws(DataStoreError) -> DataStoreValue {
        guard let attribute = type.attributeForQuery(name) else {
            if type.relationshipToMany(name) != nil { return try others(name, of: type, id) }
            return name == DataStorePredicate.AttributePath.uniqueToken.components[0]
                ? .uuid(id.uuid) : .null
        }
        guard let table = RecordFormat.Table(record),
            let value = attribute.value(in: record, table, known)
        else { throw type.corrupted(id, attribute: name) }
        guard case .reference(let other) = value, type.dangling.contains(name) else { return value }
        let otherType = try blockType(ItemType(dynamic: other.itemTypeKey))
        var isThere = false
        try withRecord(otherType, id: other.id) { _ throws(DataStoreError) in isThere = true }
        return isThere ? value : .null
    }

    /// References to the others of an item in a relationship to many, as a value.
    private func others(
        _ name: String, of type: BlockType, _ id: ItemID
    ) throws(DataStoreError) -> DataStoreValue {
        let reader = RecordReadAccessor(self)
        let relation = try type.relation(name) { () throws(DataStoreError) in
            try reader.relation(name, of: type.itemType)
        }
        let item = ItemReference(itemTypeKey: type.itemType.key, id: id)
        return .array(try reader.references(relation, of: item).map { .reference($0) })
    }

    /// The value of an attribute of the item that a reference points to; null if either is missing.
    func value(
        forAttribute name: String, of reference: ItemReference
    ) throws(DataStoreError) -> DataStoreValue {
        let type = try blockType(ItemType(dynamic: reference.itemTypeKey))
        var value = DataStoreValue.null
        try withRecord(type, id: reference.id) { (record) throws(DataStoreError) in
            value = try self.value(forAttribute: name, of: type, reference.id, record)
        }
        return value
    }
}
