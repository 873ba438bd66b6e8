/// Relationships as they are read.
extension DataStoreReadAccessor where Self: ~Copyable {
    /// Whether any type in the store has relationships.
    var hasRelationships: Bool {
        get throws(DataStoreError) { try !schemasWithRelationships().isEmpty }
    }

    /// The relationships of a type, with their inverses.
    ///
    /// - Parameter isWhole: Whether an inverse that is missing or does not agree is an error. What the store knows may be
    ///   of an earlier release.
    package func resolvedRelations(
        of type: ItemType, isWhole: Bool = true
    ) throws(DataStoreError) -> [Relation] {
        let known = try schemasWithRelationships()
        guard let schema = type.schema ?? known.schema(ofType: type.key) else { return [] }
        var relations: [Relation] = []
        for relationship in schema.relationships {
            relations.append(
                try known.relation(relationship, of: schema, isWhole: isWhole))
        }
        return relations
    }

    /// A relationship of a type.
    ///
    /// - Throws: `.unknownAttribute` if the type has none of that name.
    package func relation(_ name: String, of type: ItemType) throws(DataStoreError) -> Relation {
        let known = try schemasWithRelationships()
        guard let schema = type.schema ?? known.schema(ofType: type.key),
            let relationship = schema.relationships.first(where: { $0.name == name })
        else { throw .unknownAttribute(name, ofType: type.key, in: "relationship") }
        return try known.relation(relationship, of: schema, isWhole: type.schema != nil)
    }

    /// The relationships of all types that lead to other types without an inverse there, by the keys of the others.
    func relationsWithoutInverse() throws(DataStoreError) -> [String: [Relation]] {
        let known = try schemasWithRelationships()
        var relations: [String: [Relation]] = [:]
        for schema in known {
            for relationship in schema.relationships {
                let relation = try known.relation(relationship, of: schema, isWhole: false)
                let other = relationship.destination
                let key = known.schema(ofType: other)?.itemTypeKey ?? other
                if relation.inverse == nil { relations[key, default: []].append(relation) }
            }
        }
        return relations
    }

    /// The item that a reference leads to, of the class with which the block has used it.
    func fetch(_ item: ItemReference) throws(DataStoreError) -> (any DataStoreItem)? {
        try performFetchItem(ItemType(ofAnyClass: item.itemTypeKey), id: item.id)
    }

    /// Whether an item exists.
    func exists(_ item: ItemReference) throws(DataStoreError) -> Bool { try fetch(item) != nil }

    /// A request for what holds the others of an item: the others themselves, or links to them.
    func request(
        _ relation: Relation, of item: ItemReference, as type: ItemType? = nil
    ) -> DataStoreRequest? {
        // A class may have another key than its type in the store.
        let item = ItemReference(itemTypeKey: relation.owner, id: item.id)
        func request(_ type: ItemType, _ attribute: String) -> DataStoreRequest {
            let request = DataStoreRequest(type: type)
            request.predicate = .reference(in: attribute, to: item)
            return request
        }
        switch relation.storage {
        case .reference: return nil
        case .inverse(let attribute):
            return request(type ?? relation.others, attribute)
        case .links(let type, let isSource):
            let names = type.names(isSource: isSource)
            let found = request(ItemType(dynamic: type.key), names.near)
            found.sortDescriptors = [
                DataStoreSortDescriptor(key: names.position ?? names.far, ascending: true)
            ]
            return found
        }
    }

