/// The attribute whose value an item keeps, if it has values for both of two attributes that are merged.
public enum AttributePreference: Sendable, Hashable {
    /// The attribute that is merged into the other.
    case source
    /// The attribute that remains.
    case target
}

/// Changes of types and attributes by name, for the steps of a ``SchemaPlan`` and for tools.
///
/// In a step, a type or an attribute that the store does not have is left as it is, because not every release has used every
/// store. Outside of steps it is an error.
extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// Renames an attribute; its values stay where they are.
    ///
    /// Programs that declare the former name still find them. A class may declare `@Attribute(originalName:)` for the same
    /// effect.
    ///
    /// - Throws: `.conflictingAttributes` if items have values for both names, which ``mergeAttribute(_:into:of:preferring:)``
    ///   merges; `.unsupported` for a relationship, and if the new name is, or was, that of one.
    public func renameAttribute(
        _ name: String, to newName: String, of itemTypeKey: String
    ) throws(DataStoreError) {
        guard let (type, known) = try found(name, of: itemTypeKey, in: "renameAttribute"),
            known.name != newName
        else { return }
        try checkTarget(newName, of: type, in: "renameAttribute")
        _ = try performSchemaChange(
            .renameAttribute(known.name, to: newName, of: type.itemTypeKey))
        SchemaNotes.note(
            SchemaChange(
                "“\(known.name)” of “\(type.itemTypeKey)” renamed to “\(newName)”",
                ofType: type.itemTypeKey, attribute: newName))
    }

    /// Renames a type; its items and the references to them stay as they are.
    ///
    /// Programs that declare the former key still find them.
    ///
    /// - Throws: `.conflictingTypes` if there are items under both keys.
    public func renameType(
        _ itemTypeKey: String, to newKey: String
    ) throws(DataStoreError) {
        if newKey == StepRecord.schema.itemTypeKey { throw .ownRecord(newKey, in: "renameType") }
        guard let type = try found(itemTypeKey, in: "renameType"), type.itemTypeKey != newKey
        else { return }
        try declare(
            ItemSchema(newKey, formerTypeKeys: [type.itemTypeKey], attributes: []))
        SchemaNotes.note(
            SchemaChange("“\(type.itemTypeKey)” renamed to “\(newKey)”", ofType: newKey))
    }

    /// Moves the values of an attribute to another one of the type, which takes over its name as a former one.
    ///
    /// If the type does not have the other attribute, this renames the first. Only stored values count: an item without a
    /// value for either has the default of the attribute that remains.
    ///
    /// - Parameters:
    ///   - source: The attribute to be merged into the other.
    ///   - target: The attribute that remains.
    ///   - itemTypeKey: The key of the type.
    ///   - preference: The attribute whose value counts where an item has both.
    /// - Throws: `.kindMismatch` for a value that the remaining attribute cannot hold; `.unsupported` for a relationship as
    ///   one of the two, and in a child. Nothing has changed then.
    public func mergeAttribute(
        _ source: String, into target: String, of itemTypeKey: String,
        preferring preference: AttributePreference = .target
    ) throws(DataStoreError) {
        guard let (type, known) = try found(source, of: itemTypeKey, in: "mergeAttribute"),
            known.name != target
        else { return }
        try checkTarget(target, of: type, in: "mergeAttribute")
        guard let kept = type.attributes.first(where: { $0.name == target }) else {
            return try renameAttribute(known.name, to: target, of: type.itemTypeKey)
        }
        try refuseInChild(type)
        func moved(in item: any DataStoreItem) throws(DataStoreError) -> DataStoreValue? {
            if preference == .target,
                try !item.backing.storedValue(forAttribute: target).isNull
            {
                return nil
            }
            return try item.backing.storedValue(forAttribute: known.name)
        }
        let ids = try itemIDs(of: type) { (item) throws(DataStoreError) in
            if try item.backing.storedValue(forAttribute: known.name).isNull { return false }
            if let value = try moved(in: item) {
                _ = try kept.check(value, ofType: type.itemTypeKey)
            }
            return true
        }
        try forEachItem(ids, of: type) { (item) throws(DataStoreError) in
            if let value = try moved(in: item) {
                try item.backing.setValue(value, forAttribute: target)
            }
            try item.backing.setValue(.null, forAttribute: known.name)
        }
        _ = try performSchemaChange(
            .renameAttribute(known.name, to: target, of: type.itemTypeKey))
        SchemaNotes.note(
            SchemaChange(
                "“\(known.name)” of “\(type.itemTypeKey)” merged into “\(target)”",
                ofType: type.itemTypeKey, attribute: target, items: ids.count))
    }

    /// Removes an attribute or a relationship permanently, with the indexes over it.
    ///
    /// The items of a relationship are separated, from both sides: its links are deleted, and the other side has no items
    /// any more either. That takes time for each pair, unless the relationship is to one and the other side has no
    /// references of its own.
    ///
    /// Its values are never read again, also if an attribute of that name is declared later. Items are not rewritten: the
    /// bytes of the values stay in the records, also when an item is changed otherwise, and in copies of the records: backups,
    /// and migrations between the stores of this package. Erase the values if they must not remain.
    ///
    /// - Parameters:
    ///   - name: The name that the attribute has now, so that a step for an earlier name removes nothing else.
    ///   - itemTypeKey: The key of the type.
    ///   - erasingValues: Whether to remove the values from each item first.
    /// - Throws: `.unsupported` if the store cannot remove attributes, and in a child.
    public func dropAttribute(
        _ name: String, of itemTypeKey: String, erasingValues: Bool = false
    ) throws(DataStoreError) {
        guard let type = try found(itemTypeKey, in: "dropAttribute") else { return }
        if let known = type.relationships.first(where: { $0.name == name }) {
            if erasingValues, !known.isToMany {
                try refuseInChild(type)
                _ = try clear(name, of: type)
            }
            return try dropRelationship(name, of: type)
        }
        guard
            let (_, known) = try found(
                name, of: itemTypeKey, in: "dropAttribute", byFormerNames: false)
        else { return }
        try refuseInChild(type)
        let items = erasingValues ? try clear(known.name, of: type) : 0
        _ = try performSchemaChange(.dropAttribute(known.name, of: type.itemTypeKey))
        SchemaNotes.note(
            SchemaChange(
                "“\(known.name)” of “\(type.itemTypeKey)” removed", ofType: type.itemTypeKey,
                attribute: known.name, items: items))
    }

    /// Removes a type permanently, with all its items, under the delete rules of its relationships.
    ///
    /// - Parameter itemTypeKey: The key that the type has now.
    /// - Throws: `.unsupported` if the store cannot remove types; at the end of the block, `.validationFailed` if a delete rule
    ///   or a minimum number of items does not permit it.
    public func dropType(_ itemTypeKey: String) throws(DataStoreError) {
        guard let type = try found(itemTypeKey, in: "dropType", byFormerNames: false) else {
            return
        }
        // No attribute has an empty name: this only asks whether the store removes types.
        _ = try performSchemaChange(.dropAttribute("", of: type.itemTypeKey))
        let items = try performCount(DataStoreRequest(itemTypeKey: type.itemTypeKey))
        try deleteAllByRules(ItemType(dynamic: type.itemTypeKey))
        _ = try performSchemaChange(.dropType(type.itemTypeKey))
        SchemaNotes.note(
            SchemaChange(
                "“\(type.itemTypeKey)” removed", ofType: type.itemTypeKey, items: items))
    }

    // MARK: Parts

    /// Throws if an attribute cannot take a name, because a relationship has or had it, and its values would not be items
    /// of that relationship.
    func checkTarget(
        _ name: String, of type: ItemSchema, in operation: String
    ) throws(DataStoreError) {
        guard
            let taken = type.relationships.first(where: {
                $0.name == name || $0.formerNames.contains(name)
            })
        else { return }
        throw DataStoreError(
            .unsupported, in: operation,
            """
            No attribute of “\(type.itemTypeKey)” can become “\(name)”, which is \
            \(taken.name == name ? "a relationship" : "a former name of the relationship “\(taken.name)”"): its values are no \
            related items. Nothing was changed.
            """,
            advice: """
                Choose another name, or relate the items in a step: item.related(toMany:as:), or item["\(taken.name)"] = \
                .reference(…) for a relationship to one.
                """, itemType: type.itemTypeKey, attribute: name)
    }

    /// Throws in a child, before anything has changed.
    func refuseInChild(_ type: ItemSchema) throws(DataStoreError) {
        // No attribute has an empty name, so this renames nothing.
        _ = try performSchemaChange(.renameAttribute("", to: "_", of: type.itemTypeKey))
    }

    /// Sets an attribute to nil in all items that store a value, and returns their number.
    func clear(_ attribute: String, of type: ItemSchema) throws(DataStoreError) -> Int {
        let ids = try itemIDs(of: type) { (item) throws(DataStoreError) in
            try !item.backing.storedValue(forAttribute: attribute).isNull
        }
        try forEachItem(ids, of: type) { (item) throws(DataStoreError) in
            try item.backing.setValue(.null, forAttribute: attribute)
        }
        return ids.count
    }

    /// The items of a type for which a condition holds.
    private func itemIDs(
        of type: ItemSchema,
        where condition: (any DataStoreItem) throws(DataStoreError) -> Bool
    ) throws(DataStoreError) -> [ItemID] {
        var ids: [ItemID] = []
        var failure: DataStoreError?
        try performScan(DataStoreRequest(itemTypeKey: type.itemTypeKey)) { item in
            do throws(DataStoreError) {
                if try condition(item) { ids.append(item.uniqueToken) }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return ids
    }

    /// Calls `body` with the items that a scan has found, which are read 1,000 at a time.
    func forEachItem(
        _ ids: [ItemID], of type: ItemSchema,
        _ body: (DynamicItem) throws(DataStoreError) -> Void
    ) throws(DataStoreError) {
        for start in stride(from: 0, to: ids.count, by: 1000) {
            let part = ids[start..<Swift.min(start + 1000, ids.count)]
            let items = try itemsByID(part, of: type.itemTypeKey)
            for id in part {
                if let item = items[id] {
                    try body(item)
                } else {
                    try body(dynamicItem(id, of: type))
                }
            }
        }
    }

    /// An item of a type that a scan has found.
    func dynamicItem(
        _ id: ItemID, of type: ItemSchema
    ) throws(DataStoreError) -> DynamicItem {
        let reference = ItemReference(itemTypeKey: type.itemTypeKey, id: id)
        guard let item = try dynamicItem(reference) else {
            throw DataStoreError(
                .itemDeleted, in: "apply",
                "The item \(id) was deleted while its type was changed.",
                itemType: type.itemTypeKey)
        }
        return item
    }
}

extension DataStoreReadAccessor where Self: ~Copyable {
    /// Items of a type, which are read together: on a server, each by itself costs a round trip.
    ///
    /// An item may be missing although it exists, if the type has an attribute that hides the ids from predicates.
    func itemsByID(
        _ ids: ArraySlice<ItemID>, of itemTypeKey: String
    ) throws(DataStoreError) -> [ItemID: DynamicItem] {
        let request = DataStoreRequest(itemTypeKey: itemTypeKey)
        request.predicate = .comparison(
            .init(.path(.uniqueToken), .in, .value(.array(ids.map { .uuid($0.uuid) }))))
        var items: [ItemID: DynamicItem] = [:]
        for item in try dynamicItems(request) { items[item.uniqueToken] = item }
        return items
    }

    /// A type as the store knows it, by any key that it had; `nil` in a step if the store does not have it.
    func found(
        _ itemTypeKey: String, in operation: String, byFormerNames: Bool = true
    ) throws(DataStoreError) -> ItemSchema? {
        let type = try schemas().schema(ofType: itemTypeKey)
        if type?.itemTypeKey == StepRecord.schema.itemTypeKey {
            throw .ownRecord(itemTypeKey, in: operation)
        }
        if let type, try linkTypeKeys().contains(type.itemTypeKey) {
            throw DataStoreError(
                .unsupported, in: operation,
                """
                The items of “\(itemTypeKey)” are the links of a relationship, and change with it. Drop the relationship, or \
                change the related items.
                """, itemType: itemTypeKey)
        }
        if let type, byFormerNames || type.itemTypeKey == itemTypeKey { return type }
        try checkReadable(itemTypeKey)
        guard SchemaNotes.current != nil else {
            throw DataStoreError(
                .invalidRequest, in: operation, "The store has no type “\(itemTypeKey)”.",
                itemType: itemTypeKey)
        }
        SchemaNotes.note(
            SchemaChange("“\(itemTypeKey)” is not in the store", ofType: itemTypeKey))
        return nil
    }

    /// Throws if damage hides what a store knows of a type: a step must not count as applied then.
    private func checkReadable(_ itemTypeKey: String) throws(DataStoreError) {
        _ = try performCount(DataStoreRequest(itemTypeKey: itemTypeKey))
    }

    /// A type and one of its attributes, as the store knows them, by any names that they had; `nil` in a step if the store
    /// does not have them.
    ///
    /// - Parameter relationships: Whether the attribute may be that of a relationship to one.
    func found(
        _ attribute: String, of itemTypeKey: String, in operation: String,
        byFormerNames: Bool = true, relationships: Bool = false
    ) throws(DataStoreError) -> (ItemSchema, AttributeSchema)? {
        guard let type = try found(itemTypeKey, in: operation) else { return nil }
        guard
            let known = type.attributes.first(where: { $0.name == attribute })
                ?? type.attributes.first(where: {
                    byFormerNames && $0.formerNames.contains(attribute)
                })
        else {
            try checkReadable(type.itemTypeKey)
            guard SchemaNotes.current != nil else {
                if let now = type.attributes.first(where: { $0.formerNames.contains(attribute) }) {
                    throw DataStoreError(
                        .unknownAttribute, in: operation,
                        "“\(attribute)” of “\(type.itemTypeKey)” is called “\(now.name)” now. Use that name.",
                        itemType: type.itemTypeKey, attribute: attribute)
                }
                throw .unknownAttribute(attribute, ofType: type.itemTypeKey, in: operation)
            }
            SchemaNotes.note(
                SchemaChange(
                    "“\(attribute)” of “\(type.itemTypeKey)” is not in the store",
                    ofType: type.itemTypeKey, attribute: attribute))
            return nil
        }
        if !relationships, type.relationships.contains(where: { $0.name == known.name }) {
            throw DataStoreError(
                .unsupported, in: operation,
                """
                “\(known.name)” of “\(type.itemTypeKey)” is a relationship, which has items and no values of its own. Rename it \
                in its class, with originalName, and change its items in a write block.
                """, itemType: type.itemTypeKey, attribute: known.name)
        }
        return (type, known)
    }
}

extension DataStoreError {
    /// The refusal to change the type, or the items, in which a store keeps its applied steps.
    package static func ownRecord(_ itemTypeKey: String, in operation: String) -> DataStoreError {
        DataStoreError(
            .invalidRequest, in: operation,
            "The type “\(itemTypeKey)” is the store's own record of applied steps, and cannot be changed.",
            itemType: itemTypeKey)
    }

    /// The refusal of an attribute of which items have values under several names.
    package static func conflictingAttributes(
        _ attribute: AttributeSchema, of itemTypeKey: String, _ names: [String]
    ) -> DataStoreError {
        let calls = names.dropFirst().map {
            "try db.mergeAttribute(\"\($0)\", into: \"\(names[0])\", of: \"\(itemTypeKey)\", preferring: .target)"
        }
        return DataStoreError(
            .conflictingAttributes, in: "declare",
            """
            Items of “\(itemTypeKey)” have values under \(names.map { "“\($0)”" }.joined(separator: " and ")), which would \
            become one attribute, “\(attribute.name)”. Nothing was changed.
            """,
            advice: """
                Merge them once, in a write block before the first use of the class: \
                \(calls.joined(separator: "; ")).
                """, itemType: itemTypeKey, attribute: attribute.name)
    }
}
