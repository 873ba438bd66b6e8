import JustPersist

extension Catalog {
    /// Brings the catalog up to a schema: adds the type, the attributes and the indexes that it
    /// does not know yet, and renames attributes that were declared under another name.
    ///
    /// Returns the type, and whether anything changed.
    mutating func declare(
        _ schema: ItemSchema, limits: DataStoreLimits
    ) throws(DataStoreError) -> (CatalogType, isChanged: Bool) {
        var isChanged = false
        var type: CatalogType
        if let known = self.type(schema.itemTypeKey) {
            type = known
        } else {
            if let damage = damage(ofType: schema.itemTypeKey) { throw damage }
            try limits.check(typeName: schema.itemTypeKey)
            guard nextNumber < .max else {
                throw DataStoreError(
                    .limitExceeded, in: "declare", "The store has no number left for a new type.",
                    itemType: schema.itemTypeKey)
            }
            type = CatalogType(number: nextNumber, key: schema.itemTypeKey)
            isChanged = true
        }
        for attribute in schema.attributes where type.id(ofAttribute: attribute.name) == nil {
            try limits.check(attributeName: attribute.name, of: schema.itemTypeKey)
            if let original = attribute.originalName, let id = type.id(ofAttribute: original) {
                type.rename(id, to: attribute.name)
            } else if type.attributes.count > Int(UInt16.max) - 1 {
                throw DataStoreError(
                    .limitExceeded, in: "declare",
                    "“\(schema.itemTypeKey)” has 65,535 attributes already, the most a type may have.",
                    itemType: schema.itemTypeKey, attribute: attribute.name)
            } else {
                type.append(CatalogAttribute(name: attribute.name))
            }
            isChanged = true
        }
        for declared in schema.indexes {
            let index = CatalogIndex(
                attributes: try type.ids(of: declared.attributes), isUnique: declared.isUnique)
            if type.indexes.contains(index) { continue }
            type.indexes.append(index)
            isChanged = true
        }
        if isChanged { put(type) }
        return (type, isChanged)
    }
}

extension CatalogType {
    fileprivate func ids(of names: [String]) throws(DataStoreError) -> [UInt16] {
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
