import JustPersist

/// Keeps the declarations of a replica the same as those of its primary.
struct SchemaMirror {
    private let copy: SchemaCopy
    /// The known declarations of the replica.
    private var declared: [String: ItemSchema] = [:]

    init(from primary: any DataStore, to replica: any DataStore) {
        copy = SchemaCopy(source: primary, target: replica)
    }

    /// Updates the declarations of types in the replica to the primary's; of all types if none are named.
    ///
    /// - Parameter beforeRedefining: Called first if a default has changed, which can no longer be seen once the
    ///   replica declares it.
    /// - Returns: The schemas of those types by key, and the types with a changed default.
    mutating func update(
        _ types: Set<String>? = nil, from primary: borrowing DataStoreReader,
        beforeRedefining: () throws -> Void
    ) throws -> (schemas: [String: ItemSchema], redefined: Set<String>) {
        let all = try primary.schemas()
        let schemas = all.filter { types?.contains($0.itemTypeKey) ?? true }
        if schemas.contains(where: { declared[$0.itemTypeKey] == nil }) { try look() }
        let changed = schemas.filter { !$0.declaresSame(as: declared[$0.itemTypeKey]) }
        try checkReadable(changed.map(\.itemTypeKey), in: primary)
        try dropTypes(missingIn: all, among: types, primary)
        let redefined = Set(changed.filter(isRedefined).map(\.itemTypeKey))
        if !redefined.isEmpty { try beforeRedefining() }
        if !changed.isEmpty {
            try copy.declare(changed)
            try follow(changed)
            try dropIndexes { index, type in
                changed.contains { $0.itemTypeKey == type && !$0.indexes.contains(index) }
            }
        }
        for schema in changed {
            for key in schema.formerTypeKeys { declared[key] = nil }
            declared[schema.itemTypeKey] = schema
        }
        let byKey = Dictionary(
            schemas.map { ($0.itemTypeKey, $0) }, uniquingKeysWith: { first, _ in first })
        return (byKey, redefined)
    }

    /// Whether the replica declares a type with other defaults.
    private func isRedefined(_ schema: ItemSchema) -> Bool {
        let known = ([schema.itemTypeKey] + schema.formerTypeKeys).lazy.compactMap { declared[$0] }
        return known.first.map { !schema.hasSameDefaults(as: $0) } ?? false
    }

    /// Relaxes the declarations of types while their items are compared.
    ///
    /// Values may be of any kind, because the primary keeps values of earlier declarations. There are no unique
    /// indexes, because the items are copied in no particular order.
    mutating func relax(_ types: Set<String>, from primary: borrowing DataStoreReader) throws {
        let schemas = try primary.schemas().filter { types.contains($0.itemTypeKey) }
        if schemas.isEmpty { return }
        try copy.declare(schemas.map(\.relaxed))
        try dropIndexes { index, type in index.isUnique && types.contains(type) }
        for schema in schemas { declared[schema.itemTypeKey] = schema }
    }

    /// Declares a relaxed type as the primary does.
    ///
    /// - Returns: The type, if a default has changed since the type was relaxed.
    mutating func tighten(
        _ type: String, from primary: borrowing DataStoreReader,
        beforeRedefining: () throws -> Void
    ) throws -> Set<String> {
        forget([type])
        return try update([type], from: primary, beforeRedefining: beforeRedefining).redefined
    }

    /// Replaces the keys of types that the primary has renamed.
    static func renamed(
        _ types: Set<String>, in primary: borrowing DataStoreReader
    ) throws -> Set<String> {
        let schemas = try primary.schemas()
        let keys = Set(schemas.map(\.itemTypeKey))
        return Set(
            types.map { type in
                if keys.contains(type) { return type }
                return schemas.first { $0.formerTypeKeys.contains(type) }?.itemTypeKey ?? type
            })
    }

    /// Forgets the declarations of types, so they are declared again at the next update.
    mutating func forget(_ types: Set<String>) { for type in types { declared[type] = nil } }

    /// Reads the replica's declarations of unknown types.
    private mutating func look() throws {
        var found: [ItemSchema] = []
        try copy.target.performRead { found = try $0.schemas() }
        for schema in found where declared[schema.itemTypeKey] == nil {
            declared[schema.itemTypeKey] = schema
        }
    }

