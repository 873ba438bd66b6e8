import JustPersist

/// Writes batches of rows into a store, each in one write block.
struct RowsWriter {
    /// The store's refusal of a batch because of its content; nothing of the batch was stored.
    struct Refusal: Error {
        let error: DataStoreError
        /// The rows that caused it, if known.
        var rows: [ImportRow]
    }

    private let itemType: String
    private let skipsBadRows: Bool
    private let store: any DataStore
    private var items: ItemsWriter

    init(_ mapper: ItemMapper, skipsBadRows: Bool, _ store: any DataStore) {
        itemType = mapper.type.key
        items = ItemsWriter(mapper)
        items.leavesOutRows = skipsBadRows
        self.skipsBadRows = skipsBadRows && items.canSkipRows
        self.store = store
    }

    /// Throws if the key is an attribute that is not unique.
    mutating func checkKey(_ known: ItemSchema?) throws {
        try items.checkKey(known, count: count())
    }

    /// Throws if the relationships cannot be imported.
    mutating func checkRelations(_ schemas: [ItemSchema]) throws {
        let count = try schemas.contains { $0.itemTypeKey == itemType } ? count() : 0
        try items.relations?.check(schemas, count: count)
    }

    private func count() throws -> Int {
        try store.read { db in try db.count(DataStoreRequest(itemTypeKey: itemType)) }
    }

    /// Notes that no rows follow, to which rows may refer.
    mutating func endDeferring() {
        items.defersRows = false
        items.relations?.endDeferring()
    }

    /// Writes rows in one block.
    ///
    /// - Throws: ``Refusal``, or another error of the store.
    mutating func write(_ rows: [ImportRow]) throws -> ItemsWriter.Outcome {
        var outcome = ItemsWriter.Outcome()
        var refused: ImportRow?
        var links: BlockLinks?
        var written = items
        do {
            try store.performWrite { db in
                written = items
                links = db.links
                outcome = try db.write(rows, skipsBadRows: skipsBadRows, with: &written, &refused)
            }
        } catch let error as DataStoreError where error.isAboutRows {
            let broken = links?.brokenItems ?? []
            throw Refusal(
                error: error,
                rows: refused.map { [$0] } ?? outcome.rows(of: broken, among: rows))
        }
        items = written
        outcome.items = []
        return outcome
    }

    /// The first row that the store refuses; `nil` if it cannot be found.
    ///
    /// Nothing is stored.
    func firstRefused(of batch: [ImportRow]) -> ImportRow? {
        struct TrialOver: Error {}
        /// Whether the store accepts this many rows.
        func takes(_ count: Int) -> Bool {
            var refused: ImportRow?
            do {
                try store.performWrite { db in
                    var items = items
                    // Rows may refer to some that are not in the trial.
                    items.defersRows = true
                    _ = try db.write(
                        Array(batch[..<count]), skipsBadRows: skipsBadRows, with: &items, &refused)
                    // A query checks pending changes, as the end of the block would.
                    let request = DataStoreRequest(itemTypeKey: itemType)
                    request.limit = 1
                    _ = try db.performFetch(request)
                    try db.links?.judge(db)
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
}

extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// Calls ``ItemsWriter/write(_:skipsBadRows:in:_:)``.
    ///
    /// The type of a block's accessor is not known, so it can only be `self`.
    func write(
        _ rows: [ImportRow], skipsBadRows: Bool = false, with writer: inout ItemsWriter,
        _ refused: inout ImportRow?
    ) throws(DataStoreError) -> ItemsWriter.Outcome {
        try writer.write(rows, skipsBadRows: skipsBadRows, in: self, &refused)
    }
}
