/// Relationships after the changes of a child store were merged.
///
/// The child and its parent have changed references and links independently, so one may have related an item that the other
/// deleted, or given an item of a pair another partner.
extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// Makes relationships whole again: drops links and references to deleted items, and frees those that lost a partner.
    ///
    /// - Parameter changed: The items, links among them, that the child made, changed or deleted.
    package func reconcile(_ changed: [ItemReference]) throws(DataStoreError) {
        let known = try schemasWithRelationships()
        if known.isEmpty { return }
        let linkTypes = try linkTypeKeys()
        var relations: [String: [Relation]] = [:]
        for schema in known {
            relations[schema.itemTypeKey] = try self.relations(ofType: schema.itemTypeKey)
        }
        let destinations = Set(relations.values.joined().map(\.destination))
        for item in changed {
            let isLink = linkTypes.contains(item.itemTypeKey)
            guard
                isLink || relations[item.itemTypeKey] != nil
                    || destinations.contains(item.itemTypeKey)
            else { continue }
            do throws(DataStoreError) {
                try reconcile(item, isLink: isLink, relations)
            } catch {
                // What is damaged stays as it is.
                guard error.code == .corrupted else { throw error }
            }
        }
    }

    private func reconcile(
        _ item: ItemReference, isLink: Bool, _ relations: [String: [Relation]]
    ) throws(DataStoreError) {
        let stored = try fetch(item)
        if isLink {
            if let stored, try !hasEnds(stored) { _ = try performDelete(stored) }
        } else if let stored {
            for relation in relations[item.itemTypeKey] ?? [] {
                try settle(relation, of: item, stored)
            }
        } else {
            for relation in relations.values.joined()
            where relation.destination == item.itemTypeKey {
                try drop(relation, to: item)
            }
            for relation in relations[item.itemTypeKey] ?? [] { try dropLinks(relation, of: item) }
        }
    }

    private func hasEnds(_ link: any DataStoreItem) throws(DataStoreError) -> Bool {
        for name in [LinkType.source, LinkType.target] {
            guard let end = try link.backing.reference(in: name), try exists(end) else {
                return false
            }
        }
        return true
    }

    /// Checks a relationship to one of a changed item.
    private func settle(
        _ relation: Relation, of item: ItemReference, _ stored: any DataStoreItem
    ) throws(DataStoreError) {
        guard case .reference = relation.storage else { return }
        let name = relation.schema.name
        let other = try stored.backing.reference(in: name)
        // The child and its parent may have moved the item to different others.
        try removePlaces(relation, of: item, exceptFrom: other)
        if let other {
            if try !exists(other) {
                if !relation.mayDangle { try stored.backing.setValue(.null, forAttribute: name) }
            } else if relation.isPair {
                try freeAllButPartner(relation, of: other)
            }
        }
        if relation.isPair, let back = relation.reversed { try freeAllButPartner(back, of: item) }
    }

    /// Frees all items that refer to an item as their partner, except for the one to which it refers itself.
    private func freeAllButPartner(
        _ relation: Relation, of item: ItemReference
    ) throws(DataStoreError) {
        guard let inverse = relation.inverse else { return }
        let partner = try fetch(item)?.backing.reference(in: inverse.name)
        for other in try holders(relation, of: item)
        where partner != ItemReference(itemTypeKey: relation.owner, id: other.uniqueToken) {
            try other.backing.setValue(.null, forAttribute: relation.schema.name)
        }
    }

    /// Drops the links of an item that was deleted, which the other store has added.
    private func dropLinks(
        _ relation: Relation, of item: ItemReference
    ) throws(DataStoreError) {
        if let order = relation.order { try dropLinks(Relation(order, of: relation), of: item) }
        guard case .links = relation.storage, let request = request(relation, of: item) else {
            return
        }
        for link in try performFetch(request) { _ = try performDelete(link) }
    }

    /// Drops what relates other items to one that was deleted.
    private func drop(_ relation: Relation, to item: ItemReference) throws(DataStoreError) {
        if let order = relation.order {
            try drop(Relation(order, of: relation), to: item)
        }
        for holder in try holders(relation, of: item) {
            if case .links = relation.storage {
                _ = try performDelete(holder)
            } else if !relation.mayDangle {
                try holder.backing.setValue(.null, forAttribute: relation.schema.name)
            }
        }
    }
}
