import JustPersist

/// Writes batches of rows into a store, each in one write block.
struct RowsWriter {
    /// The store's refusal of a batch, of which nothing was stored, because of what is in it.
    struct Refusal: Error {
        let error: DataStoreError
        /// The row that it is about, if that is known.
        var row: ImportRow?
    }

    private let itemType: String
    private let skipsBadRows: Bool
    private let store: any DataStore
    private var items: ItemsWriter

    init(_ mapper: ItemMapper, skipsBadRows: Bool, _ store: any DataStore) {
        itemType = mapper.type.key
        items = ItemsWriter(mapper)
        self.skipsBadRows = skipsBadRows && items.canSkipRows
        self.store = store
    }

    /// Throws if items are to be found by an attribute that several may share.
    mutating func checkKey(_ known: ItemSchema?) throws {
        let request = DataStoreRequest(itemTypeKey: itemType)
        try items.checkKey(known, count: store.read { db in try db.count(request) })
    }

    /// Writes rows in one block.
    ///
    /// - Throws: ``Refusal``, or what else the store throws.
    mutating func write(_ rows: [ImportRow]) throws -> ItemsWriter.Outcome {
        var outcome = ItemsWriter.Outcome()
        var refused: ImportRow?
        var written = items
        do {
            try store.performWrite { db in
                written = items
                outcome = try db.write(rows, skipsBadRows: skipsBadRows, with: &written, &refused)
                outcome.items = []
            }
        } catch let error as DataStoreError where error.isAboutRows {
            throw Refusal(error: error, row: refused)
        }
        items = written
        return outcome
    }

    /// The first row with which a batch is refused; `nil` if that cannot be found out.
    ///
    /// Nothing is stored.
    func firstRefused(of batch: [ImportRow]) -> ImportRow? {
        struct TrialOver: Error {}
        /// Whether the store takes so many rows.
        func takes(_ count: Int) -> Bool {
            var refused: ImportRow?
            do {
                try store.performWrite { db in
                    var items = items
                    _ = try db.write(
                        Array(batch[..<count]), skipsBadRows: skipsBadRows, with: &items, &refused)
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
}

extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// As ``ItemsWriter/write(_:skipsBadRows:in:_:)``; a block's accessor, whose type is not known, is none of its arguments.
    func write(
        _ rows: [ImportRow], skipsBadRows: Bool = false, with writer: inout ItemsWriter,
        _ refused: inout ImportRow?
    ) throws(DataStoreError) -> ItemsWriter.Outcome {
        try writer.write(rows, skipsBadRows: skipsBadRows, in: self, &refused)
    }
}
