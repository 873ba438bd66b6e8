import CBenchPostgres
import Foundation

extension Side {
    /// PostgreSQL through libpq, written by hand: a table for each type, and no objects but structs.
    ///
    /// - Parameter insertsRows: Whether all items are created by INSERTs of 1,000 rows, and not by COPY.
    static func libpq(_ url: String, insertsRows: Bool = false) -> Side {
        Side(
            name: insertsRows ? "libpq INSERT" : "libpq", version: "libpq \(PQlibVersion())"
        ) { directory, indexing in
            try LibpqStore(
                url, schema: "bench_" + directory.nameOfStore, indexing, insertsRows: insertsRows)
        }
    }
}

extension URL {
    /// The name of the store for the last component of the path.
    var nameOfStore: String { lastPathComponent.replacing("-", with: "_") }
}

private final class LibpqStore: StoreUnderTest {
    private let url: String
    private let schema: String
    private let insertsRows: Bool
    private var connections: [LibpqConnection] = []
    private var ids: [UUID] = []

    private static let rowsOfInsert = 1_000

    init(_ url: String, schema: String, _ indexing: Indexing, insertsRows: Bool) throws {
        self.url = url
        self.schema = schema
        self.insertsRows = insertsRows
        let indexes =
            indexing == .boroughAndRating
            ? "CREATE INDEX ON restaurant (borough); CREATE INDEX ON restaurant (rating)" : ""
        try LibpqConnection(url).run(
            """
            DROP SCHEMA IF EXISTS \(schema) CASCADE;
            CREATE SCHEMA \(schema);
            SET search_path = \(schema);
            CREATE TABLE restaurant (
                id uuid PRIMARY KEY, name text NOT NULL, cuisine text NOT NULL, borough text NOT NULL,
                street text NOT NULL, zipcode text NOT NULL, stars int4 NOT NULL, rating float8 NOT NULL,
                opened timestamptz NOT NULL, is_open bool NOT NULL);
            CREATE TABLE inspection (
                id uuid PRIMARY KEY, inspected timestamptz NOT NULL, score int4 NOT NULL, inspector text NOT NULL);
            \(indexes)
            """)
        try connect()
    }

    /// Opens a connection for each of eight threads, with the statements that they need.
    private func connect() throws {
        connections = try (0..<8).map { _ in
            let connection = try LibpqConnection(url)
            try connection.run("SET search_path = \(schema)")
            for (table, columns) in [("restaurant", 10), ("inspection", 4)] {
                for rows in insertsRows ? [1, Self.rowsOfInsert] : [1] {
                    let values = (0..<rows).map { row in
                        "("
                            + (1...columns).map { "$\(row * columns + $0)" }
                            .joined(separator: ",") + ")"
                    }
                    try connection.prepare(
                        "\(table)\(rows)",
                        "INSERT INTO \(table) VALUES \(values.joined(separator: ","))")
                }
            }
            for (name, tail) in [
                ("all", ""), ("byID", "WHERE id = $1"), ("byIDs", "WHERE id = ANY($1)"),
                ("byBorough", "WHERE borough = $1"),
                ("newest", "ORDER BY id DESC LIMIT $1"), ("best", "ORDER BY rating DESC LIMIT $1"),
            ] { try connection.prepare(name, "SELECT * FROM restaurant \(tail)") }
            try connection.prepare(
                "count", "SELECT count(*) FROM restaurant WHERE borough = $1 AND stars > $2")
            try connection.prepare(
                "update",
                """
                UPDATE restaurant SET stars = new.stars FROM unnest($1::uuid[], $2::int4[]) AS new(id, stars) \
                WHERE restaurant.id = new.id
                """)
            try connection.prepare("delete", "DELETE FROM restaurant WHERE id = ANY($1)")
            try connection.prepare("score", "SELECT sum(score) FROM inspection")
            return connection
        }
    }

    private func fetch(
        _ statement: String, _ fill: (inout BinaryFields) -> Void = { _ in }
    ) throws -> [Restaurant] {
        var fields = BinaryFields()
        fill(&fields)
        let rows = try connections[0].run(prepared: statement, fields)
        return (0..<rows.count).map { Restaurant(rows, $0) }
    }

    private func digest(of position: Int) throws -> Int {
        try fetch("byID") { $0.add(ids[position]) }.first?.digest ?? 0
    }

    private func list(_ positions: some Collection<Int>) -> BinaryFields {
        var (elements, list) = (BinaryFields(), BinaryFields())
        for position in positions { elements.add(ids[position]) }
        list.add(elements, count: positions.count, ofType: 2950)
        return list
    }

    func create(_ items: [NewItem]) throws {
        var restaurants: [Restaurant] = []
        var inspections: [Inspection] = []
        for item in items {
            switch item {
            case .restaurant(let restaurant): restaurants.append(restaurant)
            case .inspection(let inspection): inspections.append(inspection)
            }
        }
        try connections[0].transaction {
            try store(restaurants, in: "restaurant", fieldCount: 10) { $1.add($0) }
            try store(inspections, in: "inspection", fieldCount: 4) { $1.add($0) }
        }
        ids += items.restaurantIDs
    }

    private func store<Row>(
        _ rows: [Row], in table: String, fieldCount: Int16,
        _ add: (Row, inout BinaryFields) -> Void
    ) throws {
        guard insertsRows else {
            return try connections[0].copy(rows, into: table, fieldCount: fieldCount, add)
        }
        var rest = rows[...]
        while !rest.isEmpty {
            let count = rest.count < Self.rowsOfInsert ? 1 : Self.rowsOfInsert
            var fields = BinaryFields()
            for row in rest.prefix(count) { add(row, &fields) }
            try connections[0].run(prepared: "\(table)\(count)", fields)
            rest = rest.dropFirst(count)
        }
    }

