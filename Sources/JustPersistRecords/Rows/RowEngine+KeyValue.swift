import JustPersist

/// The record layer's keys and values over rows.
extension RowEngine {
    /// `true`.
    public var storesRows: Bool { true }

    /// Runs `body` on a snapshot, in which rows appear as records.
    public func read(_ body: (any KeyValueReader) throws -> Void) throws {
        try readRows { rows in try body(RowSnapshot(rows)) }
    }

    /// Runs `body` in a transaction, in which rows appear as records.
    public func write(_ body: (any KeyValueWriter) throws -> Void) throws {
        try writeRows { rows in
            let transaction = RowTransaction(rows)
            try body(transaction)
            try transaction.saveCatalog()
        }
    }
}

/// A snapshot of rows as keys and values: each row is encoded as a record.
private class RowSnapshot: KeyValueReader {
    private let rows: any RowReader
    fileprivate final var loaded: RowCatalog?
    fileprivate final let coder = RowCoder()

    init(_ rows: any RowReader) { self.rows = rows }

    /// The entries that are not records.
    final func catalog() throws(DataStoreError) -> RowCatalog {
        if let loaded { return loaded }
        let catalog =
            try rows.catalog().map { (bytes) throws(DataStoreError) in try RowCatalog(bytes) }
            ?? RowCatalog()
        loaded = catalog
        return catalog
    }

    final func withValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Bool {
        guard let (type, id) = RecordKey.parts(of: key) else {
            guard let value = try catalog().entries.value(forKey: key) else { return false }
            try body(value.span)
            return true
        }
        guard let row = try rows.row(id, ofType: Int(type)) else { return false }
        let record = coder.record(of: row, type: type)
        try body(record.span)
        return true
    }

    final func scan(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        if let type = RecordKey.type(of: range) {
            _ = try scanRows(range, ofType: type, reversed: reversed, body)
            return
        }
        // The other entries come before and after the records.
        let before = range.intersection(KeyRange(from: [], upTo: [KeySpace.recordTag]))
        let behind = range.intersection(KeyRange(from: [KeySpace.recordTag + 1], upTo: nil))
        guard try scanEntries(reversed ? behind : before, reversed: reversed, body) == .next
        else { return }
        for type in try rows.types().compactMap(UInt32.init(exactly:)).sorted(
            by: reversed ? (>) : (<))
        {
            let part = range.intersection(RecordKey.range(type: type))
            guard try scanRows(part, ofType: type, reversed: reversed, body) == .next else {
                return
            }
        }
        _ = try scanEntries(reversed ? before : behind, reversed: reversed, body)
    }

    private func scanEntries(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) -> ScanStep {
        var step = ScanStep.next
        try catalog().entries.scan(range, reversed: reversed) {
            (key, value) throws(DataStoreError) in
            step = try body(key, value.span)
            return step
        }
        return step
    }

    private func scanRows(
        _ range: KeyRange, ofType type: UInt32, reversed: Bool,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) -> ScanStep {
        guard let ids = RecordKey.ids(in: range, ofType: type) else { return .next }
        var key = RecordKey(type: type)
        var step = ScanStep.next
        try rows.scan(ids, ofType: Int(type), reversed: reversed) { (row) throws(DataStoreError) in
            key.set(row.id)
            let record = coder.record(of: row, type: type)
            step = try body(key.bytes.span, record.span)
            return step
        }
        return step
    }
}

/// A transaction on rows as keys and values.
private final class RowTransaction: RowSnapshot, KeyValueWriter {
    private let writer: any RowWriter
    private var isCatalogChanged = false

    init(_ writer: any RowWriter) {
        self.writer = writer
        super.init(writer)
    }

    func put(_ value: Span<UInt8>, forKey key: Span<UInt8>) throws(DataStoreError) {
        guard let (type, id) = RecordKey.parts(of: key) else {
            return try changeCatalog { $0.setValue(value.copied(), forKey: key) }
        }
        guard let values = coder.values(of: value) else {
            throw .damagedRecord(id, ofType: "\(type)")
        }
        try writer.put(ItemRow(id: id, values: values), ofType: Int(type))
    }

    func delete(_ key: Span<UInt8>) throws(DataStoreError) -> Bool {
        guard let (type, id) = RecordKey.parts(of: key) else {
            var wasThere = false
            try changeCatalog { wasThere = $0.removeValue(forKey: key) != nil }
            return wasThere
        }
        return try writer.delete(id, ofType: Int(type))
    }

    func deleteAll(in range: KeyRange) throws(DataStoreError) -> Int {
        guard let type = RecordKey.type(of: range), range == RecordKey.range(type: type) else {
            throw DataStoreError(
                .unsupported, in: "deleteAll", "Only all rows of a type can be deleted at once.")
        }
        return try writer.deleteAll(ofType: Int(type))
    }

    private func changeCatalog(
        _ change: (inout OrderedKeyMap<[UInt8]>) -> Void
    ) throws(DataStoreError) {
        var catalog = try catalog()
        // Releases the second reference, so that the change copies nothing.
        loaded = nil
        change(&catalog.entries)
        loaded = catalog
        isCatalogChanged = true
    }

    func saveCatalog() throws(DataStoreError) {
        if isCatalogChanged { try writer.setCatalog(catalog().encoded()) }
    }
}

/// Translates between rows and records.
private struct RowCoder {
    /// References in rows identify a type by its number.
    private let types = BlockCatalog(Catalog(names: .digits))

    /// The record of a row; for a row that cannot be read, bytes that are not a valid record.
    func record(of row: ItemRow, type: UInt32) -> [UInt8] {
        guard let values = row.values else { return [] }
        let attributes = values.keys.sorted().compactMap(UInt16.init(exactly:))
        guard attributes.count == values.count else { return [] }
        var record = EditableRecord()
        record.start(
            from: EditableRecord.Template(
                attributes: Int(attributes.last ?? 0) + 1, capacity: values.count * 32))
        for attribute in attributes {
            record.set(values[Int(attribute)] ?? .null, of: attribute, types)
        }
        record.close(seed: RecordFormat.seed(type: type, id: row.id))
        return record.bytes
    }

    /// The values in a record; `nil` if it is damaged.
    func values(of record: Span<UInt8>) -> [Int: DataStoreValue]? {
        guard let table = RecordFormat.Table(record) else { return nil }
        var values: [Int: DataStoreValue] = [:]
        for index in 0..<table.count {
            guard let field = table.field(at: index, in: record),
                let value = ValueDecoding.value(tag: field.tag, in: record, field.range, types)
            else { return nil }
            values[Int(field.attribute)] = value
        }
        return values
    }
}
