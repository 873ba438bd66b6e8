import JustPersist

/// What a store knows of one type.
struct CatalogType: Sendable {
    /// Stands for the type in keys.
    ///
    /// Never used again for another.
    let number: UInt32
    private(set) var key: String
    /// The keys that it had in earlier releases, kept for ever.
    var formerKeys: [String] = []
    /// Whether it is declared; one that is not is there because items may refer to it.
    var isDeclared = true
    /// The attributes; an attribute's id is its place.
    private(set) var attributes: [CatalogAttribute] = []
    var indexes: [CatalogIndex] = []
    /// What a later release has added to the type and to what belongs to it.
    var unknown = UnknownFields()
    /// The attributes by the names that they have now.
    private(set) var currentIDs: [String: UInt16] = [:]
    /// The attributes by the names that they had, as far as no other attribute has that name now.
    private var formerIDs: [String: UInt16] = [:]

    init(number: UInt32, key: String) {
        self.number = number
        self.key = key
    }

    /// The id of the attribute that has that name now.
    func currentID(ofAttribute name: String) -> UInt16? { currentIDs[name] }

    /// The id of the attribute that had that name and gave it to no other.
    func formerID(ofAttribute name: String) -> UInt16? { formerIDs[name] }

    /// The id of the attribute with that name, be it a former one.
    func id(ofAttribute name: String) -> UInt16? { currentIDs[name] ?? formerIDs[name] }

    /// Adds an attribute behind the others.
    ///
    /// A former name of another attribute stands for the new one from then on.
    mutating func append(_ attribute: CatalogAttribute) {
        let id = UInt16(attributes.count)
        attributes.append(attribute)
        for name in attribute.formerNames { formerIDs[name] = id }
        if !attribute.isRetired { take(attribute.name, for: id) }
    }

    /// Whether it has that key, or had it.
    func has(key: String) -> Bool { self.key == key || formerKeys.contains(key) }

    /// Whether it has the key that a schema gives it, or a later one.
    func hasKey(of schema: ItemSchema) -> Bool { has(key: schema.itemTypeKey) }

    /// Gives the type another key; its records and the references to it stay as they are.
    mutating func rename(to key: String) {
        formerKeys.removeAll { $0 == key }
        formerKeys.append(self.key)
        self.key = key
    }

    /// Notes a key that the type had in some release.
    mutating func addFormerKey(_ key: String) {
        if !has(key: key) { formerKeys.append(key) }
    }

    /// What is left of the type when it gives way to another: references that were stored with its number lead to
    /// the one that has its key.
    func retired() -> CatalogType {
        var type = CatalogType(number: number, key: key)
        type.isDeclared = false
        type.unknown = unknown
        return type
    }

    /// Gives an attribute another name; its values stay where they are.
    mutating func rename(_ id: UInt16, to name: String) {
        let old = attributes[Int(id)].name
        if old == name { return }
        currentIDs[old] = nil
        addFormerName(old, of: id)
        attributes[Int(id)].name = name
        take(name, for: id)
    }

    /// Makes another attribute, which holds no values, one with this: its names lead here from now on.
    mutating func retire(_ other: UInt16, inFavourOf id: UInt16) {
        let names = [attributes[Int(other)].name] + attributes[Int(other)].formerNames
        currentIDs[names[0]] = nil
        attributes[Int(other)].retire()
        for name in names {
            if formerIDs[name] == other { formerIDs[name] = nil }
            addFormerName(name, of: id)
        }
        rebuildIndexes(over: other)
        for index in indexes.indices { indexes[index].replace(other, by: id) }
    }

    /// Notes a name that an attribute had in some release.
    mutating func addFormerName(_ name: String, of id: UInt16) {
        guard currentIDs[name] == nil, formerIDs[name] == nil else { return }
        attributes[Int(id)].formerNames.append(name)
        formerIDs[name] = id
    }

    private mutating func take(_ name: String, for id: UInt16) {
        currentIDs[name] = id
        if let former = formerIDs.removeValue(forKey: name) {
            attributes[Int(former)].formerNames.removeAll { $0 == name }
        }
    }

    /// Brings an attribute up to its latest declaration.
    mutating func update(_ id: UInt16, to declared: AttributeSchema) {
        attributes[Int(id)].update(to: declared)
    }

    /// Whether the attribute is known to have had a value with that tag.
    @inline(__always)
    func hasNoted(tag: UInt8, ofAttribute id: UInt16) -> Bool {
        attributes[Int(id)].tags.known & 1 << UInt16(tag) != 0
    }

    /// Adds the tag of a value that the attribute now has, and tells whether it is the first such value.
    mutating func note(tag: UInt8, ofAttribute id: UInt16) -> Bool {
        if attributes[Int(id)].tags.contains(tag) { return false }
        attributes[Int(id)].tags.insert(tag)
        return true
    }

    /// Notes that an attribute has had values with these tags.
    mutating func note(_ tags: TagSet, ofAttribute id: UInt16) {
        attributes[Int(id)].tags.formUnion(tags)
    }

    /// Whether items may have values of kinds that a later release has added.
    var hasLaterValues: Bool { attributes.contains { $0.tags.hasLater } }

    /// The type as the contract describes it.
    var schema: ItemSchema {
        ItemSchema(
            key, formerTypeKeys: formerKeys,
            attributes: attributes.filter { !$0.isRetired }.map(\.schema),
            indexes: indexes.map(schema(of:)))
    }

    /// An index as the contract describes it.
    func schema(of index: CatalogIndex) -> IndexSchema {
        IndexSchema(
            index.components.map { component in
                ([attributes[Int(component.attribute)].name] + component.path)
                    .joined(separator: ".")
            }, isUnique: index.isUnique, ignoresCase: index.ignoresCase)
    }
}

extension CatalogType {
    /// The refusal of what a later release forbids this one.
    func newerFormat(in operation: String, attribute: String? = nil) -> DataStoreError {
        DataStoreError(
            .newerFormat, in: operation,
            """
            A later release has changed how “\(key)” is stored, so this one can\(unknown.forbidsReading ? "not" : " read but not change") \
            its items. Use that release; nothing was changed.
            """, itemType: key, attribute: attribute)
    }
}
