import Dispatch
import Foundation
import GRDB
import JustPersist

/// The open database of a store, and its claim to the directory.
///
/// It is closed when its last reference is released.
final class SQLiteSession: Sendable {
    // Before the claim, because it must be closed before the claim is released.
    private let pool: DatabasePool
    private let path: String
    private let claim: OpenStores.Claim

    private static let fileName = "store.sqlite"
    /// “JuPe”, which identifies the application in the header of the database.
    private static let applicationID: Int32 = 0x4A75_5065
    private static let version = 1

    init(at url: URL, options: DataStoreOptions) throws(DataStoreError) {
        let directory = try StoreDirectory.prepare(
            at: url, marker: Self.fileName, engineName: "SQLite",
            createIfMissing: options.createsIfMissing, readOnly: options.isReadOnly)
        claim = try OpenStores.claim(directory, files: [Self.fileName])
        let file = directory.url.appending(path: Self.fileName)
        path = file.path
        do {
            if directory.holdsStore {
                try Self.check(path)
            } else {
                try Self.createFile(file)
                try claim.add(files: [Self.fileName])
            }
            pool = try DatabasePool(
                path: path, configuration: Self.configuration(isReadOnly: options.isReadOnly))
            if !options.isReadOnly { try Self.setUp(pool, options.durability) }
            try directory.synchronize(in: "open", isNew: true)
        } catch {
            throw DataStoreError(sqlite: error, in: "open")
        }
    }

    // MARK: Transactions

    /// Runs `body` on a snapshot of the committed state.
    func read(_ body: (Database) throws -> Void) throws {
        do {
            // GRDB's pool traps on a read inside a read, so that uses a separate connection.
            let reader: any DatabaseReader =
                Self.isOnDatabaseQueue
                ? try DatabaseQueue(path: path, configuration: Self.configuration(isReadOnly: true))
                : pool
            try reader.read { database in try BlockFailure.wrapping { try body(database) } }
        } catch {
            throw BlockFailure.unwrapped(error, in: "read")
        }
    }

    /// Runs `body` in a transaction, which is rolled back if `body` throws.
    func write(_ body: (Database) throws -> Void) throws {
        do {
            try pool.write { database in try BlockFailure.wrapping { try body(database) } }
        } catch {
            throw BlockFailure.unwrapped(error, in: "write")
        }
    }

    /// An error of a block, which passes through GRDB unchanged, while GRDB's own errors are mapped.
    private struct BlockFailure: Error {
        let error: any Error

        static func wrapping(_ body: () throws -> Void) throws {
            do { try body() } catch { throw BlockFailure(error: error) }
        }

        static func unwrapped(_ error: any Error, in operation: String) -> any Error {
            (error as? BlockFailure)?.error ?? DataStoreError(sqlite: error, in: operation)
        }
    }

    private static func configuration(isReadOnly: Bool) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = isReadOnly
        configuration.busyMode = .timeout(60)
        // Each reader runs on its caller's thread, and waits for no other.
        configuration.maximumReaderCount = 1_000
        configuration.targetQueue = target
        return configuration
    }

    /// Whether the caller is on a queue of GRDB, where its calls are allowed; they trap elsewhere.
    static var isOnDatabaseQueue: Bool { DispatchQueue.getSpecific(key: mark) == true }

    private static let mark = DispatchSpecificKey<Bool>()
    /// The target of all queues of GRDB, which inherit the mark.
    private static let target = {
        let queue = DispatchQueue(label: "SQLiteDataStore", attributes: .concurrent)
        queue.setSpecific(key: mark, value: true)
        return queue
    }()

    // MARK: Files

    /// Refuses a file that is not a store, before GRDB changes it.
    private static func check(_ path: String) throws {
        let (application, version, tables) = try DatabaseQueue(
            path: path, configuration: configuration(isReadOnly: true)
        ).read { database in
            (
                try Int32.fetchOne(database, sql: "PRAGMA application_id"),
                try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0,
                try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_master") ?? 0
            )
        }
        // A crash during the first opening leaves an empty database.
        if application == 0, version == 0, tables == 0 { return }
        guard application == applicationID else {
            throw DataStoreError(
                .notAStore, in: "open",
                "“\(path)” is an SQLite database, but no store. It was left untouched; choose another path."
            )
        }
        if version > Self.version {
            throw DataStoreError(
                .newerFormat, in: "open",
                """
                The store at “\(path)” has format \(version); this release reads up to \(Self.version). \
                Update the program.
                """)
        }
    }

    /// Creates the file, so that it and the files that SQLite creates next to it are private.
    private static func createFile(_ file: URL) throws(DataStoreError) {
        do {
            try Data().write(to: file, options: .withoutOverwriting)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: file.path)
        } catch CocoaError.fileWriteFileExists {
            // Another process has created it.
        } catch {
            throw DataStoreError(fileError: error, in: "open", path: file.path)
        }
    }

    private static func setUp(_ pool: DatabasePool, _ durability: Durability) throws {
        try pool.writeWithoutTransaction { database in
            // GRDB chooses NORMAL, with which a loss of power may lose the last commits.
            if durability == .full {
                try database.execute(
                    sql: "PRAGMA synchronous = FULL; PRAGMA fullfsync = 1")
            }
            try database.inTransaction(.immediate) {
                if try Int.fetchOne(database, sql: "PRAGMA user_version") == 0 {
                    try createTables(database)
                }
                return .commit
            }
        }
    }

    private static func createTables(_ database: Database) throws {
        try database.execute(
            sql: """
                \(SQLiteRows.tables)
                PRAGMA application_id = \(applicationID);
                PRAGMA user_version = \(version)
                """)
    }

    /// Deletes the files of a closed store, if there is one.
    static func deleteFiles(at url: URL) throws(DataStoreError) {
        let directory: StoreDirectory
        do throws(DataStoreError) {
            directory = try StoreDirectory.prepare(
                at: url, marker: fileName, engineName: "SQLite", createIfMissing: false)
        } catch {
            if error.code == .storeNotFound { return }
            throw error
        }
        let claim = try OpenStores.claim(directory, files: [fileName])
        defer { claim.release() }
        // The log first: a database without it is consistent, but a log without its database is not.
        try directory.removeFiles([fileName + "-wal", fileName + "-shm", fileName])
    }
}
