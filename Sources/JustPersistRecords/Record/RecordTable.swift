import JustPersist

/// The records of one type in the state that a block sees.
///
/// All access to records goes through this type.
///
/// Code that must run for each change of a record, such as that for indexes, the change log or links, belongs here:
/// only `put` and the removals change records.
final class RecordTable {
    /// The type's number in keys.
    let number: UInt32
    let typeKey: String
    /// Whether the checksums of records are compared when they are read.
    private let isChecked: Bool
    private var key: RecordKey
    /// The number of records added in this block, less those removed.
    private(set) var countChange = 0
    /// The numbers of records written and removed in this block.
    private(set) var written = (inserted: 0, updated: 0, deleted: 0)
    /// The indexes to update when records change; empty in a read block.
    private(set) var indexes: [TypeIndex] = []
    /// The tags of values from which the catalog learns nothing, a bit for each, by attribute id; empty in a read block.
    @safe @exclusivity(unchecked) private var notedTags: [UInt16] = []
    /// The changes of index entries that are not written yet.
    var entryChanges = IndexChanges()
    /// The entries in unique indexes of the items that were written since the last check of uniqueness.
    var uniqueEntries = IndexEntries()
    /// The changes of the records in this block, as far as they are observed.
    // Unchecked: code that runs during a change does not access it.
    @safe @exclusivity(unchecked) var changes = TableChanges()
    /// Buffers for the entries of one item before and after a change.
    var scratch = (old: IndexEntries(), new: IndexEntries())

    init(_ type: CatalogType, isChecked: Bool) {
        number = type.number
        typeKey = type.key
        self.isChecked = isChecked
        key = RecordKey(type: type.number)
    }

    /// Binds the table to its type as it is declared now, for a block that writes.
    func bind(_ type: CatalogType, _ indexes: [TypeIndex], isObserved: Bool) {
        self.indexes = indexes
        notedTags = type.attributes.map { $0.tags.known & ~$0.exact }
        changes.areNoted = isObserved
    }

    /// Whether the catalog learns nothing from a value of an attribute with that tag, or the attribute does not belong to
    /// the type.
    @inline(__always)
    func hasNoted(tag: UInt8, ofAttribute id: UInt16) -> Bool {
        Int(id) >= notedTags.count || notedTags[Int(id)] & 1 << UInt16(tag) != 0
    }

    /// The keys of all records.
    var range: KeyRange { RecordKey.range(type: number) }

    // MARK: Reading

