import Foundation
import JustPersist
import JustPersistPostgres
import Testing

/// The outcome of each commit is known, wherever the connection breaks.
@Suite(.serialized, .enabled(if: Server.isThere, Server.notThere)) struct CommitOutcomeTests {
    /// Numbers that were written, with what the store has said about each.
    private struct Ledger {
        var acknowledged: [Int64] = []
        var refused: [Int64] = []

        /// Compares with a store.
        func expect(_ found: [Int64]) {
            let counts = Dictionary(found.map { ($0, 1) }, uniquingKeysWith: +)
            let lost = acknowledged.filter { counts[$0] == nil }
            let doubled = counts.filter { $0.value > 1 }.map(\.key)
            let unwanted = refused.filter { counts[$0] != nil }
            #expect(lost.isEmpty, "acknowledged, and lost")
            #expect(doubled.isEmpty, "stored twice")
            #expect(unwanted.isEmpty, "refused, and stored")
            #expect(found.count == acknowledged.count)
        }
    }

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
        var ledger = Ledger(acknowledged: [0, 1])
        var next: Int64 = 2
        let start = Int.random(in: 0..<(Self.isLong ? 1 : 7))
        for place in stride(from: start, to: bytes + 40, by: Self.isLong ? 1 : 7) {
            proxy.cut(direction, after: place)
            do {
                try store.writeEntry(next)
                ledger.acknowledged.append(next)
            } catch let error as DataStoreError where error.code == .connectionLost {
                ledger.refused.append(next)
            }
            proxy.cutNothing()
            next += 1
        }
        let direct = try PostgresDataStore.open(url)
        ledger.expect(try direct.entryNumbers())
        print(
            """
            Cut \(proxy.cuts) times in \(bytes) bytes \(direction.rawValue): \(ledger.acknowledged.count) committed, \
            \(ledger.refused.count) refused, 0 lost, 0 doubled expected
            """)
        #expect(proxy.cuts > bytes / 20)
        #expect(!ledger.refused.isEmpty || direction == .toClient)
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
            let before = proxy.bytes(.toServer)
            try store.writeEntry(11 * number)
            proxy.cut(.toServer, after: proxy.bytes(.toServer) - before - missing)
            let failure = #expect(throws: DataStoreError.self) {
                try store.write { db in
                    try db.create("Entry")["number"] = .int(number)
                    proxy.goAway()
                }
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
        let (ledger, kills) = try load(on: [store], seconds: Self.isLong ? 60 : 6, writers: 4) {
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
        ledger.expect(try store.entryNumbers())
        print(
            "Ended \(kills) sessions: \(ledger.acknowledged.count) committed, \(ledger.refused.count) refused"
        )
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
        let (ledger, _) = try load(on: stores, seconds: 1, writers: 4) {
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
            return rounds
        }
        ledger.expect(try stores[0].entryNumbers())
        print(
            """
            Killed \(counts[0]) serving processes, all processes \(counts[1]) times and the postmaster \(counts[2]) times: \
            \(ledger.acknowledged.count) committed, \(ledger.refused.count) refused
            """)
        #expect(ledger.acknowledged.count > rounds)
    }

    /// Writes from several threads while `disturb` runs, and at least for some seconds.
    private func load(
        on stores: [PostgresDataStore], seconds: Double, writers: Int,
        _ disturb: () throws -> Int
    ) throws -> (Ledger, Int) {
        let ledger = Locked(Ledger())
        let next = Locked<Int64>(0)
        let isOver = Locked(false)
        let running = Locked(writers)
        for writer in 0..<writers {
            Thread {
                let store = stores[writer % stores.count]
                while !isOver.withLock({ $0 }) {
                    let number = next.withLock { next in
                        next += 1
                        return next
                    }
                    do {
                        try store.writeEntry(number)
                        ledger.withLock { $0.acknowledged.append(number) }
                    } catch let error as DataStoreError where error.code == .connectionLost {
                        ledger.withLock { $0.refused.append(number) }
                    } catch {
                        Issue.record(error)
                    }
                }
                running.change { $0 -= 1 }
            }.start()
        }
        let start = Date()
        let result = try disturb()
        Thread.sleep(forTimeInterval: max(0, seconds + start.timeIntervalSinceNow))
        isOver.withLock { $0 = true }
        running.wait { $0 == 0 ? () : nil }
        return (ledger.withLock { $0 }, result)
    }
}
