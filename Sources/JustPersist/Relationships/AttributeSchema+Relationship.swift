/// A type with others in it.
private protocol Container {
    static var content: Any.Type { get }
    /// Whether the container makes a property a relationship to many; `nil` if it is no relationship.
    static var isToMany: Bool? { get }
}

extension Optional: Container {
    fileprivate static var content: Any.Type { Wrapped.self }
    fileprivate static var isToMany: Bool? { false }
}

extension Array: Container {
    fileprivate static var content: Any.Type { Element.self }
    fileprivate static var isToMany: Bool? { true }
}

extension Set: Container {
    fileprivate static var content: Any.Type { Element.self }
    fileprivate static var isToMany: Bool? { nil }
}

extension AttributeSchema {
    /// The relationship that the type of the property makes it: to one if it is an optional item, and to many if it is an
    /// array of items.
    var relationship: RelationshipSchema? {
        guard let container = propertyType as? any Container.Type,
            let isToMany = container.isToMany,
            let other = container.content as? any DataStoreItem.Type
        else { return nil }
        var relationship = RelationshipSchema(
            name, to: other, isToMany: isToMany, formerNames: formerNames, keyPath: keyPath)
        relationship.isPlain = true
        return relationship
    }

    /// The attribute with the reference of a relationship to one.
    var withReference: AttributeSchema {
        AttributeSchema(name, kinds: [.reference], formerNames: formerNames, keyPath: keyPath)
    }

    /// The reason why the type of the property, or its options, make no relationship.
    func refusal(in itemTypeKey: String) -> DataStoreError? {
        guard var type = propertyType else { return nil }
        let reason: String
        if let relationship {
            if isUnique || isIndexed || ignoresCase {
                reason = """
                    is a relationship, which has no options of @Attribute but originalName. Remove the others.
                    """
            } else if relationship.isToMany, !mayBeToMany {
                reason = """
                    is a relationship to many under another name, or with a value. Declare it as [\
                    \(relationship.destination)] = [], or as ToMany<\(relationship.destination)>.
                    """
            } else if !relationship.isToMany, defaultValue != nil {
                reason = """
                    is a relationship, which begins with no other item. Remove the value, and relate items in a write block.
                    """
            } else {
                return nil
            }
        } else {
            while let container = type as? any Container.Type { type = container.content }
            guard let other = type as? any DataStoreItem.Type else { return nil }
            let key = other.itemTypeKey
            reason = """
                holds other items in a form that is no relationship. Declare it as \(key)?, as [\(key)] = [], or as \
                ToMany<\(key)>.
                """
        }
        return DataStoreError(
            .conflictingRelationships, in: "declare", "“\(name)” of “\(itemTypeKey)” \(reason)",
            itemType: itemTypeKey, attribute: name)
    }

    /// The type of the property, if values of that type have no kind.
    private var propertyType: Any.Type? {
        guard kinds.isEmpty, let keyPath else { return nil }
        return type(of: keyPath).valueType
    }
}
