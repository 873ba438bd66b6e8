import JustPersist

/// A type as one block uses it: what the item class declares, tied to what the store knows.
final class BlockType {
    let itemType: ItemType
    /// `nil` if the store has never seen the type.
    var stored: StoredType?

    init(_ itemType: ItemType, stored: StoredType?) {
        self.itemType = itemType
        self.stored = stored
    }

    var key: String { itemType.key }

    var mutableClass: (any MutableDataStoreItem.Type)? {
        itemType.itemClass as? any MutableDataStoreItem.Type
    }

    /// The attributes of the class, or for a type without one those that the store knows.
    var attributeNames: [String] {
        itemType.schema?.attributes.map(\.name) ?? stored?.attributes.map(\.name) ?? []
    }

    /// Whether the store knows all that the class declares.
    var isDeclared: Bool {
        guard let schema = itemType.schema else { return stored != nil }
        return schema.attributes.allSatisfy { stored?.number(ofAttribute: $0.name) != nil }
    }

    /// The name of the attribute at an index of the class's schema.
    func name(at index: Int, in operation: String) throws(DataStoreError) -> String {
        guard let attributes = itemType.schema?.attributes, attributes.indices.contains(index)
        else { throw .unknownAttribute("#\(index)", ofType: key, in: operation) }
        return attributes[index].name
    }

    /// Throws if items of the type have no such attribute.
    func check(_ name: String, in operation: String) throws(DataStoreError) {
        let isKnown =
            itemType.schema.map { $0.index(ofAttribute: name) != nil }
            ?? (stored?.number(ofAttribute: name) != nil)
        if !isKnown { throw .unknownAttribute(name, ofType: key, in: operation) }
    }

    /// The number of an attribute, under its name or, until that is declared, the name it had before.
    func number(ofAttribute name: String) -> Int? {
        if let number = stored?.number(ofAttribute: name) { return number }
        guard let schema = itemType.schema, let index = schema.index(ofAttribute: name),
            let original = schema.attributes[index].originalName
        else { return nil }
        return stored?.number(ofAttribute: original)
    }

    /// Whether `uniqueToken` is an attribute like others, and not the item's id.
    var hasOwnToken: Bool {
        itemType.schema?.index(ofAttribute: "uniqueToken") != nil
            || stored?.number(ofAttribute: "uniqueToken") != nil
    }
}
