import Foundation
import GRDB

extension Restaurant: FetchableRecord, PersistableRecord {}
extension Inspection: FetchableRecord, PersistableRecord {}

extension Side {
    /// GRDB as its users write it: a Codable record and the query interface.
    ///
    /// A UUID is a BLOB and a Date is a text, GRDB's defaults for Codable.
    static let grdbCodable = Side(name: "GRDB Codable", version: GRDBDatabase.version) {
        try GRDBCodableStore(directory: $0, indexing: $1)
    }
}

private final class GRDBCodableStore: StoreUnderTest {
    private let directory: URL
    private var pool: DatabasePool
    private var ids: [UUID] = []

    init(directory: URL, indexing: Indexing) throws {
        self.directory = directory
        pool = try GRDBDatabase.open(in: directory)
        try pool.write { db in
            try db.create(table: "restaurant", ifNotExists: true) { t in
                t.primaryKey("id", .blob)
                let name = t.column("name", .text).notNull()
                if indexing == .uniqueName { name.unique() }
                t.column("cuisine", .text).notNull()
                let borough = t.column("borough", .text).notNull()
                if indexing == .boroughAndRating { borough.indexed() }
                t.column("street", .text).notNull()
                t.column("zipcode", .text).notNull()
                t.column("stars", .integer).notNull()
                let rating = t.column("rating", .double).notNull()
                if indexing == .boroughAndRating { rating.indexed() }
                t.column("opened", .datetime).notNull()
                t.column("isOpen", .boolean).notNull()
            }
            try db.create(table: "inspection", ifNotExists: true) { t in
                t.primaryKey("id", .blob)
                t.column("inspected", .datetime).notNull()
                t.column("score", .integer).notNull()
                t.column("inspector", .text).notNull()
            }
        }
    }

    private func insert(_ item: NewItem, _ db: Database) throws {
        switch item {
        case .restaurant(let restaurant): try restaurant.insert(db)
        case .inspection(let inspection): try inspection.insert(db)
        }
    }

    func create(_ items: [NewItem]) throws {
        try pool.write { db in
            for item in items {
                try insert(item, db)
            }
        }
        ids += items.restaurantIDs
    }

    func fetchByID(_ positions: ArraySlice<Int>) throws -> Int {
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

    func fetchByIDAlone(_ positions: ArraySlice<Int>) throws -> Int {
        var digest = 0
        for position in positions {
            digest &+=
                try pool.read { try Restaurant.fetchOne($0, key: ids[position]) }?.digest ?? 0
        }
        return digest
    }

    func newest(_ limit: Int) throws -> Int {
        try pool.read { db in
            try Restaurant.order(Column("id").desc).limit(limit).fetchAll(db)
        }.reduce(0) { $0 &* 31 &+ $1.digest }
    }

    func fetchAll(reading: Bool) throws -> Int {
        let all = try pool.read { try Restaurant.fetchAll($0) }
        return reading ? all.reduce(0) { $0 &+ $1.digest } : all.count
    }

    func count(_ filter: Filter) throws -> Int {
        try pool.read { try Restaurant.filter(filter.expression).fetchCount($0) }
    }

    func group() throws -> Int? {
        try pool.read { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT borough, COUNT(*), AVG(stars) FROM restaurant GROUP BY borough ORDER BY borough
                    """)
            var digest = 0
            while let row = try rows.next() {
                let group = Restaurant.digest(
                    borough: row[0], count: row[1], averageStars: row[2])
                digest = digest &* 31 &+ group
            }
            return digest
        }
    }

    func best(_ limit: Int) throws -> Int {
        try pool.read { db in
            try Restaurant.order(Column("rating").desc).limit(limit).fetchAll(db)
        }.reduce(0) { $0 &* 31 &+ $1.digest }
    }

    func bestByIndex(_ limit: Int) throws -> Int? { try best(limit) }

    func fetchByIndex(borough: String) throws -> Int? {
        try pool.read { db in
            try Restaurant.filter(Column("borough") == borough).fetchAll(db)
        }.reduce(0) { $0 &+ $1.digest }
    }

    func find(names: [String]) throws -> Int? {
        try pool.read { db in
            try names.reduce(0) { sum, name in
                try sum &+ (Restaurant.filter(Column("name") == name).fetchOne(db)?.digest ?? 0)
            }
        }
    }

    func updateAll() throws {
        try pool.write { db in
            for var restaurant in try Restaurant.fetchAll(db) {
                restaurant.stars = Restaurant.updated(stars: restaurant.stars)
                try restaurant.update(db)
            }
        }
    }

    func commitEach(_ items: [NewItem]) throws {
        for item in items {
            try pool.write { try insert(item, $0) }
        }
    }

    func deleteEach(_ positions: [Int]) throws {
        try pool.write { db in
            for position in positions {
                try Restaurant.deleteOne(db, key: ids[position])
            }
        }
        ids = []
    }

    func deleteAll() throws {
        _ = try pool.write { try Restaurant.deleteAll($0) }
        ids = []
    }

    func totalScore() throws -> Int {
        try pool.read { try Inspection.fetchAll($0) }.reduce(0) { $0 + $1.score }
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

extension Filter {
    fileprivate var expression: SQLExpression {
        switch self {
        case .borough(let borough, let stars):
            Column("borough") == borough && Column("stars") > stars
        case .boroughOr(let borough, let stars):
            Column("borough") == borough || Column("stars") > stars
        case .cuisine(let cuisine): Column("cuisine") == cuisine
        case .zipcodes(let zipcodes): zipcodes.contains(Column("zipcode"))
        case .rating(let range): range.contains(Column("rating"))
        case .nameContains(let part): Column("name").like("%\(part)%")
        }
    }
}
