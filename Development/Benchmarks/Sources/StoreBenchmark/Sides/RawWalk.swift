import CBenchLMDB
import CBenchLevelDB
import Foundation

/// Reads the files of a closed store with its engine alone, through the engine's C API.
///
/// No store on an engine can read faster than that. The time for as many entries and records as a query examined is what
/// remains of the query's time if everything above the engine cost nothing.
protocol RawWalk {
    /// Reads the keys and values of the first entries of indexes in one scan, and looks up records by their keys.
    ///
    /// Returns the number of bytes read.
    func read(entries: Int, records: [[UInt8]]) throws -> Int

    /// The keys of all records.
    func recordKeys() throws -> [[UInt8]]

    func close()
}

/// The first byte of the keys of records and of entries, in the format of the record layer.
private enum Tag {
    static let record: [UInt8] = [3]
    static let entry: [UInt8] = [4]
}

final class RawLMDBWalk: RawWalk {
    private var environment: OpaquePointer?
    private var transaction: OpaquePointer?
    private var database: MDB_dbi = 0

    init(directory: URL) throws {
        try check(mdb_env_create(&environment))
        try check(mdb_env_set_mapsize(environment, 16 << 30))
        try check(mdb_env_open(environment, directory.path, UInt32(MDB_RDONLY), 0o600))
        try check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction))
        try check(mdb_dbi_open(transaction, nil, 0, &database))
    }

    func read(entries: Int, records: [[UInt8]]) throws -> Int {
        var bytes = 0
        try scan(Tag.entry, entries) { bytes += $0.mv_size + $1.mv_size }
        for key in records {
            try with(key) { key in
                var value = MDB_val()
                try check(mdb_get(transaction, database, &key, &value))
                bytes += value.mv_size
            }
        }
        return bytes
    }

    func recordKeys() throws -> [[UInt8]] {
        var keys: [[UInt8]] = []
        try scan(Tag.record, .max) { key, _ in
            keys.append(Array(UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size)))
        }
        return keys
    }

    /// Calls `body` with up to `limit` keys that begin with a tag, and their values.
    private func scan(
        _ tag: [UInt8], _ limit: Int, _ body: (MDB_val, MDB_val) -> Void
    ) throws {
        if limit == 0 { return }
        var cursor: OpaquePointer?
        try check(mdb_cursor_open(transaction, database, &cursor))
        defer { mdb_cursor_close(cursor) }
        var (key, value) = (MDB_val(), MDB_val())
        var code = with(tag) { start in
            key = start
            return mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
        }
        var left = limit
        while code == MDB_SUCCESS, key.mv_data.load(as: UInt8.self) == tag[0] {
            body(key, value)
            left -= 1
            if left == 0 { return }
            code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
    }

    private func with<R>(_ key: [UInt8], _ body: (inout MDB_val) throws -> R) rethrows -> R {
        try key.withUnsafeBytes { bytes in
            var key = MDB_val(
                mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            return try body(&key)
        }
    }

    private func check(_ code: Int32) throws {
        guard code == MDB_SUCCESS else {
            throw RawError(engine: "LMDB", text: String(cString: mdb_strerror(code)))
        }
    }

    func close() {
        mdb_txn_abort(transaction)
        mdb_env_close(environment)
    }
}

final class RawLevelDBWalk: RawWalk {
    private let database: OpaquePointer?
    private let options = leveldb_options_create()
    private let reads = leveldb_readoptions_create()
    private let filter = leveldb_filterpolicy_create_bloom(10)

    init(directory: URL) throws {
        // As the store reads: each block's checksum is compared.
        leveldb_readoptions_set_verify_checksums(reads, 1)
        leveldb_options_set_filter_policy(options, filter)
        var error: UnsafeMutablePointer<CChar>?
        database = leveldb_open(options, directory.path, &error)
        try Self.check(error)
    }

    func read(entries: Int, records: [[UInt8]]) throws -> Int {
        var bytes = 0
        try scan(Tag.entry, entries) { iterator in
            var count = 0
            _ = leveldb_iter_value(iterator, &count)
            bytes += count
        }
        for key in records {
            try key.withUnsafeBytes { key in
                var error: UnsafeMutablePointer<CChar>?
                var count = 0
                let value = leveldb_get(
                    database, reads, key.baseAddress?.assumingMemoryBound(to: CChar.self),
                    key.count, &count, &error)
                try Self.check(error)
                leveldb_free(value)
                bytes += count
            }
        }
        return bytes
    }

    func recordKeys() throws -> [[UInt8]] {
        var keys: [[UInt8]] = []
        try scan(Tag.record, .max) { iterator in
            var count = 0
            let key = leveldb_iter_key(iterator, &count)
            keys.append(Array(UnsafeRawBufferPointer(start: key, count: count)))
        }
        return keys
    }

    /// Calls `body` with an iterator at up to `limit` keys that begin with a tag.
    private func scan(_ tag: [UInt8], _ limit: Int, _ body: (OpaquePointer) -> Void) throws {
        guard limit > 0, let iterator = leveldb_create_iterator(database, reads) else { return }
        defer { leveldb_iter_destroy(iterator) }
        tag.withUnsafeBytes {
            leveldb_iter_seek(
                iterator, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
        }
        var left = limit
        while left > 0, leveldb_iter_valid(iterator) != 0 {
            var count = 0
            let key = leveldb_iter_key(iterator, &count)
            guard let key, UInt8(bitPattern: key.pointee) == tag[0] else { break }
            body(iterator)
            left -= 1
            leveldb_iter_next(iterator)
        }
        var error: UnsafeMutablePointer<CChar>?
        leveldb_iter_get_error(iterator, &error)
        try Self.check(error)
    }

    private static func check(_ error: UnsafeMutablePointer<CChar>?) throws {
        guard let error else { return }
        defer { leveldb_free(error) }
        throw RawError(engine: "LevelDB", text: String(cString: error))
    }

    func close() {
        leveldb_close(database)
        leveldb_options_destroy(options)
        leveldb_readoptions_destroy(reads)
        leveldb_filterpolicy_destroy(filter)
    }
}
