import JustPersist

/// Changes of indexes by declarations in this block, and the entries of existing items.
extension WriteBlock {
    /// The maximum number of items for which a declaration writes the entries itself.
    ///
    /// For more items, they are written later in separate transactions.
    static let mostBuiltAtOnce = 10_000

    /// Removes the entries of indexes that were dropped or are to be rebuilt, and begins to write those of new ones.
    func followIndexes(of type: CatalogType, before: CatalogType?) throws(DataStoreError) {
        guard context.keepsIndexes else { return }
        var new = Set(type.indexes.map(\.number))
        for old in before?.indexes ?? [] {
            if new.remove(old.number) != nil { continue }
            let prefix = IndexKey.prefix(type: type.number, index: old.number)
            _ = try storing { (writer) throws(DataStoreError) in
                try writer.deleteAll(in: KeyRange(prefix: prefix))
            }
        }
        if new.isEmpty { return }
        let table = table(of: type)
        let count: Int
        do throws(DataStoreError) {
            count = try table.count(in: reader)
        } catch {
            if error.code != .corrupted { throw error }
            count = .max
        }
        for number in new.sorted() {
            // A unique index is written immediately: an incomplete one cannot show whether a value is taken.
            let isUnique = type.indexes.contains { $0.number == number && $0.isUnique }
            if count > Self.mostBuiltAtOnce, !isUnique { continue }
            try build(number, of: type.number, limit: .max)
        }
    }

    /// Rebuilds the indexes with another folding than that of this process.
    func renewFoldedIndexes() throws(DataStoreError) {
        guard context.keepsIndexes, context.root == nil else { return }
        for before in known.catalog.types
        where before.hasForeignFolding && !before.unknown.forbidsWriting {
            var changed = before
            changed.rebuildIndexes { !$0.hasOwnFolding }
            known.catalog.put(changed)
            didChange(changed.number)
            try followIndexes(of: changed, before: before)
        }
    }

    /// Drops an index of a type with its entries, and returns whether it existed.
    func dropIndex(_ index: IndexSchema, of type: ItemType) throws(DataStoreError) -> Bool {
        if let root = context.root { return try dropIndex(index, of: type, at: root) }
        guard let before = known.catalog.candidates(for: type).first else { return false }
        if before.unknown.forbidsWriting { throw before.newerFormat(in: "dropIndex") }
        var changed = before
        guard try changed.drop(index) else { return false }
        known.catalog.put(changed)
        didChange(changed.number)
        try followIndexes(of: changed, before: before)
        return true
    }

    /// Writes the entries of up to `limit` items that have none yet, and returns whether any are left.
    func buildIndexes(limit: Int) throws(DataStoreError) -> Bool {
        guard context.keepsIndexes,
            let (type, index) = known.catalog.unfinishedIndex(except: context.failedBuilds)
        else { return false }
        try build(index.number, of: type.number, limit: limit)
        return known.catalog.unfinishedIndex(except: context.failedBuilds) != nil
    }

    /// Writes the entries of the next items of one index, and notes the progress.
    private func build(
        _ index: UInt16, of type: UInt32, limit: Int
    ) throws(DataStoreError) {
        guard var changed = known.catalog[type],
            let place = changed.indexes.firstIndex(where: { $0.number == index }),
            case .building(let last) = changed.indexes[place].state
        else { return }
        let result = try storing { (writer) throws(DataStoreError) in
            do throws(DataStoreError) {
                return try Result<_, DataStoreError>.success(
                    table(of: changed).build(
                        TypeIndex(changed.indexes[place], of: changed, known), after: last,
                        limit: limit, in: writer))
            } catch {
                guard error.code == .corrupted || error.code == .newerFormat else { throw error }
                return .failure(error)
            }
        }
        guard case .success(let built) = result else {
            // The items can be used without this index, and items of other types with their indexes.
            if case .failure(let error) = result { context.report(error) }
            _ = context.damagedTypes.withLock { $0.insert(type) }
            return
        }
        if let violation = built.violation { context.report(violation) }
        if built.lacksRecords { changed.indexes[place].noteUnreadableRecord() }
        changed.indexes[place].state = built.isComplete ? .ready : .building(after: built.last)
        known.catalog.put(changed)
        didChange(type)
    }
}

extension RecordTable {
    /// Writes the entries of one index for the records after an id.
    ///
    /// - Returns: The last id that was processed, whether the index is complete, whether a record could not be read,
    ///   and a violation of uniqueness.
    func build(
        _ index: TypeIndex, after id: ItemID?, limit: Int, in writer: any KeyValueWriter
    ) throws(DataStoreError) -> (
        last: ItemID?, isComplete: Bool, lacksRecords: Bool, violation: DataStoreError?
    ) {
        var last = id
        var lacksRecords = false
        var violation: DataStoreError?
        var left = limit
        while left > 0 {
            var entries = IndexEntries()
            var pass = RecordPass(after: last)
            let portion = min(left, 4096)
            try writer.scan(pass.rest(of: number), reversed: false) {
                (key, record) throws(DataStoreError) in
                let id = try pass.advance(to: key, number, typeKey)
                // Only cancellation counts here: the deadline of a request ends only the request.
                if pass.count & 255 == 0, WorkLimit.isCancelled { try WorkLimit.check() }
                if !isSound(record, id) || !index.addEntries(of: record, id: id, to: &entries) {
                    let error = unreadable(record, id)
                    if error.code == .newerFormat { throw error }
                    lacksRecords = true
                }
                return pass.count < portion ? .next : .stop
            }
            try entries.write(to: writer)
            for entry in entries.entries where entry.isUnique && violation == nil {
                violation = try self.violation(of: entry, in: entries, .kept, writer)
            }
            last = pass.last ?? last
            left -= pass.count
            if pass.count < portion { return (last, true, lacksRecords, violation) }
        }
        return (last, false, lacksRecords, violation)
    }
}

extension Catalog {
    /// An index that still lacks entries, and its type.
    func unfinishedIndex(except damaged: Set<UInt32>) -> (CatalogType, CatalogIndex)? {
        for type in types where !type.unknown.forbidsWriting && !damaged.contains(type.number) {
            if let index = type.indexes.first(where: { $0.state != .ready || !$0.hasOwnFolding }) {
                return (type, index)
            }
        }
        return nil
    }
}
