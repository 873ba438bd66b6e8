import JustPersist

extension Catalog {
    /// The store's types for a class: usually one, none if the store has never seen the class, and several if its key
    /// and a former key are both in use.
    ///
    /// The current key of the class comes before its former ones. A key that a type has now comes before one that it
    /// had.
    func candidates(for type: ItemType) -> [CatalogType] {
        guard let schema = type.schema, !schema.formerTypeKeys.isEmpty else {
            return self.type(type.key).map { [$0] } ?? []
        }
        var found: [CatalogType] = []
        func consider(_ known: CatalogType?) {
            guard let known, !found.contains(where: { $0.number == known.number }) else { return }
            found.append(known)
        }
        func current(_ key: String) -> CatalogType? {
            self.type(key).flatMap { $0.key == key ? $0 : nil }
        }
        let own = current(type.key)
        consider(own)
        for key in schema.formerTypeKeys { consider(current(key)) }
        if own == nil { consider(self.type(type.key)) }
        if found.isEmpty {
            for key in schema.formerTypeKeys { consider(self.type(key)) }
        }
        return found
    }

    /// Returns the type that holds items, if several types match a schema.
    ///
    /// - Throws: `.conflictingTypes` if several do.
    static func choose(
        among candidates: [CatalogType], for schema: ItemSchema,
        holdsItems: (CatalogType) throws(DataStoreError) -> Bool
    ) throws(DataStoreError) -> CatalogType? {
        if candidates.count < 2 { return candidates.first }
        var holders: [CatalogType] = []
        for type in candidates {
            if type.unknown.forbidsReading { throw type.newerFormat(in: "read") }
            if try holdsItems(type) { holders.append(type) }
        }
        if holders.count < 2 { return holders.first ?? candidates.first }
        throw .conflictingTypes(schema.itemTypeKey, holders.map(\.key))
    }

    /// Updates the catalog to a schema: adds the type, attributes and indexes that it lacks, renames those that were
    /// declared under another name, and updates kinds and defaults.
    ///
    /// Returns the type, the types that were merged into it, and whether anything changed.
    ///
    /// - Parameters:
    ///   - isOfClass: Whether the schema is that of a class: then indexes that it no longer declares are dropped.
    ///   - holdsItems: Whether there is any item of the type. Called only if a type is found under several keys.
    ///   - holdsValues: Whether any item of the type has a value for the attribute with that id. Called
    ///     only if an attribute is found under several names, or has the name of a relationship.
    mutating func declare(
        _ schema: ItemSchema, isOfClass: Bool, limits: DataStoreLimits,
        holdsItems: (CatalogType) throws(DataStoreError) -> Bool,
        holdsValues: (CatalogType, UInt16) throws(DataStoreError) -> Bool
    ) throws(DataStoreError) -> (CatalogType, others: [CatalogType], isChanged: Bool) {
        try schema.validate()
        let relationships = try schema.keptRelationships(in: schemasWithRelationships)
        var (type, others, isChanged) = try declaredType(schema, limits, holdsItems)
        if type.unknown.forbidsWriting { throw type.newerFormat(in: "declare") }
        let relationshipsToMany = schema.relationshipsToMany
        for (attribute, places) in zip(schema.attributes, type.places(of: schema)) {
            let isNew = try type.declare(
                attribute, at: places, exceptNames: relationshipsToMany, limits: limits,
                holdsValues: holdsValues)
            if isNew { isChanged = true }
        }
        if type.declare(relationships, isOfClass: isOfClass) { isChanged = true }
        for name in relationshipsToMany {
            if try type.free(name, holdsValues: holdsValues) { isChanged = true }
        }
        if try type.declare(schema.indexes, isOfClass: isOfClass) { isChanged = true }
        for other in others { put(other.retired()) }
        if isChanged { put(type) }
        return (type, others, isChanged)
    }

