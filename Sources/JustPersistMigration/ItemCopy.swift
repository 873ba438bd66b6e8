import JustPersist
import JustPersistRecords

/// A migration between any two stores, which reads each item and creates it again.
struct ItemCopy: Sendable {
    private let migration: Migration
    private let source: any DataStore
    private let target: any DataStore

    init(_ migration: Migration) {
        self.migration = migration
        source = migration.source
        target = migration.target
    }

    private var updates: Bool { migration.policy == .updateByID }

    func run(_ report: (MigrationProgress) throws -> Void) throws -> Migration.Report {
        var result: Migration.Report?
        try source.performRead { source in
            let schemas = try schemas(source)
            var progress = MigrationProgress(totalItems: 0)
            for schema in schemas {
                progress.totalItems += try source.expectedCount(schema.itemTypeKey)
            }
            try MigrationCheck.run(migration, source, schemas, &progress, report)
            let together =
                updates
                ? try handedOnValues(source, schemas, &progress, report)
                : try checkIsPart(of: source, schemas, &progress, report)
            try declare(schemas.map(\.ofAnyKind))
            let nullable = try attributesWithDefault(schemas)
            progress.begin(.copying)
            var digests: [String: TypeDigest] = [:]
            for schema in schemas {
                let key = schema.itemTypeKey
                let nullable = nullable[key] ?? []
                // These are written first, in one block, because uniqueness is checked at the end of a block.
                let batch = try batch(of: together[key] ?? [], key, nullable, source)
                if !batch.isEmpty { try write(batch, ofType: key) }
                digests[key] = try copy(schema, nullable, source, &progress, report)
            }
            try target.performWrite { db in
                for schema in schemas { try db.declare(schema.withFittingDefaults) }
            }
            try migration.endLoad()
            progress.begin(.verifying)
            result = try verify(digests, source, &progress, report)
        }
        guard let result else { throw DataStoreError.notSetUp(in: "migrate") }
        return result
    }

    /// The types to copy.
    ///
    /// If the target has the steps of the source already, they are not copied to it a second time.
    private func schemas(_ source: borrowing DataStoreReader) throws -> [ItemSchema] {
        let schemas = try source.schemas()
        if !updates { return schemas }
        var hasHistory = false
        try target.performRead { target in
            try HistoryCheck.run(from: source, to: target)
            hasHistory = try !target.schemaHistory().isEmpty
        }
        return schemas.filter { !hasHistory || $0.itemTypeKey != AppliedSchemaStep.itemTypeKey }
    }

    // MARK: What is in the target

    /// Throws if the target holds anything that the source does not.
    private func checkIsPart(
        of source: borrowing DataStoreReader, _ schemas: [ItemSchema],
        _ progress: inout MigrationProgress, _ report: (MigrationProgress) throws -> Void
    ) throws -> [String: Set<ItemID>] {
        progress.begin(.checking)
        try target.performRead { target in
            let others = try target.schemas()
            // The source may have renamed some since the migration was interrupted.
            let renames = RenamedTypes(others, in: schemas)
            for other in others {
                let key = renames.key(other.itemTypeKey) ?? other.itemTypeKey
                let added = defaults(of: key, schemas, besides: other, renames)
                try target.forEach(other.allItems) { item in
                    let id = item.uniqueToken
                    let original = try source.performFetchItem(ItemType(dynamic: key), id: id)
                    let values = renames.values(
                        try item.storedValues(), ofType: other.itemTypeKey
                    ).merging(added) { own, _ in own }
                    guard let original,
                        try original.storedValues().differences(from: values).isEmpty
                    else { throw migration.targetNotEmpty(other.itemTypeKey, id) }
                    try progress.noteChecked(key, every: migration.batchSize, report)
                }
            }
        }
        return [:]
    }

    /// The defaults of attributes that the target does not know yet, which its items will get.
    private func defaults(
        of key: String, _ schemas: [ItemSchema], besides other: ItemSchema, _ renames: RenamedTypes
    ) -> [String: DataStoreValue] {
        let known = Set(
            other.attributes.map { renames.attribute($0.name, ofType: other.itemTypeKey) })
        var values: [String: DataStoreValue] = [:]
        for attribute in schemas.first(where: { $0.itemTypeKey == key })?.attributes ?? []
        where !known.contains(attribute.name) {
            values[attribute.name] = attribute.defaultValue
        }
        return values
    }

    /// The items that have to be written together, by type.
    private func handedOnValues(
        _ source: borrowing DataStoreReader, _ schemas: [ItemSchema],
        _ progress: inout MigrationProgress, _ report: (MigrationProgress) throws -> Void
    ) throws -> [String: Set<ItemID>] {
        var ids: [String: Set<ItemID>] = [:]
        try target.performRead { target in
            ids = try HandedOnValues(
                migration, from: source, schemas, to: target, &progress, report
            )
            .ids
        }
        return ids
    }

    private func declare(_ schemas: [ItemSchema]) throws {
        try SchemaCopy(source: source, target: target).declare(schemas)
    }

