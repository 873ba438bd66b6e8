/// Changes of relationships. Each keeps the other side in step.
extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// What the block knows of relationships.
    func knownLinks(_ operation: String) throws(DataStoreError) -> BlockLinks {
        if let links { return links }
        throw DataStoreError(
            .unsupported, in: operation,
            """
            This store keeps no relationships. Use a store whose capabilities have hasRelationships, or attributes with \
            an ItemReference.
            """)
    }

    /// The relationships of an item's type.
    ///
    /// - Parameter isWhole: Whether an inverse that is missing or does not agree is an error.
    func relations(
        of item: any DataStoreItem, isWhole: Bool = true
    ) throws(DataStoreError) -> [Relation] {
        let links = try knownLinks("relationship")
        let type = ItemType(of: item)
        if let schema = type.schema, schema.relationships.isEmpty { return [] }
        return try links.relations(of: type, isWhole: isWhole) { () throws(DataStoreError) in
            if let schema = type.schema { try declareRelationships(of: schema) }
            return try resolvedRelations(of: type, isWhole: isWhole)
        }
    }

    /// A relationship of an item's type.
    func relation(_ name: String, of item: any DataStoreItem) throws(DataStoreError) -> Relation {
        for relation in try relations(of: item) where relation.schema.name == name {
            return relation
        }
        throw .unknownAttribute(name, ofType: ItemType(of: item).key, in: "relationship")
    }

    /// Declares a class and those that it is related to, so that the store knows their relationships and the types of the
    /// links.
    private func declareRelationships(of schema: ItemSchema) throws(DataStoreError) {
        var pending = [schema]
        var visited = Set([ObjectIdentifier(schema)])
        while let next = pending.popLast() {
            let known = try schemasWithRelationships()
            if !known.haveRelationships(of: next) { try declare(next) }
            for relationship in next.relationships {
                guard let other = relationship.destinationClass?.schema else { continue }
                if visited.insert(ObjectIdentifier(other)).inserted { pending.append(other) }
            }
        }
    }

    /// The live item for an item that is to be related to another; one that is in no store is inserted.
    func live(
        _ other: any DataStoreItem, for relation: Relation
    ) throws(DataStoreError) -> any DataStoreItem {
        let type = other.backing.itemTypeKey
        guard type == relation.schema.destination else {
            throw DataStoreError(
                .kindMismatch, in: "relationship",
                """
                “\(relation.schema.name)” of “\(relation.owner)” leads to items of “\(relation.schema.destination)”, not of \
                “\(type)”. Pass one of those.
                """, itemType: relation.owner, attribute: relation.schema.name)
        }
        if other.backing.storeBacking is DictionaryBacking,
            let detached = other as? any MutableDataStoreItem
        {
            if try performInsert(detached) {
                try noteCreated(detached)
                return detached
            }
        }
        guard let live = try performMutableVersion(of: other) else {
            throw DataStoreError(
                .itemDeleted, in: "relationship",
                "The item \(other.uniqueToken) was deleted, so no item can be related to it.",
                itemType: type, attribute: relation.schema.name)
        }
        return live
    }

    /// Notes the relationships of a new item that must have a number of others at the end of the block.
    @usableFromInline
    package func noteCreated(_ item: any DataStoreItem) throws(DataStoreError) {
        let itemClass = type(of: item)
        if itemClass.schema.relationships.isEmpty {
            // A class without relationships has none in the store either.
            if itemClass != DynamicItem.self { return }
            if try !hasRelationships { return }
        }
        let links = try knownLinks("create")
        for relation in try relations(of: item) where relation.schema.minimum > 0 {
            links.noteCount(relation, of: ItemReference(to: item))
        }
    }

    private func setReference(
        _ reference: ItemReference?, in item: any DataStoreItem, _ name: String
    ) throws(DataStoreError) {
        try item.backing.setValue(reference.map { .reference($0) } ?? .null, forAttribute: name)
    }

    /// Sets the other item of a to-one relationship, or none.
    func setRelated(
        _ relation: Relation, of item: any DataStoreItem, to other: (any DataStoreItem)?
    ) throws(DataStoreError) {
        let links = try knownLinks("relationship")
        let name = relation.schema.name
        var target: (any DataStoreItem)?
        if let other { target = try live(other, for: relation) }
        let own = ItemReference(to: item)
        let old = try item.backing.reference(in: name)
        let new = target.map { ItemReference(to: $0) }
        if old == new { return }
        try setReference(new, in: item, name)
        links.noteCount(relation, of: own)
        guard let inverse = relation.inverse, let back = relation.reversed else { return }
        if inverse.isToMany {
            for end in [old, new] { if let end { links.noteCount(back, of: end) } }
            if let order = back.order {
                if let old { try removeLink(order, from: old, to: own) }
                if let new { try addLink(order, from: new, to: own, at: nil) }
            }
            return
        }
        // The former partners of both are free.
        if let old, let former = try fetch(old),
            try former.backing.reference(in: inverse.name) == own
        {
            try setReference(nil, in: former, inverse.name)
            links.noteCount(back, of: old)
        }
        guard let target, let new else { return }
        if let partner = try target.backing.reference(in: inverse.name), partner != own,
            let former = try fetch(partner), try former.backing.reference(in: name) == new
        {
            try setReference(nil, in: former, name)
            links.noteCount(relation, of: partner)
        }
        try setReference(own, in: target, inverse.name)
        links.noteCount(back, of: new)
    }

    /// Adds an item to the others of a to-many relationship, and returns whether it was not among them.
    ///
    /// - Parameter position: The place in the order; `nil` for the end.
    @discardableResult
    func link(
        _ relation: Relation, of item: any DataStoreItem, to other: any DataStoreItem,
        at position: Int? = nil
    ) throws(DataStoreError) -> Bool {
        let links = try knownLinks("relationship")
        let target = try live(other, for: relation)
        let (own, new) = (ItemReference(to: item), ItemReference(to: target))
        switch relation.storage {
        case .reference: throw .notToMany(relation)
        case .inverse(let attribute):
            if try target.backing.reference(in: attribute) == own { return false }
            guard let back = relation.reversed else { return false }
            if position != nil { try completeOrder(relation, of: own) }
            try setRelated(back, of: target, to: item)
            if let order = relation.order, let position {
                try removeLink(order, from: own, to: new)
                try addLink(order, from: own, to: new, at: position)
            }
        case .links:
            let position = try position.map { (position) throws(DataStoreError) in
                try place(position, among: relation, of: own)
            }
            guard try addLinks(relation, of: own, to: new, at: position) else { return false }
            links.noteCount(relation, of: own)
            if let back = relation.reversed { links.noteCount(back, of: new) }
        }
        return true
    }

    /// Removes an item from the others of a to-many relationship, and returns whether it was among them.
    @discardableResult
    func unlink(
        _ relation: Relation, of item: any DataStoreItem, from other: ItemReference
    ) throws(DataStoreError) -> Bool {
        let links = try knownLinks("relationship")
        let own = ItemReference(to: item)
        switch relation.storage {
        case .reference: throw .notToMany(relation)
        case .inverse(let attribute):
            guard let back = relation.reversed, let target = try fetch(other),
                try target.backing.reference(in: attribute) == own
            else { return false }
            try setRelated(back, of: target, to: nil)
        case .links:
            guard try removeLinks(relation, of: own, to: other) else { return false }
            links.noteCount(relation, of: own)
            if let back = relation.reversed { links.noteCount(back, of: other) }
        }
        return true
    }
}

extension DataStoreError {
    fileprivate static func notToMany(_ relation: Relation) -> DataStoreError {
        DataStoreError(
            .invalidRequest, in: "relationship",
            """
            “\(relation.schema.name)” of “\(relation.owner)” has one item at most. Set it; add and remove are for \
            relationships to many.
            """, itemType: relation.owner, attribute: relation.schema.name)
    }
}