    /// The type of a schema, under the key that it has from now on, and the types that are merged into it; a new type
    /// if the store has none.
    private func declaredType(
        _ schema: ItemSchema, _ limits: DataStoreLimits,
        _ holdsItems: (CatalogType) throws(DataStoreError) -> Bool
    ) throws(DataStoreError) -> (CatalogType, others: [CatalogType], isChanged: Bool) {
        let key = schema.itemTypeKey
        if let damage = damage(of: ItemType(schema)) { throw damage }
        let candidates = candidates(for: ItemType(schema))
        var isChanged = candidates.count != 1
        var type: CatalogType
        var others: [CatalogType] = []
        if let known = try Self.choose(among: candidates, for: schema, holdsItems: holdsItems) {
            type = known
            others = candidates.filter { $0.number != known.number }
            for other in others where other.unknown.forbidsWriting {
                throw other.newerFormat(in: "declare")
            }
            // An earlier release continues to use the key that it knows.
            if !known.hasKey(of: schema) {
                try limits.check(typeName: key)
                type.rename(to: key)
                isChanged = true
            }
            for other in others {
                for key in [other.key] + other.formerKeys { type.addFormerKey(key) }
            }
        } else {
            try limits.check(typeName: key)
            type = try newType(key)
            type.isDeclared = true
        }
        for key in schema.formerTypeKeys where self.type(key) == nil && !type.has(key: key) {
            try limits.check(typeName: key)
            type.addFormerKey(key)
            isChanged = true
        }
        return (type, others, isChanged)
    }

    /// Whether the store knows all former keys of a schema.
    func knowsFormerKeys(of schema: ItemSchema) -> Bool {
        schema.formerTypeKeys.allSatisfy { type($0) != nil }
    }

    /// The undeclared type with that key, to which items may refer; a new type if there is none.
    private func newType(_ key: String) throws(DataStoreError) -> CatalogType {
        if let known = entry(key), known.key == key { return known }
        guard nextNumber < .max else {
            throw DataStoreError(
                .limitExceeded, in: "declare", "The store has no number left for a new type.",
                itemType: key)
        }
        var type = CatalogType(number: nextNumber, key: key)
        type.isDeclared = false
        return type
    }

    /// Adds types for the references in a value whose types have no number yet, and returns the new ones.
    ///
    /// Their names were checked with the value: see `DataStoreLimits.check(_:for:of:)`.
    mutating func addTypes(
        referredToBy value: DataStoreValue
    ) throws(DataStoreError) -> [UInt32] {
        switch value {
        case .reference(let reference):
            if names.number(of: reference.itemTypeKey) != nil { return [] }
            let type = try newType(reference.itemTypeKey)
            put(type)
            return [type.number]
        case .array(let values):
            var added: [UInt32] = []
            for value in values { added += try addTypes(referredToBy: value) }
            return added
        case .dictionary(let entries):
            var added: [UInt32] = []
            for value in entries.values {
                added += try addTypes(referredToBy: value)
            }
            return added
        default: return []
        }
    }
}

extension CatalogType {
    /// The ids under which the attributes of a schema may be stored: usually one for each, none for a new attribute,
    /// and several if a name and a former name are both in use.
    ///
    /// The current name of a declaration comes before its former ones. A name that an attribute has now comes before
    /// one that it had.
    func places(of schema: ItemSchema) -> [[UInt16]] {
        var claimed = Set(schema.attributes.compactMap { currentID(ofAttribute: $0.name) })
        return schema.attributes.map { attribute in
            let own = currentID(ofAttribute: attribute.name)
            var found = own.map { [$0] } ?? []
            func consider(_ id: UInt16?) {
                if let id, claimed.insert(id).inserted { found.append(id) }
            }
            for name in attribute.formerNames { consider(currentID(ofAttribute: name)) }
            if own == nil { consider(formerID(ofAttribute: attribute.name)) }
            if found.isEmpty {
                for name in attribute.formerNames { consider(formerID(ofAttribute: name)) }
            }
            return found
        }
    }

