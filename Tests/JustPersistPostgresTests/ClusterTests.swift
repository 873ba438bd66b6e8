import Foundation
import JustPersist
import JustPersistPostgres
import Testing

/// Failover: a program that knows only the URL goes on, and no acknowledged commit is lost.
@Suite(.serialized, .enabled(if: Cluster.isThere, Cluster.notThere)) struct ClusterTests {
    /// The number of times that a test disturbs the cluster.
    private static func count(_ name: String, _ usual: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usual
    }

    /// Disturbs the primary under load, again and again, and reports how long writes stood still.
    private func trial(
        _ name: String, _ count: Int, _ disturb: (_ round: Int, _ primary: String) throws -> Void,
        mend: (_ round: Int, _ primary: String) throws -> Void
    ) throws {
        let cluster = try Cluster()
        try cluster.awaitReady()
        let url = try #require(Cluster.url) + "?store=\(name)"
        let stores = try [PostgresDataStore.withEntries(url), PostgresDataStore.open(url)]
        let (load, rounds) = try Load.run(on: stores, seconds: 1, writers: 4) { acknowledged in
            var rounds: [(start: ContinuousClock.Instant, end: ContinuousClock.Instant)] = []
            var primaries: Set<String> = []
            for round in 0..<count {
                Thread.sleep(forTimeInterval: .random(in: 0.2..<1))
                let primary = try cluster.primary()
                primaries.insert(primary)
                let start = Surroundings.now
                try disturb(round, primary)
                // What was in flight may still be acknowledged.
                Thread.sleep(forTimeInterval: 1)
                let before = acknowledged()
                try Cluster.wait(for: "a program that goes on") { acknowledged() > before + 20 }
                try mend(round, primary)
                try cluster.awaitReady()
                Thread.sleep(forTimeInterval: 1)
                rounds.append((start, Surroundings.now))
                let seconds = (Surroundings.now - start) / .seconds(1)
                print(
                    "\(name) \(round + 1) of \(count): server \(primary), \(Int(seconds)) seconds")
            }
            // A server that is killed once may be the primary again.
            #expect(primaries.count > 1 || count == 1)
            return rounds
        }
        try load.expect(in: stores[0])
        let pauses = rounds.map { load.longestPause(from: $0.start, to: $0.end) }.sorted()
        let texts = [pauses.first, pauses[pauses.count / 2], pauses.last].map {
            String(format: "%.1f", $0 ?? 0)
        }
        let longest = String(format: "%.1f", load.longestBlock)
        print(
            """
            \(name), \(count) times: writes stood still for \(texts[0]) to \(texts[2]) seconds, half of the times for up to \
            \(texts[1]); the slowest block took \(longest)
            """)
        // A connection that is given up, the wait for its turn, a further connection, and the question for the outcome.
        #expect(load.longestBlock < 30 + 30 + 30 + 60)
        #expect(load.acknowledged.count > 10 * count)
        // It goes on.
        try stores[1].writeEntry(-7)
        #expect(try stores[0].entryNumbers().contains(-7))
        try stores[1].close()
        try stores[0].destroy()
    }

    /// By turns, the server alone is killed, and all processes of its machine but etcd.
    @Test(.enabled(if: count("JP_KILLS", 5) > 0)) func thePrimaryIsKilled() throws {
        let cluster = try Cluster()
        try trial("killed", Self.count("JP_KILLS", 5)) { round, primary in
            try cluster.control(round % 2 == 0 ? "kill-server" : "kill-machine", primary)
        } mend: { round, primary in
            if round % 2 != 0 { try cluster.control("start", primary) }
        }
    }

    /// The machine stays cut off until another server has taken writes, and then follows that one.
    @Test(.enabled(if: count("JP_CUTS", 5) > 0)) func theNetworkOfThePrimaryIsCut() throws {
        let cluster = try Cluster()
        try trial("cut", Self.count("JP_CUTS", 5)) { _, primary in
            try cluster.control("cut", primary)
        } mend: { _, primary in
            try cluster.control("heal", primary)
        }
    }
}

/// The cluster that `scripts/with-postgres-cluster` has started for the tests.
private struct Cluster {
    static let url = ProcessInfo.processInfo.environment["JP_CLUSTER_URL"]

    static var isThere: Bool { url != nil }

    static let notThere: Comment =
        "There is no cluster: run scripts/with-postgres-cluster swift test --filter ClusterTests"

    private struct Failure: Error {
        let command: String
    }

    private let program: String

    init() throws {
        program = try #require(ProcessInfo.processInfo.environment["JP_CLUSTER_CONTROL"])
    }

    @discardableResult
    func control(_ arguments: String...) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        process.standardOutput = try FileHandle(forWritingTo: file)
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(command: arguments.joined(separator: " "))
        }
        return try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .newlines)
    }

    func primary() throws -> String { try control("primary") }

    /// Waits until all servers are there, and commits have a standby.
    func awaitReady() throws {
        try Self.wait(for: "ready") { (try? control("ready")) != nil }
    }

    static func wait(for name: String, _ isSo: () -> Bool) throws {
        let end = Surroundings.now + .seconds(180)
        while !isSo() {
            if Surroundings.now > end { throw Failure(command: name) }
            Thread.sleep(forTimeInterval: 0.1)
        }
    }
}
