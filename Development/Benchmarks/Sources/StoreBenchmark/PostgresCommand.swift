import ArgumentParser
import Foundation

/// Compares JustPersist on a PostgreSQL server with libpq, used by hand on tables with a column for each attribute.
struct PostgresCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "postgres",
        abstract: "Compares JustPersist on a PostgreSQL server with hand-written libpq.")

    @Option(help: "How many restaurants each store holds, and as many inspections.")
    var items = 100_000

    @Option(help: "How many rounds are counted, after one that warms up.")
    var rounds = 5

    @Option(help: "Measures only these operations, with commas between them.")
    var only: String?

    /// A row of the table: an operation of JustPersist beside another side, or beside another operation of its own.
    private struct Comparison {
        let operation: Operation
        var peer = "libpq"
        var baseline: Operation?
        var how = ""
        /// The least ratio of the speeds.
        var goal: Double?
    }

    private static let subject = "JustPersist PostgreSQL"

    private static let comparisons: [Comparison] = [
        Comparison(operation: .fetchByIDAlone, how: "SELECT … WHERE id = $1", goal: 0.6),
        Comparison(operation: .fetchByIDs, how: "SELECT … WHERE id = ANY($1)", goal: 0.8),
        Comparison(operation: .create, how: "COPY … FROM STDIN (FORMAT binary)", goal: 0.4),
        Comparison(
            operation: .create, peer: "libpq INSERT", how: "INSERT of 1,000 rows", goal: 3),
        Comparison(operation: .fetchAll, how: "SELECT *", goal: 0.7),
        Comparison(operation: .index, how: "SELECT … WHERE borough = $1", goal: 0.4),
        Comparison(operation: .count, how: "SELECT count(*) … WHERE …"),
        Comparison(operation: .commit, how: "BEGIN, INSERT, COMMIT", goal: 0.8),
        Comparison(
            operation: .commitThreads, peer: subject, baseline: .commit,
            how: "the same with 1 writer", goal: 4),
        Comparison(operation: .commitThreads, how: "the same on 8 connections"),
        Comparison(
            operation: .commitQueued, peer: subject, baseline: .commit,
            how: "the same with 1 writer"),
        Comparison(operation: .update, how: "SELECT *, UPDATE … FROM unnest", goal: 0.8),
    ]

    func run() throws {
        guard let url = ProcessInfo.processInfo.environment["JP_POSTGRES_URL"] else {
            throw ValidationError(
                """
                The benchmark needs a PostgreSQL server, which JP_POSTGRES_URL names. Run \
                scripts/with-postgres Development/Benchmarks/.build/release/StoreBenchmark postgres
                """)
        }
        try FileManager.default.withBenchmarkDirectory { directory in
            try compare(url, in: directory)
            try countRequests(url, in: directory)
        }
    }

    // MARK: Times

    private func compare(_ url: String, in directory: URL) throws {
        let workload = Workload(items: items, rounds: rounds + 1)
        let contenders = [
            Side.justPersistPostgres(url), .libpq(url), .libpq(url, insertsRows: true),
        ].map { side in
            Contender(
                side: side, directory: directory.appending(path: side.name), workload: workload)
        }
        let names = only?.split(separator: ",").map(String.init)
        let measured = Self.comparisons.filter {
            names?.contains($0.operation.rawValue) ?? true
        }
        print("\(Machine.line), \(items) restaurants and inspections, \(rounds) rounds, medians")
        let before = Machine.load ?? 0
        var rows = [["operation", "µs", "beside it", "µs", "times as fast"]]
        let commits: [Operation] = [.commit, .commitThreads, .commitQueued]
        let alone = Operation.allCases.filter { !commits.contains($0) }.map { [$0] }
        for operations in alone + [commits] {
            let own = measured.filter { operations.contains($0.operation) }
            let lanes = operations.flatMap { operation in
                contenders.filter { contender in
                    own.contains { row in
                        let name = contender.side.name
                        return name == Self.subject && operation == row.operation
                            || name == row.peer && operation == row.baseline ?? row.operation
                    }
                }.map { Race.Lane(contender: $0, operation: operation) }
            }
            if lanes.isEmpty { continue }
            let timings = try Race(lanes: lanes, rounds: rounds).run()
            rows += own.compactMap { row(of: $0, timings) }
            for lane in lanes { try lane.contender.finish(lane.operation) }
        }
        for contender in contenders { try contender.close() }
        print(Report.lay(rows))
        print(String(format: "Load %.1f before, %.1f after", before, Machine.load ?? 0))
    }

    private func row(of comparison: Comparison, _ timings: [Race.Timing]) -> [String]? {
        func timing(_ side: String, _ operation: Operation) -> Race.Timing? {
            timings.first { $0.side == side && $0.operation == operation }
        }
        guard let own = timing(Self.subject, comparison.operation),
            let peer = timing(comparison.peer, comparison.baseline ?? comparison.operation)
        else { return nil }
        let ratio = Report.Ratio(own, toward: peer, goal: comparison.goal)
        return [
            own.operation.title, String(format: "%.2f", own.secondsPerItem.median * 1e6),
            comparison.how, String(format: "%.2f", peer.secondsPerItem.median * 1e6),
            Report.judge(ratio),
        ]
    }

    // MARK: Requests

    /// Counts the requests and bytes of single calls, through a proxy at a socket.
    private func countRequests(_ url: String, in directory: URL) throws {
        func encoded(_ path: String) -> String { path.replacing("/", with: "%2F") }
        guard let socket = ProcessInfo.processInfo.environment["JP_POSTGRES_SOCKET"],
            url.contains(encoded(socket))
        else { return print("\nRequests are counted only at a Unix socket in JP_POSTGRES_SOCKET.") }
        let proxy = try CountingProxy(in: directory, to: socket)
        defer { proxy.close() }
        let passed = url.replacing(encoded(socket), with: encoded(directory.path))
        // Two rounds: the first call on a connection may need more, and is not counted.
        let workload = Workload(items: min(items, 10_000), rounds: 2)
        let calls = Self.calls(workload)
        var rows = [["call"] + calls.map(\.title)]
        for side in [Side.justPersistPostgres(passed), .libpq(passed)] {
            let store = try side.open(directory.appending(path: "counted"), .boroughAndRating)
            try store.create(workload.items)
            try store.reopen()
            for call in calls { try call.body(store, 0) }
            let counts = try calls.map { call in try proxy.count { try call.body(store, 1) } }
            try store.close()
            rows.append([side.name] + counts.map(\.text))
        }
        print("\nRequests, kB sent and kB received, with \(workload.restaurants.count) restaurants")
        print(Report.lay(rows[0].indices.map { column in rows.map { $0[column] } }))
        print("The last request of each block that only reads ends it, and is not awaited.")
    }

    private static func calls(
        _ workload: Workload
    ) -> [(title: String, body: (any StoreUnderTest, _ round: Int) throws -> Void)] {
        [
            (
                "fetch by id",
                { store, _ in _ = try store.fetchByIDAlone(workload.shuffled.prefix(1)) }
            ),
            (
                "fetch by a list of 1,000 ids",
                { store, _ in _ = try store.fetchByIDs(workload.lists[0]) }
            ),
            ("fetch all", { store, _ in _ = try store.fetchAll(reading: true) }),
            (
                "fetch 20 % by an index",
                { store, _ in
                    _ = try store.fetchByIndex(borough: workload.borough)
                }
            ),
            (
                "filtered count, full scan",
                { store, _ in
                    _ = try store.count(.borough(workload.borough, andStarsAbove: 3))
                }
            ),
            (
                "commit 1 item",
                { store, round in
                    try store.commitEach(Array(workload.commits[round].prefix(1)))
                }
            ),
            (
                "create 1,000 items",
                { store, round in
                    try store.create(Array(workload.queuedCommits[round].prefix(1_000)))
                }
            ),
            ("update all", { store, _ in try store.updateAll() }),
        ]
    }
}
