import JustPersist

/// The items of an update that pass unique values on to each other, and so must be written in one block.
///
/// Uniqueness is checked at the end of each block. An update writes many blocks: a block would be refused if it gave an
/// item a value that another item loses only in a later block.
struct HandedOnValues {
    /// The ids of those items, by type.
    private(set) var ids: [String: Set<ItemID>] = [:]

    private let migration: Migration
    private let renames: RenamedTypes
    private let there: [ItemSchema]

    /// Finds items of the source that are new in the target, or have other unique values there.
    ///
    /// - Throws: `.uniqueViolation` if a value belongs to an item that only the target has, and `.limitExceeded` if
    ///   more items pass values on than one block takes. In these cases nothing is written.
    init(
        _ migration: Migration, from source: borrowing DataStoreReader, _ schemas: [ItemSchema],
        to target: borrowing DataStoreReader, _ progress: inout MigrationProgress,
        _ report: (MigrationProgress) throws -> Void
    ) throws {
        self.migration = migration
        there = try target.schemas()
        renames = RenamedTypes(there, in: schemas)
        guard migration.target.capabilities.enforcesUniqueness else { return }
        progress.begin(.checking)
        for other in there {
            guard let key = renames.key(other.itemTypeKey),
                let schema = schemas.first(where: { $0.itemTypeKey == key })
            else { continue }
            let indexes = indexes(of: schema, other)
            if try indexes.isEmpty || isEmpty(other, target) { continue }
            try find(indexes, schema, other, source, target) {
                try progress.noteChecked(key, every: migration.batchSize, report)
            }
            try checkSize(key, source)
        }
    }

    /// A unique index in both stores.
    private struct Pair: Hashable {
        let inSource: IndexSchema
        let inTarget: IndexSchema
    }

    /// The unique indexes of either store whose attributes both stores have.
    private func indexes(of schema: ItemSchema, _ other: ItemSchema) -> Set<Pair> {
        var names: [String: String] = [:]
        for attribute in other.attributes {
            let name = renames.attribute(attribute.name, ofType: other.itemTypeKey)
            if schema.index(ofAttribute: name) != nil { names[attribute.name] = name }
        }
        let back = Dictionary(
            names.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
        func renamed(_ index: IndexSchema, _ names: [String: String]) -> IndexSchema? {
            var attributes: [String] = []
            for path in index.attributes {
                let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
                guard let name = names[parts[0]] else { return nil }
                attributes.append(([name] + parts.dropFirst()).joined(separator: "."))
            }
            return IndexSchema(attributes, isUnique: true, ignoresCase: index.ignoresCase)
        }
        var pairs: Set<Pair> = []
        for index in other.indexes where index.isUnique {
            if let own = renamed(index, names) {
                pairs.insert(Pair(inSource: own, inTarget: index))
            }
        }
        for index in schema.indexes where index.isUnique {
            if let its = renamed(index, back) { pairs.insert(Pair(inSource: index, inTarget: its)) }
        }
        return pairs
    }

    private func isEmpty(
        _ other: ItemSchema, _ target: borrowing DataStoreReader
    ) throws -> Bool {
        let request = DataStoreRequest(type: ItemType(dynamic: other.itemTypeKey), limit: 1)
        return try target.items(request).isEmpty
    }

    private mutating func find(
        _ indexes: Set<Pair>, _ schema: ItemSchema, _ other: ItemSchema,
        _ source: borrowing DataStoreReader, _ target: borrowing DataStoreReader,
        _ note: () throws -> Void
    ) throws {
        let key = schema.itemTypeKey
        let pairs = indexes.map { (UniqueIndex($0.inSource), UniqueIndex($0.inTarget)) }
        try source.forEach(schema.allItems) { item in
            try note()
            let id = item.uniqueToken
            let copy = try target.performFetchItem(ItemType(dynamic: other.itemTypeKey), id: id)
            for (index, its) in pairs {
                guard let values = try index.values(of: item) else { continue }
                if let copy, let old = try its.values(of: copy), index.areEqual(old, values) {
                    continue
                }
                for holder in try target.items(its.equal(other.itemTypeKey, values))
                where holder.uniqueToken != id {
                    let isUpdated =
                        try source.performFetchItem(
                            ItemType(dynamic: key), id: holder.uniqueToken) != nil
                    if !isUpdated { throw refusal(of: id, holder.uniqueToken, key, index) }
                    ids[key, default: []].formUnion([id, holder.uniqueToken])
                }
            }
        }
    }

    private func refusal(
        of id: ItemID, _ holder: ItemID, _ itemType: String, _ index: UniqueIndex
    ) -> DataStoreError {
        DataStoreError(
            .uniqueViolation, in: "migrate",
            """
            The “\(itemType)” \(id) of the source has the same \(index.names), which is declared unique, as \(holder), which \
            only the target has. Nothing was written. Change or delete one of them.
            """, itemType: itemType, attribute: index.index.attributes.first)
    }

    private func checkSize(_ itemType: String, _ source: borrowing DataStoreReader) throws {
        let limit = migration.target.capabilities.limits.writeBlockBytes / 2
        var bytes = 0
        for id in ids[itemType] ?? [] {
            guard let item = try source.performFetchItem(ItemType(dynamic: itemType), id: id) else {
                continue
            }
            var digest = TypeDigest()
            bytes += try digest.add(item)
            if bytes <= limit { continue }
            throw DataStoreError(
                .limitExceeded, in: "migrate",
                """
                Items of “\(itemType)” hand unique values on to each other: \(ids[itemType]?.count ?? 0) of them, of more than \
                \(limit) bytes, which one write block of the target does not take. Nothing was written. Migrate into an \
                empty store.
                """, itemType: itemType)
        }
    }
}