    /// References to the others of an item, in their order.
    ///
    /// Those that were deleted under a rule of no action are not among them.
    ///
    /// - Parameters:
    ///   - includesDeleted: Whether those are, too.
    ///   - limit: The most to read.
    package func references(
        _ relation: Relation, of item: ItemReference, includesDeleted: Bool = false,
        limit: Int? = nil
    ) throws(DataStoreError) -> [ItemReference] {
        guard let request = request(relation, of: item) else {
            return try fetch(item)?.backing.reference(in: relation.schema.name).map { [$0] } ?? []
        }
        if let limit, let order = relation.order,
            let first = try first(limit, of: relation, in: order, item)
        {
            return first
        }
        if relation.order == nil { request.limit = limit }
        var found: [ItemReference] = []
        if case .links(let type, let isSource) = relation.storage {
            let far = type.names(isSource: isSource).far
            var failure: DataStoreError?
            try performScan(request) { link in
                do throws(DataStoreError) {
                    found += try link.backing.reference(in: far).map { [$0] } ?? []
                } catch {
                    failure = failure ?? error
                }
            }
            if let failure { throw failure }
            guard relation.mayDangle, !includesDeleted else { return found }
            var existing: [ItemReference] = []
            for reference in found where try exists(reference) { existing.append(reference) }
            return existing
        }
        try performScan(request) {
            found.append(ItemReference(itemTypeKey: relation.destination, id: $0.uniqueToken))
        }
        guard let order = relation.order else { return found }
        // The others decide which there are; the links know their order.
        let left = Set(found)
        let ordered = try references(
            Relation(order, of: relation), of: item
        ).filter { left.contains($0) }
        let known = Set(ordered)
        return ordered + found.filter { !known.contains($0) }
    }

    /// The first others in an order that is kept apart, by as many of its places.
    ///
    /// `nil` if not all of these have an other, or if others may have no place: the order then follows only from all others.
    private func first(
        _ limit: Int, of relation: Relation, in order: LinkType, _ item: ItemReference
    ) throws(DataStoreError) -> [ItemReference]? {
        let places = try references(Relation(order, of: relation), of: item, limit: limit)
        if places.count < limit { return nil }
        for other in places where try !isRelated(relation, item, to: other) { return nil }
        return places
    }

    /// The items or links that refer to an item by a relationship of theirs.
    func holders(
        _ relation: Relation, of item: ItemReference
    ) throws(DataStoreError) -> [any DataStoreItem] {
        let request: DataStoreRequest
        switch relation.storage {
        case .reference:
            request = DataStoreRequest(type: ItemType(ofAnyClass: relation.owner))
            request.predicate = .reference(in: relation.schema.name, to: item)
        case .links(let type, let isSource):
            request = DataStoreRequest(itemTypeKey: type.key)
            request.predicate = .reference(in: type.names(isSource: isSource).far, to: item)
        case .inverse: return []
        }
        return try performFetch(request)
    }

    /// Whether an item is among the others of another one.
    func isRelated(
        _ relation: Relation, _ item: ItemReference, to other: ItemReference
    ) throws(DataStoreError) -> Bool {
        switch relation.storage {
        case .links(let type, _):
            let (source, target) = relation.ends(item, other)
            let id = LinkType.id(from: source.id, to: target.id)
            return try performFetchItem(ItemType(dynamic: type.key), id: id) != nil
        case .inverse(let attribute):
            let reference = try performFetchItem(relation.others, id: other.id)?.backing
                .reference(in: attribute)
            return reference == ItemReference(itemTypeKey: relation.owner, id: item.id)
        case .reference:
            return try references(relation, of: item).contains(other)
        }
    }

    /// The others of an item, in their order.
    func items(
        _ relation: Relation, of item: ItemReference, as type: ItemType
    ) throws(DataStoreError) -> [any DataStoreItem] {
        if case .inverse = relation.storage, relation.order == nil,
            let request = request(relation, of: item, as: type)
        {
            return try performFetch(request)
        }
        var items: [any DataStoreItem] = []
        for reference in try references(relation, of: item) {
            if let other = try performFetchItem(type, id: reference.id) { items.append(other) }
        }
        return items
    }

    /// The number of others of an item that exist.
    package func count(_ relation: Relation, of item: ItemReference) throws(DataStoreError) -> Int {
        if !relation.mayDangle, let request = request(relation, of: item) {
            return try performCount(request)
        }
        let others = try references(relation, of: item)
        guard !relation.schema.isToMany, let other = others.first else { return others.count }
        return try exists(other) ? 1 : 0
    }
}
