import JustPersist

/// Verifies that the entries of an index match the records.
extension Block {
    /// The indexes of a type that hold all items.
    func readyIndexes(of stored: CatalogType) -> [TypeIndex] {
        guard context.keepsIndexes else { return [] }
        return stored.indexes.filter(\.isUsable)
            .map { TypeIndex($0, of: stored, known) }
    }

    /// The problems of an index: missing entries and orphaned entries.
    ///
    /// - Parameters:
    ///   - index: The index.
    ///   - stored: Its type.
    ///   - isDamaged: Whether some records cannot be read; their entries are unknown.
    ///   - meter: Counts the entries that were read. If it stops the work, the result is meaningless.
    func problems(
        of index: TypeIndex, of stored: CatalogType, isDamaged: Bool, _ meter: MaintenanceMeter
    ) throws(DataStoreError) -> [DataStoreError] {
        var missing = 0
        var isDamaged = isDamaged
        var first: ItemID?
        var expected = 0
        var entries = IndexEntries()
        let table = table(of: stored)
        try reader.scan(table.range, reversed: false) { (key, record) throws(DataStoreError) in
            guard RecordKey.isKey(key, ofType: stored.number) else { return .next }
            let id = RecordKey.id(in: key)
            entries.removeAll()
            guard table.isSound(record, id), index.addEntries(of: record, id: id, to: &entries)
            else {
                isDamaged = true
                return .next
            }
            for entry in entries.entries {
                expected += 1
                let isThere = try reader.withValue(
                    forKey: entries.bytes.span.extracting(entry.range)
                ) { (_) throws(DataStoreError) in }
                if !isThere {
                    missing += 1
                    if first == nil { first = id }
                }
            }
            return meter.note(bytes: record.count) ? .next : .stop
        }
        var found = 0
        var unsound = 0
        try reader.scan(index.range, reversed: false) { (key, value) throws(DataStoreError) in
            found += 1
            if !IndexKey.isSound(key, value) { unsound += 1 }
            return meter.note(bytes: key.count) ? .next : .stop
        }
        var problems: [DataStoreError] = []
        if unsound > 0 {
            problems.append(
                .damagedIndex(
                    index, of: stored,
                    "\(unsound.counted("entry", "entries")) with a wrong checksum"))
        }
        if let first {
            problems.append(
                .damagedIndex(
                    index, of: stored,
                    "\(missing) of \(expected) entries are missing, the first that of the item \(first)"
                ))
        }
        let surplus = found - (expected - missing)
        if surplus != 0, !isDamaged {
            problems.append(
                .damagedIndex(index, of: stored, "\(surplus) entries belong to no item"))
        }
        return problems
    }
}

extension DataStoreError {
    fileprivate static func damagedIndex(
        _ index: TypeIndex, of type: CatalogType, _ what: String
    ) -> DataStoreError {
        let names = index.names.map { "“\($0)”" }.joined(separator: " and ")
        return DataStoreError(
            .corrupted, in: "verify",
            """
            The index of “\(type.key)” over \(names) is damaged: \(what). The items are not concerned. Copy the store, or \
            restore it from a backup.
            """, itemType: type.key, attribute: index.names.first)
    }
}