    /// Calls `body` with the record of an id, which is verified; returns whether there is one.
    func withRecord(
        _ id: ItemID, in reader: any KeyValueReader,
        _ body: (Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Bool {
        try withStoredBytes(id, in: reader) { (record) throws(DataStoreError) in
            try check(record, id)
            try body(record)
        }
    }

    /// Calls `body` with the verified records of several ids, in the order of `ids`, until it returns `.stop`.
    ///
    /// - Parameter missing: Called with an id that has no record.
    func withRecords(
        _ ids: [ItemID], in reader: any KeyValueReader,
        missing: (ItemID) throws(DataStoreError) -> Void,
        _ body: (ItemID, Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        if ids.count == 1 {
            let id = ids[0]
            let isFound = try withRecord(id, in: reader) { (record) throws(DataStoreError) in
                _ = try body(id, record)
            }
            if !isFound { try missing(id) }
            return
        }
        var keys: [[UInt8]] = []
        var start = 0
        var isOver = false
        var steps = WorkSteps()
        while start < ids.count, !isOver {
            // The first batch is small, because the caller may need the first record only.
            let count = min(
                ids.count - start, reader.isRemote || start > 0 ? reader.batchSize : 16)
            if keys.count > count { keys.removeLast(keys.count - count) }
            for place in 0..<count {
                if place == keys.count { keys.append(key.bytes) }
                keys[place].setID(ids[start + place])
            }
            var next = start
            try reader.withValues(forKeys: keys) { (place, record) throws(DataStoreError) in
                while next < start + place {
                    try missing(ids[next])
                    next += 1
                }
                let id = ids[next]
                next += 1
                try steps.count()
                try check(record, id)
                let step = try body(id, record)
                isOver = step == .stop
                return step
            }
            while !isOver, next < start + count {
                try missing(ids[next])
                next += 1
            }
            start += count
        }
    }

    /// The key of the record of an id.
    func recordKey(_ id: ItemID) -> [UInt8] {
        key.set(id)
        return key.bytes
    }

    /// Whether an id has a record.
    func contains(_ id: ItemID, in reader: any KeyValueReader) throws(DataStoreError) -> Bool {
        key.set(id)
        return try reader.withValue(forKey: key.bytes) { (_) throws(DataStoreError) in }
    }

    /// Continues a pass over the records in ascending or descending order of their ids, and calls `body` with each
    /// verified record; returns whether the pass has reached the end.
    @inline(__always)
    func scan(
        _ pass: inout RecordPass, in reader: any KeyValueReader,
        _ body: (ItemID, Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) -> Bool {
        var current = pass
        var isComplete = true
        try reader.scan(pass.rest(of: number), reversed: pass.isReversed) {
            (key, record) throws(DataStoreError) in
            let id = try current.advance(to: key, number, typeKey)
            if current.count & 255 == 0 { try WorkLimit.check() }
            try check(record, id)
            let step = try body(id, record)
            if step == .stop { isComplete = false }
            return step
        }
        pass = current
        return isComplete
    }

    /// Skips up to `count` records of a pass without reading them; returns the number skipped.
    func skip(
        _ count: Int, _ pass: inout RecordPass, in reader: any KeyValueReader
    ) throws(DataStoreError) -> Int {
        if count <= 0 { return 0 }
        var current = pass
        var passed = 0
        try reader.scanKeys(pass.rest(of: number), reversed: pass.isReversed) {
            (key) throws(DataStoreError) in
            _ = try current.advance(to: key, number, typeKey)
            if current.count & 255 == 0 { try WorkLimit.check() }
            passed += 1
            return passed < count ? .next : .stop
        }
        pass = current
        return passed
    }

    /// Throws if a record's checksum or layout is wrong, or if the record belongs to a later release.
    @inline(__always)
    func check(_ record: Span<UInt8>, _ id: ItemID) throws(DataStoreError) {
        if !isSound(record, id) { throw unreadable(record, id) }
    }

    /// The reason that a record cannot be read: it belongs to a later release, or it is damaged.
    func unreadable(_ record: Span<UInt8>, _ id: ItemID) -> DataStoreError {
        isLater(record, id) || isSound(record, id) && RecordFormat.hasLaterKinds(record)
            ? .laterRecord(id, ofType: typeKey) : .damagedRecord(id, ofType: typeKey)
    }

    /// Whether a record is intact, in a form that only a later release knows.
    func isLater(_ record: Span<UInt8>, _ id: ItemID) -> Bool {
        RecordFormat.isLater(record, type: number, id: id)
    }

    /// Whether a record's checksum and layout are correct.
    @inline(__always)
    func isSound(_ record: Span<UInt8>, _ id: ItemID) -> Bool {
        record.count >= RecordFormat.headerLength
            && (!isChecked || RecordFormat.hasChecksum(record, type: number, id: id))
            && RecordFormat.Table(record) != nil
    }

    /// Whether the checksum of a sound record is correct.
    ///
    /// It is compared even if the engine has checksums of its own.
    func isProven(_ record: Span<UInt8>, _ id: ItemID) -> Bool {
        isChecked || RecordFormat.hasChecksum(record, type: number, id: id)
    }

    /// Calls `body` with the bytes stored under an id, damaged or not; returns whether there are any.
    func withStoredBytes(
        _ id: ItemID, in reader: any KeyValueReader,
        _ body: (Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Bool {
        key.set(id)
        // `body` may look up other records.
        let key = key
        return try reader.withValue(forKey: key.bytes, body)
    }

    /// A copy of the bytes stored under an id, and whether they are sound; `nil` if there are none.
    ///
    /// - Throws: `.newerFormat` for a record of a later release.
    func storedRecord(
        _ id: ItemID, in reader: any KeyValueReader
    ) throws(DataStoreError) -> (bytes: [UInt8], isSound: Bool)? {
        var stored: (bytes: [UInt8], isSound: Bool)?
        _ = try withStoredBytes(id, in: reader) { (record) throws(DataStoreError) in
            if isLater(record, id) { throw .laterRecord(id, ofType: typeKey) }
            stored = (record.copied(), isSound(record, id))
        }
        return stored
    }

    // MARK: Counting

    /// The number of records.
    func count(in reader: any KeyValueReader) throws(DataStoreError) -> Int {
        try Counter.read(number, from: reader) + countChange
    }

    /// Stores the number of records, if it has changed.
    func writeCount(to writer: any KeyValueWriter) throws(DataStoreError) {
        if countChange == 0 { return }
        try Counter.write(
            try Counter.count(after: countChange, type: number, in: writer), type: number,
            to: writer)
    }

    // MARK: Writing

    /// Writes the record of an item; ``writeEntries(to:)`` writes its index entries.
    ///
    /// - Parameter changes: The attributes in which the record differs from the stored one; `nil` if the item is new.
    func put(
        _ record: Span<UInt8>, id: ItemID, changes: AttributeSet?, to writer: any KeyValueWriter
    ) throws(DataStoreError) {
        if !indexes.isEmpty {
            try noteEntries(of: record, id, changes: changes, in: writer)
            if entryChanges.isMany { try writeEntries(to: writer) }
        }
        key.set(id)
        let key = key.bytes
        try writer.put(record, forKey: key.span)
        self.changes.notePut(id, changes)
        if changes == nil {
            countChange += 1
            written.inserted += 1
        } else {
            written.updated += 1
        }
    }

    /// Removes the record of an id and its index entries, and returns whether it existed.
    func remove(
        _ id: ItemID, from writer: any KeyValueWriter
    ) throws(DataStoreError) -> Bool {
        if !indexes.isEmpty { try noteEntriesRemoved(id, in: writer) }
        key.set(id)
        guard try writer.delete(key.bytes) else { return false }
        countChange -= 1
        written.deleted += 1
        changes.note(.deleted, id)
        try writeEntries(to: writer)
        return true
    }

    /// Removes all records.
    func removeAll(from writer: any KeyValueWriter) throws(DataStoreError) {
        try changes.noteAllRemoved(in: range, writer)
        let removed = try writer.deleteAll(in: range)
        written.deleted += removed
        try removeAllEntries(from: writer)
        // No record is left, even if the stored count is damaged.
        do throws(DataStoreError) {
            countChange -= try count(in: writer)
        } catch {
            guard error.code == .corrupted else { throw error }
            countChange -= removed
        }
    }
}

extension DataStoreError {
    /// The error for a record or a value in the form of a later release.
    static func laterRecord(
        _ id: ItemID, ofType itemType: String, attribute: String? = nil
    ) -> DataStoreError {
        DataStoreError(
            .newerFormat, in: "read",
            """
            A later release has written the record of the “\(itemType)” \(id) in a form that this one cannot read. Other \
            items are not affected. Use that release; the record was left untouched.
            """, itemType: itemType, attribute: attribute)
    }

    /// The error for a damaged record.
    static func damagedRecord(
        _ id: ItemID, ofType itemType: String, attribute: String? = nil
    ) -> DataStoreError {
        var error = DataStoreError(
            .corrupted, in: "read",
            """
            The record of the “\(itemType)” \(id) is damaged: its checksum or its layout is wrong. \
            Other items are not affected. Restore it from a backup, or delete it by its id: delete(_:id:), or justpersist \
            delete with --id.
            """, itemType: itemType, attribute: attribute)
        error.damagedItem = id
        return error
    }
}
