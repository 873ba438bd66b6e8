/// Deleting items under the rules of their relationships.
extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// Whether deleting items of a type may affect others.
    private func hasRelations(_ type: ItemType) throws(DataStoreError) -> Bool {
        guard let links, try hasRelationships() else { return false }
        if let schema = type.schema, !schema.relationships.isEmpty { return true }
        if try !withoutInverse(to: type.key, links).isEmpty { return true }
        if type.schema != nil { return false }
        return try schemas().schema(ofType: type.key)?.relationships.isEmpty == false
    }

    private func withoutInverse(
        to key: String, _ links: BlockLinks
    ) throws(DataStoreError) -> [Relation] {
        try links.withoutInverse(to: key) { () throws(DataStoreError) in
            try relationsWithoutInverse()
        }
    }

    /// Deletes an item under the rules of its relationships, and returns whether it existed.
    func deleteByRules(_ item: any DataStoreItem) throws(DataStoreError) -> Bool {
        guard try hasRelations(ItemType(of: item)) else { return try performDelete(item) }
        guard let live = try performMutableVersion(of: item) else { return false }
        let first = ItemReference(to: live)
        var visited: Set<ItemReference> = [first]
        // References and not items, because there may be very many.
        var pending = [first]
        while let next = pending.popLast() {
            guard
                let item = try performFetchItem(ItemType(ofAnyClass: next.itemTypeKey), id: next.id)
            else { continue }
            for other in try release(item, next) where visited.insert(other).inserted {
                pending.append(other)
            }
            _ = try performDelete(item)
        }
        return true
    }

    /// Deletes all items of a type under the rules of their relationships.
    func deleteAllByRules(_ type: ItemType) throws(DataStoreError) {
        guard try hasRelations(type) else { return try performDeleteAll([type]) }
        var references: [ItemReference] = []
        try performScan(DataStoreRequest(type: type)) { references.append(ItemReference(to: $0)) }
        for reference in references {
            if let item = try performFetchItem(
                ItemType(ofAnyClass: reference.itemTypeKey), id: reference.id)
            {
                _ = try deleteByRules(item)
            }
        }
    }

    /// Applies the rules of an item's relationships before it is deleted, and returns the others to be deleted with it.
    private func release(
        _ item: any DataStoreItem, _ own: ItemReference
    ) throws(DataStoreError) -> [ItemReference] {
        let links = try knownLinks("delete")
        var cascade: [ItemReference] = []
        for relation in try relations(of: item) {
            switch relation.schema.deleteRule {
            case .cascade: cascade += try references(relation, of: own)
            case .deny: links.noteDenied(relation, of: own)
            case .nullify: try freeOthers(of: relation, item, own, links)
            case .noAction: break
            }
            // The links of an item go with it, unless its others are counted at the end of the block.
            if case .links = relation.storage, relation.schema.deleteRule == .cascade {
                try freeOthers(of: relation, item, own, links)
            }
        }
        for relation in try withoutInverse(to: own.itemTypeKey, links) {
            try free(relation, from: own, links)
        }
        return cascade
    }

    /// Takes an item out of the others of one of its relationships.
    private func freeOthers(
        of relation: Relation, _ item: any DataStoreItem, _ own: ItemReference, _ links: BlockLinks
    ) throws(DataStoreError) {
        switch relation.storage {
        case .reference:
            if let inverse = relation.inverse, !inverse.isToMany {
                try setRelated(relation, of: item, to: nil)
            } else if let inverse = relation.inverse, inverse.isLimited {
                // The number of the other's others changes with the item itself.
                try setRelated(relation, of: item, to: nil)
            }
        case .inverse, .links:
            for other in try references(relation, of: own) {
                try unlink(relation, of: item, from: other)
            }
        }
    }

    /// Takes a deleted item out of the items that are related to it by a relationship without an inverse.
    private func free(
        _ relation: Relation, from own: ItemReference, _ links: BlockLinks
    ) throws(DataStoreError) {
        let attribute: String
        let holder: ItemType
        if case .links(let type, let isSource) = relation.storage {
            attribute = type.names(isSource: isSource).far
            holder = ItemType(dynamic: type.key)
        } else {
            attribute = relation.schema.name
            holder = ItemType(ofAnyClass: relation.owner)
        }
        let request = DataStoreRequest(type: holder)
        request.predicate = .comparison(
            .init(.path(.init([attribute])), .equal, .value(.reference(own))))
        for found in try performFetch(request) {
            if case .links(let type, let isSource) = relation.storage {
                let near = type.names(isSource: isSource).near
                if case .reference(let end) = try found.backing.value(forAttribute: near) {
                    links.noteCount(relation, of: end)
                }
                _ = try performDelete(found)
            } else {
                try found.backing.setValue(.null, forAttribute: attribute)
                links.noteCount(relation, of: ItemReference(to: found))
            }
        }
    }

    /// The items that deleting an item deletes with it, by the rules of cascade, in no particular order.
    ///
    /// Nothing is changed. The item itself is not among them.
    public func cascadeTargets(
        of item: any DataStoreItem
    ) throws(DataStoreError) -> [ItemReference] {
        let first = ItemReference(to: item)
        var visited: Set<ItemReference> = [first]
        var pending = [first]
        var found: [ItemReference] = []
        while let next = pending.popLast() {
            guard
                let item = try performFetchItem(ItemType(ofAnyClass: next.itemTypeKey), id: next.id)
            else { continue }
            if next != first { found.append(next) }
            for relation in try relations(of: item) where relation.schema.deleteRule == .cascade {
                for other in try references(relation, of: next)
                where visited.insert(other).inserted {
                    pending.append(other)
                }
            }
        }
        return found
    }
}
