import JustPersist

/// Attributes that are renamed, and attributes and types that are removed permanently.
extension WriteBlock {
    /// Gives an attribute another name, and merges it with an attribute of that name if only one of them has values.
    func renameAttribute(
        _ name: String, to newName: String, ofType key: String
    ) throws(DataStoreError) -> Bool {
        try refuseInChild("renameAttribute", key)
        guard let before = known.catalog.type(key), let id = before.id(ofAttribute: name) else {
            return false
        }
        if before.unknown.forbidsWriting { throw before.newerFormat(in: "renameAttribute") }
        try context.limits.check(attributeName: newName, of: before.key)
        // The search for values reads records only.
        try flush()
        var changed = before
        var kept = id
        if let other = before.currentID(ofAttribute: newName), other != id {
            kept =
                try before.choose(
                    among: [other, id], for: AttributeSchema(newName), holdsValues: holdsValues)
                ?? other
            changed.retire(kept == id ? other : id, inFavourOf: kept)
        }
        changed.rename(kept, to: newName)
        try put(changed, insteadOf: before)
        return true
    }

    /// Removes an attribute from the catalog, and returns whether there was one that has this name now.
    func dropAttribute(_ name: String, ofType key: String) throws(DataStoreError) -> Bool {
        try refuseInChild("dropAttribute", key)
        guard let before = known.catalog.type(key), let id = before.currentID(ofAttribute: name)
        else { return false }
        if before.unknown.forbidsWriting { throw before.newerFormat(in: "dropAttribute") }
        // Changes that are not written yet know the attribute.
        try flush()
        var changed = before
        changed.drop(id)
        try put(changed, insteadOf: before)
        // Observers see other values in any item.
        if isObserved { table(of: changed).changes.noteUnknown() }
        return true
    }

    /// Replaces the recorded default of an attribute, and returns whether there is one that has this name now.
    func setDefault(
        _ value: DataStoreValue?, ofAttribute name: String, ofType key: String
    ) throws(DataStoreError) -> Bool {
        // A child would change it for items of other stores.
        guard context.root == nil, let before = known.catalog.type(key),
            let id = before.currentID(ofAttribute: name)
        else { return false }
        if before.unknown.forbidsWriting { throw before.newerFormat(in: "setDefault") }
        if let value { try addTypes(referredToBy: value) }
        try flush()
        var changed = before
        changed.setDefault(value, of: id)
        try put(changed, insteadOf: before)
        return true
    }

    private func put(
        _ changed: CatalogType, insteadOf before: CatalogType
    ) throws(DataStoreError) {
        known.catalog.put(changed)
        for used in usedTypes(changed) { used.noteUndeclared() }
        didChange(changed.number)
        try followIndexes(of: changed, before: before)
    }

    /// Removes a type and its items, and returns whether there was one that has this key now.
    ///
    /// Its number stays with its key, because references with it may exist.
    func dropType(_ key: String) throws(DataStoreError) -> Bool {
        try refuseInChild("dropType", key)
        guard let type = known.catalog.type(key), type.key == key else { return false }
        if type.unknown.forbidsWriting { throw type.newerFormat(in: "dropType") }
        try removeAll(blockType(ItemType(dynamic: type.key)))
        known.catalog.put(type.dropped())
        didChange(type.number)
        for used in usedTypes(type) {
            used.bind(to: nil, nil)
            used.noteUndeclared()
        }
        return true
    }

    private func refuseInChild(_ operation: String, _ key: String) throws(DataStoreError) {
        guard context.root != nil else { return }
        throw DataStoreError(
            .unsupported, in: operation,
            "A child store changes no types and attributes. Change them in the store that it belongs to.",
            itemType: key)
    }
}
