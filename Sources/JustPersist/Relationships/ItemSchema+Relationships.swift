/// The relationships of a type together with those of others.
extension ItemSchema {
    /// The relationships as a store keeps them: those to many with the type of their links.
    ///
    /// A store calls this when it declares the type, and records the result. The types of links then stay as they are when
    /// types and relationships are renamed. Nothing else is to be done for them: links are items, which relationships
    /// create and declare.
    ///
    /// - Parameter known: The schemas of the types with relationships in the store, before this declaration.
    /// - Throws: `.conflictingRelationships` if a relationship and its inverse do not agree, or if two have one inverse.
    public func keptRelationships(
        in known: [ItemSchema]
    ) throws(DataStoreError) -> [RelationshipSchema] {
        if relationships.isEmpty { return [] }
        adviseOnInverses()
        var kept: [RelationshipSchema] = []
        var inverses: Set<String> = []
        var taken = Set(known.flatMap { $0.relationships.compactMap(\.links?.typeKey) })
        for relationship in relationships {
            let other = relationship.destinationClass?.schema
            let inverse = try known.inverse(
                of: relationship, self,
                isWhole: other != nil || relationship.destination == itemTypeKey)
            if let other, let inverse,
                !inverses.insert("\(other.itemTypeKey).\(inverse.name)").inserted
            {
                throw .conflict(
                    relationship, self,
                    """
                    and another relationship have “\(inverse.name)” of “\(other.itemTypeKey)” as their inverse. Each needs \
                    one of its own.
                    """)
            }
            var relationship = relationship
            // An earlier release knows a renamed relationship by its former name.
            let before = known.relationships(of: self).first { relationship.sharesName(with: $0) }
            if before?.keepsReferences == true { relationship.leftReferences = true }
            if relationship.isToMany {
                let others =
                    relationship.destination == itemTypeKey
                    ? kept + known.relationships(of: self)
                    : known.relationships(of: other, or: relationship.destination)
                let back = inverse.flatMap { inverse in
                    others.first { inverse.isNamed($0.name) && inverse.isToMany }?.links?.reversed
                }
                let links = before?.links ?? relationship.links ?? back
                if let links {
                    let given = [
                        relationship.links, inverse?.name == relationship.name ? nil : back,
                    ]
                    if given.contains(where: { $0 != nil && $0 != links }) {
                        throw .conflict(
                            relationship, self,
                            """
                            has links in the store already, and so has its inverse or the relationship that is copied. Copy \
                            the links of one of them by a program.
                            """)
                    }
                }
                relationship.links =
                    links ?? .fresh(relationship, of: itemTypeKey, inverse, except: taken)
                if let key = relationship.links?.typeKey { taken.insert(key) }
            }
            kept.append(relationship.leading(to: relationship.destination))
        }
        return kept
    }
}

extension ItemSchema {
    /// The names of the relationships to many, which are no attributes.
    package var relationshipsToMany: [String] {
        relationships.isEmpty ? [] : relationships.filter(\.isToMany).map(\.name)
    }

    /// The schema with other keys of the types to which its relationships lead.
    package func withDestinations(_ key: (String) -> String) -> ItemSchema {
        ItemSchema(
            itemTypeKey, formerTypeKeys: formerTypeKeys, attributes: attributes, indexes: indexes,
            relationships: relationships.map { $0.leading(to: key($0.destination)) })
    }
}

extension RelationshipSchema.Links {
    /// The links of a relationship that has none yet: both sides choose the same, where each knows the other.
    fileprivate static func fresh(
        _ schema: RelationshipSchema, of owner: String, _ inverse: RelationshipSchema?,
        except taken: Set<String>
    ) -> Self {
        let own = "\(owner).\(schema.name)"
        let other = (inverse?.name ?? schema.inverse).map { "\(schema.destination).\($0)" } ?? own
        var key = Swift.min(own, other)
        while taken.contains(key) { key += "'" }
        return Self(typeKey: key, isSource: own <= other)
    }
}

/// The schemas of the types that have relationships in a store.
extension [ItemSchema] {
    /// The schema of a class as the store knows it, under the present key of the type or another one.
    func known(_ schema: ItemSchema) -> ItemSchema? {
        first { $0.itemTypeKey == schema.itemTypeKey }
            ?? first { schema.formerTypeKeys.contains($0.itemTypeKey) }
            ?? first { $0.formerTypeKeys.contains(schema.itemTypeKey) }
    }

