import JustPersist

extension ReferenceState {
    /// The schemas of the types that have relationships, which lead to types by their present keys.
    var schemasWithRelationships: [ItemSchema] {
        types.map(\.schema).filter { !$0.relationships.isEmpty }.map {
            $0.withDestinations(presentKey)
        }
    }
}

/// The others of a row in a relationship to many, found by looking at every row.
enum ReferenceRelations {
    /// References to the others in their order; `nil` if the type has no relationship to many of that name.
    static func others(
        _ name: String, of row: ReferenceRow, _ type: ItemType, _ state: ReferenceState
    ) -> [ItemReference]? {
        let known = state.schemasWithRelationships
        let schema = type.schema ?? state.type(row.key.itemType)?.schema
        guard let schema,
            let relationship = schema.relationships.first(where: { $0.isToMany && $0.name == name }
            ), let relation = try? known.relation(relationship, of: schema, isWhole: false)
        else { return nil }
        let own = ItemReference(itemTypeKey: row.key.itemType, id: row.key.id)
        switch relation.storage {
        case .reference: return nil
        case .links(let links, let isSource):
            let far = linked(links, isSource, to: own, state).map {
                ItemReference(itemTypeKey: relation.destination, id: $0)
            }
            return relation.mayDangle
                ? far.filter { state.row(ReferenceKey($0.itemTypeKey, $0.id)) != nil } : far
        case .inverse(let attribute):
            var stored = attribute
            if let schema = relation.others.schema,
                let place = schema.index(ofAttribute: attribute),
                let names = try? state.storedNames(schema)
            {
                stored = names[place] ?? attribute
            }
            let found = rows(relation.destination, state).filter {
                refers($0[stored], to: own)
            }.map { ItemReference(itemTypeKey: $0.key.itemType, id: $0.key.id) }
            guard let order = relation.order else { return found }
            let places = linked(order, true, to: own, state)
            return places.compactMap { id in found.first { $0.id == id } }
                + found.filter { !places.contains($0.id) }
        }
    }

    /// Whether a value refers to a row, under any key that its type had.
    private static func refers(_ value: DataStoreValue, to own: ItemReference) -> Bool {
        guard case .reference(let reference) = value else { return false }
        return reference.id == own.id
    }

    /// Makes relationships whole after a merge, by looking at every row.
    ///
    /// - Parameter changed: The rows that the child made, changed or deleted, which with those that refer to them are
    ///   all that can be wrong.
    static func reconcile(_ state: inout ReferenceState, _ changed: Set<ReferenceKey>) {
        let known = state.schemasWithRelationships
        for schema in known {
            for relationship in schema.relationships {
                guard
                    let relation = try? known.relation(relationship, of: schema, isWhole: false)
                else { continue }
                switch relation.storage {
                case .reference: settle(relation, &state, changed)
                case .links(let type, _): dropEnds(type.key, &state, changed)
                case .inverse:
                    if let order = relation.order { dropEnds(order.key, &state, changed) }
                }
            }
        }
    }

    private static func settle(
        _ relation: Relation, _ state: inout ReferenceState, _ changed: Set<ReferenceKey>
    ) {
        let name = relation.schema.name
        let before = state
        for row in rows(relation.owner, before) {
            guard case .reference(let reference) = row[name] else { continue }
            let other = ReferenceKey(reference.itemTypeKey, reference.id)
            guard changed.contains(row.key) || changed.contains(other) else { continue }
            var isSound = relation.mayDangle
            if let partner = before.row(other) {
                isSound = true
                if let inverse = relation.inverse, !inverse.isToMany {
                    let own = ItemReference(itemTypeKey: row.key.itemType, id: row.key.id)
                    isSound = refers(partner[inverse.name], to: own)
                }
            }
            if !isSound { state.set(.null, ofAttribute: name, of: row.key) }
        }
    }

    private static func dropEnds(
        _ links: String, _ state: inout ReferenceState, _ changed: Set<ReferenceKey>
    ) {
        for row in rows(links, state) {
            let ends = [LinkType.source, LinkType.target].compactMap { name -> ReferenceKey? in
                guard case .reference(let end) = row[name] else { return nil }
                return ReferenceKey(end.itemTypeKey, end.id)
            }
            guard changed.contains(row.key) || ends.contains(where: changed.contains) else {
                continue
            }
            if ends.count < 2 || ends.contains(where: { state.row($0) == nil }) {
                _ = state.remove(row.key)
            }
        }
    }

    private static func rows(_ key: String, _ state: ReferenceState) -> [ReferenceRow] {
        let request = DataStoreRequest(itemTypeKey: key)
        return (try? ReferenceQuery.rows(request, in: state)) ?? []
    }

    private static func linked(
        _ links: LinkType, _ isSource: Bool, to own: ItemReference, _ state: ReferenceState
    ) -> [ItemID] {
        let names = links.names(isSource: isSource)
        let ends = rows(links.key, state).compactMap { row -> (Int64, ItemID)? in
            guard refers(row[names.near], to: own),
                case .reference(let far) = row[names.far]
            else { return nil }
            var position: Int64 = 0
            if let name = names.position, case .int(let place) = row[name] { position = place }
            return (position, far.id)
        }
        return ends.sorted { one, other in
            one.0 == other.0 ? one.1 < other.1 : one.0 < other.0
        }.map(\.1)
    }
}
