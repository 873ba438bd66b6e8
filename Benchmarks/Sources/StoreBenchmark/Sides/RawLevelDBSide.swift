import CBenchLevelDB
import Foundation

extension Side {
    /// LevelDB through C: the id as the key, `RawRecord` as the value, no objects.
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

    private func put(_ restaurant: Restaurant, in batch: OpaquePointer?) {
        let record = RawRecord.encode(restaurant, into: buffer)
        withKey(restaurant.id) { key, size in
            record.withMemoryRebound(to: CChar.self) {
                leveldb_writebatch_put(batch, key, size, $0.baseAddress, $0.count)
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

    /// Calls `body` with the iterator at each record, in the order of the keys.
    private func scan(_ body: (OpaquePointer) -> Void) throws {
        guard let iterator = leveldb_create_iterator(database, reads) else {
            throw RawError(engine: "LevelDB", text: "no iterator")
        }
        defer { leveldb_iter_destroy(iterator) }
        leveldb_iter_seek_to_first(iterator)
        while leveldb_iter_valid(iterator) != 0 {
            body(iterator)
            leveldb_iter_next(iterator)
        }
        try check { leveldb_iter_get_error(iterator, &$0) }
    }

    func create(_ restaurants: [Restaurant]) throws {
        try write { batch in
            for restaurant in restaurants {
                put(restaurant, in: batch)
            }
        }
        ids += restaurants.map(\.id)
    }

    func fetchByID(_ positions: [Int]) throws -> Int {
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

    func fetchAll(reading: Bool) throws -> Int {
        var result = 0
        try scan { result &+= reading ? RawRecord($0).digest : 1 }
        return result
    }

    func count(borough: String, starsAbove: Int) throws -> Int {
        var count = 0
        let borough = Array(borough.utf8)
        try scan {
            let record = RawRecord($0)
            if record.stars > starsAbove && record.borough.elementsEqual(borough) { count += 1 }
        }
        return count
    }

    func best(_ limit: Int) throws -> Int {
        var best = BestRated(limit: limit)
        try scan { best.offer(RawRecord($0)) }
        return best.digest
    }

    func updateAll() throws -> Int {
        var sum = 0
        try write { batch in
            try scan { iterator in
                let record = RawRecord(iterator)
                let stars = Restaurant.updated(stars: record.stars)
                var size = 0
                let key = leveldb_iter_key(iterator, &size)
                record.copy(stars: stars, into: buffer).withMemoryRebound(to: CChar.self) {
                    leveldb_writebatch_put(batch, key, size, $0.baseAddress, $0.count)
                }
                sum += stars
            }
        }
        return sum
    }

    func commitEach(_ restaurants: [Restaurant]) throws {
        for restaurant in restaurants {
            try write { put(restaurant, in: $0) }
        }
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

extension RawRecord {
    fileprivate init(_ iterator: OpaquePointer) {
        var size = 0
        let start = leveldb_iter_value(iterator, &size)
        self.init(bytes: UnsafeRawBufferPointer(start: start, count: size))
    }
}

private func withKey<R>(
    _ id: UUID, _ body: (UnsafePointer<CChar>?, Int) throws -> R
) rethrows -> R {
    try withUnsafeBytes(of: id.uuid) { bytes in
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
