import Foundation
import GRDB
import JustPersist
import JustPersistRecords

/// The tables `item` and `catalog` in one transaction.
final class SQLiteRows: RowWriter {
    private let database: Database

    init(_ database: Database) { self.database = database }

    static let tables = """
        CREATE TABLE catalog (number INTEGER PRIMARY KEY CHECK (number = 1), bytes BLOB NOT NULL);
        CREATE TABLE item (
            type INTEGER NOT NULL, id BLOB NOT NULL, attributes TEXT NOT NULL,
            PRIMARY KEY (type, id)) WITHOUT ROWID;
        """

    // MARK: Reading

    func catalog() throws(DataStoreError) -> [UInt8]? {
        try running("read") {
            try Data.fetchOne(database, sql: "SELECT bytes FROM catalog").map { [UInt8]($0) }
        }
    }

    func types() throws(DataStoreError) -> [Int] {
        try running("read") { try Int.fetchAll(database, sql: "SELECT DISTINCT type FROM item") }
    }

    func row(_ id: ItemID, ofType type: Int) throws(DataStoreError) -> ItemRow? {
        try running("fetch") {
            let statement = try database.cachedStatement(
                sql: "SELECT attributes FROM item WHERE type = ? AND id = ?")
            return try DatabaseValue.fetchOne(statement, arguments: [type, id.uuid]).map { text in
                ItemRow(id: id, values: Self.values(text))
            }
        }
    }

    func scan(
        _ ids: ClosedRange<ItemID>, ofType type: Int, reversed: Bool,
        _ body: (ItemRow) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) {
        try running("fetch") {
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT id, attributes FROM item WHERE type = ? AND id BETWEEN ? AND ?
                    ORDER BY id \(reversed ? "DESC" : "ASC")
                    """, arguments: [type, ids.lowerBound.uuid, ids.upperBound.uuid])
            while let row = try rows.next() {
                guard let uuid = UUID.fromDatabaseValue(row["id"]) else {
                    throw DatabaseError(
                        resultCode: .SQLITE_CORRUPT, message: "an id that is no UUID")
                }
                let item = ItemRow(id: ItemID(uuid), values: Self.values(row["attributes"]))
                if try body(item) == .stop { return }
            }
        }
    }

    // MARK: Writing

    func setCatalog(_ bytes: [UInt8]) throws(DataStoreError) {
        try execute("INSERT OR REPLACE INTO catalog VALUES (1, ?)", [Data(bytes)], "write")
    }

    func put(_ row: ItemRow, ofType type: Int) throws(DataStoreError) {
        let text = try running("write") {
            // JSON preserves every bit of a value, and escapes NUL, at which SQLite's texts would end.
            String(decoding: try JSONEncoder().encode(row.values), as: UTF8.self)
        }
        try execute(
            "INSERT OR REPLACE INTO item VALUES (?, ?, ?)", [type, row.id.uuid, text], "write")
    }

    func delete(_ id: ItemID, ofType type: Int) throws(DataStoreError) -> Bool {
        try execute("DELETE FROM item WHERE type = ? AND id = ?", [type, id.uuid], "delete") > 0
    }

    func deleteAll(ofType type: Int) throws(DataStoreError) -> Int {
        try execute("DELETE FROM item WHERE type = ?", [type], "deleteAll")
    }

    // MARK: Statements

    /// Executes a statement, and returns the number of rows that it changed.
    @discardableResult
    private func execute(
        _ sql: String, _ arguments: StatementArguments, _ operation: String
    ) throws(DataStoreError) -> Int {
        try running(operation) {
            try database.cachedStatement(sql: sql).execute(arguments: arguments)
            return database.changesCount
        }
    }

    /// Runs statements, and converts GRDB's errors to failures of the store.
    private func running<Value>(
        _ operation: String, _ body: () throws -> Value
    ) throws(DataStoreError) -> Value {
        guard SQLiteSession.isOnDatabaseQueue else { throw BlockThread.refusal(in: operation) }
        do {
            return try body()
        } catch {
            throw DataStoreError(sqlite: error, in: operation)
        }
    }

    /// The values in the column `attributes`; `nil` if they cannot be read.
    private static func values(_ text: DatabaseValue) -> [Int: DataStoreValue]? {
        guard let json = Data.fromDatabaseValue(text) else { return nil }
        return try? JSONDecoder().decode([Int: DataStoreValue].self, from: json)
    }
}
