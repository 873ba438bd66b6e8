import JustPersist

/// Keeps the declarations of one store the same as those of another.
struct SchemaMirror {
    /// What the replica declares, as far as it was made to.
    private var declared: [String: ItemSchema] = [:]

    /// Declares types in the replica as the primary declares them by now; all of them if none are named.
    ///
    /// - Returns: The schemas of those types, by key.
    @discardableResult
    mutating func update(
        _ types: Set<String>? = nil, of replica: any DataStore,
        from primary: borrowing DataStoreReader
    ) throws -> [String: ItemSchema] {
        let schemas = try primary.schemas().filter { types?.contains($0.itemTypeKey) ?? true }
        let changed = schemas.filter { !$0.declaresSame(as: declared[$0.itemTypeKey]) }
        if !changed.isEmpty {
            try replica.performWrite { db in
                let known = Dictionary(
                    try db.schemas().map { ($0.itemTypeKey, $0) },
                    uniquingKeysWith: { first, _ in first })
                for schema in changed { try Self.declare(schema, known, in: db) }
            }
        }
        for schema in changed { declared[schema.itemTypeKey] = schema }
        return Dictionary(
            schemas.map { ($0.itemTypeKey, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Declares types without kinds of values, for the primary keeps values of earlier declarations' kinds too.
    mutating func open(
        _ types: Set<String>, of replica: any DataStore, from primary: borrowing DataStoreReader
    ) throws {
        let schemas = try primary.schemas().filter { types.contains($0.itemTypeKey) }
        if schemas.isEmpty { return }
        try replica.performWrite { db in
            for schema in schemas { try db.declare(schema.ofAnyKind) }
        }
        for schema in schemas { declared[schema.itemTypeKey] = schema }
    }

    /// Declares types again as they are.
    mutating func close(
        _ types: Set<String>, of replica: any DataStore, from primary: borrowing DataStoreReader
    ) throws {
        for type in types { declared[type] = nil }
        try update(types, of: replica, from: primary)
    }

    private static func declare(
        _ schema: ItemSchema, _ known: [String: ItemSchema], in db: borrowing DataStoreWriter
    ) throws {
        let keys = [schema.itemTypeKey] + schema.formerTypeKeys
        let old = keys.lazy.compactMap { known[$0] }.first
        if let old, schema.declaresSame(as: old) { return }
        try db.declare(schema)
        for index in old?.indexes ?? [] where !schema.indexes.contains(index) {
            _ = try db.dropIndex(index, ofType: schema.itemTypeKey)
        }
    }
}
