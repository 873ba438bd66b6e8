import JustPersist

/// The matching records, found by a chosen access path.
extension Block {
    /// Calls `visit` with each matching record, in the order of the ids, until it returns `.stop`.
    ///
    /// - Parameter offset: How many matches are skipped at the beginning; their records are not read if entries or keys
    ///   decide.
    func matches(
        _ query: Query, _ access: AccessPath, offset: Int = 0,
        _ visit: (ItemID, Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        guard let table = query.table else { return }
        explained?.taken = access
        var skipped = 0
        switch access {
        case .entries(let found, _) where found.areMatches:
            try found.source.skip(offset, in: self)
            return try matches(of: found, query, table, visit)
        case .scan where query.predicate == nil:
            var pass = RecordPass(isReversed: query.isReversed)
            let passed = try table.skip(offset, &pass, in: reader)
            defer { recordsExamined += pass.count - passed }
            if try scan(query, &pass, visit) { try checkCount(pass, of: query.type) }
            return
        case _ where offset == 0: return try matches(query, table, access, visit)
        default: break
        }
        try matches(query, table, access) { (id, record) throws(DataStoreError) in
            if skipped == offset { return try visit(id, record) }
            skipped += 1
            return .next
        }
    }

    private func matches(
        _ query: Query, _ table: RecordTable, _ access: AccessPath,
        _ visit: (ItemID, Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        switch access {
        case .none, .counter, .entriesAlone: return
        case .ids(let ids):
            let predicate = query.idsDecide ? nil : try query.predicate?.compiled()
            try table.withRecords(ids, in: reader) { (_) throws(DataStoreError) in
            } _: { (id, record) throws(DataStoreError) in
                recordsExamined += 1
                return try predicate.holds(record, id, query.type, self)
                    ? visit(id, record) : .next
            }
        case .entries(let found, _): try matches(of: found, query, table, visit)
        case .race(let parts): try race(query, table, parts, visit)
        case .scan, .ordered:
            var pass = RecordPass(isReversed: query.isReversed)
            defer { recordsExamined += pass.count }
            if try scan(query, &pass, visit) { try checkCount(pass, of: query.type) }
        }
    }

    /// The matches among records that were found by entries.
    private func matches(
        of found: FoundIDs, _ query: Query, _ table: RecordTable,
        _ visit: (ItemID, Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        var batch = min(
            256, max(1, (found.areMatches ? query.slice.limit : query.slice.end) ?? 256))
        var lookups = 0
        var isOver = false
        let predicate = found.areMatches ? nil : try query.predicate?.compiled()
        while !isOver {
            var ids: [ItemID] = []
            while ids.count < batch, let id = try found.source.next(in: self) { ids.append(id) }
            guard let last = ids.last else { return }
            try table.withRecords(ids, in: reader) { (id) throws(DataStoreError) in
                throw .entryWithoutRecord(id, ofType: query.type.itemType.key)
            } _: { (id, record) throws(DataStoreError) in
                recordsExamined += 1
                if try !predicate.holds(record, id, query.type, self) { return .next }
                let step = try visit(id, record)
                isOver = step == .stop
                return step
            }
            lookups += ids.count
            batch = reader.batchSize
            if isOver || lookups < found.mostLookups { continue }
            if let explained, case .entries(_, let parts) = explained.taken {
                (explained.taken, explained.abandoned) = (.scan, parts.first)
            }
            var pass = RecordPass(after: last, isReversed: query.isReversed)
            defer { recordsExamined += pass.count }
            _ = try scan(query, &pass, visit)
            return
        }
    }

    /// Alternates between scanning records and counting entries, until one of the two is complete.
    ///
    /// If many records match, a scan soon finds the first ones; if few match, there are few entries.
    private func race(
        _ query: Query, _ table: RecordTable, _ parts: [IndexRanges],
        _ visit: (ItemID, Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        let type = query.type
        var budget = 4 * min(query.slice.end ?? 0, 1 << 40) + 64
        var pass = RecordPass(isReversed: query.isReversed)
        defer { recordsExamined += pass.count }
        let predicate = try query.predicate?.compiled()
        let most = try query.mostLookups(in: self)
        explained?.taken = .scan
        while true {
            // This scan takes as long as reading `budget` entries and their records.
            let end = budget < most ? pass.count + 8 * budget : .max
            var scanned = pass.count
            var isOver = false
            let isComplete = try table.scan(&pass, in: reader) {
                (id, record) throws(DataStoreError) in
                scanned += 1
                if try predicate.holds(record, id, type, self), try visit(id, record) == .stop {
                    isOver = true
                }
                return isOver || scanned >= end ? .stop : .next
            }
            if isComplete { return try checkCount(pass, of: type) }
            if isOver { return }
            budget = min(most, budget * 8)
            guard let found = try ids(in: parts, most: budget) else { continue }
            let last = pass.last
            let rest = found.ids.filter { id in
                last.map { query.isReversed ? id < $0 : id > $0 } ?? true
            }
            let areMatches = found.areKnown && parts.allSatisfy(\.decides)
            let source = ListedIDs(rest, isReversed: query.isReversed)
            let entries = FoundIDs(source: source, areMatches: areMatches)
            explained?.taken = .entries(entries, parts)
            return try matches(of: entries, query, table, visit)
        }
    }

    /// The number of matching items, if the entries of an index determine it; no records are read.
    func countEntries(_ query: Query) throws(DataStoreError) -> Int? {
        guard let exact = query.alternatives?.exact, query.table != nil, try !holdUnknown(exact)
        else { return nil }
        explained?.taken = .entriesAlone(exact)
        let needed = query.slice.end ?? .max
        if exact.count > 1, needed > 1 {
            // An item may be in several of the ranges.
            return try ids(in: exact, most: query.mostLookups(in: self) * 5)?.ids.count
        }
        var count = 0
        for range in exact.flatMap(\.known) where count < needed {
            count += try passKeys(range, reversed: false, most: needed - count).count
        }
        return count
    }
}
