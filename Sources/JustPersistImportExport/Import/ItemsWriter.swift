import JustPersist

/// Writes rows in a write block: creates items of one type, or changes those that the rows identify.
///
/// It remembers its declarations. To write again after a block was rolled back, use a copy made before the block.
struct ItemsWriter {
    /// The result of writing rows.
    struct Outcome {
        var created = 0
        /// The items of the rows that were not refused, in their order.
        var items: [any DataStoreItem] = []
        /// The refused rows that were left out, if bad rows are skipped.
        var refused: [(row: ImportRow, error: DataStoreError)] = []
        /// The rows that refer to later ones; they are to be written again.
        var deferred: [ImportRow] = []

        /// The rows, among those that were to be written, whose items are among these.
        func rows(of wanted: Set<ItemReference>, among rows: [ImportRow]) -> [ImportRow] {
            if wanted.isEmpty { return [] }
            let left = Set((refused.map(\.row) + deferred).map(\.position))
            let written = rows.filter { !left.contains($0.position) }
            return zip(written, items).filter { wanted.contains(ItemReference(to: $1)) }.map(\.0)
        }
    }

    let type: ItemType
    let key: String?
    private let didImport: ItemMapping.Completion?
    /// The writers of the items that attributes refer to.
    private(set) var nested: [String: ItemsWriter] = [:]
    /// The attributes that are declared or known.
    private var declared: Set<String> = []
    /// Whether the type is declared, which it must be even if the rows have no members.
    private var isDeclared: Bool
    /// Whether the key is declared unique in the store.
    private var isKeyDeclared: Bool
    /// The relationships whose items are found by keys.
    var relations: RelationsWriter?
    /// Whether rows may refer to rows that are written later.
    var defersRows = true
    /// Whether rows that refer to no item are left out.
    var leavesOutRows = false

    init(_ mapper: ItemMapper) {
        type = mapper.type
        key = mapper.key
        didImport = mapper.mapping?.didImport
        // A class declares itself.
        isDeclared = type.schema != nil
        isKeyDeclared = key == nil || isDeclared
        for rule in mapper.rules {
            if case .items(let mapper, _) = rule.use {
                nested[rule.attribute] = ItemsWriter(mapper)
            }
        }
        if !mapper.relations.isEmpty {
            relations = RelationsWriter(type, key: key, mapper.relations, nested: nested)
        }
    }

    /// Whether a refused row can be undone without the rows before it.
    var canSkipRows: Bool {
        nested.isEmpty && didImport == nil && key == nil && relations == nil
    }

    /// Throws if the key is an attribute that is not unique.
    ///
    /// - Parameter count: The number of items of the type.
    mutating func checkKey(_ known: ItemSchema?, count: Int) throws(DataStoreError) {
        guard let key, !isKeyDeclared else { return }
        isKeyDeclared = known?.indexes.contains { $0.isUnique && $0.attributes == [key] } == true
        if isKeyDeclared || count == 0 { return }
        throw DataStoreError(
            .invalidRequest, in: "import",
            """
            “\(key)” of “\(type.key)” is not unique, so rows cannot be about items by it, and each would be searched in \
            all items. Declare it unique first: justpersist index add STORE \(type.key) \(key) --unique.
            """, itemType: type.key, attribute: key)
    }

    /// Writes rows.
    ///
    /// - Parameters:
    ///   - skipsBadRows: Whether refused rows are left out; requires ``canSkipRows``.
    ///   - refused: Set to the refused row, if this throws because of one.
    mutating func write(
        _ rows: [ImportRow], skipsBadRows: Bool = false,
        in db: borrowing some DataStoreReadWriteAccessor & ~Copyable, _ refused: inout ImportRow?
    ) throws(DataStoreError) -> Outcome {
        guard var relations else {
            let rows = try withReferences(rows, in: db, &refused)
            try declare(rows, in: db)
            return try writeItems(rows, skipsBadRows: skipsBadRows, in: db, &refused)
        }
        try declare(rows, in: db)
        try relations.declare(in: db)
        let plan = try relations.plan(rows, defers: defersRows, in: db)
        self.relations = relations
        if !leavesOutRows, let first = plan.refused.first {
            refused = first.row
            throw first.error
        }
        // The nested items of a row that is refused, or that waits, are not written.
        let rows = try withReferences(plan.rows, in: db, &refused)
        try declare(rows, in: db)
        var outcome = try writeItems(rows, skipsBadRows: false, in: db, &refused)
        try relations.write(rows, outcome.items, in: db, &refused)
        for (row, item) in zip(rows, outcome.items) where !row.links.isEmpty {
            do throws(DataStoreError) {
                try complete(item, row)
            } catch {
                refused = row
                throw error
            }
        }
        outcome.refused = plan.refused
        outcome.deferred = plan.deferred
        return outcome
    }

