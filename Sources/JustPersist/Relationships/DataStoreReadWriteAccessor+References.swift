/// Relationships that are set by references, as files have them.
///
/// Unlike the calls of programs, these accept a reference to an item that does not exist yet: an import may bring it later.
extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// Sets the others of an item, and keeps the other side in step.
    ///
    /// - Parameter value: A reference or null; for a relationship to many an array of references, in their order.
    package func setRelated(
        _ relation: Relation, of item: any DataStoreItem, toValue value: DataStoreValue
    ) throws(DataStoreError) {
        let schema = relation.schema
        switch value {
        case .null where schema.isToMany: try replaceRelated(relation, of: item, by: [])
        case .null: try setRelated(relation, of: item, to: nil)
        case .reference(let reference) where !schema.isToMany:
            try check([reference], relation)
            try setRelated(relation, of: item, toReference: reference)
        case .array(let values) where schema.isToMany:
            var references: [ItemReference] = []
            for value in values {
                guard case .reference(let reference) = value else {
                    throw .notReferences(value.kind, relation)
                }
                references.append(reference)
            }
            try replaceRelated(relation, of: item, by: references)
        default: throw .notReferences(value.kind, relation)
        }
    }

    /// Sets a relationship to one to the item of a reference; the reference is kept if there is no such item.
    func setRelated(
        _ relation: Relation, of item: any DataStoreItem, toReference reference: ItemReference
    ) throws(DataStoreError) {
        if let other = try fetch(reference) {
            return try setRelated(relation, of: item, to: other)
        }
        try setRelated(relation, of: item, to: nil)
        try item.backing.setValue(.reference(reference), forAttribute: relation.schema.name)
        guard let order = relation.reversed?.order else { return }
        try addLink(order, from: reference, to: ItemReference(to: item), at: nil)
    }

    /// Adds items to the others of an item in a relationship to many; those that are among them stay where they are.
    package func addRelated(
        _ relation: Relation, of item: any DataStoreItem, _ others: [ItemReference]
    ) throws(DataStoreError) {
        try check(others, relation)
        for other in others { try addRelated(relation, of: item, other) }
    }

    /// Adds an item to the others at the end, and returns whether it was not among them.
    @discardableResult
    private func addRelated(
        _ relation: Relation, of item: any DataStoreItem, _ other: ItemReference
    ) throws(DataStoreError) -> Bool {
        let own = ItemReference(to: item)
        if let target = try fetch(other) {
            if try link(relation, of: item, to: target) { return true }
            // The other's reference may be older than the order.
            guard let order = relation.order else { return false }
            return try addLink(order, from: own, to: other, at: nil)
        }
        if case .links = relation.storage {
            return try addLinks(relation, of: own, to: other, at: nil)
        }
        // The other will refer to this item itself; only its place is known here.
        guard let order = relation.order else { return false }
        return try addLink(order, from: own, to: other, at: nil)
    }

    /// Makes exactly these items the others, in this order if the relationship is ordered.
    func replaceRelated(
        _ relation: Relation, of item: any DataStoreItem, by others: [ItemReference]
    ) throws(DataStoreError) {
        try check(others, relation)
        let own = ItemReference(to: item)
        let wanted = Set(others)
        for other in try references(relation, of: own, includesDeleted: true)
        where !wanted.contains(other) {
            try unlink(relation, of: item, from: other)
        }
        for other in others { try addRelated(relation, of: item, other) }
        try arrange(relation, of: own, as: others)
    }

    private func check(
        _ others: [ItemReference], _ relation: Relation
    ) throws(DataStoreError) {
        for other in others where other.itemTypeKey != relation.schema.destination {
            throw DataStoreError(
                .kindMismatch, in: "relationship",
                """
                “\(relation.schema.name)” of “\(relation.owner)” leads to items of “\(relation.schema.destination)”, not of \
                “\(other.itemTypeKey)”. Correct the reference.
                """, itemType: relation.owner, attribute: relation.schema.name)
        }
    }
}

extension DataStoreReadAccessor where Self: ~Copyable {
    /// The value of a relationship: a reference or null, or an array of references in their order.
    ///
    /// Items that do not exist are left out.
    package func related(
        _ relation: Relation, of item: ItemReference
    ) throws(DataStoreError) -> DataStoreValue {
        var found: [DataStoreValue] = []
        for reference in try references(relation, of: item) where try exists(reference) {
            found.append(.reference(reference))
        }
        return relation.schema.isToMany ? .array(found) : found.first ?? .null
    }

    /// The relationships of a type that the store knows.
    package func relations(ofType key: String) throws(DataStoreError) -> [Relation] {
        try resolvedRelations(of: ItemType(dynamic: key), isWhole: false)
    }

    /// The keys of the types whose items are links between other items, or places in their order.
    package func linkTypeKeys() throws(DataStoreError) -> Set<String> {
        Set(
            try schemasWithRelationships().flatMap { $0.relationships.compactMap(\.links?.typeKey) }
        )
    }
}

extension DataStoreError {
    fileprivate static func notReferences(
        _ kind: DataStoreValue.Kind, _ relation: Relation
    ) -> DataStoreError {
        let needed = relation.schema.isToMany ? "an array of references" : "a reference"
        return DataStoreError(
            .kindMismatch, in: "relationship",
            """
            “\(relation.schema.name)” of “\(relation.owner)” is a relationship, whose value is \(needed) and not of the kind \
            \(kind). Correct the value.
            """, itemType: relation.owner, attribute: relation.schema.name)
    }
}
