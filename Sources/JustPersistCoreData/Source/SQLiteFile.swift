import CSQLite
import Foundation
import JustPersist

/// One value of an SQLite file.
enum SQLiteValue: Equatable {
    case null
    case int(Int64)
    case double(Double)
    case text(String)
    case blob(Data)

    var int: Int64? {
        if case .int(let value) = self { value } else { nil }
    }

    var text: String? {
        if case .text(let value) = self { value } else { nil }
    }

    var blob: Data? {
        if case .blob(let value) = self { value } else { nil }
    }
}

/// An open SQLite file, of which nothing is trusted.
@safe final class SQLiteFile {
    /// The values of a row, by their place in the query.
    @safe struct Row {
        // SAFETY: valid in the call of a body only, which does not keep the row.
        fileprivate let statement: OpaquePointer

        subscript(_ column: Int) -> SQLiteValue {
            let place = Int32(column)
            // SAFETY: the bytes are copied before the next call on the statement; their count is asked for after them.
            switch unsafe sqlite3_column_type(statement, place) {
            case SQLITE_INTEGER: return unsafe .int(sqlite3_column_int64(statement, place))
            case SQLITE_FLOAT: return unsafe .double(sqlite3_column_double(statement, place))
            case SQLITE_TEXT:
                let start = unsafe sqlite3_column_text(statement, place)
                let bytes = unsafe UnsafeBufferPointer(
                    start: start, count: Int(sqlite3_column_bytes(statement, place)))
                return unsafe String(validating: bytes, as: UTF8.self).map { .text($0) }
                    ?? .blob(Data(bytes))
            case SQLITE_BLOB:
                let start = unsafe sqlite3_column_blob(statement, place)
                return unsafe .blob(
                    Data(
                        UnsafeRawBufferPointer(
                            start: start, count: Int(sqlite3_column_bytes(statement, place)))))
            default: return .null
            }
        }
    }

    // SAFETY: used by one import at a time, and closed with the object, which outlives all statements.
    private let connection: OpaquePointer
    private let name: String

    /// Opens a file, and checks all of its pages.
    ///
    /// Pages that refer to each other in a circle would otherwise be read for ever.
    ///
    /// - Parameter name: The name for errors.
    init(_ url: URL, named name: String) throws(DataStoreError) {
        self.name = name
        var opened: OpaquePointer?
        let status = unsafe sqlite3_open_v2(
            url.path(percentEncoded: false), &opened, SQLITE_OPEN_READWRITE, nil)
        guard status == SQLITE_OK, let connection = unsafe opened else {
            unsafe sqlite3_close_v2(opened)
            throw Self.error(status, name)
        }
        unsafe self.connection = connection
        let distrust = unsafe jp_sqlite_distrust_schema(connection)
        if distrust != SQLITE_OK { throw Self.error(distrust, name) }
        for (limit, value) in Self.limits { unsafe sqlite3_limit(connection, limit, value) }
        var isSound = false
        // Constraints are expressions of the file, which would be run.
        for setting in ["cell_size_check", "ignore_check_constraints", "query_only"] {
            try forEach("PRAGMA \(setting) = ON") { _ in }
        }
        try forEach("PRAGMA quick_check(1)") { row in isSound = row[0].text == "ok" }
        if !isSound { throw Self.error(SQLITE_CORRUPT, name) }
    }

    deinit { unsafe sqlite3_close_v2(connection) }

    /// The most bytes of a value: those that a store of this package keeps.
    static let mostBytes = DataStoreLimits.contract.valueBytes
    private static let limits: [(Int32, Int32)] = [
        (SQLITE_LIMIT_LENGTH, Int32(clamping: mostBytes + 1 << 20)),
        (SQLITE_LIMIT_SQL_LENGTH, 1 << 20), (SQLITE_LIMIT_EXPR_DEPTH, 100),
        (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_TRIGGER_DEPTH, 1),
        (SQLITE_LIMIT_WORKER_THREADS, 0),
    ]

    /// Calls `body` with each row of a query.
    func forEach(
        _ query: String, _ body: (Row) throws(DataStoreError) -> Void
    ) throws(DataStoreError) {
        var prepared: OpaquePointer?
        let status = unsafe sqlite3_prepare_v2(connection, query, -1, &prepared, nil)
        guard status == SQLITE_OK, let statement = unsafe prepared else {
            throw Self.error(status, name)
        }
        defer { unsafe sqlite3_finalize(statement) }
        while true {
            switch unsafe sqlite3_step(statement) {
            case SQLITE_ROW: unsafe try body(Row(statement: statement))
            case SQLITE_DONE: return
            case let status: throw Self.error(status, name)
            }
        }
    }

    /// The first value of the first row.
    func first(_ query: String) throws(DataStoreError) -> SQLiteValue {
        var value = SQLiteValue.null
        try forEach("\(query) LIMIT 1") { row in value = row[0] }
        return value
    }

    /// The text of SQLite is not in the error, because it may have values of the file.
    private static func error(_ status: Int32, _ name: String) -> DataStoreError {
        let engine = DataStoreError.EngineFailure(
            name: "SQLite", code: Int(status), text: unsafe String(cString: sqlite3_errstr(status)))
        return switch status & 0xFF {
        case SQLITE_NOTADB:
            DataStoreError(
                .notAStore, in: "import",
                """
                “\(name)” is no SQLite file, or it is encrypted. Give a store of Core Data or SwiftData; one that is encrypted \
                has to be decrypted first.
                """, engine: engine)
        case SQLITE_TOOBIG:
            DataStoreError(
                .limitExceeded, in: "import",
                """
                “\(name)” has a row of more than \(mostBytes >> 20) MiB, which no store of this package keeps. Delete it with the \
                program that wrote it.
                """, engine: engine)
        case SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_FORMAT, SQLITE_MISMATCH:
            DataStoreError(
                .corrupted, in: "import",
                "“\(name)” is damaged, so nothing of it is imported. Restore it from a backup.",
                engine: engine)
        default:
            DataStoreError(
                .storageFailure, in: "import",
                "“\(name)” cannot be read. Correct the cause, and import it again.", engine: engine)
        }
    }
}

extension String {
    /// The text as a name in SQL.
    var quotedName: String { "\"" + replacing("\"", with: "\"\"") + "\"" }
}
