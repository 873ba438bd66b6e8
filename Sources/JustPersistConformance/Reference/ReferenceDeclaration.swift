package import JustPersist

extension ReferenceState {
    /// Declares a type with its attributes and indexes, in addition to its known ones.
    ///
    /// After an error, a part of the declaration may remain, so the caller must use a copy.
    package mutating func declare(
        _ schema: ItemSchema, isOfClass: Bool = false, limits: DataStoreLimits,
        rules: ReferenceRules = ReferenceRules()
    ) throws(DataStoreError) {
        try schema.validate()
        let relationships = try schema.keptRelationships(
            in: schemasWithRelationships)
        let schema = rules.declared(schema)
        let key = schema.itemTypeKey
        try declareType(schema, limits)
        let places = try type(of: ItemType(schema))?.places(of: schema) ?? []
        let names = try storedNames(schema)
        for (index, (attribute, stored)) in zip(schema.attributes, names).enumerated() {
            try Self.check(attribute.name, "attribute name", of: key, limits)
            if attribute.name.contains(".") {
                throw DataStoreError(
                    .invalidName, in: "declare",
                    "The attribute name “\(attribute.name)” of “\(key)” has a dot. Choose one without.",
                    itemType: key, attribute: attribute.name)
            }
            // Attributes without values that had one of the names become the same one.
            for other in places.indices.contains(index) ? places[index] : [] {
                if let stored, other != stored { merge(other, into: stored, ofType: key) }
            }
            declare(attribute, storedAs: stored, of: key, rules)
        }
        var indexes: [IndexSchema] = []
        for index in schema.indexes {
            var paths: [String] = []
            for path in index.attributes {
                guard let path = type(key)?.presentPath(path) else {
                    throw .unknownAttribute(path, ofType: key, in: "declare")
                }
                paths.append(path)
            }
            indexes.append(
                IndexSchema(paths, isUnique: index.isUnique, ignoresCase: index.ignoresCase))
        }
        change(key) { type in
            if isOfClass { type.keepIndexes(indexes) }
            for index in indexes { type.add(index) }
            for relationship in relationships { type.add(relationship) }
            if isOfClass { type.keepRelationships(relationships) }
            for name in schema.relationshipsToMany { type.forget(name) }
        }
        for name in schema.relationshipsToMany where !holdsValues(name, ofType: key) {
            _ = dropAttribute(name, ofType: key)
        }
    }

    /// Declares the type under its key, and merges the types with its former keys into it.
    private mutating func declareType(
        _ schema: ItemSchema, _ limits: DataStoreLimits
    ) throws(DataStoreError) {
        let key = schema.itemTypeKey
        if let known = try type(of: ItemType(schema)) {
            for other in candidates(ItemType(schema)) where other.key != known.key {
                rename(.type(other.key, to: known.key))
            }
            // An earlier release continues to use the key that it knows.
            if !known.hasKey(key) {
                try Self.check(key, "type name", of: key, limits)
                rename(.type(known.key, to: key))
            }
        } else {
            try Self.check(key, "type name", of: key, limits)
            put(ReferenceType(key: key))
        }
        for former in schema.formerTypeKeys where type(former) == nil {
            try Self.check(former, "type name", of: key, limits)
            change(key) { $0.addFormerKey(former) }
        }
    }

    private mutating func declare(
        _ attribute: AttributeSchema, storedAs stored: String?, of key: String,
        _ rules: ReferenceRules
    ) {
        var name = attribute.name
        if let stored, stored != name {
            let known = type(key)?.attribute(stored)
            let isEarlierRelease =
                known?.formerNames.contains(name) == true && !attribute.formerNames.contains(stored)
            if isEarlierRelease {
                name = stored
            } else {
                if type(key)?.has(name) == true { merge(name, into: stored, ofType: key) }
                rename(.attribute(of: presentKey(key), stored, to: name))
            }
        } else if stored == nil {
            change(key) { $0.add(ReferenceType.Attribute(name: name)) }
        }
        for former in attribute.formerNames where former != name && type(key)?.has(former) == true {
            merge(former, into: name, ofType: key)
        }
        change(key) { [name] type in
            type.declare(attribute, as: name, rules)
            for former in attribute.formerNames { type.addFormerName(former, of: name) }
        }
    }

