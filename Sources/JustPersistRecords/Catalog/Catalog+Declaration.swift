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
            try Self.check(
                schema.itemTypeKey, what: "type name", itemType: schema.itemTypeKey, limits)
            type = CatalogType(number: nextNumber, key: schema.itemTypeKey)
            isChanged = true
        }
        for attribute in schema.attributes where type.id(ofAttribute: attribute.name) == nil {
            try Self.check(
                attribute.name, what: "attribute name", itemType: schema.itemTypeKey, limits)
            if attribute.name.contains(".") {
                throw DataStoreError(
                    .invalidName, in: "declare",
                    """
                    The attribute name “\(attribute.name)” of “\(schema.itemTypeKey)” has a dot, which \
                    stands between the keys of a path. Choose a name without dots.
                    """, itemType: schema.itemTypeKey, attribute: attribute.name)
            }
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

    private static func check(
        _ name: String, what: String, itemType: String, _ limits: DataStoreLimits
    ) throws(DataStoreError) {
        if name.isEmpty {
            throw DataStoreError(
                .invalidName, in: "declare", "A \(what) is empty; give it at least one character.",
                itemType: itemType)
        }
        if name.utf8.count > limits.nameBytes {
            throw DataStoreError(
                .limitExceeded, in: "declare",
                """
                A \(what) has \(name.utf8.count) bytes of UTF-8; the limit is \(limits.nameBytes). It \
                begins “\(name.prefix(40))”.
                """, itemType: itemType)
        }
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
