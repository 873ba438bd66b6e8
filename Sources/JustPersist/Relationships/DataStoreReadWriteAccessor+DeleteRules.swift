/// Deleting items under the rules of their relationships.
extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// What the block has changed in relationships; `nil` if the store has none.
    private var linksInUse: BlockLinks? {
        get throws(DataStoreError) {
            guard let links,
                try links.areInUse({ () throws(DataStoreError) in try hasRelationships })
            else { return nil }
            return links
        }
    }

    /// Whether deleting items of a type may affect others, in a store that has relationships.
    private func hasRelations(
        _ type: ItemType, _ links: BlockLinks
    ) throws(DataStoreError) -> Bool {
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
        guard let links = try linksInUse, try hasRelations(ItemType(of: item), links) else {
            return try performDelete(item)
        }
        return try links.followingRules { () throws(DataStoreError) in
            try deleteWithOthers(item)
        }
    }

    private func deleteWithOthers(_ item: any DataStoreItem) throws(DataStoreError) -> Bool {
        do throws(DataStoreError) {
            guard try performMutableVersion(of: item) != nil else { return false }
        } catch {
            // A damaged item can be deleted, and so can one of a class that cannot change it.
            guard [.corrupted, .itemNotMutable].contains(error.code) else { throw error }
        }
        return try delete([ItemReference(to: item)]) > 0
    }

    /// Deletes all items of a type under the rules of their relationships.
    func deleteAllByRules(_ type: ItemType) throws(DataStoreError) {
        guard let links = try linksInUse, try hasRelations(type, links) else {
            return try performDeleteAll([type])
        }
        try links.followingRules { () throws(DataStoreError) in
            // Of the items that cannot be read, one can sometimes be deleted only after another one.
            var damaged: [ItemReference] = []
            var known: Set<ItemReference> = []
            while true {
                do throws(DataStoreError) {
                    while let last = damaged.last {
                        _ = try delete([last])
                        damaged.removeLast()
                    }
                    return try deleteReadable(type)
                } catch {
                    guard let id = error.damagedItem else { throw error }
                    let next = ItemReference(itemTypeKey: type.key, id: id)
                    guard isDamaged(next), known.insert(next).inserted else { throw error }
                    damaged.append(next)
                }
            }
        }
    }

    /// Deletes the items of a type before the first damaged one, and throws the error of that.
    private func deleteReadable(_ type: ItemType) throws(DataStoreError) {
        var items: [ItemReference] = []
        var damage: DataStoreError?
        do throws(DataStoreError) {
            try performScan(DataStoreRequest(type: type)) { items.append(ItemReference(to: $0)) }
        } catch {
            if error.damagedItem == nil { throw error }
            damage = error
        }
        _ = try delete(items)
        if let damage { throw damage }
    }

    private func isDamaged(_ item: ItemReference) -> Bool {
        do throws(DataStoreError) {
            _ = try exists(item)
            return false
        } catch {
            return error.damagedItem == item.id
        }
    }

    /// Deletes items and those that their rules take with them, and returns the number of the items that existed, without
    /// the others.
    private func delete(_ items: [ItemReference]) throws(DataStoreError) -> Int {
        let given = Set(items)
        var visited = given
        // References and not items, because there may be very many.
        var pending = Array(items.reversed())
        var count = 0
        while let next = pending.popLast() {
            var found: (any DataStoreItem)?
            var isDamaged = false
            do throws(DataStoreError) {
                found = try fetch(next)
            } catch {
                guard error.code == .corrupted else { throw error }
                (found, isDamaged) = (DynamicItem(next.itemTypeKey, id: next.id), true)
            }
            guard let found else { continue }
            for other in try release(found, next, isDamaged: isDamaged)
            where visited.insert(other).inserted {
                pending.append(other)
            }
            if try performDelete(found), given.contains(next) { count += 1 }
        }
        return count
    }

    /// Applies the rules of an item's relationships before it is deleted, and returns the others to be deleted with it.
    ///
    /// - Parameter isDamaged: Whether the item's own references cannot be read. Its others are then found by theirs.
    private func release(
        _ item: any DataStoreItem, _ own: ItemReference, isDamaged: Bool
    ) throws(DataStoreError) -> [ItemReference] {
        let links = try knownLinks("delete")
        var cascade: [ItemReference] = []
        for relation in try relations(of: item, isWhole: false) {
            let rule = relation.schema.deleteRule
            if isDamaged, case .reference = relation.storage {
                try removePlaces(relation, of: own, exceptFrom: nil)
                if relation.isPair, let back = relation.reversed, rule != .noAction {
                    try free(back, from: own, links)
                }
                continue
            }
            switch rule {
            case .cascade: cascade += try references(relation, of: own)
            case .deny:
                let isOwn = if case .reference = relation.storage { true } else { false }
                links.noteDenied(relation, of: own, isOwn ? try references(relation, of: own) : [])
            case .nullify:
                try freeOthers(of: relation, item, own, links)
                continue
            case .noAction: break
            }
            try removeLinks(of: relation, own)
        }
        for relation in try withoutInverse(to: own.itemTypeKey, links) {
            try free(relation, from: own, links)
        }
        return cascade
    }

    /// Deletes the links of an item that go with it although its others stay as they are.
    private func removeLinks(
        of relation: Relation, _ own: ItemReference
    ) throws(DataStoreError) {
        if case .links = relation.storage {
            // Under another rule than cascade, a link stays until the other item is gone too.
            let isCascade = relation.schema.deleteRule == .cascade
            for other in try references(relation, of: own, includesDeleted: true) {
                if !isCascade, other != own, try exists(other) { continue }
                try removeLinks(relation, of: own, to: other)
            }
        }
        if let order = relation.order {
            for other in try references(Relation(order, of: relation), of: own) {
                try removeLink(order, from: own, to: other)
            }
        }
        if case .reference = relation.storage, let order = relation.reversed?.order,
            let other = try references(relation, of: own).first
        {
            try removeLink(order, from: other, to: own)
        }
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
            for other in try references(relation, of: own, includesDeleted: true) {
                try unlink(relation, of: item, from: other)
            }
        }
    }

    /// Takes a deleted item out of the items that are related to it by a relationship without an inverse.
    private func free(
        _ relation: Relation, from own: ItemReference, _ links: BlockLinks
    ) throws(DataStoreError) {
        for found in try holders(relation, of: own) {
            if case .links(let type, let isSource) = relation.storage {
                let near = type.names(isSource: isSource).near
                if let end = try found.backing.reference(in: near) {
                    links.noteCount(relation, of: end)
                }
                _ = try performDelete(found)
            } else {
                try found.backing.setValue(.null, forAttribute: relation.schema.name)
                links.noteCount(relation, of: ItemReference(to: found))
            }
        }
    }
}

