package import JustPersist

/// A store's knowledge of one type of items.
package struct ReferenceType: Sendable, Equatable {
    /// The key of the type.
    package private(set) var key: String
    /// The former keys of the type.
    package private(set) var formerKeys: [String] = []
    /// The attributes in the order in which they were added.
    package private(set) var attributes: [Attribute] = []
    /// The indexes that were declared.
    package private(set) var indexes: [IndexSchema] = []
    /// The relationships that were declared.
    package private(set) var relationships: [RelationshipSchema] = []

    /// One attribute: its names, its declaration, and the kinds of its values so far.
    package struct Attribute: Sendable, Hashable, Codable {
        package var name: String
        package var kinds: Set<DataStoreValue.Kind> = []
        /// The former names of the attribute.
        package var formerNames: [String] = []
        /// The kinds of the latest declaration; empty for all kinds.
        package var declaredKinds: Set<DataStoreValue.Kind> = []
        /// The first default that was declared.
        package var defaultValue: DataStoreValue?
        package var isOptional = true

        /// An attribute that has had values of these kinds.
        package init(name: String, kinds: Set<DataStoreValue.Kind> = []) {
            self.name = name
            self.kinds = kinds
        }

        mutating func take(_ declared: AttributeSchema, _ rules: ReferenceRules) {
            declaredKinds = declared.kinds
            isOptional = declared.isOptional
            defaultValue = rules.recordedDefault(defaultValue, declared)
        }
    }

    init(key: String) { self.key = key }

    /// Whether the type has that key, or had it.
    func hasKey(_ key: String) -> Bool { self.key == key || formerKeys.contains(key) }

    /// Gives the type another key.
    mutating func rename(to key: String) {
        let old = self.key
        self.key = key
        formerKeys.removeAll { $0 == key }
        addFormerKey(old)
    }

    /// Notes a key that the type had.
    package mutating func addFormerKey(_ key: String) {
        if !hasKey(key) { formerKeys.append(key) }
    }

    /// Whether the type has an attribute of that name.
    package func has(_ name: String) -> Bool { attribute(name) != nil }

    /// The attribute that has that name now.
    func attribute(_ name: String) -> Attribute? { attributes.first { $0.name == name } }

    /// The current name of the attribute that has or had that name.
    func presentName(_ name: String) -> String? {
        if has(name) { return name }
        return attributes.first { $0.formerNames.contains(name) }?.name
    }

    mutating func add(_ attribute: Attribute) {
        guard let place = attributes.firstIndex(where: { $0.name == attribute.name }) else {
            forget(attribute.name)
            attributes.append(attribute)
            return
        }
        attributes[place].kinds.formUnion(attribute.kinds)
        attributes[place].declaredKinds = attribute.declaredKinds
        attributes[place].isOptional = attribute.isOptional
        attributes[place].defaultValue = attributes[place].defaultValue ?? attribute.defaultValue
        for name in attribute.formerNames { addFormerName(name, of: attribute.name) }
    }

    mutating func declare(
        _ declared: AttributeSchema, as name: String, _ rules: ReferenceRules
    ) {
        for place in attributes.indices where attributes[place].name == name {
            attributes[place].take(declared, rules)
        }
    }

    mutating func addFormerName(_ former: String, of name: String) {
        if presentName(former) != nil { return }
        for place in attributes.indices where attributes[place].name == name {
            attributes[place].formerNames.append(former)
        }
    }

    /// Removes a former name from the attribute that had it, because another attribute has the name now.
    mutating func forget(_ former: String) {
        for place in attributes.indices {
            attributes[place].formerNames.removeAll { $0 == former }
        }
    }

    /// Removes an attribute without values, and adds its names to another attribute.
    mutating func remove(_ name: String, inFavourOf other: String) {
        let names = [name] + (attribute(name)?.formerNames ?? [])
        attributes.removeAll { $0.name == name }
        for name in names { addFormerName(name, of: other) }
        indexes = indexes.map { $0.naming(other, insteadOf: name) }
    }

    /// Replaces the recorded default of an attribute.
    mutating func setDefault(_ value: DataStoreValue?, of name: String) {
        for place in attributes.indices where attributes[place].name == name {
            attributes[place].defaultValue = value
        }
    }

    /// Removes an attribute, with the indexes over it.
    mutating func drop(_ name: String) {
        attributes.removeAll { $0.name == name }
        indexes.removeAll { index in
            index.attributes.contains { $0 == name || $0.hasPrefix(name + ".") }
        }
    }

    /// Adds a relationship, or replaces the one with its name or a former one.
    mutating func add(_ relationship: RelationshipSchema) {
        let names = [relationship.name] + relationship.formerNames
        if let place = relationships.firstIndex(where: { names.contains($0.name) }) {
            relationships[place] = relationship
        } else {
            relationships.append(relationship)
        }
    }

    /// The relationship of that name.
    func relationship(_ name: String) -> RelationshipSchema? {
        relationships.first { $0.name == name }
    }

    /// Removes all other relationships.
    mutating func keepRelationships(_ declared: [RelationshipSchema]) {
        relationships.removeAll { !declared.contains($0) }
    }

    mutating func add(_ index: IndexSchema) {
        if !indexes.contains(index) { indexes.append(index) }
    }

    /// Removes all other indexes.
    mutating func keepIndexes(_ declared: [IndexSchema]) {
        indexes.removeAll { !declared.contains($0) }
    }

    /// A path with the current name of its first attribute; `nil` if there is no such attribute.
    func presentPath(_ path: String) -> String? {
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !names.contains(""), let first = presentName(names[0]) else { return nil }
        return ([first] + names.dropFirst()).joined(separator: ".")
    }

    mutating func rename(_ old: String, to new: String) {
        forget(new)
        for place in attributes.indices where attributes[place].name == old {
            attributes[place].name = new
            attributes[place].formerNames.append(old)
        }
        indexes = indexes.map { $0.naming(new, insteadOf: old) }
    }

    /// Notes that no item has a value of these kinds for an attribute any more.
    mutating func forget(_ kinds: Set<DataStoreValue.Kind>, ofAttribute name: String) {
        for place in attributes.indices where attributes[place].name == name {
            attributes[place].kinds.subtract(kinds)
        }
    }

    mutating func note(_ kind: DataStoreValue.Kind, ofAttribute name: String) {
        guard kind != .null else { return }
        for place in attributes.indices where attributes[place].name == name {
            attributes[place].kinds.insert(kind)
        }
    }

    /// The type as the contract describes it.
    package var schema: ItemSchema {
        ItemSchema(
            key, formerTypeKeys: formerKeys,
            attributes: attributes.map { attribute in
                AttributeSchema(
                    attribute.name, kinds: attribute.declaredKinds, storedKinds: attribute.kinds,
                    default: attribute.defaultValue, isOptional: attribute.isOptional,
                    formerNames: attribute.formerNames)
            },
            indexes: indexes, relationships: relationships)
    }
}

extension IndexSchema {
    fileprivate func naming(_ new: String, insteadOf old: String) -> IndexSchema {
        let paths = attributes.map { path in
            path == old ? new : path.hasPrefix(old + ".") ? new + path.dropFirst(old.count) : path
        }
        return IndexSchema(paths, isUnique: isUnique, ignoresCase: ignoresCase)
    }
}
