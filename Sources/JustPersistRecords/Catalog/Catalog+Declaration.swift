import JustPersist

extension Catalog {
    /// What the store knows of a type: under its key, or under one that its class had in an earlier release.
    func type(_ type: ItemType) -> CatalogType? {
        if let known = self.type(type.key) { return known }
        guard let formerKeys = type.schema?.formerTypeKeys else { return nil }
        for key in formerKeys {
            if let known = self.type(key) { return known }
        }
        return nil
    }

    /// Brings the catalog up to a schema: adds the type, the attributes and the indexes that it does not
    /// know yet, renames what was declared under another name, and takes kinds and defaults over.
    ///
    /// Returns the type, and whether anything changed.
    ///
    /// - Parameter holdsValues: Whether any item of the type has a value for the attribute with that id. Asked
    ///   only if an attribute is found under several names.
    mutating func declare(
        _ schema: ItemSchema, limits: DataStoreLimits,
        holdsValues: (CatalogType, UInt16) throws(DataStoreError) -> Bool
    ) throws(DataStoreError) -> (CatalogType, isChanged: Bool) {
        try schema.validate()
        var (type, isChanged) = try declaredType(schema, limits)
        if type.unknown.forbidsWriting { throw type.newerFormat(in: "declare") }
        for (attribute, places) in zip(schema.attributes, type.places(of: schema)) {
            if try type.declare(attribute, at: places, limits: limits, holdsValues: holdsValues) {
                isChanged = true
            }
        }
        for declared in schema.indexes {
            let index = CatalogIndex(
                attributes: try type.ids(of: declared.attributes), isUnique: declared.isUnique)
            if type.indexes.contains(where: { $0.isSame(as: index) }) { continue }
            type.indexes.append(index)
            isChanged = true
        }
        if isChanged { put(type) }
        return (type, isChanged)
    }

    /// The type that a schema is of, under the key that it has from now on; a new one if the store has none.
    private func declaredType(
        _ schema: ItemSchema, _ limits: DataStoreLimits
    ) throws(DataStoreError) -> (CatalogType, isChanged: Bool) {
        let key = schema.itemTypeKey
        if var known = type(ItemType(schema)) {
            // An earlier release goes on using the key that it knows.
            if known.hasKey(of: schema) { return (known, false) }
            try limits.check(typeName: key)
            known.rename(to: key)
            return (known, true)
        }
        if let damage = damage(ofType: key) { throw damage }
        try limits.check(typeName: key)
        var type = try newType(key)
        type.isDeclared = true
        return (type, true)
    }

    /// The type with that key that items only refer to so far, or a new one.
    private func newType(_ key: String) throws(DataStoreError) -> CatalogType {
        if let known = entry(key) { return known }
        guard nextNumber < .max else {
            throw DataStoreError(
                .limitExceeded, in: "declare", "The store has no number left for a new type.",
                itemType: key)
        }
        var type = CatalogType(number: nextNumber, key: key)
        type.isDeclared = false
        return type
    }

    /// Gives the types that references in a value lead to a number, if they have none; gives those that are new.
    mutating func addTypes(
        referredToBy value: DataStoreValue, limits: DataStoreLimits
    ) throws(DataStoreError) -> [UInt32] {
        switch value {
        case .reference(let reference):
            if names.number(of: reference.itemTypeKey) != nil { return [] }
            // An empty one is the key of no type, and a value like others.
            let key = reference.itemTypeKey
            if !key.isEmpty { try limits.check(typeName: key) }
            let type = try newType(reference.itemTypeKey)
            put(type)
            return [type.number]
        case .array(let values):
            var added: [UInt32] = []
            for value in values { added += try addTypes(referredToBy: value, limits: limits) }
            return added
        case .dictionary(let entries):
            var added: [UInt32] = []
            for value in entries.values {
                added += try addTypes(referredToBy: value, limits: limits)
            }
            return added
        default: return []
        }
    }
}

extension CatalogType {
    /// The ids under which the attributes of a schema may be found: mostly one for each, none for a new
    /// attribute, and several if a name and a former name of it are both in use.
    ///
    /// The name counts before the former ones, and a name that an attribute has now before one that it had.
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

    /// Which of several attributes has the values of a declared one: the one that holds any.
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
        let names = holders.map { "“\(attributes[Int($0)].name)”" }.joined(separator: " and ")
        throw DataStoreError(
            .conflictingAttributes, in: "declare",
            """
            “\(attribute.name)” of “\(key)” was renamed, and items have values under \(names). Nothing was \
            changed. Copy the values that count to one of them, and set the other to nil, with items of \
            dynamicItems(_:).
            """, itemType: key, attribute: attribute.name)
    }

    /// Adds an attribute or brings it up to its declaration, and tells whether that changed anything.
    fileprivate mutating func declare(
        _ attribute: AttributeSchema, at places: [UInt16], limits: DataStoreLimits,
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
                update(id, to: attribute)
                isChanged = true
            }
        } else {
            try limits.check(attributeName: attribute.name, of: key)
            guard attributes.count < Int(UInt16.max) else { throw tooManyAttributes(attribute) }
            id = UInt16(attributes.count)
            append(CatalogAttribute(attribute))
        }
        for name in attribute.formerNames where self.id(ofAttribute: name) == nil {
            addFormerName(name, of: id)
            isChanged = true
        }
        if isChanged, let value = attribute.defaultValue {
            try limits.check(value, for: attribute.name, of: key)
        }
        return isChanged
    }

    /// Whether a declared name is later than the one that the attribute has: an earlier release, which knows
    /// neither, goes on using its own.
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

    func ids(of names: [String]) throws(DataStoreError) -> [UInt16] {
        var ids: [UInt16] = []
        for name in names {
            guard let id = id(ofAttribute: name) else {
                throw .unknownAttribute(name, ofType: key, in: "declare")
            }
            ids.append(id)
        }
        return ids
    }
}
