import JustPersist

/// A migration between any two stores: each item is read with one and created with the other.
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
            let schemas = try source.schemas()
            try MigrationCheck.run(source, schemas, against: target.capabilities)
            if !updates { try checkIsPart(of: source) }
            try target.performWrite { db in
                for schema in schemas { try db.declare(schema.ofAnyKind) }
            }
            var progress = MigrationProgress(totalItems: 0)
            for schema in schemas {
                progress.totalItems += try source.count(schema.allItems)
            }
            var digests: [String: TypeDigest] = [:]
            for schema in schemas {
                digests[schema.itemTypeKey] = try copy(schema, source, &progress, report)
            }
            try target.performWrite { db in
                for schema in schemas { try db.declare(schema) }
            }
            progress.begin(.verifying)
            result = try verify(digests, source, &progress, report)
        }
        guard let result else { throw DataStoreError.notSetUp(in: "migrate") }
        return result
    }

    /// Throws if the target holds anything that the source does not.
    private func checkIsPart(of source: borrowing DataStoreReader) throws {
        try target.performRead { target in
            for schema in try target.schemas() {
                try target.forEach(schema.allItems) { item in
                    let type = ItemType(dynamic: schema.itemTypeKey)
                    let original = try source.performFetchItem(type, id: item.uniqueToken)
                    guard let original, try item.hasSameValues(as: original) else {
                        throw migration.targetNotEmpty(schema.itemTypeKey, item.uniqueToken)
                    }
                }
            }
        }
    }

    // MARK: Copying

    private typealias Batch = [(id: ItemID, values: [String: DataStoreValue])]

    private func copy(
        _ schema: ItemSchema, _ source: borrowing DataStoreReader,
        _ progress: inout MigrationProgress, _ report: (MigrationProgress) throws -> Void
    ) throws -> TypeDigest {
        let key = schema.itemTypeKey
        // Where null is not what an item has that holds no value.
        let nullable = schema.attributes.filter { $0.defaultValue != nil }.map(\.name)
        var digest = TypeDigest()
        var batch: Batch = []
        var bytes = 0
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
            bytes += digest.add(hash)
            batch.append((id, values))
            if batch.count >= migration.batchSize || bytes >= migration.batchBytes {
                try flush(&progress)
            }
        }
        try flush(&progress)
        try writer.finish(&progress, report)
        return digest
    }

    private func write(_ batch: Batch, ofType key: String) throws {
        try target.performWrite { db in
            for (id, values) in batch {
                let isNew = try db.performInsert(DynamicItem(key, id: id, values: values))
                // What is there already is the same.
                if isNew || !updates { continue }
                guard let item = try db.performFetchItem(ItemType(dynamic: key), id: id) else {
                    continue
                }
                for name in item.backing.attributeNames {
                    try item.backing.setValue(values[name] ?? .null, forAttribute: name)
                }
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
                    // Those beside the source's are nobody's concern.
                    try source.forEach(all) { item in
                        guard let copy = try target.dynamicItem(item.reference) else { return }
                        try add(copy, &progress)
                    }
                } else {
                    try target.forEach(all) { try add($0, &progress) }
                }
                progress.advance(key, items: found.count - done, bytes: bytes)
                try report(progress)
                counts[key] = try target.count(all)
                if found != digest {
                    throw migration.verificationFailed(key, expected: digest, found: found)
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

    /// The same, open to values of an earlier declaration's kinds, which the source keeps.
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
