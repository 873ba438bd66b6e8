import JustPersist

/// Writes items and their relationships into a store.
struct ItemsIntake {
    /// The number of rows by result.
    struct Outcome {
        var created = 0
        /// The items that a row or a relationship of it changed.
        var updated: Set<ItemID> = []
    }

    let source: ItemSource
    let store: any DataStore
    let findings: Findings
    private static let batchSize = 1000
    private static let batchBytes = 8 << 20

    private var kinds: [Layout.ItemKind] { source.layout.kinds }

    /// Declares all types, without what holds only when all items are written.
    ///
    /// - Returns: The uniqueness that an earlier import has declared, and that is dropped for this one.
    func declare() throws -> ReleasedUniqueness {
        var notes: [CoreDataImport.Note] = []
        let schemas = kinds.map { $0.schema(findings, isWhole: false, &notes) }
        var released = ReleasedUniqueness()
        let enforcesUniqueness = store.capabilities.enforcesUniqueness
        try store.performWrite { db in
            var found = ReleasedUniqueness()
            for schema in schemas { try db.declare(schema) }
            for kind in kinds where enforcesUniqueness {
                try found.release(kind, of: source, in: db)
            }
            released = found
        }
        return released
    }

    /// Declares numbers of others and uniqueness, which every later block must keep.
    func declareWhole(_ released: ReleasedUniqueness) throws {
        var notes: [CoreDataImport.Note] = []
        let schemas = kinds.map {
            $0.schema(findings, released.others[$0.name] ?? [], isWhole: true, &notes)
        }
        try store.performWrite { db in for schema in schemas { try db.declare(schema) } }
    }

    /// Writes the rows of a type.
    func writeRows(
        _ kind: Layout.ItemKind, _ outcome: inout Outcome, _ progress: (_ rows: Int) throws -> Void
    ) throws {
        let nullable = Set(
            kind.fields.filter { $0.attribute.defaultValue != nil }.map(\.attribute.name))
        let toOne = Set(kind.links.filter { !$0.relationship.isToMany }.map(\.name))
        var batch: [ItemSource.Row] = []
        var bytes = 0
        var failure: (any Error)?
        func flush() throws {
            let rows = batch
            if rows.isEmpty { return }
            var result = Outcome()
            try store.performWrite { db in
                result = try db.put(rows, ofType: kind.name, nullable, toOne)
            }
            outcome.created += result.created
            outcome.updated.formUnion(result.updated)
            batch = []
            bytes = 0
            try progress(rows.count)
        }
        do {
            try source.forEach(kind) { (row) throws(DataStoreError) in
                batch.append(row)
                bytes += row.values.values.reduce(0) { $0 + $1.roughSize }
                guard batch.count >= Self.batchSize || bytes >= Self.batchBytes else { return }
                do { try flush() } catch {
                    failure = error
                    throw DataStoreError(.storageFailure, in: "import", "The import ended.")
                }
            }
        } catch {
            // Errors of the program's own pass unchanged.
            throw failure ?? error
        }
        try flush()
    }

    /// Writes the relationships of a type that are not in columns of its rows, and the orders of those that are.
    func writeLinks(
        _ kind: Layout.ItemKind, isNew: Bool, _ outcome: inout Outcome
    ) throws {
        for link in kind.links where writes(link, of: kind) {
            let wanted = try source.references(link, of: kind)
            let ids = source.ids(of: kind)
            var keys = Array(wanted.keys)
            if !isNew {
                // Relationships that lead nowhere any more.
                keys = []
                try source.forEach(kind) { keys.append($0.key) }
            }
            keys.sort()
            for start in stride(from: 0, to: keys.count, by: Self.batchSize) {
                let batch = keys[start..<min(start + Self.batchSize, keys.count)]
                    .map { (ids.id($0), wanted[$0] ?? []) }
                var changed: Set<ItemID> = []
                try store.performWrite { db in
                    changed = try db.relate(batch, link.name, ofType: kind.name)
                }
                if !isNew { outcome.updated.formUnion(changed) }
            }
        }
    }

    /// Whether a relationship is written from this side: both sides are if each has an order of its own.
    private func writes(_ link: Layout.Link, of kind: Layout.ItemKind) -> Bool {
        guard case .pairs = link.place else { return false }
        guard let name = link.inverse, !link.relationship.isOrdered,
            let inverse = kinds.first(where: { $0.name == link.target })?.links
                .first(where: { $0.name == name && $0.target == kind.name })
        else { return true }
        if inverse.relationship.isOrdered { return false }
        return (kind.name, link.name) <= (link.target, inverse.name)
    }

    /// The number of items of a type that were imported from the store and whose rows do not exist any more.
    func countLeft(_ kind: Layout.ItemKind) throws -> Int {
        let ids = source.ids(of: kind)
        var count = 0
        try store.performRead { db in
            try db.performScan(DataStoreRequest(itemTypeKey: kind.name)) { item in
                if let key = ids.key(item.uniqueToken), !source.has(key, of: kind) { count += 1 }
            }
        }
        return count
    }
}

extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// Creates the items of rows, or changes those that exist.
    fileprivate func put(
        _ rows: [ItemSource.Row], ofType key: String, _ nullable: Set<String>, _ toOne: Set<String>
    ) throws(DataStoreError) -> ItemsIntake.Outcome {
        let type = ItemType(dynamic: key)
        var outcome = ItemsIntake.Outcome()
        for row in rows {
            guard let item = try performFetchItem(type, id: row.id) else {
                // References of relationships, too: both sides come from columns, or have one column.
                let values = row.values.filter { !$1.isNull || nullable.contains($0) }
                if try performInsert(DynamicItem(key, id: row.id, values: values)) {
                    outcome.created += 1
                }
                continue
            }
            let backing = item.backing.storeBacking
            for (name, value) in row.values where try backing.value(forAttribute: name) != value {
                if toOne.contains(name) {
                    try setRelated(try relation(name, of: type), of: item, toValue: value)
                } else {
                    try backing.setValue(value, forAttribute: name)
                }
                outcome.updated.insert(row.id)
            }
        }
        return outcome
    }

    /// Sets the others of items, and returns the items for which that changed them.
    fileprivate func relate(
        _ items: [(id: ItemID, others: [ItemReference])], _ name: String, ofType key: String
    ) throws(DataStoreError) -> Set<ItemID> {
        let type = ItemType(dynamic: key)
        let relation = try relation(name, of: type)
        var changed: Set<ItemID> = []
        for (id, others) in items {
            guard let item = try performFetchItem(type, id: id) else { continue }
            let present = try references(relation, of: ItemReference(to: item))
            let isEqual =
                relation.schema.isOrdered ? present == others : Set(present) == Set(others)
            if isEqual {
                // They may have the order of their creation, which is not kept yet.
                if relation.schema.isOrdered { try addRelated(relation, of: item, others) }
                continue
            }
            changed.insert(id)
            try setRelated(relation, of: item, toValue: .array(others.map { .reference($0) }))
        }
        return changed
    }
}

extension DataStoreValue {
    /// About the bytes that a value takes.
    fileprivate var roughSize: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .data(let data): data.count
        case .array(let values): values.reduce(0) { $0 + $1.roughSize }
        case .dictionary(let values):
            values.reduce(0) { $0 + $1.key.utf8.count + $1.value.roughSize }
        default: 16
        }
    }
}
