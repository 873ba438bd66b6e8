/// Deleting items under the rules of their relationships.
extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// Whether deleting items of a type may affect others.
    private func hasRelations(_ type: ItemType) throws(DataStoreError) -> Bool {
        guard let links, try hasRelationships else { return false }
        if let schema = type.schema, !schema.relationships.isEmpty { return true }
        if try !withoutInverse(to: type.key, links).isEmpty { return true }
        if type.schema != nil { return false }
        return try schemasWithRelationships().schema(ofType: type.key) != nil
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
        return try knownLinks("delete").followingRules { () throws(DataStoreError) in
            try deleteWithOthers(item)
        }
    }

    private func deleteWithOthers(_ item: any DataStoreItem) throws(DataStoreError) -> Bool {
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
            case .deny:
                let isOwn = if case .reference = relation.storage { true } else { false }
                links.noteDenied(relation, of: own, isOwn ? try references(relation, of: own) : [])
            case .nullify: try freeOthers(of: relation, item, own, links)
            case .noAction: break
            }
            guard relation.schema.deleteRule == .cascade else { continue }
            // The links of an item go with it, and so do those with the order of its others.
            if case .links = relation.storage { try freeOthers(of: relation, item, own, links) }
            if let order = relation.order {
                for other in try references(Relation(order, of: relation), of: own) {
                    try removeLink(order, from: own, to: other)
                }
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
            // The other has a reference back, or the number or the order of its others changes with the item.
            if let inverse = relation.inverse,
                !inverse.isToMany || inverse.isLimited || inverse.isOrdered
            {
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
