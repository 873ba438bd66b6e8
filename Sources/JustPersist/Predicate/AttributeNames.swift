/// The known attributes of the type that a request is for.
package protocol AttributeNames {
    /// The key of the type.
    var itemTypeKey: String { get }

    /// The present names of the attributes, from which messages suggest one.
    var attributeNames: [String] { get }

    /// The kinds of values that an attribute may have; `nil` if the type neither has nor had one of that name.
    func kinds(ofAttribute name: String) -> ValueKinds?

    /// The attributes of the type to which a relationship leads; `nil` if that is no relationship, or not known.
    func names(inRelationship name: String) -> (any AttributeNames)?
}

extension AttributeNames {
    /// Not known.
    package func names(inRelationship name: String) -> (any AttributeNames)? { nil }

    /// The kinds of values at a name that a request uses.
    ///
    /// - Throws: `.unknownAttribute`, with the nearest name, if there is no such attribute.
    func knownKinds(
        ofAttribute name: String, in operation: String
    ) throws(DataStoreError) -> ValueKinds {
        if let kinds = kinds(ofAttribute: name) { return kinds }
        // Not refused by kind: strings and references can represent ids.
        if [name] == DataStorePredicate.AttributePath.uniqueToken.components { return .all }
        throw DataStoreError(
            .unknownAttribute, in: operation,
            "“\(itemTypeKey)” has no attribute “\(name)”. \(advice(for: name))",
            itemType: itemTypeKey, attribute: name)
    }

    private func advice(for name: String) -> String {
        switch name.lowercased() {
        case "inf", "infinity", "nan":
            return "The number is written double(\"\(name.lowercased())\")."
        case "anykey", "somekey", "allkey":
            return "There is no \(name); value IN dictionary looks at the values of a dictionary."
        default: break
        }
        let names = attributeNames
        return names.isEmpty ? "It has no attributes." : names.advice(for: name)
    }
}

extension ItemSchema: AttributeNames {
    package func names(inRelationship name: String) -> (any AttributeNames)? {
        relationships.first { $0.name == name }?.destinationClass?.schema
    }

    package var attributeNames: [String] {
        attributes.map(\.name) + relationships.filter(\.isToMany).map(\.name)
    }

    /// The declared kinds, and in a schema that a store returns, also those of values from before the declaration.
    package func kinds(ofAttribute name: String) -> ValueKinds? {
        let place =
            index(ofAttribute: name)
            ?? attributes.firstIndex { $0.formerNames.contains(name) }
        if place == nil, relationships.contains(where: { $0.isToMany && $0.name == name }) {
            return .array
        }
        return place.map { place in
            let attribute = attributes[place]
            if attribute.kinds.isEmpty { return .all }
            return ValueKinds(declared: attribute.kinds.union(attribute.storedKinds))
        }
    }
}

extension ItemType {
    /// The attributes that the type's class declares, and those that a store knows; `nil` if nothing is known.
    package func attributeNames(stored: ItemSchema?) -> (any AttributeNames)? {
        guard let schema else { return stored }
        return stored.map { ClassAttributes(declared: schema, stored: $0) } ?? schema
    }
}

/// The attributes of a class, and those that only the store knows.
private struct ClassAttributes: AttributeNames {
    let declared: ItemSchema
    let stored: ItemSchema

    var itemTypeKey: String { declared.itemTypeKey }
    var attributeNames: [String] { declared.attributeNames }

    func names(inRelationship name: String) -> (any AttributeNames)? {
        declared.names(inRelationship: name)
    }

    func kinds(ofAttribute name: String) -> ValueKinds? {
        declared.kinds(ofAttribute: name) ?? stored.kinds(ofAttribute: name).map { _ in .all }
    }
}
