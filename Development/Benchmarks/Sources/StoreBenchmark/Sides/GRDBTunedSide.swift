import Foundation
import GRDB

extension Side {
    /// GRDB tuned by hand: SQL, cached statements, columns read by position, dates as numbers, and a table WITHOUT
    /// ROWID.
    static let grdbTuned = Side(name: "GRDB tuned", version: GRDBDatabase.version) {
        try GRDBTunedStore(directory: $0, indexing: $1)
    }
}

private final class GRDBTunedStore: StoreUnderTest {
    private let directory: URL
    private var pool: DatabasePool
    private var ids: [UUID] = []

    private static let columns =
        "id, name, cuisine, borough, street, zipcode, stars, rating, opened, isOpen"
    private static let insertRestaurant =
        "INSERT INTO restaurant (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    private static let insertInspection =
        "INSERT INTO inspection (id, inspected, score, inspector) VALUES (?, ?, ?, ?)"
    private static let selectByID = "SELECT \(columns) FROM restaurant WHERE id = ?"

    init(directory: URL, indexing: Indexing) throws {
        self.directory = directory
        pool = try GRDBDatabase.open(in: directory)
        try pool.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS restaurant (
                        id BLOB PRIMARY KEY NOT NULL, name TEXT NOT NULL, cuisine TEXT NOT NULL,
                        borough TEXT NOT NULL, street TEXT NOT NULL, zipcode TEXT NOT NULL,
                        stars INTEGER NOT NULL, rating REAL NOT NULL, opened REAL NOT NULL,
                        isOpen INTEGER NOT NULL) WITHOUT ROWID;
                    CREATE TABLE IF NOT EXISTS inspection (
                        id BLOB PRIMARY KEY NOT NULL, inspected REAL NOT NULL,
                        score INTEGER NOT NULL, inspector TEXT NOT NULL) WITHOUT ROWID
                    """)
            if indexing == .boroughAndRating {
                try db.execute(
                    sql: """
                        CREATE INDEX IF NOT EXISTS by_borough ON restaurant (borough);
                        CREATE INDEX IF NOT EXISTS by_rating ON restaurant (rating)
                        """)
            } else if indexing == .uniqueName {
                try db.execute(
                    sql: "CREATE UNIQUE INDEX IF NOT EXISTS by_name ON restaurant (name)")
            }
        }
    }

    private func insert(_ items: [NewItem], _ db: Database) throws {
        let restaurants = try db.cachedStatement(sql: Self.insertRestaurant)
        let inspections = try db.cachedStatement(sql: Self.insertInspection)
        for item in items {
            switch item {
            case .restaurant(let restaurant):
                restaurants.setUncheckedArguments([
                    restaurant.id, restaurant.name, restaurant.cuisine, restaurant.borough,
                    restaurant.street, restaurant.zipcode, restaurant.stars, restaurant.rating,
                    restaurant.opened.timeIntervalSinceReferenceDate, restaurant.isOpen,
                ])
                try restaurants.execute()
            case .inspection(let inspection):
                inspections.setUncheckedArguments([
                    inspection.id, inspection.inspected.timeIntervalSinceReferenceDate,
                    inspection.score, inspection.inspector,
                ])
                try inspections.execute()
            }
        }
    }

    private func fetch(_ id: UUID, with statement: Statement) throws -> Restaurant? {
        statement.setUncheckedArguments([id])
        return try Row.fetchCursor(statement).map(Restaurant.init(columnsOf:)).next()
    }

    private func fetch(
        _ db: Database, _ tail: String, _ arguments: StatementArguments = []
    ) throws -> [Restaurant] {
        let sql = "SELECT \(Self.columns) FROM restaurant \(tail)"
        let rows = try Row.fetchCursor(try db.cachedStatement(sql: sql), arguments: arguments)
        return try Array(rows.map(Restaurant.init(columnsOf:)))
    }

    func create(_ items: [NewItem]) throws {
        try pool.write { try insert(items, $0) }
        ids += items.restaurantIDs
    }

    func fetchByID(_ positions: ArraySlice<Int>) throws -> Int {
        try pool.read { db in
            let statement = try db.cachedStatement(sql: Self.selectByID)
            var digest = 0
            for position in positions {
                digest &+= try fetch(ids[position], with: statement)?.digest ?? 0
            }
            return digest
        }
    }

    func fetchByIDAlone(_ positions: ArraySlice<Int>) throws -> Int {
        var digest = 0
        for position in positions {
            digest &+= try pool.read { db in
                try fetch(ids[position], with: db.cachedStatement(sql: Self.selectByID))?
                    .digest ?? 0
            }
        }
        return digest
    }

    func newest(_ limit: Int) throws -> Int {
        try pool.read { try fetch($0, "ORDER BY id DESC LIMIT ?", [limit]) }
            .reduce(0) { $0 &* 31 &+ $1.digest }
    }

    func fetchAll(reading: Bool) throws -> Int {
        let all = try pool.read { try fetch($0, "") }
        return reading ? all.reduce(0) { $0 &+ $1.digest } : all.count
    }

    func count(_ filter: Filter) throws -> Int {
        let (condition, arguments) = filter.sql
        return try pool.read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT COUNT(*) FROM restaurant WHERE \(condition)")
            return try Int.fetchOne(statement, arguments: arguments) ?? 0
        }
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
        try pool.read { try fetch($0, "ORDER BY rating DESC LIMIT ?", [limit]) }
            .reduce(0) { $0 &* 31 &+ $1.digest }
    }

    func bestByIndex(_ limit: Int) throws -> Int? { try best(limit) }

    func fetchByIndex(borough: String) throws -> Int? {
        try pool.read { try fetch($0, "WHERE borough = ?", [borough]) }
            .reduce(0) { $0 &+ $1.digest }
    }

    func find(names: [String]) throws -> Int? {
        try pool.read { db in
            try names.reduce(0) { sum, name in
                try sum &+ (fetch(db, "WHERE name = ?", [name]).first?.digest ?? 0)
            }
        }
    }

    func updateAll() throws {
        try pool.write { db in
            let statement = try db.cachedStatement(
                sql: "UPDATE restaurant SET stars = ? WHERE id = ?")
            for restaurant in try fetch(db, "") {
                let stars = Restaurant.updated(stars: restaurant.stars)
                statement.setUncheckedArguments([stars, restaurant.id])
                try statement.execute()
            }
        }
    }

    func commitEach(_ items: [NewItem]) throws {
        for item in items {
            try pool.write { try insert([item], $0) }
        }
    }

    func deleteEach(_ positions: [Int]) throws {
        try pool.write { db in
            let statement = try db.cachedStatement(sql: "DELETE FROM restaurant WHERE id = ?")
            for position in positions {
                statement.setUncheckedArguments([ids[position]])
                try statement.execute()
            }
        }
        ids = []
    }

    func deleteAll() throws {
        try pool.write { try $0.execute(sql: "DELETE FROM restaurant") }
        ids = []
    }

    func totalScore() throws -> Int {
        try pool.read { try Int.fetchOne($0, sql: "SELECT SUM(score) FROM inspection") } ?? 0
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

extension Filter {
    fileprivate var sql: (condition: String, arguments: StatementArguments) {
        switch self {
        case .borough(let borough, let stars): ("borough = ? AND stars > ?", [borough, stars])
        case .boroughOr(let borough, let stars): ("borough = ? OR stars > ?", [borough, stars])
        case .cuisine(let cuisine): ("cuisine = ?", [cuisine])
        case .zipcodes(let zipcodes):
            (
                "zipcode IN (\(zipcodes.map { _ in "?" }.joined(separator: ", ")))",
                StatementArguments(zipcodes)
            )
        case .rating(let range):
            ("rating BETWEEN ? AND ?", [range.lowerBound, range.upperBound])
        case .nameContains(let part): ("name LIKE ?", ["%\(part)%"])
        }
    }
}