    fileprivate func relationships(of schema: ItemSchema?, or key: String = "")
        -> [RelationshipSchema]
    {
        (schema.map(known) ?? self.schema(ofType: key))?.relationships ?? []
    }

    /// Whether the store knows all relationships of a type as they are declared.
    func haveRelationships(of schema: ItemSchema) -> Bool {
        Set(schema.relationships).isSubset(of: relationships(of: schema))
    }

    /// The declaration of the other side of a relationship.
    ///
    /// - Parameter isWhole: Whether the declaration of the other type is that of this release, so that an inverse that is
    ///   missing or does not agree is an error.
    fileprivate func inverse(
        of schema: RelationshipSchema, _ owner: ItemSchema, isWhole: Bool
    ) throws(DataStoreError) -> RelationshipSchema? {
        let other =
            schema.destinationClass?.schema
            ?? (schema.destination == owner.itemTypeKey
                ? owner : self.schema(ofType: schema.destination))
        func leadsBack(_ other: RelationshipSchema) -> Bool {
            other.destination == owner.itemTypeKey
                || owner.formerTypeKeys.contains(other.destination)
        }
        var related = other?.relationships ?? []
        if schema.destinationClass == nil, other === owner {
            // Declarations without a class add to each other.
            related += relationships(of: owner)
        }
        guard let name = schema.inverse else {
            return related.first { leadsBack($0) && $0.inverse.map(schema.isNamed) ?? false }
        }
        let found = related.first { $0.name == name } ?? related.first { $0.isNamed(name) }
        if let found, leadsBack(found), found.inverse.map(schema.isNamed) ?? true { return found }
        if isWhole { throw .disagreement(schema, of: owner.itemTypeKey, found) }
        return nil
    }

    /// A relationship with its inverse, and with the links that the store has for it.
    package func relation(
        _ relationship: RelationshipSchema, of owner: ItemSchema, isWhole: Bool = true
    ) throws(DataStoreError) -> Relation {
        let declared = try inverse(of: relationship, owner, isWhole: isWhole)
        func kept(_ schema: RelationshipSchema, _ known: [RelationshipSchema])
            -> RelationshipSchema
        {
            var schema = schema
            guard let known = known.first(where: { schema.isNamed($0.name) }) else { return schema }
            schema.links = schema.links ?? known.links
            if known.leftReferences { schema.leftReferences = true }
            return schema
        }
        var relationship = kept(relationship, relationships(of: owner))
        if relationship.isToMany, relationship.links == nil {
            relationship.links = .fresh(
                relationship, of: owner.itemTypeKey, declared,
                except: Set(flatMap { $0.relationships.compactMap(\.links?.typeKey) }))
        }
        let inverse = declared.map {
            kept(
                $0,
                relationships(
                    of: relationship.destinationClass?.schema, or: relationship.destination))
        }
        let destination =
            relationship.destinationClass.map { known($0.schema) }
            ?? self.schema(ofType: relationship.destination)
        return Relation(
            relationship, of: known(owner)?.itemTypeKey ?? owner.itemTypeKey,
            to: destination?.itemTypeKey ?? relationship.destination, inverse: inverse)
    }
}

extension DataStoreError {
    fileprivate static func conflict(
        _ relationship: RelationshipSchema, _ owner: ItemSchema, _ reason: String
    ) -> DataStoreError {
        DataStoreError(
            .conflictingRelationships, in: "declare",
            "“\(relationship.name)” of “\(owner.itemTypeKey)” \(reason)",
            itemType: owner.itemTypeKey, attribute: relationship.name)
    }

    fileprivate static func disagreement(
        _ schema: RelationshipSchema, of owner: String, _ inverse: RelationshipSchema?
    ) -> DataStoreError {
        let name = "“\(schema.inverse ?? "")” of “\(schema.destination)”"
        let reason =
            if let inverse {
                inverse.destination == owner
                    ? "which names “\(inverse.inverse ?? "")” as its own inverse"
                    : "which leads to “\(inverse.destination)”"
            } else {
                "which does not exist"
            }
        return DataStoreError(
            .conflictingRelationships, in: "declare",
            """
            “\(schema.name)” of “\(owner)” names \(name) as its inverse, \(reason). Correct one of them; one side is enough.
            """, itemType: owner, attribute: schema.name)
    }
}