    /// The names under which the attributes of a schema are stored; `nil` for attributes that are not stored yet.
    ///
    /// Throws if values are stored under two names of one attribute.
    package func storedNames(_ schema: ItemSchema) throws(DataStoreError) -> [String?] {
        guard let type = try type(of: ItemType(schema)) else {
            return schema.attributes.map { _ in nil }
        }
        var names: [String?] = []
        for (attribute, found) in zip(schema.attributes, type.places(of: schema)) {
            names.append(try choose(among: found, for: attribute, of: type.key))
        }
        return names
    }

    /// Whether an item has a value for an attribute.
    private func holdsValues(_ name: String, ofType key: String) -> Bool {
        let key = presentKey(key)
        return rows.contains { $0.key.itemType == key && !$0[name].isNull }
    }

    private func choose(
        among names: [String], for attribute: AttributeSchema, of key: String
    ) throws(DataStoreError) -> String? {
        if names.count < 2 { return names.first }
        let holders = names.filter { holdsValues($0, ofType: key) }
        if holders.count < 2 { return holders.first ?? names.first }
        throw .conflictingAttributes(attribute, of: key, holders)
    }

    /// Gives an attribute another name, and merges it with an attribute of that name unless both have values.
    ///
    /// If neither has values, the renamed attribute remains.
    package mutating func renameAttribute(
        _ name: String, to newName: String, ofType key: String
    ) throws(DataStoreError) -> Bool {
        guard let type = type(key), let name = type.presentName(name) else { return false }
        if name == newName { return true }
        if type.has(newName) {
            var kept = name
            if holdsValues(newName, ofType: type.key) {
                kept =
                    try choose(
                        among: [newName, name], for: AttributeSchema(newName), of: type.key)
                    ?? newName
            }
            let other = kept == name ? newName : name
            merge(other, into: kept, ofType: type.key)
            if kept == newName { return true }
        }
        rename(.attribute(of: type.key, name, to: newName))
        return true
    }

    /// Adds a type as another state knows it.
    package mutating func add(_ other: ReferenceType) {
        if type(other.key) == nil { put(ReferenceType(key: other.key)) }
        let formerKeys = other.formerKeys.filter { type($0) == nil }
        change(other.key) { type in
            for key in formerKeys { type.addFormerKey(key) }
            for attribute in other.attributes { type.add(attribute) }
            for index in other.indexes { type.add(index) }
            for relationship in other.relationships { type.add(relationship) }
        }
    }

    /// Removes an index, and returns whether it was declared.
    package mutating func drop(_ index: IndexSchema, ofType key: String) -> Bool {
        guard let type = type(key) else { return false }
        let index = IndexSchema(
            index.attributes.map { type.presentPath($0) ?? $0 }, isUnique: index.isUnique,
            ignoresCase: index.ignoresCase)
        guard type.indexes.contains(index) else { return false }
        change(type.key) { $0.keepIndexes(type.indexes.filter { $0 != index }) }
        return true
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

extension ReferenceType {
    /// The names of the attributes that each attribute of a schema may mean, the present names first.
    fileprivate func places(of schema: ItemSchema) -> [[String]] {
        var taken = Set(schema.attributes.map(\.name).filter(has))
        return schema.attributes.map { attribute in
            var found = has(attribute.name) ? [attribute.name] : []
            func look(_ name: String?) {
                if let name, taken.insert(name).inserted { found.append(name) }
            }
            for former in attribute.formerNames where has(former) { look(former) }
            if !has(attribute.name) { look(presentName(attribute.name)) }
            if found.isEmpty {
                for former in attribute.formerNames { look(presentName(former)) }
            }
            return found
        }
    }
}
