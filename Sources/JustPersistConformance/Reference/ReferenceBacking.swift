package import JustPersist

/// The values of an item: in the block's state while the item is live, and in a copy afterwards.
package final class ReferenceBacking: ItemBacking {
    /// The type with which the item was requested.
    package let type: ItemType
    /// Identifies the store of the item.
    package let family: ItemID
    /// Identifies the item.
    let key: ReferenceKey
    private let context: ReferenceBlock.Context
    /// The thread of the block that returned the item.
    private var thread: BlockThread

    /// The write block in which the item is live; `nil` once the item is frozen.
    private var block: ReferenceBlock?
    /// The write block that deleted the item.
    private var deleter: ReferenceBlock?
    /// Whether a program has the item as an object that was made for a rule of a relationship.
    var isClaimed = false
    /// The read block that returned the item.
    private weak var reader: ReferenceBlock?
    /// Whether the item was created in a block that was rolled back, so that it is in no store.
    var isDetached = false
    /// The values of a frozen item.
    private var frozen: ReferenceRow
    /// The state in which the item was frozen.
    ///
    /// If its block deleted the item, the state has only the types, because the block may change the rows further.
    private var frozenState: ReferenceState
    /// The size of each value that was set in the block.
    private var written: [String: Int] = [:]

    /// The values of an item that a block has found or created.
    package init(_ row: ReferenceRow, _ type: ItemType, in block: ReferenceBlock) {
        self.type = type
        key = row.key
        family = block.context.family
        context = block.context
        thread = block.thread
        frozen = row
        frozenState = block.isWriting ? ReferenceState() : block.state
        self.block = block.isWriting ? block : nil
        reader = block.isWriting ? nil : block
    }

    /// Copies the values, and releases the block.
    package func freeze() {
        guard let block else { return }
        frozenState = !block.thread.hasEnded ? block.state.withoutRows : block.state
        frozen = block.state.row(key) ?? frozen
        self.block = nil
        deleter = nil
    }

    /// Copies the values before the block deletes the item.
    package func delete() {
        deleter = block
        let block = block
        freeze()
        deleter = block
    }

    /// Notes that the block that created the item was rolled back.
    func becomeDetached() { isDetached = deleter == nil }

    /// Makes a detached item live in a block.
    func revive(in block: ReferenceBlock) {
        self.block = block
        thread = block.thread
        written = [:]
    }

    /// Whether a running block has deleted this item.
    package func isDeleted(in block: ReferenceBlock) -> Bool { deleter === block }

    private var row: ReferenceRow { block?.state.row(key) ?? frozen }
    private var state: ReferenceState { block?.state ?? frozenState }

    /// The key of the item's type.
    package var itemTypeKey: String { type.key }
    /// The item's id.
    package var id: ItemID { key.id }
    /// The attributes of the class; for a type without a class, the attributes that the store knows.
    package var attributeNames: [String] {
        type.schema?.attributes.map(\.name) ?? state.type(key.itemType)?.attributes.map(\.name)
            ?? []
    }

    /// The value of the attribute at an index of the class's schema.
    package func value(at index: Int) throws(DataStoreError) -> DataStoreValue {
        try value(forAttribute: try name(at: index, "value"))
    }

    /// Changes the attribute at an index of the class's schema.
    package func setValue(_ value: DataStoreValue, at index: Int) throws(DataStoreError) {
        try setValue(value, forAttribute: try name(at: index, "setValue"))
    }

    /// The value of the named attribute.
    package func value(forAttribute name: String) throws(DataStoreError) -> DataStoreValue {
        if let block, !block.thread.permitsReading {
            throw BlockThread.refusal(in: "value", itemType: itemTypeKey, attribute: name)
        }
        let attribute = try attribute(name, "value")
        let value = attribute.value(in: row)
        // For a type without a class, the value is returned unchanged.
        if type.schema != nil, !attribute.holds(value) { throw attribute.unreadable(value) }
        return value
    }

    /// The stored value of the named attribute.
    package func storedValue(forAttribute name: String) throws(DataStoreError) -> DataStoreValue {
        let value = try value(forAttribute: name)
        return try row[attribute(name, "value").name].isNull ? .null : value
    }

    /// The attribute's value of the item that a reference leads to, while the block runs.
    package func value(
        forAttribute name: String, of reference: ItemReference
    ) throws(DataStoreError) -> DataStoreValue {
        try thread.check("value")
        let state = (block ?? deleter)?.state ?? frozenState
        return try context.rules.valueOfOther(name, reference, state)
    }

    /// Changes the named attribute.
    package func setValue(
        _ value: DataStoreValue, forAttribute name: String
    ) throws(DataStoreError) {
        guard let block, block.thread.isCurrent else { throw refusal(name) }
        let (value, size) = try checked(value, name)
        try block.know(type)
        let stored = try attribute(name, "setValue").name
        try block.count(
            size, inPlaceOf: written[stored] ?? 0, attribute: name, of: itemTypeKey)
        written[stored] = size
        block.state.set(context.rules.stored(value), ofAttribute: stored, of: key)
    }

    /// Related items that were read with this one, in a read block.
    package var prefetched: Prefetched? {
        get { knownPrefetched }
        set { if block == nil { knownPrefetched = newValue } }
    }
    private var knownPrefetched: Prefetched?

    /// Calls `body` with an accessor of the running block.
    package func withReader(
        _ body: (borrowing DataStoreReader) throws(DataStoreError) -> Void
    ) throws(DataStoreError) {
        guard let running = block ?? reader, !thread.hasEnded else {
            throw .relationshipNotLoaded(itemTypeKey)
        }
        try thread.check("relationship")
        try body(context.rules.reader(running))
    }

    /// Calls `body` with an accessor of the running write block.
    package func withWriter(
        _ body: (borrowing DataStoreWriter) throws(DataStoreError) -> Void
    ) throws(DataStoreError) {
        guard let block, block.thread.isCurrent else { throw refusal("") }
        try body(context.rules.writer(block))
    }

    /// Passes an error to the store's error handler.
    package func report(_ error: DataStoreError) {
        if let block { block.report(error) } else { context.report(error) }
    }

    private func name(at index: Int, _ operation: String) throws(DataStoreError) -> String {
        guard let attributes = type.schema?.attributes, attributes.indices.contains(index) else {
            throw .unknownAttribute("#\(index)", ofType: itemTypeKey, in: operation)
        }
        return attributes[index].name
    }

    private func refusal(_ attribute: String) -> DataStoreError {
        if let block, !block.thread.permitsReading {
            return block.thread.refusedChange(itemType: itemTypeKey, attribute: attribute)
        }
        guard let deleter, deleter.thread.isCurrent else {
            return .itemNotMutable(itemTypeKey, attribute: attribute)
        }
        return DataStoreError(
            .itemDeleted, in: "setValue",
            "The “\(itemTypeKey)” \(id) was deleted, so “\(attribute)” was not changed.",
            itemType: itemTypeKey, attribute: attribute)
    }

    private func attribute(
        _ name: String, _ operation: String
    ) throws(DataStoreError) -> ReferenceAttribute {
        guard let found = try ReferenceAttribute(name, of: type, in: state) else {
            throw .unknownAttribute(name, ofType: itemTypeKey, in: operation)
        }
        return found
    }

    /// The stored form of a value to which an attribute is set, and its size.
    func checked(
        _ value: DataStoreValue, _ attribute: String
    ) throws(DataStoreError) -> (DataStoreValue, size: Int) {
        let value = try self.attribute(attribute, "setValue").checked(value, "setValue")
        let limits = context.limits
        if let size = value.referenceSize(), size <= limits.valueBytes { return (value, size) }
        throw DataStoreError(
            .limitExceeded, in: "setValue",
            """
            The value for “\(attribute)” of “\(itemTypeKey)” is larger than the limit of \
            \(limits.valueBytes) bytes, or has more than \(DataStoreValue.referenceDepthLimit) \
            collections inside one another; nothing was changed.
            """, itemType: itemTypeKey, attribute: attribute)
    }
}
