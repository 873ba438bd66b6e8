import Foundation
import GRDB

extension Side {
    /// GRDB tuned by hand: SQL, cached statements, columns read by position, dates as numbers, and
    /// a table that is its own primary key's tree.
    static let grdbTuned = Side(name: "GRDB tuned", version: GRDBDatabase.version) {
        try GRDBTunedStore(directory: $0, indexed: $1)
    }
}

private final class GRDBTunedStore: StoreUnderTest {
    private let directory: URL
    private var pool: DatabasePool
    private var ids: [UUID] = []

    private static let columns =
        "id, name, cuisine, borough, street, zipcode, stars, rating, opened, isOpen"
    private static let insert =
        "INSERT INTO restaurant (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

    init(directory: URL, indexed: Bool) throws {
        self.directory = directory
        pool = try GRDBDatabase.open(in: directory)
        try pool.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS restaurant (
                        id BLOB PRIMARY KEY NOT NULL, name TEXT NOT NULL, cuisine TEXT NOT NULL,
                        borough TEXT NOT NULL, street TEXT NOT NULL, zipcode TEXT NOT NULL,
                        stars INTEGER NOT NULL, rating REAL NOT NULL, opened REAL NOT NULL,
                        isOpen INTEGER NOT NULL) WITHOUT ROWID
                    """)
            if indexed {
                try db.execute(
                    sql: "CREATE INDEX IF NOT EXISTS by_borough ON restaurant (borough)")
            }
        }
    }

    private func insert(_ restaurant: Restaurant, with statement: Statement) throws {
        statement.setUncheckedArguments([
            restaurant.id, restaurant.name, restaurant.cuisine, restaurant.borough,
            restaurant.street, restaurant.zipcode, restaurant.stars, restaurant.rating,
            restaurant.opened.timeIntervalSinceReferenceDate, restaurant.isOpen,
        ])
        try statement.execute()
    }

    private func fetch(
        _ db: Database, _ tail: String, _ arguments: StatementArguments = []
    ) throws -> [Restaurant] {
        let sql = "SELECT \(Self.columns) FROM restaurant \(tail)"
        let rows = try Row.fetchCursor(try db.cachedStatement(sql: sql), arguments: arguments)
        return try Array(rows.map(Restaurant.init(columnsOf:)))
    }

    func create(_ restaurants: [Restaurant]) throws {
        try pool.write { db in
            let statement = try db.cachedStatement(sql: Self.insert)
            for restaurant in restaurants {
                try insert(restaurant, with: statement)
            }
        }
        ids += restaurants.map(\.id)
    }

    func fetchByID(_ positions: [Int]) throws -> Int {
        try pool.read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT \(Self.columns) FROM restaurant WHERE id = ?")
            var digest = 0
            for position in positions {
                statement.setUncheckedArguments([ids[position]])
                let restaurants = try Row.fetchCursor(statement).map(Restaurant.init(columnsOf:))
                guard let restaurant = try restaurants.next() else { continue }
                digest &+= restaurant.digest
            }
            return digest
        }
    }

    func fetchAll(reading: Bool) throws -> Int {
        let all = try pool.read { try fetch($0, "") }
        return reading ? all.reduce(0) { $0 &+ $1.digest } : all.count
    }

    func count(borough: String, starsAbove: Int) throws -> Int {
        try pool.read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT COUNT(*) FROM restaurant WHERE borough = ? AND stars > ?")
            return try Int.fetchOne(statement, arguments: [borough, starsAbove]) ?? 0
        }
    }

    func best(_ limit: Int) throws -> Int {
        try pool.read { try fetch($0, "ORDER BY rating DESC LIMIT ?", [limit]) }
            .reduce(0) { $0 &* 31 &+ $1.digest }
    }

    func fetchByIndex(borough: String) throws -> Int? {
        try pool.read { try fetch($0, "WHERE borough = ?", [borough]) }
            .reduce(0) { $0 &+ $1.digest }
    }

    func updateAll() throws -> Int {
        try pool.write { db in
            let statement = try db.cachedStatement(
                sql: "UPDATE restaurant SET stars = ? WHERE id = ?")
            var sum = 0
            for var restaurant in try fetch(db, "") {
                restaurant.stars = Restaurant.updated(stars: restaurant.stars)
                statement.setUncheckedArguments([restaurant.stars, restaurant.id])
                try statement.execute()
                sum += restaurant.stars
            }
            return sum
        }
    }

    func commitEach(_ restaurants: [Restaurant]) throws {
        for restaurant in restaurants {
            try pool.write { db in
                try insert(restaurant, with: try db.cachedStatement(sql: Self.insert))
            }
        }
    }

    func deleteAll() throws {
        try pool.write { try $0.execute(sql: "DELETE FROM restaurant") }
        ids = []
    }

    func holdAll(while body: () -> Void) throws {
        let all = try pool.read { try fetch($0, "") }
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

extension Restaurant {
    fileprivate init(columnsOf row: Row) {
        self.init(
            id: row[0], name: row[1], cuisine: row[2], borough: row[3], street: row[4],
            zipcode: row[5], stars: row[6], rating: row[7],
            opened: Date(timeIntervalSinceReferenceDate: row[8]), isOpen: row[9])
    }
}
