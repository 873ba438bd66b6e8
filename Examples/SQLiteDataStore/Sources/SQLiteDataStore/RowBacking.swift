import JustPersist

/// An item's values: of a read block for good, of a write block until they are written.
final class RowBacking: ItemBacking {
    private(set) var type: BlockType
    let id: ItemID
    let store: StoreContext
    /// The write block that the item is live in; `nil` for an item of a read block.
    private(set) var block: WriteBlock?
    /// By the attributes' numbers, null where it was set.
    private(set) var values: [Int: DataStoreValue]
    /// What the changed values count towards the limit of a write block.
    private(set) var changedSizes: [Int: Int] = [:]
    var isDirty = false
    var isDeleted = false
    /// Whether the item is in the store; one that was made or taken in is so once its block was committed.
    private let isStored: Bool

    init(
        _ type: BlockType, id: ItemID, values: [Int: DataStoreValue], store: StoreContext,
        block: WriteBlock?, isStored: Bool
    ) {
        self.type = type
        self.id = id
        self.values = values
        self.store = store
        self.block = block
        self.isStored = isStored
    }

    /// Whether the item was made in a write block that was rolled back, so that it is in no store.
    var isOfRolledBackBlock: Bool {
        guard let block, block.thread.hasEnded else { return false }
        return !block.isCommitted && !isStored && !isDeleted
    }

    /// Gives the item the values of a new one of another block.
    func become(_ other: RowBacking) {
        type = other.type
        block = other.block
        values = other.values
        changedSizes = other.changedSizes
        isDirty = false
    }

    var itemTypeKey: String { type.key }
    var attributeNames: [String] { type.attributeNames }

    func value(at index: Int) throws(DataStoreError) -> DataStoreValue {
        try value(forAttribute: type.name(at: index, in: "value"))
    }

    func value(forAttribute name: String) throws(DataStoreError) -> DataStoreValue {
        if let block, !block.thread.permitsReading {
            throw BlockThread.refusal(in: "value", itemType: itemTypeKey, attribute: name)
        }
        let (attribute, number) = try type.attribute(name, in: "value")
        let value = attribute.value(stored: number.flatMap { values[$0] })
        // Without a class it is given as it is.
        if type.itemType.schema != nil, !value.isNull {
            return try attribute.check(value, ofType: itemTypeKey)
        }
        return value
    }

    func setValue(_ value: DataStoreValue, at index: Int) throws(DataStoreError) {
        try setValue(value, forAttribute: type.name(at: index, in: "setValue"))
    }

    func setValue(_ value: DataStoreValue, forAttribute name: String) throws(DataStoreError) {
        guard let block, !block.thread.hasEnded else {
            throw .itemNotMutable(itemTypeKey, attribute: name)
        }
        guard block.thread.isCurrent else {
            throw block.thread.refusedChange(itemType: itemTypeKey, attribute: name)
        }
        if isDeleted { throw .itemDeleted(id, ofType: itemTypeKey, attribute: name) }
        let value = try type.attribute(name, in: "setValue").0.check(value, ofType: itemTypeKey)
        let size = try store.limits.check(value, for: name, of: itemTypeKey)
        try block.declare(type)
        guard let number = try type.attribute(name, in: "setValue").number else {
            throw .unknownAttribute(name, ofType: itemTypeKey, in: "setValue")
        }
        try block.count(
            size, inPlaceOf: changedSizes[number] ?? 0, attribute: name, of: itemTypeKey)
        values[number] = value
        changedSizes[number] = size
        block.markDirty(self)
    }

    func report(_ error: DataStoreError) {
        if let block { block.report(error) } else { store.report(error) }
    }
}
