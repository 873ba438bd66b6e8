import JustPersist

/// Creates, inserts and deletes items, and makes items mutable.
extension WriteBlock {
    func make(_ type: BlockType) throws(DataStoreError) -> any MutableDataStoreItem {
        let itemClass = try mutableClass(of: type)
        if dirty.count >= 4096 || pendingBytes >= Self.pendingLimit { try makeRoom() }
        let time: UInt64
        if let millisecond, !dirty.isEmpty {
            time = millisecond
        } else {
            time = ItemID.currentMillisecond
            millisecond = time
        }
        let backing = LiveBacking(
            type, id: ItemID(atMillisecond: time), record: [], block: self)
        let item = itemClass.init(backing: backing)
        if !hasRoom(for: backing.bytesToWrite) {
            throw .blockTooLarge(
                limit: context.limits.writeBlockBytes, itemType: type.itemType.key, attribute: nil)
        }
        if firstNewID == nil { firstNewID = backing.id }
        changes += 1
        backing.isDirty = true
        backing.countedBytes = backing.bytesToWrite
        changedBytes += backing.countedBytes
        pendingBytes += backing.countedBytes
        dirty.append(Pending(backing: backing, newItem: item))
        return item
    }

    /// Creates an item with an id; `nil` if the id exists.
    func make(
        _ type: BlockType, id: ItemID
    ) throws(DataStoreError) -> (any MutableDataStoreItem)? {
        let itemClass = try mutableClass(of: type)
        if try liveItem(type, id: id) != nil { return nil }
        let backing = LiveBacking(type, id: id, record: [], block: self)
        if !hasRoom(for: backing.bytesToWrite) {
            throw .blockTooLarge(
                limit: context.limits.writeBlockBytes, itemType: type.itemType.key, attribute: nil)
        }
        didChange(backing)
        let item = itemClass.init(backing: backing)
        take(item, backing)
        return item
    }

    /// The class of a type's new items, once the type is declared.
    func mutableClass(
        of type: BlockType
    ) throws(DataStoreError) -> any MutableDataStoreItem.Type {
        try complete(type)
        try checkKnown(type, "create")
        guard let itemClass = type.mutableClass else {
            throw .readOnlyClass(.couldNotCreateItemOfType, type.itemType.key, in: "create")
        }
        return itemClass
    }

    func checkKnown(_ type: BlockType, _ operation: String) throws(DataStoreError) {
        if type.table == nil { throw .undeclaredType(type.itemType.key, in: operation) }
    }

    /// Inserts an item that is in no store; returns false if its id exists in the store.
    func add(_ item: any MutableDataStoreItem) throws(DataStoreError) -> Bool {
        if item.backing.storeBacking is any RecordBacking {
            guard try thaw(item) == nil else { return false }
            guard let backing = item.backing.storeBacking as? LiveBacking,
                backing.isOfRolledBackBlock
            else { throw .deletedForGood(item, in: "insert") }
            try revive(item, backing)
            return true
        }
        guard let detached = item.backing as? DictionaryBacking,
            detached.storeBacking === detached
        else { throw .itemOfAnotherStore(item, in: "insert") }
        let type = try blockType(ItemType(of: item))
        try complete(type)
        try checkKnown(type, "insert")
        let id = item.uniqueToken
        if let known = try liveItem(type, id: id) {
            detached.adopt(known.backing.storeBacking)
            inserted.append(Inserted(backing: detached, known: known))
            return false
        }
        let backing = LiveBacking(type, id: id, record: [], block: self)
        try fill(backing, with: detached.values)
        detached.adopt(backing)
        inserted.append(Inserted(backing: detached))
        take(item, backing)
        return true
    }

    /// Inserts an item of a rolled-back block again, with its values.
    func revive(
        _ item: any MutableDataStoreItem, _ backing: LiveBacking
    ) throws(DataStoreError) {
        let type = try blockType(backing.type.itemType)
        try complete(type)
        try checkKnown(type, "insert")
        let values = try item.storedValues(withNullsOf: type.attributesWithDefault)
        let trial = LiveBacking(type, id: backing.id, record: [], block: self)
        try fill(trial, with: values)
        drop(trial)
        backing.move(to: trial, of: self)
        didChange(backing)
        take(item, backing)
    }

