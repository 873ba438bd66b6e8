import JustPersist

/// The others of a row in a relationship to many, found by looking at every row.
enum ReferenceRelations {
    /// References to the others in their order; `nil` if the type has no relationship to many of that name.
    static func others(
        _ name: String, of row: ReferenceRow, _ type: ItemType, _ state: ReferenceState
    ) -> [ItemReference]? {
        let schema = type.schema ?? state.type(row.key.itemType)?.schema
        guard let schema,
            let relationship = schema.relationships.first(where: { $0.isToMany && $0.name == name }
            ),
            let relation = try? Relation(
                relationship, of: schema.itemTypeKey,
                to: relationship.destination == schema.itemTypeKey
                    ? schema : state.type(relationship.destination)?.schema, isWhole: false)
        else { return nil }
        let own = ItemReference(itemTypeKey: row.key.itemType, id: row.key.id)
        switch relation.storage {
        case .reference: return nil
        case .links(let links, let isSource):
            return linked(links, isSource, to: own, state)
        case .inverse(let attribute):
            let found = rows(relationship.destination, state).filter {
                $0[attribute] == .reference(own)
            }.map { ItemReference(itemTypeKey: $0.key.itemType, id: $0.key.id) }
            guard let order = relation.order else { return found }
            let places = linked(order, true, to: own, state)
            return places.filter(found.contains) + found.filter { !places.contains($0) }
        }
    }

    private static func rows(_ key: String, _ state: ReferenceState) -> [ReferenceRow] {
        let request = DataStoreRequest(itemTypeKey: key)
        return (try? ReferenceQuery.rows(request, in: state)) ?? []
    }

    private static func linked(
        _ links: LinkType, _ isSource: Bool, to own: ItemReference, _ state: ReferenceState
    ) -> [ItemReference] {
        let names = links.names(isSource: isSource)
        let ends = rows(links.key, state).compactMap { row -> (Int64, ItemReference)? in
            guard row[names.near] == .reference(own),
                case .reference(let far) = row[names.far]
            else { return nil }
            var position: Int64 = 0
            if let name = names.position, case .int(let place) = row[name] { position = place }
            return (position, far)
        }
        return ends.sorted { one, other in
            one.0 == other.0 ? one.1.id < other.1.id : one.0 < other.0
        }.map(\.1)
    }
}