    private func writeItems(
        _ rows: [ImportRow], skipsBadRows: Bool,
        in db: borrowing some DataStoreReadWriteAccessor & ~Copyable, _ refused: inout ImportRow?
    ) throws(DataStoreError) -> Outcome {
        let related = try related(in: db)
        if let key { return try update(rows, by: key, related, in: db, &refused) }
        var outcome = Outcome()
        for row in rows {
            do throws(DataStoreError) {
                let (item, isNew) = try write(row, related, in: db)
                outcome.items.append(item)
                if isNew { outcome.created += 1 }
            } catch {
                guard skipsBadRows, error.isAboutRows else {
                    refused = row
                    throw error
                }
                outcome.refused.append((row, error))
            }
        }
        return outcome
    }

    // MARK: Nested items

    /// Writes the nested items of the rows, and returns the rows with references to them.
    private mutating func withReferences(
        _ rows: [ImportRow], in db: borrowing some DataStoreReadWriteAccessor & ~Copyable,
        _ refused: inout ImportRow?
    ) throws(DataStoreError) -> [ImportRow] {
        if nested.isEmpty { return rows }
        var rows = rows
        for (attribute, writer) in nested.sorted(by: { $0.key < $1.key }) {
            var writer = writer
            // All nested items are written together, because finding items by their key costs less for many.
            let inner = rows.map { $0.nested.first { $0.attribute == attribute } }
            let all = zip(rows, inner).flatMap { row, nested in
                (nested?.rows ?? []).map { inner in
                    var inner = inner
                    // If it is refused, the row is.
                    inner.position = row.position
                    return inner
                }
            }
            let items = try writer.write(all, in: db, &refused).items
            var references = items.map { DataStoreValue.reference(ItemReference(to: $0)) }[...]
            for (place, nested) in inner.enumerated() {
                guard let nested else { continue }
                let own = references.prefix(nested.rows.count)
                references = references.dropFirst(own.count)
                let value = nested.isList ? .array(Array(own)) : own.first ?? .null
                rows[place].members.append((attribute, value))
            }
            self.nested[attribute] = writer
        }
        return rows
    }

    // MARK: Declaring

    private mutating func declare(
        _ rows: [ImportRow], in db: borrowing some DataStoreReadWriteAccessor & ~Copyable
    ) throws(DataStoreError) {
        if type.schema != nil { return }
        let names = newNames(rows)
        if isDeclared, names.isEmpty, isKeyDeclared { return }
        // The declaration of a known type may be narrowed.
        let known = try db.schemas().first { $0.itemTypeKey == type.key }
        if !isKeyDeclared {
            let count =
                try known == nil ? 0 : db.performCount(DataStoreRequest(itemTypeKey: type.key))
            try checkKey(known, count: count)
        }
        var attributes: [AttributeSchema] = []
        let toMany = Set(known?.relationships.filter(\.isToMany).map(\.name) ?? [])
        for name in names where known?.attribute(named: name) == nil && !toMany.contains(name) {
            attributes.append(AttributeSchema(name))
        }
        let indexes = isKeyDeclared ? [] : [IndexSchema(key.map { [$0] } ?? [], isUnique: true)]
        try db.declare(ItemSchema(type.key, attributes: attributes, indexes: indexes))
        declared.formUnion(names)
        isDeclared = true
        isKeyDeclared = true
    }

    private func newNames(_ rows: [ImportRow]) -> [String] {
        var names: [String] = []
        var seen: Set<String> = []
        for row in rows {
            for member in row.members where !declared.contains(member.name) {
                if seen.insert(member.name).inserted { names.append(member.name) }
            }
        }
        return names
    }

    // MARK: Items

