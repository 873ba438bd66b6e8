import CBenchLMDB
import Foundation

extension Side {
    /// LMDB through C: one database, a byte for the type and the id as the key, `RawRecord` as the
    /// value, no objects.
    static let rawLMDB = Side(
        name: "raw LMDB", version: "LMDB " + String(cString: mdb_version(nil, nil, nil))
    ) {
        directory, indexing in
        try RawLMDBStore(directory: directory, isIndexed: indexing == .boroughAndRating)
    }
}

private final class RawLMDBStore: StoreUnderTest {
    private let directory: URL
    private var environment: OpaquePointer?
    private var database: MDB_dbi = 0
    private var ids: [UUID] = []
    private let buffer = RawRecord.makeBuffer()

    /// Whether there are index entries for each restaurant: one of its borough and id, and one of its rating and id.
    private let isIndexed: Bool

    init(directory: URL, isIndexed: Bool) throws {
        self.directory = directory
        self.isIndexed = isIndexed
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

    private func put(_ item: NewItem, in transaction: OpaquePointer) throws {
        try item.withRaw(buffer) { key, value in
            var key = MDB_val(key)
            var value = MDB_val(value)
            // No MDB_APPEND: the records of one type do not go to the end of the tree.
            try check(mdb_put(transaction, database, &key, &value, 0))
        }
        if isIndexed, case .restaurant(let restaurant) = item {
            for key in [Self.boroughKey(restaurant), Self.ratingKey(restaurant)] {
                var bytes = key
                try bytes.withUnsafeMutableBytes { bytes in
                    var key = MDB_val(bytes)
                    var value = MDB_val()
                    try check(mdb_put(transaction, database, &key, &value, 0))
                }
            }
        }
    }

    private static func boroughKey(_ restaurant: Restaurant) -> [UInt8] {
        [RawKey.byBorough.rawValue] + restaurant.borough.utf8 + [0]
            + withUnsafeBytes(of: restaurant.id.uuid, Array.init)
    }

    private static func ratingKey(_ restaurant: Restaurant) -> [UInt8] {
        // Ratings are not negative, so the order of their bits is their numeric order.
        [RawKey.byRating.rawValue]
            + withUnsafeBytes(of: restaurant.rating.bitPattern.bigEndian, Array.init)
            + withUnsafeBytes(of: restaurant.id.uuid, Array.init)
    }

    private func digest(of id: UUID, in transaction: OpaquePointer) throws -> Int {
        try RawKey.restaurant.with(id) { bytes in
            var key = MDB_val(bytes)
            var value = MDB_val()
            try check(mdb_get(transaction, database, &key, &value))
            return RawRecord(value).digest
        }
    }

    /// Calls `body` at each record of a type, in the order of the keys.
    private func scan(
        _ type: RawKey, in transaction: OpaquePointer,
        _ body: (_ cursor: OpaquePointer, _ key: inout MDB_val, _ value: MDB_val) throws -> Void
    ) throws {
        try cursor(in: transaction) { cursor in
            var key = MDB_val()
            var value = MDB_val()
            var code = seek(cursor, toPrefix: type.rawValue, &key, &value)
            while code == 0, key.firstByte == type.rawValue {
                try body(cursor, &key, value)
                code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
            }
            if code != MDB_NOTFOUND { try check(code) }
        }
    }

    /// Calls `body` with each restaurant, in the order of the keys.
    private func scan(_ body: (RawRecord) -> Void) throws {
        try transaction(readOnly: true) { transaction in
            try scan(.restaurant, in: transaction) { _, _, value in body(RawRecord(value)) }
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

    func create(_ items: [NewItem]) throws {
        try transaction { transaction in
            for item in items {
                try put(item, in: transaction)
            }
        }
        ids += items.restaurantIDs
    }

    func fetchByID(_ positions: ArraySlice<Int>) throws -> Int {
        try transaction(readOnly: true) { transaction in
            try positions.reduce(0) { try $0 &+ digest(of: ids[$1], in: transaction) }
        }
    }

    func fetchByIDAlone(_ positions: ArraySlice<Int>) throws -> Int {
        try transaction(readOnly: true) { transaction in
            try positions.reduce(0) { sum, position in
                // A new snapshot for each, without the allocations of a new transaction.
                mdb_txn_reset(transaction)
                try check(mdb_txn_renew(transaction))
                return try sum &+ digest(of: ids[position], in: transaction)
            }
        }
    }

    func newest(_ limit: Int) throws -> Int {
        try transaction(readOnly: true) { transaction in
            try cursor(in: transaction) { cursor in
                var key = MDB_val()
                var value = MDB_val()
                let after = seek(cursor, toPrefix: RawKey.restaurant.rawValue + 1, &key, &value)
                var code = mdb_cursor_get(cursor, &key, &value, after == 0 ? MDB_PREV : MDB_LAST)
                var left = limit
                var digest = 0
                while code == 0, left > 0, key.firstByte == RawKey.restaurant.rawValue {
                    digest = digest &* 31 &+ RawRecord(value).digest
                    left -= 1
                    code = mdb_cursor_get(cursor, &key, &value, MDB_PREV)
                }
                return digest
            }
        }
    }

    func fetchAll(reading: Bool) throws -> Int {
        var result = 0
        try scan { result &+= reading ? $0.digest : 1 }
        return result
    }

    func count(_ filter: Filter) throws -> Int {
        let matches = RawRecord.test(for: filter)
        var count = 0
        try scan { if matches($0) { count += 1 } }
        return count
    }

    func best(_ limit: Int) throws -> Int {
        var best = BestRated(limit: limit)
        try scan { best.offer($0) }
        return best.digest
    }

    func fetchByIndex(borough: String) throws -> Int? {
        let prefix = [RawKey.byBorough.rawValue] + borough.utf8 + [0]
        return try transaction(readOnly: true) { transaction in
            try cursor(in: transaction) { cursor in
                var digest = 0
                var start = prefix
                var code: CInt = 0
                var key = MDB_val()
                var value = MDB_val()
                start.withUnsafeMutableBytes { bytes in
                    key = MDB_val(bytes)
                    code = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
                }
                while code == 0, UnsafeRawBufferPointer(key).starts(with: prefix) {
                    let id = UnsafeRawBufferPointer(key).suffix(16)
                    let uuid = UUID(
                        uuid: UnsafeRawBufferPointer(rebasing: id).loadUnaligned(as: uuid_t.self))
                    digest &+= try self.digest(of: uuid, in: transaction)
                    code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
                }
                return digest
            }
        }
    }

    func bestByIndex(_ limit: Int) throws -> Int? {
        try transaction(readOnly: true) { transaction in
            try cursor(in: transaction) { cursor in
                var key = MDB_val()
                var value = MDB_val()
                let after = seek(cursor, toPrefix: RawKey.byRating.rawValue + 1, &key, &value)
                var code = mdb_cursor_get(cursor, &key, &value, after == 0 ? MDB_PREV : MDB_LAST)
                var digest = 0
                var left = limit
                while code == 0, left > 0, key.firstByte == RawKey.byRating.rawValue {
                    let id = UnsafeRawBufferPointer(key).suffix(16)
                    let uuid = UUID(
                        uuid: UnsafeRawBufferPointer(rebasing: id).loadUnaligned(as: uuid_t.self))
                    digest = try digest &* 31 &+ self.digest(of: uuid, in: transaction)
                    left -= 1
                    code = mdb_cursor_get(cursor, &key, &value, MDB_PREV)
                }
                return digest
            }
        }
    }

    func updateAll() throws {
        try transaction { transaction in
            try scan(.restaurant, in: transaction) { cursor, key, value in
                let record = RawRecord(value)
                let stars = Restaurant.updated(stars: record.stars)
                var value = MDB_val(record.copy(stars: stars, into: buffer))
                try check(mdb_cursor_put(cursor, &key, &value, UInt32(MDB_CURRENT)))
            }
        }
    }

    func commitEach(_ items: [NewItem]) throws {
        for item in items {
            try transaction { try put(item, in: $0) }
        }
    }

    func deleteEach(_ positions: [Int]) throws {
        try transaction { transaction in
            for position in positions {
                try RawKey.restaurant.with(ids[position]) { bytes in
                    var key = MDB_val(bytes)
                    try check(mdb_del(transaction, database, &key, nil))
                }
            }
        }
        ids = []
    }

    func deleteAll() throws {
        try transaction { transaction in
            try scan(.restaurant, in: transaction) { cursor, _, _ in
                try check(mdb_cursor_del(cursor, 0))
            }
        }
        ids = []
    }

    func totalScore() throws -> Int {
        try transaction(readOnly: true) { transaction in
            var total = 0
            try scan(.inspection, in: transaction) { _, _, value in
                total += RawInspection.score(in: UnsafeRawBufferPointer(value))
            }
            return total
        }
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

extension MDB_val {
    fileprivate init(_ bytes: UnsafeMutableRawBufferPointer) {
        self.init(mv_size: bytes.count, mv_data: bytes.baseAddress)
    }

    fileprivate var firstByte: UInt8? { UnsafeRawBufferPointer(self).first }
}

extension UnsafeRawBufferPointer {
    fileprivate init(_ value: MDB_val) {
        self.init(start: value.mv_data, count: value.mv_size)
    }
}

extension RawRecord {
    fileprivate init(_ value: MDB_val) {
        self.init(bytes: UnsafeRawBufferPointer(value))
    }
}

/// Moves to the first key that is not before a prefix.
private func seek(
    _ cursor: OpaquePointer, toPrefix prefix: UInt8, _ key: inout MDB_val, _ value: inout MDB_val
) -> CInt {
    var prefix = prefix
    return withUnsafeMutableBytes(of: &prefix) { bytes in
        key = MDB_val(bytes)
        return mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
    }
}

private func check(_ code: CInt) throws {
    guard code == 0 else {
        throw RawError(engine: "LMDB", text: String(cString: mdb_strerror(code)))
    }
}
