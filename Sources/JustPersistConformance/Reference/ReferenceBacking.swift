package import JustPersist

/// An item's values: those in the block's state while the item is live, then a copy of them.
package final class ReferenceBacking: ItemBacking {
    /// The type as the item was asked for.
    package let type: ItemType
    /// Which store's item this is.
    package let family: ItemID
    /// Which item it is.
    let key: ReferenceKey
    private let context: ReferenceBlock.Context

    /// The write block that the item is live in; `nil` once it is frozen.
    private var block: ReferenceBlock?
    /// The write block that deleted the item.
    private var deleter: ReferenceBlock?
    /// Whether the item was made in a block that was rolled back, and so is in no store.
    var isDetached = false
    /// The values of a frozen item, and what was known of its type.
    private var frozen: ReferenceRow
    private var frozenType: ReferenceType?
    /// The size of each value that was set in the block.
    private var written: [String: Int] = [:]

    /// The values of an item that a block has found or made.
    package init(_ row: ReferenceRow, _ type: ItemType, in block: ReferenceBlock) {
        self.type = type
        key = row.key
        family = block.context.family
        context = block.context
        frozen = row
        frozenType = block.state.type(row.key.itemType)
        self.block = block.isWriting ? block : nil
    }

    /// Copies the values, and lets go of the block.
    package func freeze() {
        guard let block else { return }
        frozenType = block.state.type(key.itemType)
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

    /// Notes that the block which made the item was rolled back.
    func becomeDetached() { isDetached = deleter == nil }

    /// Makes a detached item one of a block.
    func revive(in block: ReferenceBlock) {
        self.block = block
        written = [:]
    }

    /// Whether a block that still runs has deleted this item.
    package func isDeleted(in block: ReferenceBlock) -> Bool { deleter === block }

    private var row: ReferenceRow { block?.state.row(key) ?? frozen }
    private var known: ReferenceType? {
        block.map { $0.state.type(key.itemType) } ?? frozenType
    }

    /// The key of the item's type.
    package var itemTypeKey: String { key.itemType }
    /// The item's id.
    package var id: ItemID { key.id }
    /// The attributes of the class, or for a type without one those that the store knows.
    package var attributeNames: [String] {
        type.schema?.attributes.map(\.name) ?? known?.attributes.map(\.name) ?? []
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
        try type.checkAttribute(name, in: known, "value")
        return row[type.storedName(of: name, in: known)]
    }

    /// Changes the named attribute.
    package func setValue(
        _ value: DataStoreValue, forAttribute name: String
    ) throws(DataStoreError) {
        guard let block, block.thread.isCurrent else { throw refusal(name) }
        let size = try checkedSize(of: value, name)
        try block.count(
            size, inPlaceOf: written[name] ?? 0, attribute: name, of: itemTypeKey)
        written[name] = size
        if known?.has(name) != true, let schema = type.schema { try block.declare(schema) }
        block.state.set(context.rules.stored(value), ofAttribute: name, of: key)
    }

    /// Hands an error to the store's error handler.
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

    /// How large a value is that an attribute may be set to.
    func checkedSize(
        of value: DataStoreValue, _ attribute: String
    ) throws(DataStoreError) -> Int {
        try type.checkAttribute(attribute, in: known, "setValue")
        let limits = context.limits
        if let size = value.referenceSize(), size <= limits.valueBytes { return size }
        throw DataStoreError(
            .limitExceeded, in: "setValue",
            """
            The value for “\(attribute)” of “\(itemTypeKey)” is larger than the limit of \
            \(limits.valueBytes) bytes, or has more than \(DataStoreValue.referenceDepthLimit) \
            collections inside one another; nothing was changed.
            """, itemType: itemTypeKey, attribute: attribute)
    }
}
