import JustPersist

/// Writes batches of rows into a store: makes items, or changes those that the rows are about.
struct RowsWriter {
    /// The store's refusal of a batch, of which nothing was stored, because of what is in it.
    struct Refusal: Error {
        let error: DataStoreError
        /// The row that it is about, if that is known.
        var row: ImportRow?
    }

    /// What became of a batch that was stored.
    struct Outcome {
        var created = 0
        /// The rows that are left out, if bad ones are to be.
        var refused: [(row: ImportRow, error: DataStoreError)] = []
    }

    private let itemType: String
    private let key: String?
    private let skipsBadRows: Bool
    private let store: any DataStore
    /// The attributes that were declared or are known.
    private var declared: Set<String> = []
    /// Whether the type has to be declared, also if the rows have no members.
    private var isDeclared = false
    /// Whether the store takes the key for unique.
    private var isKeyDeclared = false

    init(_ settings: ItemImport, _ store: any DataStore) {
        itemType = settings.itemType
        key = settings.key
        skipsBadRows = settings.onError == .skip
        self.store = store
    }

    // MARK: The key

    /// Throws if items are to be found by an attribute that several may share.
    mutating func checkKey(_ known: ItemSchema?) throws {
        guard let key else { return }
        isKeyDeclared = known?.indexes.contains { $0.isUnique && $0.attributes == [key] } == true
        if isKeyDeclared { return }
        let count = try store.read { db in try db.count(DataStoreRequest(itemTypeKey: itemType)) }
        guard count == 0 else {
            throw DataStoreError(
                .invalidRequest, in: "import",
                """
                “\(key)” of “\(itemType)” is not unique, so rows cannot be about items by it, and each would be searched in \
                all items. Declare it unique first: justpersist index add STORE \(itemType) \(key) --unique.
                """, itemType: itemType, attribute: key)
        }
    }

    /// Throws if a row does not say which item it is about.
    func check(_ row: ImportRow) throws(RowFailure) {
        guard let key else { return }
        if row.id != nil {
            throw RowFailure(
                reason: """
                    the row says by “$id” which item it is about, and it is to be found by “\(key)”. Leave one of them out
                    """, line: row.line)
        }
        let value = row.members.last { $0.name == key }?.value ?? .null
        guard !value.isNull, value.isEqual(to: value) else {
            throw RowFailure(
                reason: "the row has no value for “\(key)”, by which items are found",
                line: row.line)
        }
    }

    // MARK: Writing

    /// Writes rows in one block.
    ///
    /// - Throws: ``Refusal``, or what else the store throws.
    mutating func write(_ rows: ArraySlice<ImportRow>) throws -> Outcome {
        let names = newNames(rows)
        var outcome = Outcome()
        var refused: ImportRow?
        do {
            try store.performWrite { db in
                outcome = try write(rows, names, in: db, &refused)
            }
        } catch let error as DataStoreError where error.isAboutRows {
            throw Refusal(error: error, row: refused)
        }
        declared.formUnion(names)
        isDeclared = true
        isKeyDeclared = true
        return outcome
    }

    /// The first row with which a batch is refused; `nil` if that cannot be found out.
    ///
    /// Nothing is stored.
    func firstRefused(of batch: [ImportRow]) -> ImportRow? {
        struct TrialOver: Error {}
        /// Whether the store takes so many rows.
        func takes(_ count: Int) -> Bool {
            let rows = batch[..<count]
            var refused: ImportRow?
            do {
                try store.performWrite { db in
                    _ = try write(rows, newNames(rows), in: db, &refused)
                    // A query has what is pending judged, as the end of the block would.
                    let request = DataStoreRequest(itemTypeKey: itemType)
                    request.limit = 1
                    _ = try db.performFetch(request)
                    throw TrialOver()
                }
            } catch {
                return error is TrialOver
            }
            return true
        }
        var (taken, refused) = (0, batch.count)
        if takes(refused) { return nil }
        while refused - taken > 1 {
            let middle = (taken + refused) / 2
            if takes(middle) { taken = middle } else { refused = middle }
        }
        return batch[refused - 1]
    }

