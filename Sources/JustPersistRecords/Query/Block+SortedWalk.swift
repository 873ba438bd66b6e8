import JustPersist

/// Walks in an order that takes sorting, which hold the ids of the items and what they are sorted by, but not the items.
extension Block {
    /// Calls `body` with each item of a sorted request, outside of any scan.
    ///
    /// The items and their order are found first; `body` is then given each item as it is by then, and none that was
    /// deleted meanwhile.
    func forEachSorted(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) throws -> Void
    ) throws {
        var query = try Query(request, in: self)
        var rest = try sortedRows(query, try access(for: query), keepingRecords: false).map(\.id)[
            ...]
        while !rest.isEmpty {
            // Anew for each batch: `body` may have changed items, or declared attributes.
            try prepareForQuery()
            query = try Query(request, in: self)
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
