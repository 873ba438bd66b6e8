import Foundation
import JustPersist
import JustPersistPostgres
import Testing

/// The outcome of each commit is known, wherever the connection breaks.
@Suite(.serialized, .enabled(if: Server.isThere, Server.notThere)) struct CommitOutcomeTests {
    private static let isLong = ProcessInfo.processInfo.environment["JP_LONG"] == "1"

    /// The connection is cut after each number of bytes that a write sends, and that it receives.
    @Test(arguments: Proxy.Direction.allCases)
    func aConnectionIsCutAnywhereInAWrite(_ direction: Proxy.Direction) throws {
        let proxy = try Proxy()
        defer { proxy.stop() }
        let url = try Server.newStore()
        let store = try PostgresDataStore.withEntries(proxy.url(of: url))
        try store.writeEntry(0)
        let before = proxy.bytes(direction)
        try store.writeEntry(1)
        let bytes = proxy.bytes(direction) - before
        #expect(bytes > 100)
        var load = Load()
        for number: Int64 in 0...1 { load.note(number, .acknowledged) }
        var next: Int64 = 2
        let start = Int.random(in: 0..<(Self.isLong ? 1 : 7))
        for place in stride(from: start, to: bytes + 40, by: Self.isLong ? 1 : 7) {
            proxy.cut(direction, after: place)
            load.note(next, Load.write(next, to: store))
            proxy.cutNothing()
            next += 1
        }
        let direct = try PostgresDataStore.open(url)
        print("Cut \(proxy.cuts) times in \(bytes) bytes \(direction.rawValue):")
        try load.expect(in: direct)
        #expect(proxy.cuts > bytes / 20)
        #expect(!load.refused.isEmpty || direction == .toClient)
        try direct.destroy()
    }

    /// Past the deadline, the error has a token, and any store can answer later, also after commits of others.
    @Test func anUnknownOutcomeIsFoundLater() throws {
        let proxy = try Proxy()
        defer { proxy.stop() }
        let url = try Server.newStore()
        let direct = try PostgresDataStore.withEntries(url)
        var outcomes: [CommitOutcome] = []
        // The statement that commits has arrived at the server, or it has not: the last message has five bytes.
        for (number, missing) in [(Int64(1), 206), (2, 3)] {
            let store = try PostgresDataStore.open(
                proxy.url(of: url) + "&outcomeTimeout=1&connectTimeout=1")
            try store.writeEntry(10 * number)
            // One that connects anew sends more.
            let sizes = try (Int64(11)...13).map { other in
                let before = proxy.bytes(.toServer)
                try store.writeEntry(other * number)
                return proxy.bytes(.toServer) - before
            }
            proxy.cut(.toServer, after: try #require(sizes.min()) - missing)
            let failure = #expect(throws: DataStoreError.self) {
                try store.writeEntry(number) { proxy.goAway() }
            }
            let error = try #require(failure)
            #expect(error.code == .commitOutcomeUnknown, "\(error)")
            let token = try #require(error.commitToken)
            for other in 0..<10 { try direct.writeEntry(100 * number + Int64(other)) }
            let outcome = try direct.outcome(of: token)
            #expect(try direct.entryNumbers().contains(number) == (outcome == .committed))
            outcomes.append(outcome)
            // The store goes on when the server is back, and the answer stays.
            proxy.cutNothing()
            proxy.goAway(false)
            try store.writeEntry(1_000 * number)
            #expect(try direct.outcome(of: token) == outcome)
            try store.close()
        }
        #expect(outcomes == [.notCommitted, .committed])
        #expect(throws: DataStoreError.self) {
            try direct.outcome(of: CommitToken(rawValue: "no token"))
        }
        try direct.destroy()
    }

    /// The server ends sessions, at random moments, of four threads that write.
    @Test func sessionsAreEndedUnderLoad() throws {
        let url = try Server.newStore("applicationName=victim-\(UUID().uuidString.prefix(8))")
        let name = try #require(url.split(separator: "=").last).description
        let store = try PostgresDataStore.withEntries(url)
        let count = Self.isLong ? 1_000 : 60
        let (load, kills) = try Load.run(
            on: [store], seconds: Self.isLong ? 60 : 6, writers: 4
        ) { _ in
            var kills = 0
            for _ in 0..<count {
                let rows = try Server.run(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(name)'"
                )
                kills += rows.count
                Thread.sleep(forTimeInterval: .random(in: 0.001..<0.05))
            }
            return kills
        }
        print("Ended \(kills) sessions:")
        try load.expect(in: store)
        // A session that has just been ended is not there again at once.
        #expect(kills > count / 10)
        try store.destroy()
    }

    /// The server is killed, and started again, while two stores write: of 20 times, 12 times a process that serves a
    /// connection, 5 times all processes, and 3 times the one that starts the others.
    @Test func theServerIsKilledUnderLoad() throws {
        let server = try OwnServer()
        defer { server.stop() }
        let url = server.url + "?store=killed"
        let stores = try [PostgresDataStore.withEntries(url), PostgresDataStore.open(url)]
        let rounds = Self.isLong ? 1_000 : 5
        var counts = [0, 0, 0]
        let (load, _) = try Load.run(on: stores, seconds: 1, writers: 4) { _ in
            // Nine is prime to twenty, and each kind comes early.
            for round in 0..<rounds {
                Thread.sleep(forTimeInterval: .random(in: 0.02..<0.2))
                switch 9 * round % 20 {
                case 0..<12:
                    try server.killBackend()
                    counts[0] += 1
                case 12..<17:
                    try server.restart()
                    counts[1] += 1
                default:
                    try server.killPostmaster()
                    counts[2] += 1
                }
            }
        }
        print(
            """
            Killed \(counts[0]) serving processes, all processes \(counts[1]) times and the postmaster \(counts[2]) times:
            """)
        try load.expect(in: stores[0])
        #expect(load.acknowledged.count > rounds)
    }
}
