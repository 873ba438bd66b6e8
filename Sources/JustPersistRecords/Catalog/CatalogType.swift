import JustPersist

/// A type as a store knows it.
struct CatalogType: Sendable {
    /// Identifies the type in keys.
    ///
    /// Never used again for another type.
    let number: UInt32
    private(set) var key: String
    /// The keys that it had in earlier releases, kept permanently.
    var formerKeys: [String] = []
    /// Whether the type is declared; an undeclared type exists because items may refer to it.
    var isDeclared = true
    /// The attributes; an attribute's index is its id.
    private(set) var attributes: [CatalogAttribute] = []
    var indexes: [CatalogIndex] = []
    var relationships: [RelationshipSchema] = []
    /// Fields of a later release, of the type and of its parts.
    var unknown = UnknownFields()
    /// The attributes by the names that they have now.
    private(set) var currentIDs: [String: UInt16] = [:]
    /// The attributes by their former names, except names that another attribute has now.
    private var formerIDs: [String: UInt16] = [:]

    init(number: UInt32, key: String) {
        self.number = number
        self.key = key
    }

    /// The id of the attribute that has that name now.
    func currentID(ofAttribute name: String) -> UInt16? { currentIDs[name] }

    /// The id of the attribute that had that name, unless another attribute has it now.
    func formerID(ofAttribute name: String) -> UInt16? { formerIDs[name] }

    /// The id of the attribute with that name, which may be a former name.
    func id(ofAttribute name: String) -> UInt16? { currentIDs[name] ?? formerIDs[name] }

    /// Appends an attribute.
    ///
    /// If its name is a former name of another attribute, the name identifies the new attribute from then on.
    mutating func append(_ attribute: CatalogAttribute) {
        let id = UInt16(attributes.count)
        attributes.append(attribute)
        for name in attribute.formerNames { formerIDs[name] = id }
        if !attribute.isRetired { take(attribute.name, for: id) }
    }

    /// Whether the type has that key, or had it.
    func has(key: String) -> Bool { self.key == key || formerKeys.contains(key) }

    /// Whether the type has a schema's key, or had it and was renamed.
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

    /// The remaining entry of a type that was merged into another.
    ///
    /// References with its number lead to the type that has its key.
    func retired() -> CatalogType {
        var type = CatalogType(number: number, key: key)
        type.isDeclared = false
        type.unknown = unknown
        return type
    }

    /// The remaining entry of a type that was dropped.
    ///
    /// It keeps the ids of the attributes: records in children have them, so a later declaration must not use them.
    func dropped() -> CatalogType {
        var type = retired()
        type.attributes = attributes
        for place in type.attributes.indices { type.attributes[place].drop() }
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

    /// Merges another attribute, which holds no values, into this one, which takes over its names.
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

    /// Removes a former name from the attribute that had it, and returns whether there was one.
    mutating func forget(formerName name: String) -> Bool {
        guard let id = formerIDs.removeValue(forKey: name) else { return false }
        attributes[Int(id)].formerNames.removeAll { $0 == name }
        return true
    }

    /// Removes an attribute permanently, with the indexes over it.
    ///
    /// Its id is not used again, so the values that records still have under it are never read.
    mutating func drop(_ id: UInt16) {
        let dropped = attributes[Int(id)]
        currentIDs[dropped.name] = nil
        for name in dropped.formerNames where formerIDs[name] == id { formerIDs[name] = nil }
        attributes[Int(id)].drop()
        indexes.removeAll { $0.isOver(id) }
    }

    /// Replaces the recorded default of an attribute, on which no item depends any more.
    mutating func setDefault(_ value: DataStoreValue?, of id: UInt16) {
        attributes[Int(id)].setDefault(value)
        rebuildIndexes(over: id)
    }

    /// Notes a name that an attribute had in some release.
    mutating func addFormerName(_ name: String, of id: UInt16) {
        guard currentIDs[name] == nil, formerIDs[name] == nil else { return }
        attributes[Int(id)].formerNames.append(name)
        formerIDs[name] = id
    }

    private mutating func take(_ name: String, for id: UInt16) {
        currentIDs[name] = id
        _ = forget(formerName: name)
    }

    /// Updates an attribute to its latest declaration.
    mutating func update(_ id: UInt16, to declared: AttributeSchema) {
        attributes[Int(id)].update(to: declared)
    }

    /// Changes what is known of the values of an attribute.
    mutating func changeTags<Result>(
        ofAttribute id: UInt16, _ change: (inout CatalogAttribute) -> Result
    ) -> Result { change(&attributes[Int(id)]) }

    /// Notes that there may also be the values of another state of the type.
    mutating func addTags(of other: CatalogType) {
        for (id, attribute) in other.attributes.enumerated() where id < attributes.count {
            attributes[id].addTags(of: attribute)
        }
    }

    /// Whether items may have values of kinds that a later release has added.
    var hasLaterValues: Bool { attributes.contains { $0.tags.hasLater } }

    /// The type as the contract describes it.
    var schema: ItemSchema {
        ItemSchema(
            key, formerTypeKeys: formerKeys,
            attributes: attributes.filter { !$0.isRetired }.map(\.schema),
            indexes: indexes.map(schema(of:)), relationships: relationships)
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
    /// The error of an operation that a later release forbids.
    func newerFormat(in operation: String, attribute: String? = nil) -> DataStoreError {
        DataStoreError(
            .newerFormat, in: operation,
            """
            A later release has changed how “\(key)” is stored, so this one can\(unknown.forbidsReading ? "not" : " read but not change") \
            its items. Use that release; nothing was changed.
            """, itemType: key, attribute: attribute)
    }
}
