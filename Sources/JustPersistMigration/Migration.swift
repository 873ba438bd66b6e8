public import JustPersist

/// Copies everything that one store holds into another, of whatever backend, and verifies the copy.
///
/// ```swift
/// let report = try Migration(from: old, to: new).run()
/// ```
///
/// Types, attributes, declared indexes, items, ids and values come over as one snapshot of the source has
/// them; the source is not changed. Both stores must be open, and nobody else should write to the target
/// meanwhile. An interrupted migration is run again with ``Policy/updateByID``, and ends complete.
public struct Migration {
    /// What to do with a target that holds items already.
    public enum Policy: Sendable {
        /// Refuse it, with `.targetNotEmpty`.
        case intoEmpty
        /// Update by id: overwrite target items that have the id of a source item, and add the missing ones.
        ///
        /// An overwritten item has exactly the values of the source item. All other items of the target stay unchanged.
        case updateByID
    }

    /// How far a migration has come.
    public struct Progress: Sendable {
        /// The type that is being copied.
        public let itemType: String
        /// The items of all types that are in the target now.
        public let items: Int
        /// The items of all types in the source.
        public let totalItems: Int
    }

    /// What was copied.
    public struct Report: Sendable {
        /// The digest of each type, the same on both sides.
        public let types: [String: TypeDigest]
        /// The number of items of each type in the target, those that were there before included.
        public let targetCounts: [String: Int]
    }

    private let source: any DataStore
    private let target: any DataStore
    private let policy: Policy
    private let batchSize: Int
    /// A batch ends behind this many bytes of values.
    private static let batchBytes = 16 << 20

    /// A migration between two open stores, with at most `batchSize` items in a write block.
    public init(
        from source: any DataStore, to target: any DataStore, policy: Policy = .intoEmpty,
        batchSize: Int = 2000
    ) {
        self.source = source
        self.target = target
        self.policy = policy
        self.batchSize = max(1, batchSize)
    }

    /// Copies, and compares both sides by count and digest.
    ///
    /// What the target cannot hold is found and listed before anything is written. Copies that differ in
    /// the end are `.verificationFailed`.
    ///
    /// - Parameter progress: Called on this thread after each batch. What it throws ends the migration;
    ///   what was copied before stays.
    @discardableResult
    public func run(progress: (Progress) throws -> Void = { _ in }) throws -> Report {
        if source === target {
            throw DataStoreError(
                .invalidRequest, in: "migrate",
                "The source and the target are the same store. Name another target.")
        }
        if target.capabilities.isReadOnly { throw DataStoreError.readOnly(in: "migrate") }
        var report: Report?
        try source.performRead { source in
            let schemas = try source.schemas()
            try MigrationCheck.run(source, schemas, against: target.capabilities)
            if policy == .intoEmpty { try checkEmpty() }
            try target.performWrite { db in
                for schema in schemas { try db.declare(schema.ofAnyKind) }
            }
            let copied = try copy(schemas, from: source, progress)
            try target.performWrite { db in
                for schema in schemas { try db.declare(schema) }
            }
            report = try verify(copied, against: source)
        }
        guard let report else { throw DataStoreError.notSetUp(in: "migrate") }
        return report
    }

    private func checkEmpty() throws {
        try target.performRead { target in
            for schema in try target.schemas() {
                let key = schema.itemTypeKey
                let count = try target.count(DataStoreRequest(itemTypeKey: key))
                if count == 0 { continue }
                throw DataStoreError(
                    .targetNotEmpty, in: "migrate",
                    """
                    The target already holds \(count) items of “\(key)”. Choose an empty target, or \
                    update by id, as after an interrupted migration.
                    """, itemType: key)
            }
        }
    }

    // MARK: Copying

    private typealias Batch = [(id: ItemID, values: [String: DataStoreValue])]

    private func copy(
        _ schemas: [ItemSchema], from source: borrowing DataStoreReader,
        _ progress: (Progress) throws -> Void
    ) throws -> [String: TypeDigest] {
        let requests = schemas.map { DataStoreRequest(itemTypeKey: $0.itemTypeKey) }
        var total = 0
        for request in requests { total += try source.count(request) }
        var done = 0
        var digests: [String: TypeDigest] = [:]
        for (schema, request) in zip(schemas, requests) {
            let key = request.type.key
            // Where null is not what an item has that holds no value.
            let nullable = schema.attributes.filter { $0.defaultValue != nil }.map(\.name)
            var digest = TypeDigest()
            var batch: Batch = []
            var bytes = 0
            func flush() throws {
                if batch.isEmpty { return }
                try write(batch, ofType: key)
                done += batch.count
                batch.removeAll(keepingCapacity: true)
                bytes = 0
                try progress(Progress(itemType: key, items: done, totalItems: total))
            }
            try source.forEach(request) { item in
                let values = try item.storedValues(withNullsOf: nullable)
                bytes += digest.add(item.uniqueToken, values)
                batch.append((item.uniqueToken, values))
                if batch.count >= batchSize || bytes >= Self.batchBytes { try flush() }
            }
            try flush()
            digests[key] = digest
        }
        return digests
    }

    private func write(_ batch: Batch, ofType key: String) throws {
        try target.performWrite { db in
            for (id, values) in batch {
                let isNew = try db.performInsert(DynamicItem(key, id: id, values: values))
                if isNew || policy == .intoEmpty { continue }
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
        _ copied: [String: TypeDigest],
        against source: borrowing DataStoreReader
    ) throws -> Report {
        var counts: [String: Int] = [:]
        try target.performRead { target in
            for (key, expected) in copied.sorted(by: { $0.key < $1.key }) {
                let request = DataStoreRequest(itemTypeKey: key)
                var found = TypeDigest()
                if policy == .intoEmpty {
                    found = try target.digest(ofType: key)
                } else {
                    try source.forEach(request) { item in
                        guard let copy = try target.dynamicItem(item.reference) else { return }
                        found.add(item.id, try copy.storedValues())
                    }
                }
                counts[key] = try target.count(request)
                if found == expected { continue }
                throw DataStoreError(
                    .verificationFailed, in: "migrate",
                    """
                    The copies of “\(key)” differ: \(expected.count) items in the source, \
                    \(found.count) in the target, \
                    \(found.count == expected.count ? "and other values" : "some are missing or new"). \
                    Let nobody else write to the target, and run again, updating by id.
                    """, itemType: key)
            }
        }
        return Report(types: copied, targetCounts: counts)
    }
}

extension ItemSchema {
    /// The same, open to values of an earlier declaration's kinds, which the source keeps.
    fileprivate var ofAnyKind: ItemSchema {
        ItemSchema(
            itemTypeKey,
            attributes: attributes.map { attribute in
                AttributeSchema(
                    attribute.name, default: attribute.defaultValue,
                    isOptional: attribute.isOptional, formerNames: attribute.formerNames)
            }, indexes: indexes)
    }
}
