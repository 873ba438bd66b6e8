import JustPersist

/// The relationships of a type as an export writes them: as references, or as nested objects.
struct ExportShape {
    /// The relationships of the type, by name.
    let relations: [String: Relation]
    /// The shapes of the items that are written as nested objects, by the name of the relationship.
    let nested: [String: ExportShape]
    /// The relationships to many that no other type's rows show, neither their links nor their order.
    let kept: [String]
    private let nullable: [String]
    private let hasIDs: Bool

    /// The shape of a type's items.
    ///
    /// - Parameters:
    ///   - links: The paths of the relationships whose items are nested.
    ///   - hasIDs: Whether each object has the item's id.
    init(
        ofType key: String, links: [[String]], withIDs hasIDs: Bool,
        in db: borrowing some DataStoreReadAccessor & ~Copyable
    ) throws(DataStoreError) {
        let all = try db.relations(ofType: key)
        var relations: [String: Relation] = [:]
        for relation in all { relations[relation.schema.name] = relation }
        self.relations = relations
        self.hasIDs = hasIDs
        kept = all.filter(\.isKeptHere).map(\.schema.name)
        let schema = try db.schemas().schema(ofType: key)
        nullable = schema?.attributes.filter { $0.defaultValue != nil }.map(\.name) ?? []
        var nested: [String: ExportShape] = [:]
        for name in Set(links.compactMap(\.first)) {
            guard let relation = relations[name] else {
                let names = relations.keys.sorted()
                throw DataStoreError(
                    .unknownAttribute, in: "export",
                    """
                    “\(key)” has no relationship “\(name)” whose items could be nested. \
                    \(names.isEmpty ? "It has none." : "Its relationships are \(names.listed).")
                    """, itemType: key, attribute: name)
            }
            nested[name] = try ExportShape(
                ofType: relation.schema.destination,
                links: links.filter { $0.first == name && $0.count > 1 }.map {
                    Array($0.dropFirst())
                }, withIDs: hasIDs, in: db)
        }
        self.nested = nested
    }

    /// The value of a relationship; `nil` if the type has none of the name.
    func value(
        _ name: String, of item: any DataStoreItem,
        in db: borrowing some DataStoreReadAccessor & ~Copyable
    ) throws(DataStoreError) -> DataStoreValue? {
        guard let relation = relations[name] else { return nil }
        let value = try db.related(relation, of: ItemReference(to: item))
        guard let shape = nested[name] else { return value }
        switch value {
        case .reference(let reference): return try shape.object(reference, in: db)
        case .array(let references):
            var objects: [DataStoreValue] = []
            for case .reference(let reference) in references {
                objects.append(try shape.object(reference, in: db))
            }
            return .array(objects)
        default: return value
        }
    }

    /// An item as a nested object.
    private func object(
        _ reference: ItemReference, in db: borrowing some DataStoreReadAccessor & ~Copyable
    ) throws(DataStoreError) -> DataStoreValue {
        guard
            let item = try db.performFetchItem(
                ItemType(dynamic: reference.itemTypeKey), id: reference.id)
        else { return .null }
        var members: [String: DataStoreValue] = [:]
        for (name, value) in try item.storedValues(withNullsOf: nullable)
        where relations[name] == nil {
            members[JSONTag.written(attribute: name)] = value
        }
        for (name, relation) in relations where !relation.schema.isToMany || nested[name] != nil {
            let value = try value(name, of: item, in: db) ?? .null
            if !value.isNull { members[JSONTag.written(attribute: name)] = value }
        }
        if hasIDs { members[JSONTag.id] = .string(reference.id.description) }
        return .dictionary(members)
    }
}

extension Relation {
    /// Whether the others of an item, or their order, cannot be found out from the rows of the other type.
    fileprivate var isKeptHere: Bool {
        switch storage {
        case .reference: false
        case .inverse: order != nil
        case .links(_, let isSource):
            schema.isOrdered || isSource && inverse?.isOrdered != true
        }
    }
}
