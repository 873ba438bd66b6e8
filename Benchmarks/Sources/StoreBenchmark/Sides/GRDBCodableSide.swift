import Foundation
import GRDB

extension Restaurant: FetchableRecord, PersistableRecord {}

extension Side {
    /// GRDB as its users write it: a Codable record and the query interface.
    ///
    /// A UUID is a BLOB and a Date is a text, which is what GRDB does with Codable's by default.
    static let grdbCodable = Side(name: "GRDB Codable", version: GRDBDatabase.version) {
        try GRDBCodableStore(directory: $0, indexed: $1)
    }
}

private final class GRDBCodableStore: StoreUnderTest {
    private let directory: URL
    private var pool: DatabasePool
    private var ids: [UUID] = []

    init(directory: URL, indexed: Bool) throws {
        self.directory = directory
        pool = try GRDBDatabase.open(in: directory)
        try pool.write { db in
            try db.create(table: "restaurant", ifNotExists: true) { t in
                t.primaryKey("id", .blob)
                t.column("name", .text).notNull()
                t.column("cuisine", .text).notNull()
                let borough = t.column("borough", .text).notNull()
                if indexed { borough.indexed() }
                t.column("street", .text).notNull()
                t.column("zipcode", .text).notNull()
                t.column("stars", .integer).notNull()
                t.column("rating", .double).notNull()
                t.column("opened", .datetime).notNull()
                t.column("isOpen", .boolean).notNull()
            }
        }
    }

    func create(_ restaurants: [Restaurant]) throws {
        try pool.write { db in
            for restaurant in restaurants {
                try restaurant.insert(db)
            }
        }
        ids += restaurants.map(\.id)
    }

    func fetchByID(_ positions: [Int]) throws -> Int {
        try pool.read { db in
            var digest = 0
            for position in positions {
                guard let restaurant = try Restaurant.fetchOne(db, key: ids[position]) else {
                    continue
                }
                digest &+= restaurant.digest
            }
            return digest
        }
    }

    func fetchAll(reading: Bool) throws -> Int {
        let all = try pool.read { try Restaurant.fetchAll($0) }
        return reading ? all.reduce(0) { $0 &+ $1.digest } : all.count
    }

    func count(borough: String, starsAbove: Int) throws -> Int {
        try pool.read { db in
            try Restaurant
                .filter(Column("borough") == borough && Column("stars") > starsAbove)
                .fetchCount(db)
        }
    }

    func best(_ limit: Int) throws -> Int {
        try pool.read { db in
            try Restaurant.order(Column("rating").desc).limit(limit).fetchAll(db)
        }.reduce(0) { $0 &* 31 &+ $1.digest }
    }

    func fetchByIndex(borough: String) throws -> Int? {
        try pool.read { db in
            try Restaurant.filter(Column("borough") == borough).fetchAll(db)
        }.reduce(0) { $0 &+ $1.digest }
    }

    func updateAll() throws -> Int {
        try pool.write { db in
            var sum = 0
            for var restaurant in try Restaurant.fetchAll(db) {
                restaurant.stars = Restaurant.updated(stars: restaurant.stars)
                try restaurant.update(db)
                sum += restaurant.stars
            }
            return sum
        }
    }

    func commitEach(_ restaurants: [Restaurant]) throws {
        for restaurant in restaurants {
            try pool.write { try restaurant.insert($0) }
        }
    }

    func deleteAll() throws {
        _ = try pool.write { try Restaurant.deleteAll($0) }
        ids = []
    }

    func holdAll(while body: () -> Void) throws {
        let all = try pool.read { try Restaurant.fetchAll($0) }
        withExtendedLifetime(all, body)
    }

    func reopen() throws {
        try close()
        pool = try GRDBDatabase.open(in: directory)
    }

    func close() throws {
        try pool.close()
    }
}