    func fetchByID(_ positions: ArraySlice<Int>) throws -> Int {
        try connections[0].transaction { try fetchByIDAlone(positions) }
    }

    func fetchByIDAlone(_ positions: ArraySlice<Int>) throws -> Int {
        try positions.reduce(0) { try $0 &+ digest(of: $1) }
    }

    func fetchByIDs(_ positions: ArraySlice<Int>) throws -> Int? {
        try fetch("byIDs") { $0 = list(positions) }.reduce(0) { $0 &+ $1.digest }
    }

    func newest(_ limit: Int) throws -> Int {
        try fetch("newest") { $0.add(Int64(limit)) }.reduce(0) { $0 &* 31 &+ $1.digest }
    }

    func best(_ limit: Int) throws -> Int {
        try fetch("best") { $0.add(Int64(limit)) }.reduce(0) { $0 &* 31 &+ $1.digest }
    }

    func fetchAll(reading: Bool) throws -> Int {
        let all = try fetch("all")
        return reading ? all.reduce(0) { $0 &+ $1.digest } : all.count
    }

    func count(_ filter: Filter) throws -> Int {
        guard case .borough(let borough, let stars) = filter else {
            throw RawError(engine: "libpq", text: "has no statement for this filter")
        }
        var fields = BinaryFields()
        fields.add(borough)
        fields.add(Int32(stars))
        let count: Int64 = try connections[0].run(prepared: "count", fields).number(0, 0)
        return Int(count)
    }

    func fetchByIndex(borough: String) throws -> Int? {
        try fetch("byBorough") { $0.add(borough) }.reduce(0) { $0 &+ $1.digest }
    }

    func updateAll() throws {
        try connections[0].transaction {
            let all = try fetch("all")
            var (ids, stars, lists) = (BinaryFields(), BinaryFields(), BinaryFields())
            for restaurant in all {
                ids.add(restaurant.id)
                stars.add(Int32(Restaurant.updated(stars: restaurant.stars)))
            }
            lists.add(ids, count: all.count, ofType: 2950)
            lists.add(stars, count: all.count, ofType: 23)
            try connections[0].run(prepared: "update", lists)
        }
    }

    func commitEach(_ items: [NewItem]) throws { try Self.commit(items[...], connections[0]) }

    private static func commit(_ items: ArraySlice<NewItem>, _ connection: LibpqConnection) throws {
        for item in items {
            var fields = BinaryFields()
            let statement: String
            switch item {
            case .restaurant(let restaurant):
                fields.add(restaurant)
                statement = "restaurant1"
            case .inspection(let inspection):
                fields.add(inspection)
                statement = "inspection1"
            }
            try connection.transaction { _ = try connection.run(prepared: statement, fields) }
        }
    }

    func commitEach(_ items: [NewItem], threads: Int) throws -> Bool {
        let share = (items.count + threads - 1) / threads
        // Safe: each thread has a connection of its own.
        nonisolated(unsafe) let connections = connections
        try onThreads(threads) { number in
            try Self.commit(
                items.dropFirst(number * share).prefix(share), connections[number])
        }
        return true
    }

    func deleteEach(_ positions: [Int]) throws {
        try connections[0].run(prepared: "delete", list(positions))
        ids = []
    }

    func deleteAll() throws {
        try connections[0].run("DELETE FROM restaurant")
        ids = []
    }

    func totalScore() throws -> Int {
        let score: Int64 = try connections[0].run(prepared: "score", BinaryFields()).number(0, 0)
        return Int(score)
    }

    func holdAll(while body: () -> Void) throws {
        withExtendedLifetime(try fetch("all"), body)
    }

    func reopen() throws {
        connections = []
        try connect()
        try connections[0].run("VACUUM ANALYZE restaurant")
        try connections[0].run("VACUUM ANALYZE inspection")
    }

    func close() throws {
        try connections[0].run("DROP SCHEMA \(schema) CASCADE")
        connections = []
    }
}

extension Restaurant {
    fileprivate init(_ rows: LibpqRows, _ row: Int32) {
        let stars: Int32 = rows.number(row, 6)
        let rating: UInt64 = rows.number(row, 7)
        let isOpen: UInt8 = rows.number(row, 9)
        self.init(
            id: rows.id(row, 0), name: rows.text(row, 1), cuisine: rows.text(row, 2),
            borough: rows.text(row, 3), street: rows.text(row, 4), zipcode: rows.text(row, 5),
            stars: Int(stars), rating: Double(bitPattern: rating), opened: rows.date(row, 8),
            isOpen: isOpen != 0)
    }
}

extension BinaryFields {
    fileprivate mutating func add(_ restaurant: Restaurant) {
        add(restaurant.id)
        add(restaurant.name)
        add(restaurant.cuisine)
        add(restaurant.borough)
        add(restaurant.street)
        add(restaurant.zipcode)
        add(Int32(restaurant.stars))
        add(restaurant.rating)
        add(restaurant.opened)
        add(restaurant.isOpen)
    }

    fileprivate mutating func add(_ inspection: Inspection) {
        add(inspection.id)
        add(inspection.inspected)
        add(Int32(inspection.score))
        add(inspection.inspector)
    }
}