    /// Returns the attribute that holds values, if several attributes match a declaration.
    ///
    /// - Throws: `.conflictingAttributes` if several do.
    func choose(
        among places: [UInt16], for attribute: AttributeSchema,
        holdsValues: (CatalogType, UInt16) throws(DataStoreError) -> Bool
    ) throws(DataStoreError) -> UInt16? {
        if places.count < 2 { return places.first }
        var holders: [UInt16] = []
        for id in places where try holdsValues(self, id) { holders.append(id) }
        if holders.count < 2 { return holders.first ?? places.first }
        let names = holders.map { attributes[Int($0)].name }
        throw .conflictingAttributes(attribute, of: key, names)
    }

    /// Takes a name from the attribute that has or had it, for a relationship to many; returns whether that changed
    /// anything.
    ///
    /// An attribute that has the name now is dropped, unless it has values: the class is refused then.
    fileprivate mutating func free(
        _ name: String, holdsValues: (CatalogType, UInt16) throws(DataStoreError) -> Bool
    ) throws(DataStoreError) -> Bool {
        guard let id = currentID(ofAttribute: name) else { return forget(formerName: name) }
        if try holdsValues(self, id) { return false }
        drop(id)
        return true
    }

    /// Adds an attribute or updates it to its declaration, and returns whether that changed anything.
    ///
    /// - Parameter taken: The names of relationships, which no attribute keeps as former names.
    fileprivate mutating func declare(
        _ attribute: AttributeSchema, at places: [UInt16], exceptNames taken: [String],
        limits: DataStoreLimits,
        holdsValues: (CatalogType, UInt16) throws(DataStoreError) -> Bool
    ) throws(DataStoreError) -> Bool {
        var isChanged = places.count != 1
        let id: UInt16
        if let place = try choose(among: places, for: attribute, holdsValues: holdsValues) {
            id = place
            for other in places where other != id { retire(other, inFavourOf: id) }
            if isNewName(attribute, at: id) {
                try limits.check(attributeName: attribute.name, of: key)
                rename(id, to: attribute.name)
                isChanged = true
            }
            if !attributes[Int(id)].isUp(to: attribute) {
                let before = attributes[Int(id)]
                update(id, to: attribute)
                if !attributes[Int(id)].hasSameValues(as: before) { rebuildIndexes(over: id) }
                isChanged = true
            }
        } else {
            try limits.check(attributeName: attribute.name, of: key)
            guard attributes.count < Int(UInt16.max) else { throw tooManyAttributes(attribute) }
            id = UInt16(attributes.count)
            append(CatalogAttribute(attribute))
        }
        for name in attribute.formerNames
        where self.id(ofAttribute: name) == nil && !taken.contains(name) {
            addFormerName(name, of: id)
            isChanged = true
        }
        if isChanged, let value = attribute.defaultValue {
            try limits.check(value, for: attribute.name, of: key)
        }
        return isChanged
    }

    /// Whether a declared name is newer than the attribute's name.
    ///
    /// The name that an earlier release declares is not, so that release continues to use its own name.
    func isNewName(_ attribute: AttributeSchema, at id: UInt16) -> Bool {
        let known = attributes[Int(id)]
        return known.name != attribute.name
            && (attribute.formerNames.contains(known.name)
                || !known.formerNames.contains(attribute.name))
    }

    private func tooManyAttributes(_ attribute: AttributeSchema) -> DataStoreError {
        DataStoreError(
            .limitExceeded, in: "declare",
            "“\(key)” has 65,535 attributes already, the most a type may have.",
            itemType: key, attribute: attribute.name)
    }
}

extension DataStoreError {
    /// The error if items of one type exist under several keys.
    fileprivate static func conflictingTypes(
        _ key: String, _ holders: [String]
    ) -> DataStoreError {
        let keys = holders.map { "“\($0)”" }.joined(separator: " and ")
        return DataStoreError(
            .conflictingTypes, in: "declare",
            """
            “\(key)” was renamed, and there are items under \(keys). Nothing was changed. Move the items that count to \
            one of these types and delete those of the other, with dynamicItems(_:) and create(_:).
            """, itemType: key)
    }
}