    func fill(
        _ backing: LiveBacking, with values: [String: DataStoreValue]
    ) throws(DataStoreError) {
        didChange(backing)
        do throws(DataStoreError) {
            for (name, value) in values { try backing.setValue(value, forAttribute: name) }
        } catch {
            var error = error
            // Set in a fixed order, so that the error is always the same.
            do throws(DataStoreError) {
                for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                    try backing.setValue(value, forAttribute: name)
                }
            } catch let first {
                error = first
            }
            // The item must never be written.
            drop(backing)
            throw error
        }
    }

    /// Makes an inserted item live.
    func take(_ item: any MutableDataStoreItem, _ backing: LiveBacking) {
        if let table = backing.type.table {
            live.add(item, type: table.number, id: backing.id, bytes: backing.bytesToWrite)
        }
        changes += 1
    }

    /// Deletes an item; returns false if it did not exist.
    func remove(_ item: any DataStoreItem) throws(DataStoreError) -> Bool {
        let backing = try ownBacking(of: item, "delete")
        let type = try blockType(backing?.type.itemType ?? ItemType(of: item))
        if type.table != nil { try complete(type) }
        let id = item.uniqueToken
        var isDeleted = false
        if let table = try table(of: type) {
            // Written first, so the engine alone determines whether the item exists.
            try flush()
            let known = live.remove(type: table.number, id: id)
            if let live = known?.backing.storeBacking as? LiveBacking { drop(live) }
            if let live = backing as? LiveBacking, live.block === self { drop(live) }
            isDeleted = try remove(id, in: table)
        }
        if isDeleted {
            changes += 1
        } else if backing == nil {
            throw .itemInNoStore(item, in: "delete")
        }
        return isDeleted
    }

    /// Deletes all items of a type.
    func removeAll(_ type: BlockType) throws(DataStoreError) {
        guard let table = try table(of: type) else { return }
        try complete(type)
        try flush()
        changes += 1
        for item in live.removeAll(type: table.number) {
            if let backing = item.backing.storeBacking as? LiveBacking { drop(backing) }
        }
        if isObserved { try noteRelatedToAll(of: table) }
        try storage { () throws(DataStoreError) in try table.removeAll(from: writer) }
        hasWritten = true
        refusal = nil
    }

    /// The live object for an item of any block of this store; `nil` if it was deleted.
    func thaw(_ item: any DataStoreItem) throws(DataStoreError) -> (any MutableDataStoreItem)? {
        guard let backing = try ownBacking(of: item, "mutableVersion") else {
            let type = try blockType(ItemType(of: item))
            if type.table != nil { try complete(type) }
            guard let stored = try liveItem(type, id: item.uniqueToken) else {
                throw .itemInNoStore(item, in: "mutableVersion")
            }
            return stored as? any MutableDataStoreItem
        }
        guard backing.type.mutableClass != nil else {
            throw .readOnlyClass(.itemNotMutable, backing.itemTypeKey, in: "mutableVersion")
        }
        let type = try blockType(backing.type.itemType)
        if type.table != nil { try complete(type) }
        if let live = backing as? LiveBacking, live.block === self {
            return live.isDeleted ? nil : item as? any MutableDataStoreItem
        }
        return try liveItem(type, id: backing.id)
            as? any MutableDataStoreItem
    }

    func knownItem(
        _ type: BlockType, id: ItemID
    ) throws(DataStoreError) -> (any DataStoreItem)? {
        guard let number = type.table?.number, let item = live[number, id] else { return nil }
        if type.itemType.isOfAnyClass { return item }
        let isOfClass = Swift.type(of: item) == type.itemType.itemClass
        // Without rules, this path has no cast.
        if !followsRules, isOfClass { return item }
        let backing = item.backing.storeBacking as? LiveBacking
        if isOfClass {
            backing?.isClaimed = true
            return item
        }
        // An object that no program has gives way to one of the class that is asked for.
        if let backing, backing.type.itemType.isOfAnyClass, !backing.isClaimed {
            try flush()
            _ = live.remove(type: number, id: id)
            return nil
        }
        throw .item(item, usedAs: type.itemType.itemClass, in: "fetch")
    }

    /// The backing of an item of this store; `nil` for an item in no store, which represents the stored item with its
    /// id.
    ///
    /// Throws for an item of another store.
    func ownBacking(
        of item: any DataStoreItem, _ operation: String
    ) throws(DataStoreError) -> (any RecordBacking)? {
        let stored = item.backing.storeBacking
        // The cast to a class comes first, because one to a protocol takes longer.
        guard let backing = stored as? LiveBacking ?? (stored as? any RecordBacking) else {
            // An item of another kind of store, in which this id may exist too.
            guard stored is DictionaryBacking else {
                throw .itemOfAnotherStore(item, in: operation)
            }
            return nil
        }
        let origin = backing.type.context
        guard origin.storeID == context.storeID, origin.files == context.files else {
            throw .itemOfAnotherStore(item, in: operation)
        }
        return backing
    }
}
