import ArgumentParser
import CBenchLMDB
import CBenchLevelDB
import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMigration

/// Compares migrations, including verification, with writing the same keys and values to LevelDB through C.
struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Compares migrations with raw puts of the same bytes.")

    @Option(help: "How many restaurants are migrated.")
    var items = 1_000_000

    @Option(help: "How many rounds are counted.")
    var rounds = 3

    func run() throws { try FileManager.default.withBenchmarkDirectory(run(in:)) }

    private func run(in directory: URL) throws {
        let sourceURL = directory.appending(path: "lmdb")
        var creation = 0.0
        do {
            let source = try LMDBDataStore.open(at: sourceURL)
            creation = try measure { try fill(source) }
            try source.close()
        }
        print("\(Machine.line), \(items) restaurants, \(rounds) rounds, medians")
        report("create in LMDB", [creation])

        let pairs = try rawPairs(of: sourceURL)
        var raw: [Double] = []
        var byRecords: [Double] = []
        var back: [Double] = []
        var byItems: [Double] = []
        for round in 0..<rounds {
            let rawURL = directory.appending(path: "raw\(round)")
            raw.append(try measure { try put(pairs, at: rawURL) })
            try FileManager.default.removeItem(at: rawURL)

            let source = try LMDBDataStore.open(at: sourceURL)
            let targetURL = directory.appending(path: "leveldb\(round)")
            let target = try LevelDBDataStore.open(at: targetURL)
            byRecords.append(try measure { try Migration(from: source, to: target).run() })
            let backURL = directory.appending(path: "back\(round)")
            let returned = try LMDBDataStore.open(at: backURL)
            back.append(try measure { try Migration(from: target, to: returned).run() })
            let otherURL = directory.appending(path: "items\(round)")
            let other = try LevelDBDataStore.open(at: otherURL)
            // A wrapper leaves only the contract.
            let wrapped = ContractOnly(source)
            byItems.append(try measure { try Migration(from: wrapped, to: other).run() })
            for store in [source, target, returned, other] as [any DataStore] { try store.close() }
            for url in [targetURL, backURL, otherURL] {
                try FileManager.default.removeItem(at: url)
            }
        }
        report("raw LevelDB, the same bytes in batches of 4 MiB", raw)
        report("LMDB to LevelDB, by records", byRecords, raw)
        report("LevelDB to LMDB, by records", back, raw)
        report("LMDB to LevelDB, through the contract", byItems, raw)
    }

    private func fill(_ store: any DataStore) throws {
        var generator = RestaurantGenerator(seed: 0x5EED)
        var count = 0
        while count < items {
            let part = (0..<min(100_000, items - count)).map { _ in generator.next() }
            try store.write { db in
                for restaurant in part {
                    try db.create(RestaurantItem.self).fill(from: restaurant)
                }
            }
            count += part.count
        }
    }

    // MARK: Raw

    /// All keys and values of a store in LMDB.
    private func rawPairs(of url: URL) throws -> [(key: [UInt8], value: [UInt8])] {
        var environment: OpaquePointer?
        var transaction: OpaquePointer?
        var table: MDB_dbi = 0
        var cursor: OpaquePointer?
        mdb_env_create(&environment)
        mdb_env_set_mapsize(environment, 1 << 36)
        guard mdb_env_open(environment, url.path, UInt32(MDB_RDONLY), 0o600) == 0,
            mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction) == 0,
            mdb_dbi_open(transaction, nil, 0, &table) == 0,
            mdb_cursor_open(transaction, table, &cursor) == 0
        else { throw RawError(engine: "LMDB", text: "cannot open \(url.path)") }
        defer {
            mdb_cursor_close(cursor)
            mdb_txn_abort(transaction)
            mdb_env_close(environment)
        }
        var pairs: [(key: [UInt8], value: [UInt8])] = []
        var key = MDB_val()
        var value = MDB_val()
        while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0 {
            pairs.append(
                (
                    Array(UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size)),
                    Array(UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
                ))
        }
        return pairs
    }

    private func put(_ pairs: [(key: [UInt8], value: [UInt8])], at url: URL) throws {
        var error: UnsafeMutablePointer<CChar>?
        let options = leveldb_options_create()
        leveldb_options_set_create_if_missing(options, 1)
        let synced = leveldb_writeoptions_create()
        leveldb_writeoptions_set_sync(synced, 1)
        let database = leveldb_open(options, url.path, &error)
        defer {
            leveldb_close(database)
            leveldb_writeoptions_destroy(synced)
            leveldb_options_destroy(options)
        }
        let batch = leveldb_writebatch_create()
        defer { leveldb_writebatch_destroy(batch) }
        var bytes = 0
        func flush() {
            leveldb_write(database, synced, batch, &error)
            leveldb_writebatch_clear(batch)
            bytes = 0
        }
        for (key, value) in pairs {
            key.withUnsafeBytes { key in
                value.withUnsafeBytes { value in
                    leveldb_writebatch_put(
                        batch, key.bindMemory(to: CChar.self).baseAddress, key.count,
                        value.bindMemory(to: CChar.self).baseAddress, value.count)
                }
            }
            bytes += key.count + value.count
            if bytes >= 4 << 20 { flush() }
        }
        flush()
        if let error { throw RawError(engine: "LevelDB", text: String(cString: error)) }
    }

    // MARK: Measuring

    private func measure(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    private func report(_ title: String, _ times: [Double], _ baseline: [Double]? = nil) {
        let time = times.sorted()[times.count / 2]
        let speed = String(format: "%.0f k items/s", Double(items) / time / 1_000)
        let ratio = baseline.map {
            String(format: ", %.2f of raw", $0.sorted()[$0.count / 2] / time)
        }
        print("  \(title): \(speed)\(ratio ?? "")")
    }
}

/// A store that exposes only the contract.
private final class ContractOnly: DataStore {
    private let store: any DataStore

    init(_ store: any DataStore) { self.store = store }

    var capabilities: DataStoreCapabilities { store.capabilities }
    var errorHandler: DataStoreErrorHandler? {
        get { store.errorHandler }
        set { store.errorHandler = newValue }
    }

    func open() throws { try store.open() }
    func close() throws { try store.close() }
    func destroy() throws { try store.destroy() }

    func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        try store.performRead(block)
    }

    func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        try store.performWrite(block)
    }

    func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) { store.enqueueWrite(block, completion: completion) }
}
