import CBenchLevelDB
import Foundation

extension Side {
    /// LevelDB through C: a byte for the type and the id as the key, `RawRecord` as the value, no
    /// objects.
    static let rawLevelDB = Side(
        name: "raw LevelDB",
        version: "LevelDB \(leveldb_major_version()).\(leveldb_minor_version())"
    ) { directory, _ in try RawLevelDBStore(directory: directory) }
}

private final class RawLevelDBStore: StoreUnderTest {
    private let directory: URL
    private var database: OpaquePointer?
    private let options = leveldb_options_create()
    private let reads = leveldb_readoptions_create()
    private let synced = leveldb_writeoptions_create()
    private var ids: [UUID] = []
    private let buffer = RawRecord.makeBuffer()

    init(directory: URL) throws {
        self.directory = directory
        leveldb_options_set_create_if_missing(options, 1)
        leveldb_writeoptions_set_sync(synced, 1)
        try open()
    }

    deinit {
        buffer.deallocate()
        leveldb_options_destroy(options)
        leveldb_readoptions_destroy(reads)
        leveldb_writeoptions_destroy(synced)
    }

    private func open() throws {
        database = try check { leveldb_open(options, directory.path, &$0) }
    }

    private func put(_ item: NewItem, in batch: OpaquePointer?) {
        item.withRaw(buffer) { key, value in
            key.withMemoryRebound(to: CChar.self) { key in
                value.withMemoryRebound(to: CChar.self) {
                    leveldb_writebatch_put(
                        batch, key.baseAddress, key.count, $0.baseAddress, $0.count)
                }
            }
        }
    }

    /// Writes one synced batch.
    private func write(_ fill: (OpaquePointer?) throws -> Void) throws {
        let batch = leveldb_writebatch_create()
        defer { leveldb_writebatch_destroy(batch) }
        try fill(batch)
        try check { leveldb_write(database, synced, batch, &$0) }
    }

    private func iterate<R>(_ body: (OpaquePointer) throws -> R) throws -> R {
        guard let iterator = leveldb_create_iterator(database, reads) else {
            throw RawError(engine: "LevelDB", text: "no iterator")
        }
        defer { leveldb_iter_destroy(iterator) }
        let result = try body(iterator)
        try check { leveldb_iter_get_error(iterator, &$0) }
        return result
    }

    /// Calls `body` with the iterator at each record of a type, in the order of the keys.
    private func scan(_ type: RawKey = .restaurant, _ body: (OpaquePointer) -> Void) throws {
        try iterate { iterator in
            seek(iterator, toPrefix: type.rawValue)
            while isAt(type, iterator) {
                body(iterator)
                leveldb_iter_next(iterator)
            }
        }
    }

    func create(_ items: [NewItem]) throws {
        try write { batch in
            for item in items {
                put(item, in: batch)
            }
        }
        ids += items.restaurantIDs
    }

    func fetchByID(_ positions: ArraySlice<Int>) throws -> Int {
        var digest = 0
        for position in positions {
            try withKey(ids[position]) { key, size in
                var length = 0
                let value = try check { leveldb_get(database, reads, key, size, &length, &$0) }
                guard let value else { return }
                digest &+=
                    RawRecord(bytes: UnsafeRawBufferPointer(start: value, count: length)).digest
                leveldb_free(value)
            }
        }
        return digest
    }

    /// Fetches each without an explicit snapshot: each get of LevelDB reads its own.
    func fetchByIDAlone(_ positions: ArraySlice<Int>) throws -> Int {
        try fetchByID(positions)
    }

    func newest(_ limit: Int) throws -> Int {
        try iterate { iterator in
            seek(iterator, toPrefix: RawKey.restaurant.rawValue + 1)
            if leveldb_iter_valid(iterator) == 0 {
                leveldb_iter_seek_to_last(iterator)
            } else {
                leveldb_iter_prev(iterator)
            }
            var left = limit
            var digest = 0
            while left > 0, isAt(.restaurant, iterator) {
                digest = digest &* 31 &+ RawRecord(iterator).digest
                left -= 1
                leveldb_iter_prev(iterator)
            }
            return digest
        }
    }

    func fetchAll(reading: Bool) throws -> Int {
        var result = 0
        try scan { result &+= reading ? RawRecord($0).digest : 1 }
        return result
    }

    func count(_ filter: Filter) throws -> Int {
        let matches = RawRecord.test(for: filter)
        var count = 0
        try scan { if matches(RawRecord($0)) { count += 1 } }
        return count
    }

    func best(_ limit: Int) throws -> Int {
        var best = BestRated(limit: limit)
        try scan { best.offer(RawRecord($0)) }
        return best.digest
    }

    func updateAll() throws {
        try write { batch in
            try scan { iterator in
                let record = RawRecord(iterator)
                let stars = Restaurant.updated(stars: record.stars)
                var size = 0
                let key = leveldb_iter_key(iterator, &size)
                record.copy(stars: stars, into: buffer).withMemoryRebound(to: CChar.self) {
                    leveldb_writebatch_put(batch, key, size, $0.baseAddress, $0.count)
                }
            }
        }
    }

    func commitEach(_ items: [NewItem]) throws {
        for item in items {
            try write { put(item, in: $0) }
        }
    }

    func deleteEach(_ positions: [Int]) throws {
        try write { batch in
            for position in positions {
                withKey(ids[position]) { leveldb_writebatch_delete(batch, $0, $1) }
            }
        }
        ids = []
    }

    func deleteAll() throws {
        try write { batch in
            try scan { iterator in
                var size = 0
                let key = leveldb_iter_key(iterator, &size)
                leveldb_writebatch_delete(batch, key, size)
            }
        }
        ids = []
    }

    func totalScore() throws -> Int {
        var total = 0
        try scan(.inspection) { total += RawInspection.score(in: UnsafeRawBufferPointer($0)) }
        return total
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
        leveldb_close(database)
        database = nil
    }
}

extension UnsafeRawBufferPointer {
    /// The value at an iterator's position.
    fileprivate init(_ iterator: OpaquePointer) {
        var size = 0
        let start = leveldb_iter_value(iterator, &size)
        self.init(start: start, count: size)
    }
}

extension RawRecord {
    fileprivate init(_ iterator: OpaquePointer) {
        self.init(bytes: UnsafeRawBufferPointer(iterator))
    }
}

/// Moves to the first key that is not before a prefix.
private func seek(_ iterator: OpaquePointer, toPrefix prefix: UInt8) {
    var prefix = CChar(bitPattern: prefix)
    leveldb_iter_seek(iterator, &prefix, 1)
}

private func isAt(_ type: RawKey, _ iterator: OpaquePointer) -> Bool {
    guard leveldb_iter_valid(iterator) != 0 else { return false }
    var size = 0
    guard let key = leveldb_iter_key(iterator, &size), size > 0 else { return false }
    return UInt8(bitPattern: key.pointee) == type.rawValue
}

private func withKey<R>(
    _ id: UUID, _ body: (UnsafePointer<CChar>?, Int) throws -> R
) rethrows -> R {
    try RawKey.restaurant.with(id) { bytes in
        try bytes.withMemoryRebound(to: CChar.self) { try body($0.baseAddress, $0.count) }
    }
}

/// Calls LevelDB, and throws the text that it allocates when a call fails.
@discardableResult
private func check<R>(_ call: (inout UnsafeMutablePointer<CChar>?) -> R) throws -> R {
    var message: UnsafeMutablePointer<CChar>?
    let result = call(&message)
    if let message {
        defer { leveldb_free(message) }
        throw RawError(engine: "LevelDB", text: String(cString: message))
    }
    return result
}
