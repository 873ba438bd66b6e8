import JustPersist

/// An item's values: a copy of its record, decoded when they are asked for, and the changes beside it.
final class RecordBacking: ItemBacking {
    let type: BlockType
    let id: ItemID
    /// The write block that the item is live in; `nil` for an item of a read block.
    let block: WriteBlock?
    /// The record as it was read, its checksum verified; empty for an item made in this block.
    let record: [UInt8]
    /// What was set since.
    private(set) var changes = RecordChanges()
    /// Whether the block must still write the item.
    var isDirty = false
    var isDeleted = false

    init(_ type: BlockType, id: ItemID, record: [UInt8], block: WriteBlock?) {
        self.type = type
        self.id = id
        self.record = record
        self.block = block
    }

    var itemTypeKey: String { type.itemType.key }
    var attributeNames: [String] { type.attributeNames }

    func value(at index: Int) throws(DataStoreError) -> DataStoreValue {
        guard let attribute = type.id(at: index) else { return .null }
        return try value(of: attribute)
    }

    func value(forAttribute name: String) throws(DataStoreError) -> DataStoreValue {
        guard let attribute = try type.id(ofAttribute: name, in: "value") else { return .null }
        return try value(of: attribute)
    }

    func setValue(_ value: DataStoreValue, at index: Int) throws(DataStoreError) {
        guard let block, block.isOpen, !isDeleted else { throw refusal(name(at: index)) }
        if !Self.isSmall(value, below: type.context.smallText) {
            try checkSize(of: value, attribute: name(at: index))
        }
        if type.id(at: index) == nil { try block.complete(type) }
        guard let attribute = type.id(at: index) else {
            throw .unknownAttribute("#\(index)", ofType: itemTypeKey, in: "setValue")
        }
        set(value, of: attribute, block)
    }

    func setValue(
        _ value: DataStoreValue, forAttribute name: String
    ) throws(DataStoreError) {
        guard let block, block.isOpen, !isDeleted else { throw refusal(name) }
        var attribute = try type.id(ofAttribute: name, in: "setValue")
        if !Self.isSmall(value, below: type.context.smallText) {
            try checkSize(of: value, attribute: name)
        }
        if attribute == nil {
            try block.complete(type)
            attribute = try type.id(ofAttribute: name, in: "setValue")
        }
        guard let attribute else {
            throw .unknownAttribute(name, ofType: itemTypeKey, in: "setValue")
        }
        set(value, of: attribute, block)
    }

    func report(_ error: DataStoreError) { type.context.report(error) }

    // MARK: Inside

    @inline(__always)
    private func value(of attribute: UInt16) throws(DataStoreError) -> DataStoreValue {
        if !changes.isEmpty, let entry = changes.entry(attribute) {
            let payload = changes.payload
            guard let value = ValueDecoding.value(tag: entry.tag, in: payload.span, entry.range)
            else { throw type.corrupted(id) }
            return value
        }
        let record = record
        let bytes = record.span
        guard let field = RecordFormat.field(attribute, in: bytes) else { return .null }
        guard let value = ValueDecoding.value(tag: field.tag, in: bytes, field.range) else {
            throw type.corrupted(id, attribute: type.stored?.attributes[Int(attribute)].name)
        }
        return value
    }

    private func set(_ value: DataStoreValue, of attribute: UInt16, _ block: WriteBlock) {
        changes.set(value, of: attribute, expecting: record.isEmpty ? type.attributeCount : 1)
        if !isDirty { block.markDirty(self) }
    }

    private func refusal(_ attribute: String) -> DataStoreError {
        if isDeleted, block?.isOpen == true {
            return .itemDeleted(id, ofType: itemTypeKey, attribute: attribute)
        }
        return .itemNotMutable(itemTypeKey, attribute: attribute)
    }

    private func name(at index: Int) -> String {
        let attributes = type.itemType.schema?.attributes ?? []
        return attributes.indices.contains(index) ? attributes[index].name : "#\(index)"
    }

    /// Whether a value is far from every limit, as most are.
    @inline(__always)
    private static func isSmall(_ value: DataStoreValue, below limit: Int) -> Bool {
        switch value {
        case .string(let text): text.utf8.count < limit
        case .data, .array, .dictionary, .url, .reference: false
        default: true
        }
    }

    private func checkSize(
        of value: DataStoreValue, attribute: String
    ) throws(DataStoreError) {
        let size = try type.context.limits.check(value, for: attribute, of: itemTypeKey)
        guard size + changes.usedBytes <= type.context.limits.writeBlockBytes else {
            throw DataStoreError(
                .limitExceeded, in: "setValue",
                """
                The values set on the “\(itemTypeKey)” \(id) are larger than the limit of \
                \(type.context.limits.writeBlockBytes) bytes for a write block; “\(attribute)” was not \
                changed.
                """, itemType: itemTypeKey, attribute: attribute)
        }
    }
}