extension DataStoreReadAccessor where Self: ~Copyable {
    /// The items that deleting an item deletes with it, by the rules of cascade, in no particular order.
    ///
    /// Nothing is changed. The item itself is not among them. Takes a look-up for each relationship of each of them.
    public func cascadeTargets(
        of item: any DataStoreItem
    ) throws(DataStoreError) -> [ItemReference] {
        try cascadeTargets(of: [ItemReference(to: item)], ItemType(of: item))
    }

    /// The items that deleting some items deletes with them.
    ///
    /// - Parameters:
    ///   - type: The class of the items, if they have one.
    ///   - limit: The number at which the search ends; more may have been found by then.
    package func cascadeTargets(
        of items: [ItemReference], _ type: ItemType? = nil, limit: Int? = nil
    ) throws(DataStoreError) -> [ItemReference] {
        var relations: [String: [Relation]] = [:]
        if let type {
            relations[type.key] = try resolvedRelations(of: type, isWhole: type.schema != nil)
        }
        var visited = Set(items)
        var pending = items
        var found: [ItemReference] = []
        while let next = pending.popLast() {
            let key = next.itemTypeKey
            if relations[key] == nil { relations[key] = try self.relations(ofType: key) }
            for relation in relations[key] ?? [] where relation.schema.deleteRule == .cascade {
                for other in try references(relation, of: next, limit: limit)
                where visited.insert(other).inserted {
                    guard try exists(other) else { continue }
                    found.append(other)
                    pending.append(other)
                }
                if let limit, found.count >= limit { return found }
            }
        }
        return found
    }

    /// The items that stay when others are deleted, but lose them from a relationship, by the names of their type and of
    /// that relationship: `Book.author`.
    ///
    /// - Parameter items: All that are deleted, with those of ``cascadeTargets(of:)``.
    package func clearedRelationships(
        byDeleting items: [ItemReference]
    ) throws(DataStoreError) -> [String: Set<ItemReference>] {
        let deleted = Set(items)
        let withoutInverse = try relationsWithoutInverse()
        var relations: [String: [Relation]] = [:]
        var found: [String: Set<ItemReference>] = [:]
        func note(_ other: ItemReference, _ relationship: String) {
            if deleted.contains(other) { return }
            found["\(other.itemTypeKey).\(relationship)", default: []].insert(other)
        }
        for item in items {
            let key = item.itemTypeKey
            if relations[key] == nil { relations[key] = try self.relations(ofType: key) }
            for relation in relations[key] ?? [] where relation.schema.deleteRule == .nullify {
                guard let inverse = relation.inverse else { continue }
                for other in try references(relation, of: item) where try exists(other) {
                    note(other, inverse.name)
                }
            }
            for relation in withoutInverse[key] ?? [] {
                for holder in try holders(relation, of: item) {
                    var end: ItemReference? = ItemReference(to: holder)
                    if case .links(let type, let isSource) = relation.storage {
                        end = try holder.backing.reference(in: type.names(isSource: isSource).near)
                    }
                    if let end { note(end, relation.schema.name) }
                }
            }
        }
        return found
    }
}
