import ArgumentParser
import Foundation
import GRDB
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB

/// Compares the query plans and times with SQLite's, with equal indexes.
struct PlannerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "planner",
        abstract: "Shows what each query reads, and its time beside SQLite's with the same indexes."
    )

    @Option(help: "How many rows each side holds.")
    var items = 200_000

    @Option(help: "How many rounds are counted.")
    var rounds = 5

    @Option(help: "Carries out only the queries whose titles contain this.")
    var only: String?

    @Option(help: "Compares only this store: LMDB or LevelDB.")
    var store: String?

    func run() throws { try FileManager.default.withBenchmarkDirectory(run(in:)) }

    private func run(in directory: URL) throws {
        let sqlite = try GRDBDatabase.open(in: directory)
        try sqlite.write { db in
            try db.execute(sql: PlannedRow.schema)
            for number in 0..<items { try PlannedRow(number).insert(number, db) }
        }
        let (lmdb, levelDB) = (
            directory.appending(path: "lmdb"), directory.appending(path: "leveldb")
        )
        let stores: [(String, () throws -> any DataStore, () throws -> any RawWalk)] = [
            ("LMDB", { try LMDBDataStore.open(at: lmdb) }, { try RawLMDBWalk(directory: lmdb) }),
            (
                "LevelDB", { try LevelDBDataStore.open(at: levelDB) },
                { try RawLevelDBWalk(directory: levelDB) }
            ),
        ]
        print("\(Machine.line), \(items) rows, \(rounds) rounds, medians")
        for (name, open, openRaw) in stores where self.store.map({ $0 == name }) ?? true {
            let filled = try open()
            try fill(filled)
            // What was written last is not yet in LevelDB's tables, but in memory, where it is in a state that lasts
            // only until the next write or opening.
            try filled.close()
            let store = try open()
            var rows: [Measured] = []
            for query in try PlannedQuery.all(rows: items)
            where only.map({ query.title.contains($0) }) ?? true {
                rows.append(try compare(query, store, sqlite))
            }
            try store.close()
            print("\n\(name)")
            print(
                line(
                    "query", "entries", "records", "ours µs", "SQLite µs", "ratio", "raw µs",
                    "raw ratio"))
            try report(rows, beside: openRaw())
        }
    }

    /// The times of a query in microseconds, and what it examined.
    private struct Measured {
        let title: String
        let plan: QueryPlan
        let own: Double
        let other: Double
    }

    /// Prints the rows, with the time that the engine alone takes for what each of them examined.
    private func report(_ rows: [Measured], beside raw: any RawWalk) throws {
        defer { raw.close() }
        let keys = try raw.recordKeys().shuffled()
        for row in rows {
            let records = Array(keys.prefix(row.plan.recordsExamined))
            let read = { try raw.read(entries: row.plan.entriesExamined, records: records) }
            let repetitions = try repetitions(of: read)
            var times: [Double] = []
            for _ in 0..<rounds { times.append(try measure(read, repetitions)) }
            let alone = times.median
            print(
                line(
                    row.title, "\(row.plan.entriesExamined)", "\(row.plan.recordsExamined)",
                    String(format: "%.1f", row.own), String(format: "%.1f", row.other),
                    String(format: "%.2f", row.own / row.other), String(format: "%.1f", alone),
                    String(format: "%.2f", alone / row.other)))
        }
    }

    private func fill(_ store: any DataStore) throws {
        try store.write { db in
            for number in 0..<items { PlannedRow(number).fill(try db.create(PlannedItem.self)) }
            try db.declare(
                ItemSchema("Planned", attributes: [], indexes: [IndexSchema(["address.city"])]))
        }
    }

    private func compare(
        _ query: PlannedQuery, _ store: any DataStore, _ sqlite: DatabasePool
    ) throws -> Measured {
        let (own, other) = (
            { try store.read { db in try ask(query, db) } },
            { try sqlite.read { db in try ask(query, db) } }
        )
        let (expected, found) = (try other(), try own())
        guard expected == found else {
            throw ValidationError("\(query.title): found \(found), and SQLite \(expected).")
        }
        var times: (own: [Double], other: [Double]) = ([], [])
        let repetitions = (try repetitions(of: own), try repetitions(of: other))
        for _ in 0..<rounds {
            times.own.append(try measure(own, repetitions.0))
            times.other.append(try measure(other, repetitions.1))
        }
        let plan = try store.read { db in try explain(query, db) }
        return Measured(
            title: query.title, plan: plan, own: times.own.median, other: times.other.median)
    }

    /// The number of rows, and a digest of them.
    private struct Answer: Equatable {
        var rows = 0
        var sum = 0

        mutating func add(_ value: Int) {
            rows += 1
            sum &+= value
        }
    }

    private func ask(
        _ query: PlannedQuery, _ db: borrowing DataStoreReader
    ) throws -> Answer {
        var answer = Answer()
        switch query.question {
        case .items:
            for case let item as PlannedItem in try db.items(query.request) {
                answer.add(item.score)
            }
        case .count: answer.add(try db.count(query.request))
        case .exists:
            let item = DataStoreRequest(
                type: query.request.type, predicate: query.request.predicate, limit: 1)
            answer.add(try db.count(item))
        case .aggregate(let aggregation):
            for row in try db.aggregate(query.request, aggregation) {
                // With keys only, the key; else the aggregates.
                let values =
                    aggregation.aggregates.isEmpty
                    ? aggregation.keys : aggregation.aggregates.map(\.name)
                answer.add(values.reduce(0) { $0 + number(row[$1]) })
            }
        }
        return answer
    }

    private func number(_ value: DataStoreValue) -> Int {
        if case .int(let number) = value { Int(number) } else { 0 }
    }

    private func ask(_ query: PlannedQuery, _ db: Database) throws -> Answer {
        var answer = Answer()
        let statement = try db.cachedStatement(sql: query.sql)
        let rows = try Row.fetchCursor(statement)
        while let row = try rows.next() { answer.add(row[0]) }
        return answer
    }

    private func explain(
        _ query: PlannedQuery, _ db: borrowing DataStoreReader
    ) throws -> QueryPlan {
        switch query.question {
        case .items: try db.explain(query.request)
        case .count: try db.explain(.count, query.request)
        case .exists: try db.explain(.exists, query.request)
        case .aggregate(let aggregation): try db.explain(.aggregate(aggregation), query.request)
        }
    }

    // MARK: Time

    /// The number of repetitions in a round, which should take some milliseconds.
    private func repetitions(of body: () throws -> some Any) throws -> Int {
        let time = try measure(body, 3)
        return max(1, min(500, Int(20_000 / max(1, time))))
    }

    /// The time in microseconds.
    private func measure(_ body: () throws -> some Any, _ repetitions: Int) throws -> Double {
        let start = ContinuousClock.now
        for _ in 0..<repetitions { _ = try body() }
        return (ContinuousClock.now - start) / .microseconds(1) / Double(repetitions)
    }

    private func line(_ title: String, _ columns: String...) -> String {
        title.padding(toLength: 38, withPad: " ", startingAt: 0)
            + columns.map { String(repeating: " ", count: max(1, 11 - $0.count)) + $0 }.joined()
    }
}
