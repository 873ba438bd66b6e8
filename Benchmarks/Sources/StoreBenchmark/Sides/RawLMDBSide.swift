import CBenchLMDB
import Foundation

extension Side {
    /// LMDB through C: one database, the id as the key, `RawRecord` as the value, no objects.
    static let rawLMDB = Side(
        name: "raw LMDB", version: "LMDB " + String(cString: mdb_version(nil, nil, nil))
    ) {
        directory, _ in try RawLMDBStore(directory: directory)
    }
}

private final class RawLMDBStore: StoreUnderTest {
    private let directory: URL
    private var environment: OpaquePointer?
    private var database: MDB_dbi = 0
    private var ids: [UUID] = []
    private let buffer = RawRecord.makeBuffer()

    init(directory: URL) throws {
        self.directory = directory
        try open()
    }

    deinit {
        buffer.deallocate()
    }

    private func open() throws {
        try check(mdb_env_create(&environment))
        try check(mdb_env_set_mapsize(environment, 16 << 30))
        try check(mdb_env_open(environment, directory.path, 0, 0o600))
        try transaction { try check(mdb_dbi_open($0, nil, 0, &database)) }
    }

    /// Runs a block in a transaction: commits if it returns, aborts if it throws.
    private func transaction<R>(
        readOnly: Bool = false, _ body: (OpaquePointer) throws -> R
    ) throws -> R {
        var begun: OpaquePointer?
        try check(mdb_txn_begin(environment, nil, readOnly ? UInt32(MDB_RDONLY) : 0, &begun))
        guard let transaction = begun else {
            throw RawError(engine: "LMDB", text: "no transaction")
        }
        let result: R
        do {
            result = try body(transaction)
        } catch {
            mdb_txn_abort(transaction)
            throw error
        }
        try check(mdb_txn_commit(transaction))
        return result
    }

    private func put(_ restaurant: Restaurant, in transaction: OpaquePointer) throws {
        let record = RawRecord.encode(restaurant, into: buffer)
        try withKey(restaurant.id) { key in
            var value = MDB_val(mv_size: record.count, mv_data: record.baseAddress)
            // No MDB_APPEND, a quarter faster here: in a store of several types the records of
            // one do not go to the end of the tree.
            try check(mdb_put(transaction, database, &key, &value, 0))
        }
    }

    /// Calls `body` with each record, in the order of the keys.
    private func scan(_ body: (RawRecord) -> Void) throws {
        try transaction(readOnly: true) { transaction in
            try cursor(in: transaction) { cursor in
                var key = MDB_val()
                var value = MDB_val()
                while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0 {
                    body(RawRecord(value))
                }
            }
        }
    }

    private func cursor<R>(
        in transaction: OpaquePointer, _ body: (OpaquePointer) throws -> R
    ) throws -> R {
        var cursor: OpaquePointer?
        try check(mdb_cursor_open(transaction, database, &cursor))
        guard let cursor else { throw RawError(engine: "LMDB", text: "no cursor") }
        defer { mdb_cursor_close(cursor) }
        return try body(cursor)
    }

    func create(_ restaurants: [Restaurant]) throws {
        try transaction { transaction in
            for restaurant in restaurants {
                try put(restaurant, in: transaction)
            }
        }
        ids += restaurants.map(\.id)
    }

    func fetchByID(_ positions: [Int]) throws -> Int {
        try transaction(readOnly: true) { transaction in
            var digest = 0
            for position in positions {
                try withKey(ids[position]) { key in
                    var value = MDB_val()
                    try check(mdb_get(transaction, database, &key, &value))
                    digest &+= RawRecord(value).digest
                }
            }
            return digest
        }
    }

    func fetchAll(reading: Bool) throws -> Int {
        var result = 0
        try scan { result &+= reading ? $0.digest : 1 }
        return result
    }

    func count(borough: String, starsAbove: Int) throws -> Int {
        var count = 0
        let borough = Array(borough.utf8)
        try scan { record in
            if record.stars > starsAbove && record.borough.elementsEqual(borough) { count += 1 }
        }
        return count
    }

    func best(_ limit: Int) throws -> Int {
        var best = BestRated(limit: limit)
        try scan { best.offer($0) }
        return best.digest
    }

    func updateAll() throws -> Int {
        try transaction { transaction in
            try cursor(in: transaction) { cursor in
                var sum = 0
                var key = MDB_val()
                var value = MDB_val()
                while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0 {
                    let record = RawRecord(value)
                    let stars = Restaurant.updated(stars: record.stars)
                    value.mv_data = record.copy(stars: stars, into: buffer).baseAddress
                    try check(mdb_cursor_put(cursor, &key, &value, UInt32(MDB_CURRENT)))
                    sum += stars
                }
                return sum
            }
        }
    }

    func commitEach(_ restaurants: [Restaurant]) throws {
        for restaurant in restaurants {
            try transaction { try put(restaurant, in: $0) }
        }
    }

    func deleteAll() throws {
        try transaction { try check(mdb_drop($0, database, 0)) }
        ids = []
    }

    func holdAll(while body: () -> Void) throws {
        _ = try fetchAll(reading: true)
        body()
    }

    func reopen() throws {
        try close()
        try open()
    }

    func close() throws {
        mdb_env_close(environment)
        environment = nil
    }
}

extension RawRecord {
    fileprivate init(_ value: MDB_val) {
        self.init(bytes: UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
    }
}

private func withKey<R>(_ id: UUID, _ body: (inout MDB_val) throws -> R) rethrows -> R {
    var id = id.uuid
    return try withUnsafeMutableBytes(of: &id) { bytes in
        var key = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
        return try body(&key)
    }
}

private func check(_ code: CInt) throws {
    guard code == 0 else {
        throw RawError(engine: "LMDB", text: String(cString: mdb_strerror(code)))
    }
}
