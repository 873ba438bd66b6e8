import JustPersist

/// A type as one block uses it: what the item class declares, tied to what the store knows.
final class BlockType {
    let itemType: ItemType
    /// `nil` if the store has never seen the type.
    var stored: StoredType? {
        didSet { chosen = [:] }
    }
    /// The numbers of attributes that the store has under several names.
    private var chosen: [String: Int] = [:]

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
        (itemType.schema ?? stored?.schema)?.attributes.map(\.name) ?? []
    }

    /// Whether the store knows all that the class declares.
    var isDeclared: Bool {
        guard let schema = itemType.schema else { return stored != nil }
        guard let stored else { return false }
        return zip(schema.attributes, stored.numbers(of: schema)).allSatisfy { attribute, numbers in
            guard numbers.count == 1, let number = numbers.first else { return false }
            return !stored.isNewName(attribute, at: number)
                && stored.attributes[number].isUp(to: attribute)
        }
    }

    /// The name of the attribute at an index of the class's schema.
    func name(at index: Int, in operation: String) throws(DataStoreError) -> String {
        guard let attributes = itemType.schema?.attributes, attributes.indices.contains(index)
        else { throw .unknownAttribute("#\(index)", ofType: key, in: operation) }
        return attributes[index].name
    }

    /// An attribute of the type as it is declared, with the default that the store recorded; and its number.
    func attribute(
        _ name: String, in operation: String
    ) throws(DataStoreError) -> (AttributeSchema, number: Int?) {
        if let attribute = attribute(name) { return attribute }
        throw .unknownAttribute(name, ofType: key, in: operation)
    }

    /// The same, `nil` if there is none.
    func attribute(_ name: String) -> (AttributeSchema, number: Int?)? {
        guard let schema = itemType.schema else { return storedAttribute(name) }
        guard let index = schema.index(ofAttribute: name) else { return nil }
        let declared = schema.attributes[index]
        guard let number = chosen[name] ?? stored?.numbers(of: schema)[index].first else {
            return (declared, nil)
        }
        let recorded = stored?.attributes[number].defaultValue
        return (declared.withDefault(recorded: recorded), number)
    }

    /// The attribute that a predicate or a sort finds: the store may know of one that the class does not.
    func attributeForQuery(_ name: String) -> (AttributeSchema, number: Int?)? {
        attribute(name) ?? storedAttribute(name)
    }

    private func storedAttribute(_ name: String) -> (AttributeSchema, number: Int?)? {
        guard let stored,
            let number = stored.number(ofAttribute: name) ?? stored.number(ofFormer: name)
        else { return nil }
        return (stored.attributes[number].schema, number)
    }

    /// Finds out where the values are of attributes that the store has under several names.
    func settle(
        holdsValues: (Int) throws(DataStoreError) -> Bool
    ) throws(DataStoreError) {
        guard let schema = itemType.schema, let stored else { return }
        for (attribute, numbers) in zip(schema.attributes, stored.numbers(of: schema))
        where numbers.count > 1 {
            chosen[attribute.name] = try stored.choose(
                numbers, for: attribute, holdsValues: holdsValues)
        }
    }

    /// Whether `uniqueToken` is an attribute like others, and not the item's id.
    var hasOwnToken: Bool {
        attributeForQuery("uniqueToken") != nil
    }
}