    private func newNames(_ rows: ArraySlice<ImportRow>) -> [String] {
        var names: [String] = []
        var seen: Set<String> = []
        for row in rows {
            for member in row.members where !declared.contains(member.name) {
                if seen.insert(member.name).inserted { names.append(member.name) }
            }
        }
        return names
    }

    private func write(
        _ rows: ArraySlice<ImportRow>, _ names: [String], in db: borrowing DataStoreWriter,
        _ refused: inout ImportRow?
    ) throws(DataStoreError) -> Outcome {
        try declare(names, in: db)
        if let key { return try update(rows, by: key, in: db, &refused) }
        var outcome = Outcome()
        for row in rows {
            do throws(DataStoreError) {
                if try write(row, in: db) { outcome.created += 1 }
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

    private func declare(
        _ names: [String], in db: borrowing DataStoreWriter
    ) throws(DataStoreError) {
        let declaresKey = key != nil && !isKeyDeclared
        if isDeclared, names.isEmpty, !declaresKey { return }
        // What is known already may be declared more closely.
        let known = try db.schemas().first { $0.itemTypeKey == itemType }
        var attributes: [AttributeSchema] = []
        for name in names where known?.attribute(named: name) == nil {
            attributes.append(AttributeSchema(name))
        }
        let indexes = declaresKey ? [IndexSchema(key.map { [$0] } ?? [], isUnique: true)] : []
        try db.declare(ItemSchema(itemType, attributes: attributes, indexes: indexes))
    }

    /// Makes the item of a row, or changes the one with its id; tells whether it made one.
    ///
    /// It has done neither if it throws.
    private func write(
        _ row: ImportRow, in db: borrowing DataStoreWriter
    ) throws(DataStoreError) -> Bool {
        guard let id = row.id else {
            let item = try db.create(itemType)
            try fill(item, row, in: db)
            return true
        }
        let type = ItemType(dynamic: itemType)
        if let item = try db.performFetchItem(type, id: id) {
            try change(item, row)
            return false
        }
        let item = DynamicItem(itemType, id: id)
        _ = try db.performInsert(item)
        try fill(item, row, in: db)
        return true
    }

    /// Gives a new item its values, or deletes it again.
    private func fill(
        _ item: any MutableDataStoreItem, _ row: ImportRow, in db: borrowing DataStoreWriter
    ) throws(DataStoreError) {
        do throws(DataStoreError) {
            let backing = item.backing.storeBacking
            for member in row.members {
                try backing.setValue(member.value, forAttribute: member.name)
            }
        } catch {
            _ = try db.performDelete(item)
            throw error
        }
    }

    /// Gives an item the row's values, or all of its own again.
    private func change(
        _ item: any DataStoreItem, _ row: ImportRow, except key: String? = nil
    ) throws(DataStoreError) {
        let backing = item.backing
        var former: [ImportRow.Member] = []
        do throws(DataStoreError) {
            for member in row.members where member.name != key {
                let value = try backing.value(forAttribute: member.name)
                if value == member.value { continue }
                try backing.setValue(member.value, forAttribute: member.name)
                former.append((member.name, value))
            }
        } catch {
            for member in former.reversed() {
                try backing.setValue(member.value, forAttribute: member.name)
            }
            throw error
        }
    }

    private func update(
        _ rows: ArraySlice<ImportRow>, by key: String, in db: borrowing DataStoreWriter,
        _ refused: inout ImportRow?
    ) throws(DataStoreError) -> Outcome {
        let all = DataStoreRequest(itemTypeKey: itemType)
        let before = try db.performCount(all)
        let keys = rows.map { row in row.members.last { $0.name == key }?.value ?? .null }
        let items = try db.upsert(itemType, key, values: keys)
        for (item, row) in zip(items, rows) {
            do throws(DataStoreError) {
                try change(item, row, except: key)
            } catch {
                // The item may have been made for this row.
                refused = row
                throw error
            }
        }
        return Outcome(created: try db.performCount(all) - before)
    }
}

extension DataStoreError {
    /// Whether the values are refused, and not the store in trouble.
    fileprivate var isAboutRows: Bool {
        [
            .kindMismatch, .unsupportedValue, .limitExceeded, .uniqueViolation, .invalidName,
            .unknownAttribute, .conflictingAttributes,
        ].contains(code)
    }
}