    /// The attributes, by type, for which either store distinguishes null from a missing value.
    private func attributesWithDefault(_ schemas: [ItemSchema]) throws -> [String: Set<String>] {
        var names: [String: Set<String>] = [:]
        func add(_ schemas: [ItemSchema]) {
            for schema in schemas {
                names[schema.itemTypeKey, default: []].formUnion(
                    schema.attributes.filter { $0.defaultValue != nil }.map(\.name))
            }
        }
        add(schemas)
        try target.performRead { add(try $0.schemas()) }
        return names
    }

    // MARK: Copying

    private func batch(
        of ids: Set<ItemID>, _ key: String, _ nullable: Set<String>,
        _ source: borrowing DataStoreReader
    ) throws -> [ItemState] {
        var batch: [ItemState] = []
        for id in ids.sorted() {
            guard let item = try source.performFetchItem(ItemType(dynamic: key), id: id) else {
                continue
            }
            var values = try item.storedValues(withNullsOf: nullable)
            for name in nullable where values[name] == nil { values[name] = .null }
            batch.append(ItemState(id: id, values: values))
        }
        return batch
    }

    private func copy(
        _ schema: ItemSchema, _ nullable: Set<String>, _ source: borrowing DataStoreReader,
        _ progress: inout MigrationProgress, _ report: (MigrationProgress) throws -> Void
    ) throws -> TypeDigest {
        let key = schema.itemTypeKey
        var digest = TypeDigest()
        var batch: [ItemState] = []
        var bytes = 0
        // Read once: a store computes its capabilities each time.
        let limit = migration.batchBytes
        let writer = BatchWriter(for: target)
        defer { writer.end() }
        func flush(_ progress: inout MigrationProgress) throws {
            if batch.isEmpty { return }
            try writer.write(key, items: batch.count, bytes: bytes, &progress, report) {
                [self, batch] in try write(batch, ofType: key)
            }
            batch = []
            bytes = 0
        }
        try source.forEach(schema.allItems) { item in
            let id = item.uniqueToken
            var hash = ItemHash(id)
            var values: [String: DataStoreValue] = Dictionary(
                minimumCapacity: schema.attributes.count)
            try item.backing.forEachValue { (name, value) throws(DataStoreError) in
                hash.add(name, value)
                if !value.isNull || nullable.contains(name) { values[name] = value }
            }
            for name in nullable where values[name] == nil { values[name] = .null }
            let size = digest.add(hash)
            // One more item could exceed the limit of a write block.
            if bytes + size > limit { try flush(&progress) }
            bytes += size
            batch.append(ItemState(id: id, values: values))
            if batch.count >= migration.batchSize || bytes >= limit {
                try flush(&progress)
            }
        }
        try flush(&progress)
        try writer.finish(&progress, report)
        return digest
    }

    private func write(_ batch: [ItemState], ofType key: String) throws {
        if updates { return try target.write(batch, ofType: key) }
        try target.performWrite { db in
            // An item that is there already is the same.
            for item in batch {
                _ = try db.performInsert(
                    DynamicItem(key, id: item.id, values: item.values ?? [:]))
            }
        }
    }

    // MARK: Verification

    private func verify(
        _ expected: [String: TypeDigest], _ source: borrowing DataStoreReader,
        _ progress: inout MigrationProgress, _ report: (MigrationProgress) throws -> Void
    ) throws -> Migration.Report {
        var counts: [String: Int] = [:]
        try target.performRead { target in
            for (key, digest) in expected.sorted(by: { $0.key < $1.key }) {
                let all = DataStoreRequest(itemTypeKey: key)
                var found = TypeDigest()
                var done = 0
                var bytes = 0
                func add(
                    _ item: any DataStoreItem, _ progress: inout MigrationProgress
                ) throws {
                    bytes += try found.add(item)
                    guard found.count - done >= migration.batchSize else { return }
                    progress.advance(key, items: found.count - done, bytes: bytes)
                    (done, bytes) = (found.count, 0)
                    try report(progress)
                }
                if updates {
                    // Other items of the target are not compared.
                    try source.forEach(all) { item in
                        guard let copy = try target.dynamicItem(item.reference) else { return }
                        try add(copy, &progress)
                    }
                } else {
                    try target.forEach(all) { try add($0, &progress) }
                }
                progress.advance(key, items: found.count - done, bytes: bytes)
                try report(progress)
                if found != digest {
                    throw migration.verificationFailed(key, expected: digest, found: found)
                }
                counts[key] = try migration.checkCount(key, found: found.count) {
                    () throws(DataStoreError) in try target.count(all)
                }
            }
        }
        let result = Migration.Report(types: expected, targetCounts: counts)
        progress.finish(result)
        try report(progress)
        return result
    }
}

extension ItemSchema {
    /// A request for all items of the type.
    var allItems: DataStoreRequest { DataStoreRequest(itemTypeKey: itemTypeKey) }

    /// The schema for values of any kind, because the source keeps values of earlier declarations.
    var ofAnyKind: ItemSchema {
        ItemSchema(
            itemTypeKey, formerTypeKeys: formerTypeKeys,
            attributes: attributes.map { attribute in
                AttributeSchema(
                    attribute.name, default: attribute.defaultValue,
                    isOptional: attribute.isOptional, formerNames: attribute.formerNames)
            }, indexes: indexes)
    }
}
