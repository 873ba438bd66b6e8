import JustPersist

/// The records of one type in the state that a block sees: the only way to them.
///
/// What has to follow a record that changes, as an index, a change log or a link does, belongs here: ``put(_:id:to:)``
/// and the removals are the only places where records change.
final class RecordTable {
    /// The type's number in keys.
    let number: UInt32
    let typeKey: String
    /// Whether the checksums of records that are read are compared.
    private let isChecked: Bool
    private var key: RecordKey
    /// The records put less those removed in this block.
    private(set) var countChange = 0
    /// How many records were written and removed in this block.
    private(set) var written = (inserted: 0, updated: 0, deleted: 0)
    /// The indexes whose entries follow the records; none in a read block.
    private(set) var indexes: [TypeIndex] = []
    /// The changes of entries that are still to be written.
    var entryChanges = IndexChanges()
    /// The entries that no other item may share, of the items written since that was last seen to.
    var uniqueEntries = IndexEntries()
    /// What has happened to the records in this block, as far as anybody wants to know.
    // Unchecked: nothing that is called while it changes comes back to it.
    @safe @exclusivity(unchecked) var changes = TableChanges()
    /// The entries of one item, before a change and after it.
    var scratch = (old: IndexEntries(), new: IndexEntries())

    init(_ type: CatalogType, isChecked: Bool) {
        number = type.number
        typeKey = type.key
        self.isChecked = isChecked
        key = RecordKey(type: type.number)
    }

    /// Ties the table to the indexes of its type as they are declared now.
    func bind(_ indexes: [TypeIndex]) { self.indexes = indexes }

    /// The keys of all records.
    var range: KeyRange { RecordKey.range(type: number) }

    // MARK: Reading

    /// Calls `body` with the record of an id, found sound; tells whether there is one.
    func withRecord(
        _ id: ItemID, in reader: any KeyValueReader,
        _ body: (Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Bool {
        try withStoredBytes(id, in: reader) { (record) throws(DataStoreError) in
            try check(record, id)
            try body(record)
        }
    }

    /// Calls `body` with the records of several ids, in their order, each found sound, until it says stop.
    ///
    /// - Parameter missing: Called with an id of which there is no record.
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
            // Few at first, for it may be the first one that is asked for.
            let count = min(ids.count - start, start == 0 ? 16 : 256)
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

    /// Whether there is a record of an id.
    func contains(_ id: ItemID, in reader: any KeyValueReader) throws(DataStoreError) -> Bool {
        key.set(id)
        return try reader.withValue(forKey: key.bytes) { (_) throws(DataStoreError) in }
    }

    /// Goes on with a pass over the records in the order of their ids, or in the opposite one, and calls `body` with
    /// each, found sound; tells whether the pass has come to the end.
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

    /// Goes on with a pass past so many records, which are not read; gives how many of them there were.
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

    /// Throws if a record's checksum or its layout is wrong, or the record is of a later release.
    @inline(__always)
    func check(_ record: Span<UInt8>, _ id: ItemID) throws(DataStoreError) {
        if !isSound(record, id) { throw unreadable(record, id) }
    }

    /// Why a record cannot be read: it is of a later release, or damaged.
    func unreadable(_ record: Span<UInt8>, _ id: ItemID) -> DataStoreError {
        isLater(record, id) || isSound(record, id) && RecordFormat.hasLaterKinds(record)
            ? .laterRecord(id, ofType: typeKey) : .damagedRecord(id, ofType: typeKey)
    }

    /// Whether a record is whole, and in a form that only a later release knows.
    func isLater(_ record: Span<UInt8>, _ id: ItemID) -> Bool {
        RecordFormat.isLater(record, type: number, id: id)
    }

    /// Whether a record's checksum and its layout are right.
    @inline(__always)
    func isSound(_ record: Span<UInt8>, _ id: ItemID) -> Bool {
        record.count >= RecordFormat.headerLength
            && (!isChecked || RecordFormat.hasChecksum(record, type: number, id: id))
            && RecordFormat.Table(record) != nil
    }

    /// Whether the checksum of a sound record is right, compared also where the engine's own ones count.
    func isProven(_ record: Span<UInt8>, _ id: ItemID) -> Bool {
        isChecked || RecordFormat.hasChecksum(record, type: number, id: id)
    }

    /// Calls `body` with what is stored under an id, sound or not; tells whether there is anything.
    func withStoredBytes(
        _ id: ItemID, in reader: any KeyValueReader,
        _ body: (Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Bool {
        key.set(id)
        // `body` may look up other records.
        let key = key
        return try reader.withValue(forKey: key.bytes, body)
    }

    /// A copy of what is stored under an id, and whether it is sound; `nil` if there is nothing.
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

    /// Notes an item that was made; its record comes later.
    func noteNew() { countChange += 1 }

    /// Writes the record of an item; the entries of indexes follow with ``writeEntries(to:)``.
    ///
    /// - Parameter changes: The attributes in which the record differs from the stored one; `nil` if there is none yet.
    func put(
        _ record: Span<UInt8>, id: ItemID, changes: AttributeSet?, to writer: any KeyValueWriter
    ) throws(DataStoreError) {
        if !indexes.isEmpty { try noteEntries(of: record, id, changes: changes, in: writer) }
        key.set(id)
        let key = key.bytes
        try writer.put(record, forKey: key.span)
        self.changes.notePut(id, changes)
        if changes == nil { written.inserted += 1 } else { written.updated += 1 }
    }

    /// Removes the record of an id and its entries, and tells whether it was there.
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
        // None is left, whatever a damaged store has counted.
        do throws(DataStoreError) {
            countChange -= try count(in: writer)
        } catch {
            guard error.code == .corrupted else { throw error }
            countChange -= removed
        }
    }
}

extension DataStoreError {
    /// A record, or a value in one, that a later release has written in a form of its own.
    static func laterRecord(
        _ id: ItemID, ofType itemType: String, attribute: String? = nil
    ) -> DataStoreError {
        DataStoreError(
            .newerFormat, in: "read",
            """
            A later release has written the record of the “\(itemType)” \(id) in a form that this one cannot read. Other \
            items are not concerned. Use that release; the record was left untouched.
            """, itemType: itemType, attribute: attribute)
    }

    /// A damaged record.
    static func damagedRecord(
        _ id: ItemID, ofType itemType: String, attribute: String? = nil
    ) -> DataStoreError {
        DataStoreError(
            .corrupted, in: "read",
            """
            The record of the “\(itemType)” \(id) is damaged: its checksum or its layout is wrong. \
            Other items are not concerned. Restore it from a backup, or delete it with delete(_:id:).
            """, itemType: itemType, attribute: attribute)
    }
}
