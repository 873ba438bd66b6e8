import Foundation
import JustPersist
import JustPersistPostgres
import Testing

/// A store follows changes of the server's settings on which durability rests.
@Suite(.serialized, .enabled(if: Server.isThere, Server.notThere)) struct DurabilityTests {
    private func count(in store: PostgresDataStore) throws -> Int {
        try store.read { try $0.count(DataStoreRequest(itemTypeKey: "Entry")) }
    }

    /// Changes a setting, and waits until a new session has it.
    private func set(_ name: String, _ value: String, on server: OwnServer) throws {
        try TestConnection(server.directory).run("ALTER SYSTEM SET \(name) = '\(value)'")
        try TestConnection(server.directory).run("SELECT pg_reload_conf()")
        for _ in 0..<500 {
            if try TestConnection(server.directory).run("SHOW \(name)") == [[value]] { return }
            Thread.sleep(forTimeInterval: 0.01)
        }
        Issue.record("\(name) is not \(value)")
    }

    /// Waits until a commit waits for a standby: another process of the server must have noticed the setting, too.
    private func awaitCommitsThatWait(on server: OwnServer) throws {
        let administrator = try TestConnection(server.directory)
        let connection = try TestConnection(server.directory)
        for _ in 0..<1_000 {
            let left = Locked(1)
            Thread {
                do {
                    try connection.run("INSERT INTO probe VALUES (1)")
                } catch {
                    Issue.record(error)
                }
                left.change { $0 -= 1 }
            }.start()
            while left.withLock({ $0 }) > 0 {
                let waiting = try administrator.run(
                    "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
                )
                if !waiting.isEmpty { return left.wait { $0 == 0 ? () : nil } }
            }
        }
        Issue.record("No commit waits for a standby")
    }

    private func endSessions(on server: OwnServer) throws {
        try TestConnection(server.directory).run(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'JustPersist'"
        )
    }

    @Test(arguments: ["fsync", "full_page_writes"])
    func eachNewConnectionChecksTheServer(_ setting: String) throws {
        let server = try OwnServer()
        defer { server.stop() }
        let url = server.url + "?store=durable"
        let store = try PostgresDataStore.withEntries(url)
        try store.writeEntry(1)
        try set(setting, "off", on: server)
        try endSessions(on: server)
        let error = #expect(throws: DataStoreError.self) { try store.writeEntry(2) }
        #expect(error?.code == .unsupported, "\(error as Any)")
        let relaxed = try PostgresDataStore.open(url + "&durability=relaxed")
        #expect(try count(in: relaxed) == 1)
        try set(setting, "on", on: server)
        try store.writeEntry(3)
        #expect(try count(in: relaxed) == 2)
        try relaxed.close()
        try store.close()
    }

    /// An administrator ends the server's wait for a standby that does not answer: the commit is on one server only.
    @Test(arguments: [true, false])
    func aCommitThatNoStandbyHasConfirmedIsNotAcknowledged(_ returns: Bool) throws {
        let server = try OwnServer()
        defer { server.stop() }
        let store = try PostgresDataStore.withEntries(
            server.url + "?store=replicated&outcomeTimeout=3&lockTimeout=1")
        try store.writeEntry(1)
        try TestConnection(server.directory).run("CREATE TABLE probe (n int)")
        try set("synchronous_standby_names", "nowhere", on: server)
        try awaitCommitsThatWait(on: server)
        let cancellations = Locked(0)
        let isOver = Locked(false)
        let left = Locked(1)
        Thread {
            do {
                let administrator = try TestConnection(server.directory)
                while !isOver.withLock({ $0 }) {
                    let cancelled = try administrator.run(
                        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
                    ).count
                    let all = cancellations.withLock { count in
                        count += cancelled
                        return count
                    }
                    if returns, all == 1 {
                        // The standby is no longer demanded, so the next commit is confirmed.
                        try set("synchronous_standby_names", "", on: server)
                        break
                    }
                    Thread.sleep(forTimeInterval: 0.02)
                }
            } catch {
                Issue.record(error)
            }
            left.change { $0 -= 1 }
        }.start()
        if returns {
            try store.writeEntry(2)
        } else {
            let error = #expect(throws: DataStoreError.self) { try store.writeEntry(2) }
            #expect(error?.code == .commitOutcomeUnknown, "\(error as Any)")
            #expect(error?.message.contains("standby") == true)
            let token = try #require(error?.commitToken)
            let asking = #expect(throws: DataStoreError.self) { try store.outcome(of: token) }
            #expect(asking?.code == .busy, "\(asking as Any)")
            isOver.withLock { $0 = true }
            left.wait { $0 == 0 ? () : nil }
            try set("synchronous_standby_names", "", on: server)
            #expect(try store.outcome(of: token) == .committed)
        }
        isOver.withLock { $0 = true }
        left.wait { $0 == 0 ? () : nil }
        #expect(cancellations.withLock { $0 } >= (returns ? 1 : 2))
        #expect(try count(in: store) == 2)
        try store.writeEntry(3)
        #expect(try count(in: store) == 3)
        try store.close()
    }
}
