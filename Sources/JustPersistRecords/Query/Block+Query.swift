import JustPersist

extension Block {
    /// The items that a request asks for.
    func fetch(_ request: DataStoreRequest) throws(DataStoreError) -> [any DataStoreItem] {
        try checkOpen("fetch")
        try prepareForQuery()
        let query = try Query(request, in: self)
        var items: [any DataStoreItem] = []
        // This is only a hint: a damaged number of items must neither make the items unreachable nor reserve much
        // memory.
        if query.predicate == nil, query.sort.isEmpty {
            do throws(DataStoreError) {
                let count = try storedCount(query.type)
                items.reserveCapacity(min(query.slice.count(of: count), 1 << 20))
            } catch {
                if error.code != .corrupted { throw error }
            }
        }
        try rows(query, try access(for: query)) { (id, record) throws(DataStoreError) in
            items.append(try item(query.type, id: id, record: record))
        }
        return items
    }

    /// Calls `body` with each item that a request asks for, inside the scan, and keeps none of them.
    func scan(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) -> Void
    ) throws(DataStoreError) {
        try checkOpen("fetch")
        try prepareForQuery()
        let query = try Query(request, in: self)
        let canPause = WorkLimit.canPause
        try rows(query, try access(for: query)) { (id, record) throws(DataStoreError) in
            let item = try item(query.type, id: id, record: record)
            if canPause { WorkLimit.pausing { body(item) } } else { body(item) }
        }
    }

    /// The number of items that a request asks for.
    func count(_ request: DataStoreRequest) throws(DataStoreError) -> Int {
        try checkOpen("count")
        try prepareForQuery()
        let query = try Query(request, in: self)
        guard query.table != nil else { return 0 }
        if query.predicate == nil {
            explained?.taken = .counter
            let stored = try storedCount(query.type)
            if stored <= 0 { try checkEmpty(query.type, counted: stored) }
            return query.slice.count(of: stored)
        }
        if let entries = try countEntries(query) { return query.slice.count(of: entries) }
        var total = 0
        let needed = query.slice.end ?? .max
        try matches(query, try access(for: query, isSorted: false)) {
            (_, _) throws(DataStoreError) in
            total += 1
            return total < needed ? .next : .stop
        }
        return query.slice.count(of: total)
    }

    /// Calls `body` with each item that a request asks for, outside any scan.
    ///
    /// So `body` may do anything that the block allows, including deleting items that are still to come.
    func forEach(
        _ request: DataStoreRequest, _ body: (any DataStoreItem) throws -> Void
    ) throws {
        try checkOpen("fetch")
        try prepareForQuery()
        // `body` may change the request.
        let request = request.copy()
        var query = try Query(request, in: self)
        guard query.sort.isEmpty else { return try forEachSorted(request, body) }
        if let end = query.slice.end, end <= 256 {
            var batch: [(ItemID, [UInt8])] = []
            try rows(query, try access(for: query)) { (id, record) throws(DataStoreError) in
                batch.append((id, record.copied()))
            }
            return try give(batch, of: query.type, to: body)
        }
        switch try access(for: query, isLazy: false) {
        case .ids(let ids): return try forEach(query, ids, body)
        case .entries(let found, _):
            var ids: [ItemID] = []
            while let id = try found.source.next(in: self) { ids.append(id) }
            return try forEach(query, ids, body)
        default: break
        }
        let changesBefore = changeCount
        var pass = RecordPass(isReversed: query.isReversed)
        var skipped = 0
        var given = 0
        let limit = query.slice.limit ?? .max
        var hasMore = true
        while hasMore {
            // Repeated for each batch, because `body` may have changed items.
            try prepareForQuery()
            var batch: [(ItemID, [UInt8])] = []
            var bytes = 0
            hasMore = false
            let isComplete = try scan(query, &pass) { (id, record) throws(DataStoreError) in
                if skipped < query.slice.offset {
                    skipped += 1
                    return .next
                }
                given += 1
                batch.append((id, record.copied()))
                bytes += record.count
                if given == limit { return .stop }
                hasMore = batch.count == 256 || bytes >= 1 << 20
                return hasMore ? .stop : .next
            }
            try give(batch, of: query.type, to: body)
            if isComplete {
                // If `body` has created or deleted items, the pass has seen some of them and not others.
                if changeCount == changesBefore { try checkCount(pass, of: query.type) }
                return
            }
            // In a write block, `body` may also have declared an attribute of the type.
            if hasMore, self is WriteBlock { query = try Query(request, in: self) }
        }
    }

    /// Calls `body` with each item of the query's slice among those with these ids.
    private func forEach(
        _ query: Query, _ ids: [ItemID], _ body: (any DataStoreItem) throws -> Void
    ) throws {
        var rest = ids[...]
        var place = 0
        let end = query.slice.end ?? .max
        while !rest.isEmpty, place < end {
            // Repeated for each batch, because `body` may have changed or deleted items.
            try prepareForQuery()
            var batch: [(ItemID, [UInt8])] = []
            try matches(query, .ids(Array(rest.prefix(reader.batchSize)))) {
                (id, record) throws(DataStoreError) in
                if place >= query.slice.offset { batch.append((id, record.copied())) }
                place += 1
                return place < end ? .next : .stop
            }
            rest = rest.dropFirst(reader.batchSize)
            try give(batch, of: query.type, to: body)
        }
    }

    /// Calls `body` with the items of records that were found earlier, in their current state.
    func give(
        _ batch: [(ItemID, [UInt8])], of type: BlockType,
        to body: (any DataStoreItem) throws -> Void
    ) throws {
        let canPause = WorkLimit.canPause
        for (place, (id, record)) in batch.enumerated() {
            // `body` may take a long time.
            if place & 15 == 15 { try WorkLimit.check() }
            if let item = try currentItem(type, id: id, record: record) {
                if canPause { try WorkLimit.pausing { try body(item) } } else { try body(item) }
            }
            try checkOpen("fetch")
        }
    }

    /// Calls `body` with the record of each item of the query's slice, in its order.
    func rows(
        _ query: Query, _ access: AccessPath,
        _ body: (ItemID, Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) {
        guard query.sort.isEmpty else {
            for row in try sortedRows(query, access) { try body(row.id, row.record.span) }
            return
        }
        var given = 0
        let limit = query.slice.limit ?? .max
        try matches(query, access, offset: query.slice.offset) {
            (id, record) throws(DataStoreError) in
            try body(id, record)
            given += 1
            return given < limit ? .next : .stop
        }
    }

    /// The rows of the query's slice, in its order.
    func sortedRows(
        _ query: Query, _ access: AccessPath, keepingRecords: Bool = true
    ) throws(DataStoreError) -> ArraySlice<SortedRows.Row> {
        var access = access
        var attempt = 0
        while case .ordered(let order, let mostLookups) = access {
            explained?.taken = access
            if let rows = try orderedRows(
                query, order, mostLookups: mostLookups, keepingRecords: keepingRecords)
            {
                return rows[...]
            }
            explained?.abandoned = order.ranges
            attempt += 1
            access = try self.access(for: query, attempt: attempt)
        }
        var rows = SortedRows(by: query.sort.map(\.descriptor), needed: query.slice.end)
        try matches(query, access) { (id, record) throws(DataStoreError) in
            try add(id, record, of: query, to: &rows, keepingRecord: keepingRecords)
            return .next
        }
        return try rows.sorted().dropFirst(query.slice.offset)
    }

    /// Adds a record to sorted rows, or leaves it out if it is known not to be needed.
    @inline(__always)
    func add(
        _ id: ItemID, _ record: Span<UInt8>, of query: Query, to rows: inout SortedRows,
        keepingRecord: Bool = true
    ) throws(DataStoreError) {
        // If a key may fail the request, it is computed for all records.
        let isPlain = !query.mayRefuse
        if isPlain, let first = query.sort[0].attribute, let table = RecordFormat.Table(record),
            let word = first.word(in: record, table),
            rows.leavesOut(tag: word.tag, bits: word.bits)
        {
            return
        }
        let key = try sortValue(query.sort[0], query.type, id, record)
        if isPlain, !rows.mayNeed(key) { return }
        var others: [DataStoreValue] = []
        for place in query.sort.indices.dropFirst() {
            others.append(try sortValue(query.sort[place], query.type, id, record))
        }
        try rows.add(
            SortedRows.Row(
                id: id, key: key, otherKeys: others,
                record: keepingRecord ? record.copied() : []))
    }

    private func sortValue(
        _ key: Query.SortKey, _ type: BlockType, _ id: ItemID, _ record: Span<UInt8>
    ) throws(DataStoreError) -> DataStoreValue {
        guard let attribute = key.attribute else {
            return key.descriptor.key(
                try key.key.value(
                    for: RecordSubject(type: type, id: id, record: record.copied(), block: self)))
        }
        guard let table = RecordFormat.Table(record),
            let value = attribute.value(in: record, table, known)
        else { throw type.corrupted(id, attribute: attribute.name) }
        return key.descriptor.key(value)
    }

    /// Continues a pass over the type's records and calls `visit` with the matching ones until it returns `.stop`.
    ///
    /// Returns whether the pass is complete.
    func scan(
        _ query: Query, _ pass: inout RecordPass,
        _ visit: (ItemID, Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) -> Bool {
        // Nothing can match, so no record is read and `checkCount` must not be called.
        guard let table = query.table else { return false }
        guard let predicate = try query.predicate?.compiled() else {
            return try table.scan(&pass, in: reader, visit)
        }
        let type = query.type
        return try table.scan(&pass, in: reader) { (id, record) throws(DataStoreError) in
            guard try predicate.matches(record, id: id, type: type, block: self) else {
                return .next
            }
            return try visit(id, record)
        }
    }

    /// Throws if a complete pass has not met as many records as the store counts.
    func checkCount(_ pass: RecordPass, of type: BlockType) throws(DataStoreError) {
        let stored: Int
        do throws(DataStoreError) {
            stored = try storedCount(type)
        } catch {
            // A damaged number of items must not make the items unreachable.
            if error.code == .corrupted { return }
            throw error
        }
        if stored != pass.count {
            throw .recordsMissing(counted: stored, found: pass.count, ofType: type.itemType.key)
        }
    }

    /// Throws if the store counts no items of a type that has some.
    private func checkEmpty(_ type: BlockType, counted: Int) throws(DataStoreError) {
        guard let table = try table(of: type) else { return }
        let isEmpty = try !holdsKeys(in: table.range)
        if !isEmpty || counted < 0 {
            throw .recordsMissing(
                counted: counted, found: isEmpty ? 0 : 1, ofType: type.itemType.key)
        }
    }
}

extension Block {
    /// The item of a type with this id.
    func fetchItem(_ type: ItemType, id: ItemID) throws(DataStoreError) -> (any DataStoreItem)? {
        try checkOpen("fetch")
        try workSteps.count()
        return try liveItem(try blockType(type), id: id)
    }

    /// The types of the state that the block sees.
    func schemas() throws(DataStoreError) -> [ItemSchema] {
        try checkOpen("schemas")
        try prepareForQuery()
        // A damaged type is listed, so that a caller that copies all types gets its error.
        let schemas =
            known.catalog.types.filter(\.isDeclared).map(known.catalog.schema)
            + known.catalog.damages.map { ItemSchema($0.typeKey, attributes: []) }
        return schemas.sorted { $0.itemTypeKey < $1.itemTypeKey }
    }
}