    /// Throws if the primary's declaration of a type is damaged.
    ///
    /// The schema of a damaged type lists no attributes, or not even the type. They are not dropped, and the replica may
    /// have the only intact ones.
    private func checkReadable(
        _ types: [String], in primary: borrowing DataStoreReader
    ) throws {
        guard copy.target.capabilities.evolvesSchema else { return }
        for key in types { _ = try primary.performCount(DataStoreRequest(itemTypeKey: key)) }
    }

    /// Drops the declared types that the primary has dropped.
    private mutating func dropTypes(
        missingIn schemas: [ItemSchema], among types: Set<String>?,
        _ primary: borrowing DataStoreReader
    ) throws {
        guard copy.source.capabilities.evolvesSchema, copy.target.capabilities.evolvesSchema else {
            return
        }
        let known = Set(schemas.flatMap { [$0.itemTypeKey] + $0.formerTypeKeys })
        let dropped = declared.keys.filter {
            !known.contains($0) && types?.contains($0) ?? true
        }
        if dropped.isEmpty { return }
        try checkReadable(dropped, in: primary)
        try copy.target.performWrite { db in
            for key in dropped { _ = try db.performSchemaChange(.dropType(key)) }
        }
        for key in dropped { declared[key] = nil }
    }

    /// Drops the relationships and attributes that the primary has dropped, and replaces the defaults that it has replaced.
    private func follow(_ schemas: [ItemSchema]) throws {
        if !copy.target.capabilities.evolvesSchema { return }
        var found: [SchemaOperation] = []
        try copy.target.performRead { db in
            let known = try db.schemas()
            for schema in schemas {
                let key = schema.itemTypeKey
                guard let copy = known.first(where: { $0.itemTypeKey == key }) else { continue }
                let related = Set(schema.relationships.flatMap { [$0.name] + $0.formerNames })
                found += copy.relationships.filter { !related.contains($0.name) }
                    .map { .dropRelationship($0.name, of: key) }
                let names = Set(schema.attributes.flatMap { [$0.name] + $0.formerNames })
                found += copy.attributes.filter { !names.contains($0.name) }
                    .map { .dropAttribute($0.name, of: key) }
                for attribute in schema.attributes {
                    let known = copy.attributes.first { $0.name == attribute.name }
                    let value = attribute.defaultValue
                    if (known?.defaultValue ?? .null).isIdentical(to: value ?? .null) { continue }
                    found.append(.setDefault(value, ofAttribute: attribute.name, of: key))
                }
            }
        }
        if found.isEmpty { return }
        try copy.target.performWrite { db in
            for operation in found { _ = try db.performSchemaChange(operation) }
        }
    }

    private func dropIndexes(where isDropped: (IndexSchema, _ type: String) -> Bool) throws {
        var found: [(IndexSchema, String)] = []
        try copy.target.performRead { db in
            for schema in try db.schemas() {
                for index in schema.indexes where isDropped(index, schema.itemTypeKey) {
                    found.append((index, schema.itemTypeKey))
                }
            }
        }
        if found.isEmpty { return }
        try copy.target.performWrite { db in
            for (index, type) in found { _ = try db.dropIndex(index, ofType: type) }
        }
    }
}

extension ItemSchema {
    /// The schema with values of any kinds, and without unique indexes.
    fileprivate var relaxed: ItemSchema {
        ItemSchema(
            itemTypeKey, formerTypeKeys: formerTypeKeys, attributes: ofAnyKind.attributes,
            indexes: indexes.filter { !$0.isUnique })
    }

    /// Whether items that hold no value, or null, have the same value in both.
    fileprivate func hasSameDefaults(as other: ItemSchema) -> Bool {
        attributes.allSatisfy { attribute in
            let before = other.attributes.first { $0.name == attribute.name }
            let value = attribute.defaultValue ?? .null
            return value.isIdentical(to: before?.defaultValue ?? .null)
                && (value.isNull || attribute.isOptional == before?.isOptional)
        }
    }
}
