public import Foundation
import GRDB
public import JustPersist
public import JustPersistRecords
import Synchronization

/// The rows of a store in an SQLite database.
public final class SQLiteEngine: RowEngine {
    /// The directory of the store.
    public let url: URL
    private let options: DataStoreOptions
    private let session = Mutex<SQLiteSession?>(nil)

    /// A closed engine for a directory.
    public init(at url: URL, options: DataStoreOptions = DataStoreOptions()) {
        self.url = url
        self.options = options
    }

    /// The guarantees of SQLite.
    public var traits: KeyValueEngineTraits {
        KeyValueEngineTraits(
            name: "SQLite", isPersistent: true, durability: options.durability,
            isSharedBetweenProcesses: true, isReadOnly: options.isReadOnly)
    }

    /// The directory of the store.
    public var directory: URL? { url }

    // MARK: Life

    /// Opens the database, and creates it if it is missing.
    public func open() throws(DataStoreError) {
        let opened = try SQLiteSession(at: url, options: options)
        session.withLock { $0 = opened }
    }

    /// Closes the database.
    public func close() { session.withLock { $0 = nil } }

    /// Deletes the files.
    public func destroy() throws(DataStoreError) { try SQLiteSession.deleteFiles(at: url) }

    /// Runs SQLite's integrity check.
    public func verify() throws(DataStoreError) -> [DataStoreError] {
        var problems: [DataStoreError] = []
        do {
            try opened("verify").read { database in
                let answers = try String.fetchAll(database, sql: "PRAGMA integrity_check")
                problems = answers.filter { $0 != "ok" }.map { answer in
                    let failure = DatabaseError(resultCode: .SQLITE_CORRUPT, message: answer)
                    return DataStoreError(sqlite: failure, in: "verify")
                }
            }
        } catch {
            let failure = DataStoreError(sqlite: error, in: "verify")
            guard failure.code == .corrupted else { throw failure }
            problems.append(failure)
        }
        return problems
    }

    // MARK: Blocks

    /// Runs `body` on a snapshot.
    ///
    /// SQLite takes it at the first statement: when the record layer reads the catalog, before the block's own code.
    public func readRows(_ body: (any RowReader) throws -> Void) throws {
        try opened("read").read { database in try body(SQLiteRows(database)) }
    }

    /// Runs `body` in a transaction, which is rolled back if `body` throws.
    public func writeRows(_ body: (any RowWriter) throws -> Void) throws {
        try opened("write").write { database in try body(SQLiteRows(database)) }
    }

    private func opened(_ operation: String) throws(DataStoreError) -> SQLiteSession {
        guard let session = session.withLock({ $0 }) else { throw .notSetUp(in: operation) }
        return session
    }
}