    /// The relationships of the type, by name.
    private func related(
        in db: borrowing some DataStoreReadWriteAccessor & ~Copyable
    ) throws(DataStoreError) -> [String: Relation] {
        if db.links == nil { return [:] }
        let relations = try db.resolvedRelations(of: type, isWhole: type.schema != nil)
        return Dictionary(
            relations.map { ($0.schema.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private func value(
        _ name: String, of item: any DataStoreItem, _ related: [String: Relation],
        in db: borrowing some DataStoreReadWriteAccessor & ~Copyable
    ) throws(DataStoreError) -> DataStoreValue {
        guard let relation = related[name], relation.schema.isToMany else {
            return try item.backing.storeBacking.value(forAttribute: name)
        }
        return .array(
            try db.references(relation, of: ItemReference(to: item)).map { .reference($0) })
    }

    private func set(
        _ member: ImportRow.Member, in item: any DataStoreItem, _ related: [String: Relation],
        in db: borrowing some DataStoreReadWriteAccessor & ~Copyable
    ) throws(DataStoreError) {
        if let relation = related[member.name] {
            try db.setRelated(relation, of: item, toValue: member.value)
        } else {
            try item.backing.storeBacking.setValue(member.value, forAttribute: member.name)
        }
    }

    /// Creates the item of a row, or changes the item with its id.
    ///
    /// If it throws, it has changed nothing, except for the effects of a mapping's hook.
    private func write(
        _ row: ImportRow, _ related: [String: Relation],
        in db: borrowing some DataStoreReadWriteAccessor & ~Copyable
    ) throws(DataStoreError) -> (item: any DataStoreItem, isNew: Bool) {
        guard let id = row.id else {
            let item = try db.performCreate(type)
            item.setInitialValues()
            try db.noteCreated(item)
            try fill(item, row, related, in: db)
            return (item, true)
        }
        if let item = try db.performFetchItem(type, id: id) {
            try change(item, row, related, in: db)
            return (item, false)
        }
        let backing = DictionaryBacking(itemTypeKey: type.key, schema: type.schema, id: id)
        guard let item = type.itemClass.init(backing: backing) as? any MutableDataStoreItem else {
            throw DataStoreError(
                .couldNotCreateItemOfType, in: "import",
                "Items of “\(type.key)” cannot be changed, so none can be imported.",
                itemType: type.key)
        }
        if type.schema != nil { item.setInitialValues() }
        if try db.performInsert(item) { try db.noteCreated(item) }
        try fill(item, row, related, in: db)
        return (item, true)
    }

    /// Sets the values of a new item, or deletes it if that fails.
    private func fill(
        _ item: any MutableDataStoreItem, _ row: ImportRow, _ related: [String: Relation],
        in db: borrowing some DataStoreReadWriteAccessor & ~Copyable
    ) throws(DataStoreError) {
        do throws(DataStoreError) {
            for member in row.members { try set(member, in: item, related, in: db) }
            if row.links.isEmpty { try complete(item, row) }
        } catch {
            if related.isEmpty { _ = try db.performDelete(item) } else { try db.delete(item) }
            throw error
        }
    }

    /// Sets the row's values in an item, or restores its former values if that fails.
    private func change(
        _ item: any DataStoreItem, _ row: ImportRow, _ related: [String: Relation],
        except key: String? = nil, in db: borrowing some DataStoreReadWriteAccessor & ~Copyable
    ) throws(DataStoreError) {
        var former: [ImportRow.Member] = []
        do throws(DataStoreError) {
            for member in row.members where member.name != key {
                let value = try value(member.name, of: item, related, in: db)
                if value == member.value { continue }
                former.append((member.name, value))
                try set(member, in: item, related, in: db)
            }
            if row.links.isEmpty { try complete(item, row) }
        } catch {
            for member in former.reversed() { try set(member, in: item, related, in: db) }
            throw error
        }
    }

    private func complete(_ item: any DataStoreItem, _ row: ImportRow) throws(DataStoreError) {
        guard let didImport, let object = row.object, let item = item as? any MutableDataStoreItem
        else { return }
        // If the hook's change is refused, so is the row.
        try PropertyFailures.failingCall { () throws(DataStoreError) in
            do {
                try didImport(item, object)
            } catch let error as DataStoreError {
                throw error
            } catch {
                throw DataStoreError(
                    .invalidInput, in: "import", "\(error) (didImport)", itemType: type.key)
            }
        }
    }

    private func update(
        _ rows: [ImportRow], by key: String, _ related: [String: Relation],
        in db: borrowing some DataStoreReadWriteAccessor & ~Copyable, _ refused: inout ImportRow?
    ) throws(DataStoreError) -> Outcome {
        if rows.isEmpty { return Outcome() }
        let all = DataStoreRequest(type: type)
        let before = try db.performCount(all)
        let keys = rows.map { row in row.members.last { $0.name == key }?.value ?? .null }
        let items = try db.upsert(type, key, values: keys)
        for (item, row) in zip(items, rows) {
            do throws(DataStoreError) {
                try change(item, row, related, except: key, in: db)
            } catch {
                // The item may have been created for this row.
                refused = row
                throw error
            }
        }
        return Outcome(created: try db.performCount(all) - before, items: items)
    }
}

extension DataStoreError {
    /// Whether the error concerns the values, and not the store.
    var isAboutRows: Bool {
        [
            .kindMismatch, .unsupportedValue, .limitExceeded, .uniqueViolation, .invalidName,
            .unknownAttribute, .conflictingAttributes, .invalidInput, .validationFailed,
        ].contains(code)
    }
}
