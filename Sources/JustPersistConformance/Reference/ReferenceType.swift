package import JustPersist

/// What a store knows of one type of items.
package struct ReferenceType: Sendable {
    /// The type's name.
    package let key: String
    /// The attributes in the order in which they came.
    package private(set) var attributes: [Attribute] = []
    /// The indexes that were declared.
    package private(set) var indexes: [IndexSchema] = []

    /// One attribute, and the kinds of values that it has had.
    package struct Attribute: Sendable {
        package var name: String
        package var kinds: Set<DataStoreValue.Kind> = []
    }

    init(key: String) { self.key = key }

    /// Whether the type has an attribute of that name.
    package func has(_ name: String) -> Bool { attributes.contains { $0.name == name } }

    mutating func add(_ attribute: Attribute) {
        if let place = attributes.firstIndex(where: { $0.name == attribute.name }) {
            attributes[place].kinds.formUnion(attribute.kinds)
        } else {
            attributes.append(attribute)
        }
    }

    mutating func add(_ index: IndexSchema) {
        if !indexes.contains(index) { indexes.append(index) }
    }

    mutating func rename(_ old: String, to new: String) {
        for place in attributes.indices where attributes[place].name == old {
            attributes[place].name = new
        }
        indexes = indexes.map { index in
            IndexSchema(
                index.attributes.map { $0 == old ? new : $0 }, isUnique: index.isUnique)
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
            key, attributes: attributes.map { AttributeSchema($0.name, kinds: $0.kinds) },
            indexes: indexes)
    }
}

extension ReferenceState {
    /// Makes a type known with its attributes and indexes, beside those that are known of it.
    ///
    /// On failure some of it may be known: the caller works on a copy.
    package mutating func declare(
        _ schema: ItemSchema, limits: DataStoreLimits
    ) throws(DataStoreError) {
        let key = schema.itemTypeKey
        if type(key) == nil {
            try Self.check(key, "type name", of: key, limits)
            put(ReferenceType(key: key))
        }
        for attribute in schema.attributes where type(key)?.has(attribute.name) == false {
            try Self.check(attribute.name, "attribute name", of: key, limits)
            if attribute.name.contains(".") {
                throw DataStoreError(
                    .invalidName, in: "declare",
                    "The attribute name “\(attribute.name)” of “\(key)” has a dot. Choose one without.",
                    itemType: key, attribute: attribute.name)
            }
            if let original = attribute.originalName, type(key)?.has(original) == true {
                rename(ReferenceRename(itemType: key, old: original, new: attribute.name))
            } else {
                change(key) { $0.add(ReferenceType.Attribute(name: attribute.name)) }
            }
        }
        for index in schema.indexes {
            for name in index.attributes where type(key)?.has(name) == false {
                throw .unknownAttribute(name, ofType: key, in: "declare")
            }
            change(key) { $0.add(index) }
        }
    }

    /// Makes a type known as another state knows it.
    package mutating func add(_ other: ReferenceType) {
        if type(other.key) == nil { put(ReferenceType(key: other.key)) }
        change(other.key) { type in
            for attribute in other.attributes { type.add(attribute) }
            for index in other.indexes { type.add(index) }
        }
    }

    private mutating func change(_ key: String, _ body: (inout ReferenceType) -> Void) {
        guard var type = type(key) else { return }
        body(&type)
        put(type)
    }

    private static func check(
        _ name: String, _ what: String, of itemType: String, _ limits: DataStoreLimits
    ) throws(DataStoreError) {
        if name.isEmpty {
            throw DataStoreError(
                .invalidName, in: "declare", "A \(what) is empty; give it at least one character.",
                itemType: itemType)
        }
        guard name.utf8.count > limits.nameBytes else { return }
        throw DataStoreError(
            .limitExceeded, in: "declare",
            """
            A \(what) has \(name.utf8.count) bytes of UTF-8; the limit is \(limits.nameBytes). It begins \
            “\(name.prefix(40))”.
            """, itemType: itemType)
    }
}

extension ItemType {
    /// The name under which a type's items have the value of a declared attribute: its own, or the one it
    /// had in an earlier release, until the type is declared anew.
    func storedName(of name: String, in known: ReferenceType?) -> String {
        guard known?.has(name) != true, let schema,
            let index = schema.index(ofAttribute: name),
            let original = schema.attributes[index].originalName, known?.has(original) == true
        else { return name }
        return original
    }

    /// Throws if the type has no attribute of that name: its class declares none, or, for a type without a
    /// class, the store knows of none.
    func checkAttribute(
        _ name: String, in known: ReferenceType?, _ operation: String
    ) throws(DataStoreError) {
        let isDeclared =
            schema.map { $0.index(ofAttribute: name) != nil } ?? (known?.has(name) == true)
        if !isDeclared { throw .unknownAttribute(name, ofType: key, in: operation) }
    }
}
