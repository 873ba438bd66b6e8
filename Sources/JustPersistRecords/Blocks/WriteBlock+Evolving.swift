import JustPersist

/// Attributes that are renamed, and attributes and types that are removed permanently.
extension WriteBlock {
    /// Gives an attribute another name, and merges it with an attribute of that name unless both have values.
    ///
    /// If neither has values, the renamed attribute remains, with the default that is in effect.
    func renameAttribute(
        _ name: String, to newName: String, ofType key: String
    ) throws(DataStoreError) -> Bool {
        try refuseInChild("renameAttribute", key)
        return try change(key, in: "renameAttribute") { (type) throws(DataStoreError) in
            guard let id = type.id(ofAttribute: name) else { return false }
            try context.limits.check(attributeName: newName, of: type.key)
            var kept = id
            if let other = type.currentID(ofAttribute: newName), other != id {
                if try holdsValues(type, other) {
                    kept =
                        try type.choose(
                            among: [other, id], for: AttributeSchema(newName),
                            holdsValues: holdsValues) ?? other
                }
                type.retire(kept == id ? other : id, inFavourOf: kept)
            }
            type.rename(kept, to: newName)
            return true
        }
    }

    /// Removes an attribute from the catalog, and returns whether there was one that has this name now.
    func dropAttribute(_ name: String, ofType key: String) throws(DataStoreError) -> Bool {
        try refuseInChild("dropAttribute", key)
        let isDropped = try change(key, in: "dropAttribute") { (type) throws(DataStoreError) in
            guard let id = type.currentID(ofAttribute: name) else { return false }
            type.drop(id)
            return true
        }
        // Observers see other values in any item.
        if isDropped, isObserved, let type = known.catalog.type(key) {
            table(of: type).changes.noteUnknown()
        }
        return isDropped
    }

    /// Removes the declaration of a relationship, and returns whether there was one that has this name now.
    func dropRelationship(_ name: String, ofType key: String) throws(DataStoreError) -> Bool {
        try refuseInChild("dropRelationship", key)
        return try change(key, in: "dropRelationship") { (type) throws(DataStoreError) in
            let count = type.relationships.count
            type.relationships.removeAll { $0.name == name }
            return type.relationships.count < count
        }
    }

    /// Replaces the recorded default of an attribute, and returns whether there is one that has this name now.
    func setDefault(
        _ value: DataStoreValue?, ofAttribute name: String, ofType key: String
    ) throws(DataStoreError) -> Bool {
        // A child would change it for items of other stores.
        guard context.root == nil else { return false }
        return try change(key, in: "setDefault") { (type) throws(DataStoreError) in
            guard let id = type.currentID(ofAttribute: name) else { return false }
            if let value { try addTypes(referredToBy: value) }
            type.setDefault(value, of: id)
            return true
        }
    }

    /// Changes a type of the catalog, and returns whether the store has the type and `body` has changed it.
    ///
    /// Changed items are written first: they know the attributes as they are, and the type notes the kinds of their
    /// values.
    private func change(
        _ key: String, in operation: String,
        _ body: (inout CatalogType) throws(DataStoreError) -> Bool
    ) throws(DataStoreError) -> Bool {
        try flush()
        guard let before = known.catalog.type(key) else { return false }
        if before.unknown.forbidsWriting { throw before.newerFormat(in: operation) }
        var changed = before
        guard try body(&changed) else { return false }
        known.catalog.put(changed)
        for used in usedTypes(changed) { used.noteUndeclared() }
        didChange(changed.number)
        try followIndexes(of: changed, before: before)
        return true
    }

    /// Removes a type and its items, and returns whether there was one that has this key now.
    ///
    /// Its number stays with its key, because references with it may exist.
    func dropType(_ key: String) throws(DataStoreError) -> Bool {
        try refuseInChild("dropType", key)
        try flush()
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
