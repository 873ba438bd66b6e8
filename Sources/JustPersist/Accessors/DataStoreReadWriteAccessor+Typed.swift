/// The typed, throwing calls, which include the original library's generic interface.
extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// Makes a new item of a class, with the default values that the class declares.
    @inlinable
    public func create<Item: MutableDataStoreItem>(
        _ type: Item.Type = Item.self
    ) throws(DataStoreError) -> Item {
        guard let item = Item.cast(try performCreate(ItemType(type))) else {
            throw .madeOfAnotherClass(type)
        }
        item.setInitialValues()
        // Asked here as well, where the class is known: it saves most items a call.
        if type == DynamicItem.self || !type.schema.relationships.isEmpty { try noteCreated(item) }
        return item
    }

    /// Makes a new item of a type that has no Swift class and was declared before.
    public func create(_ itemTypeKey: String) throws(DataStoreError) -> DynamicItem {
        guard let item = try performCreate(ItemType(dynamic: itemTypeKey)) as? DynamicItem else {
            throw DataStoreError(
                .couldNotCreateItemOfType, in: "create",
                "The store does not make dynamic items of “\(itemTypeKey)”.",
                itemType: itemTypeKey)
        }
        try noteCreated(item)
        return item
    }

    /// Deletes an item.
    ///
    /// If the item was already deleted, this throws ``DataStoreError/Code/couldNotDeleteItem``.
    public func delete(_ item: any DataStoreItem) throws(DataStoreError) {
        guard try deleteByRules(item) else {
            throw DataStoreError(
                .couldNotDeleteItem, in: "delete",
                "The item \(item.uniqueToken) is not in the store; it may have been deleted before.",
                itemType: item.backing.itemTypeKey)
        }
    }

    /// Deletes the item of a class with an id, and returns whether there was one.
    ///
    /// The item is not read, so this works for a damaged item too.
    @discardableResult
    public func delete<Item: MutableDataStoreItem>(
        _ type: Item.Type, id: ItemID
    ) throws(DataStoreError) -> Bool {
        try deleteUnread(
            Item(
                backing: DictionaryBacking(
                    itemTypeKey: type.itemTypeKey, schema: type.schema, id: id)))
    }

    /// Deletes the item of a type that has no Swift class by its id, and returns whether there was one.
    ///
    /// The item is not read, so this works for a damaged item too.
    @discardableResult
    public func delete(_ itemTypeKey: String, id: ItemID) throws(DataStoreError) -> Bool {
        try deleteUnread(DynamicItem(itemTypeKey, id: id))
    }

    private func deleteUnread(_ item: any DataStoreItem) throws(DataStoreError) -> Bool {
        do throws(DataStoreError) {
            return try deleteByRules(item)
        } catch {
            // An item that is in no store is deleted by its id.
            if error.code == .foreignItem { return false }
            throw error
        }
    }

    /// Deletes all items of a class.
    ///
    /// A failure throws ``DataStoreError/Code/couldNotDeleteItemsOfType``, except for one of the storage, which makes the
    /// whole block fail and keeps its own code.
    public func deleteAll(
        _ type: any MutableDataStoreItem.Type
    ) throws(DataStoreError) {
        do throws(DataStoreError) {
            try deleteAllByRules(ItemType(type))
        } catch {
            if [.storageFull, .storageFailure].contains(error.code) { throw error }
            throw DataStoreError(
                .couldNotDeleteItemsOfType, in: "deleteAll", error.message,
                itemType: type.itemTypeKey, engine: error.engine)
        }
    }

    /// This block's live object for an item of any block of the store.
    ///
    /// If the item was deleted, this throws ``DataStoreError/Code/couldNotFetchMutableVersion``.
    public func mutableVersion<Item: DataStoreItem, Mutable: MutableDataStoreItem>(
        ofItem item: Item
    ) throws(DataStoreError) -> Mutable {
        guard let live = try performMutableVersion(of: item) as? Mutable else {
            throw DataStoreError(
                .couldNotFetchMutableVersion, in: "mutableVersion",
                "The item \(item.uniqueToken) is not in the store; it may have been deleted.",
                itemType: item.backing.itemTypeKey)
        }
        return live
    }
}

extension DataStoreError {
    @usableFromInline
    static func madeOfAnotherClass(_ itemClass: any DataStoreItem.Type) -> DataStoreError {
        DataStoreError(
            .couldNotCreateItemOfType, in: "create",
            "The store made an item of another class than “\(itemClass.itemTypeKey)”.",
            itemType: itemClass.itemTypeKey)
    }
}
