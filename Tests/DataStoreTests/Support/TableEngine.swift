import Foundation
import JustPersist
import JustPersistRecords

/// An engine that keeps rows in a dictionary, which tests can read and change.
final class TableEngine: RowEngine {
    struct Tables: Sendable {
        var catalog: [UInt8]?
        /// The rows by type number.
        var rows: [Int: [ItemID: ItemRow]] = [:]
    }

    let traits = KeyValueEngineTraits(name: "Table", isPersistent: true, durability: .relaxed)
    let tables = Locked(Tables())

    func open() throws(DataStoreError) {}
    func close() {}
    func destroy() throws(DataStoreError) { tables.withLock { $0 = Tables() } }

    func readRows(_ body: (any RowReader) throws -> Void) throws {
        try body(TableTransaction(tables.withLock { $0 }))
    }

    func writeRows(_ body: (any RowWriter) throws -> Void) throws {
        let transaction = TableTransaction(tables.withLock { $0 })
        try body(transaction)
        tables.withLock { [changed = transaction.tables] in $0 = changed }
    }
}

final class TableTransaction: RowWriter {
    private(set) var tables: TableEngine.Tables

    init(_ tables: TableEngine.Tables) { self.tables = tables }

    func catalog() throws(DataStoreError) -> [UInt8]? { tables.catalog }

    func types() throws(DataStoreError) -> [Int] {
        tables.rows.filter { !$0.value.isEmpty }.map(\.key)
    }

    func row(_ id: ItemID, ofType type: Int) throws(DataStoreError) -> ItemRow? {
        tables.rows[type]?[id]
    }

    func scan(
        _ ids: ClosedRange<ItemID>, ofType type: Int, reversed: Bool,
        _ body: (ItemRow) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        let rows = (tables.rows[type] ?? [:]).values.filter { ids.contains($0.id) }
            .sorted { reversed ? $0.id > $1.id : $0.id < $1.id }
        for row in rows {
            if try body(row) == .stop { return }
        }
    }

    func setCatalog(_ bytes: [UInt8]) throws(DataStoreError) { tables.catalog = bytes }

    func put(_ row: ItemRow, ofType type: Int) throws(DataStoreError) {
        tables.rows[type, default: [:]][row.id] = row
    }

    func delete(_ id: ItemID, ofType type: Int) throws(DataStoreError) -> Bool {
        tables.rows[type]?.removeValue(forKey: id) != nil
    }

    func deleteAll(ofType type: Int) throws(DataStoreError) -> Int {
        tables.rows.removeValue(forKey: type)?.count ?? 0
    }
}
