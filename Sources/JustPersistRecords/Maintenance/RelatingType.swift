import JustPersist

/// A type whose items relate items: by references of relationships to one, or because they are links.
struct RelatingType {
    let stored: CatalogType
    let parts: [Part]

    /// A part of each item, and the places where records have it.
    struct Part {
        let part: RelatingPart
        /// The attribute with the reference, or those with the source and the target of a link.
        let references: [UInt16]
        /// The attributes of a link with places in orders.
        let places: [UInt16]
        /// The type of a pair's partners, and their attribute with the reference back.
        let back: (table: RecordTable, attribute: UInt16)?
        /// The number of the type of the links that are places in the order of the others.
        let order: UInt32?

        /// `nil` if the store has none of the attributes.
        fileprivate init?(_ part: RelatingPart, of stored: CatalogType, in block: Block) {
            let catalog = block.known.catalog
            self.part = part
            switch part {
            case .reference(let relation):
                references = [relation.schema.name].compactMap(stored.id(ofAttribute:))
                places = []
                let partner = relation.isPair ? catalog.type(relation.destination) : nil
                back = partner.flatMap { partner in
                    relation.inverse.flatMap { partner.id(ofAttribute: $0.name) }
                        .map { (block.table(of: partner), $0) }
                }
                // Before the first place there is no order that could lack one.
                order = relation.reversed?.order.flatMap { catalog.type($0.key) }?.number
            case .links(let ends):
                references = [LinkType.source, LinkType.target].compactMap(
                    stored.id(ofAttribute:))
                places = [true, false].compactMap { ends.type.names(isSource: $0).position }
                    .compactMap(stored.id(ofAttribute:))
                (back, order) = (nil, nil)
                if references.count < 2 { return nil }
            }
            if references.isEmpty { return nil }
        }
    }
}

extension Block {
    /// The types whose items relate items, in the order of their numbers.
    ///
    /// A relationship that a later release has changed is left to that release. One whose other type has a damaged entry is
    /// left alone, because its rule is not known.
    var relatingTypes: [RelatingType] {
        let parts = known.catalog.schemasWithRelationships.relatingParts
        if parts.isEmpty { return [] }
        return known.catalog.types.compactMap { (stored) -> RelatingType? in
            guard stored.isDeclared, let all = parts[stored.key] else { return nil }
            let own = all.filter { part in
                part.typeKeys.allSatisfy { key in
                    known.catalog.type(key)?.unknown.forbidsWriting != true
                        && known.catalog.damage(of: ItemType(dynamic: key)) == nil
                }
            }.compactMap { RelatingType.Part($0, of: stored, in: self) }
            return own.isEmpty ? nil : RelatingType(stored: stored, parts: own)
        }.sorted { $0.stored.number < $1.stored.number }
    }
}
