/// Relationships that are removed permanently.
extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// Removes a relationship of a type: all pairs of related items, from both sides, and its attribute if it has one.
    func dropRelationship(_ name: String, of type: ItemSchema) throws(DataStoreError) {
        try refuseInChild(type)
        let items = try endRelationship(name, of: type)
        _ = try performSchemaChange(.dropAttribute(name, of: type.itemTypeKey))
        SchemaNotes.note(
            SchemaChange(
                "Relationship “\(name)” of “\(type.itemTypeKey)” removed", ofType: type.itemTypeKey,
                attribute: name, items: items))
    }

    /// Makes a relationship of a type no relationship any more, and returns the number of items and links that were changed.
    ///
    /// The references of a relationship to one stay as values. All else that keeps the pairs is removed: links, and the
    /// references of the other side. Numbers of others are not judged, because their rules end too.
    @discardableResult
    func endRelationship(_ name: String, of type: ItemSchema) throws(DataStoreError) -> Int {
        let relation = try relation(name, of: ItemType(dynamic: type.itemTypeKey))
        var count = 0
        switch relation.storage {
        case .links(let links, _): count += try dropLinks(links)
        case .inverse(let attribute): count += try clear(attribute, of: relation.destination)
        case .reference:
            if relation.isPair, let inverse = relation.inverse {
                count += try clear(inverse.name, of: relation.destination)
            }
        }
        for order in [relation.order, relation.reversed?.order] {
            if let order { count += try dropLinks(order) }
        }
        _ = try performSchemaChange(.dropRelationship(name, of: type.itemTypeKey))
        links?.noteEnded(relation)
        if let reversed = relation.reversed { links?.noteEnded(reversed) }
        return count
    }

    /// Deletes the links of a type of links, and the type.
    private func dropLinks(_ links: LinkType) throws(DataStoreError) -> Int {
        guard try schemas().contains(where: { $0.itemTypeKey == links.key }) else { return 0 }
        let count = try performCount(DataStoreRequest(itemTypeKey: links.key))
        _ = try performSchemaChange(.dropType(links.key))
        self.links?.noteDropped(links.key)
        return count
    }

    /// Sets an attribute to nil in all items of a type.
    private func clear(_ attribute: String, of key: String) throws(DataStoreError) -> Int {
        guard let type = try schemas().schema(ofType: key) else { return 0 }
        return try clear(attribute, of: type)
    }
}
