import Foundation
import JustPersist
import JustPersistPostgres
import Testing

/// A server that holds its connections and does not answer is waited for as long as the options allow.
@Suite(.serialized, .enabled(if: Server.isThere, Server.notThere)) struct SilenceTests {
    /// A server that is only slow answers in time.
    private static let options = "answerTimeout=4&connectTimeout=4&outcomeTimeout=6&lockTimeout=1"

    /// The seconds that a call may take longer on a machine that does other work.
    private let slack = 5.0

    /// The error of a call that must end within some seconds.
    private func failure(
        within seconds: Double, _ call: () throws -> Void
    ) throws -> DataStoreError {
        let start = Surroundings.now
        let error = try #require(#expect(throws: DataStoreError.self) { try call() })
        let duration = (Surroundings.now - start) / .seconds(1)
        #expect(duration < seconds + slack, "\(error)")
        return error
    }

    @Test func aBlockEndsAndTheStoreGoesOn() throws {
        let proxy = try Proxy()
        defer { proxy.stop() }
        let url = try Server.newStore()
        let store = try PostgresDataStore.withEntries(proxy.url(of: url) + "&" + Self.options)
        try store.write { db in try db.create("Entry")["number"] = .int(1) }
        // In a read block, in a write block, and before one begins.
        let inside = try failure(within: 5) {
            try store.read { db in
                proxy.beSilent()
                _ = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Entry"))
            }
        }
        #expect(
            inside.code == .connectionLost && inside.message.contains("answerTimeout"), "\(inside)")
        let before = try failure(within: 15) { try store.performRead { _ in } }
        #expect(before.code == .connectionLost)
        let writing = try failure(within: 15) { try store.performWrite { _ in } }
        #expect(writing.code == .connectionLost)
        let opening = try failure(within: 10) {
            _ = try PostgresDataStore.open(proxy.url(of: url) + "&" + Self.options)
        }
        #expect(opening.code == .connectionLost)
        proxy.beSilent(false)
        #expect(try Set(store.entryNumbers()) == [1])
        try store.close()
        try PostgresDataStore.open(url).destroy()
    }

    /// Silence begins before the commit is sent; it ends before the deadline for the outcome, or after it.
    ///
    /// Of a large block, the server has a part of a statement, and the program has the rest: the lock that the server holds
    /// for it must not last.
    @Test(arguments: [(true, 0), (true, 3 << 20), (false, 0)])
    func theOutcomeOfACommitIsKnown(_ endsInTime: Bool, _ size: Int) throws {
        let proxy = try Proxy()
        defer { proxy.stop() }
        let url = try Server.newStore()
        let direct = try PostgresDataStore.withEntries(url)
        let options = Self.options.replacing(
            "outcomeTimeout=6", with: endsInTime ? "outcomeTimeout=60" : "outcomeTimeout=6"
        )
        // Neither the wait for an answer nor that for a lock prolongs the time for the outcome.
        .replacing("lockTimeout=1", with: "lockTimeout=30")
        let store = try PostgresDataStore.open(proxy.url(of: url) + "&" + options)
        try store.write { db in try db.create("Entry")["number"] = .int(0) }
        var isThere = false
        if endsInTime {
            Thread {
                Thread.sleep(forTimeInterval: 7)
                proxy.beSilent(false)
            }.start()
            do {
                try store.write { db in
                    try db.create("Entry")["number"] = .int(1)
                    if size > 0 {
                        try db.create("Entry")["number"] = .data(Data(repeating: 7, count: size))
                    }
                    proxy.beSilent()
                }
                isThere = true
            } catch let error as DataStoreError where error.code == .connectionLost {}
        } else {
            // The answer to the commit, and the outcome.
            let error = try failure(within: 4 + 6) {
                try store.write { db in
                    try db.create("Entry")["number"] = .int(1)
                    proxy.beSilent()
                }
            }
            proxy.beSilent(false)
            // The end of the block may ask the server before it commits: then nothing is committed.
            if error.code != .connectionLost {
                #expect(error.code == .commitOutcomeUnknown, "\(error)")
                let token = try #require(error.commitToken)
                isThere = try direct.outcome(of: token) == .committed
            }
        }
        #expect(try Set(direct.entryNumbers()).contains(1) == isThere)
        try store.write { db in try db.create("Entry")["number"] = .int(2) }
        #expect(try Set(store.entryNumbers()) == (isThere ? [0, 1, 2] : [0, 2]))
        try store.close()
        try direct.destroy()
    }

    /// A block that waits for its turn longer than the server may be silent is not given up.
    @Test func waitingForATurnIsNoSilence() throws {
        let url = try Server.newStore()
        let first = try PostgresDataStore.withEntries(url)
        let second = try PostgresDataStore.open(url + "&answerTimeout=3&lockTimeout=30")
        let left = Locked(1)
        try first.write { db in
            try db.create("Entry")["number"] = .int(1)
            Thread {
                do {
                    try second.write { db in try db.create("Entry")["number"] = .int(2) }
                } catch {
                    Issue.record(error)
                }
                left.change { $0 -= 1 }
            }.start()
            Thread.sleep(forTimeInterval: 6)
        }
        left.wait { $0 == 0 ? () : nil }
        #expect(try Set(first.entryNumbers()) == [1, 2])
        try second.close()
        try first.destroy()
    }

    /// A server that is stopped keeps its sockets: the kernel accepts what is sent to them.
    @Test func aLargeBlockIsGivenUpToo() throws {
        let proxy = try Proxy()
        defer { proxy.stop() }
        let url = try Server.newStore()
        let store = try PostgresDataStore.withEntries(proxy.url(of: url) + "&" + Self.options)
        let error = try failure(within: 60) {
            try store.write { db in
                for _ in 0..<40 {
                    try db.create("Entry")["number"] = .data(Data(repeating: 7, count: 1 << 20))
                }
                proxy.beSilent()
            }
        }
        // The commit was not sent, so its outcome is known.
        #expect(error.code == .connectionLost, "\(error)")
        proxy.beSilent(false)
        let direct = try PostgresDataStore.open(url)
        #expect(try Set(direct.entryNumbers()).isEmpty)
        try store.close()
        try direct.destroy()
    }
}
