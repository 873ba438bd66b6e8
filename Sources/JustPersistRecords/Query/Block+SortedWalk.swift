import JustPersist

/// Iteration in an order that needs sorting. It keeps the ids and the sort keys in memory, but not the items.
extension Block {
    /// Calls `body` with each item of a sorted request, outside any scan.
    ///
    /// The items and their order are determined first. `body` then gets each item in its current state, and none that
    /// was deleted meanwhile.
    func forEachSorted(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) throws -> Void
    ) throws {
        var query = try Query(request, in: self)
        var rest = try sortedRows(query, try access(for: query), keepingRecords: false).map(\.id)[
            ...]
        while !rest.isEmpty {
            // Repeated for each batch, because `body` may have changed items or declared attributes.
            try prepareForQuery()
            if self is WriteBlock { query = try Query(request, in: self) }
            if reader.isRemote, let table = query.table {
                try reader.prepare(keys: rest.prefix(256).map(table.recordKey), ranges: [])
            }
            var batch: [(ItemID, [UInt8])] = []
            var bytes = 0
            while let id = rest.first, batch.count < 256, bytes < 1 << 20 {
                rest.removeFirst()
                try workSteps.count()
                try withRecord(query.type, id: id) { (record) throws(DataStoreError) in
                    recordsExamined += 1
                    batch.append((id, record.copied()))
                    bytes += record.count
                }
            }
            try give(batch, of: query.type, to: body)
        }
    }
}
