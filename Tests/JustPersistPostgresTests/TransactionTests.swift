import Foundation
import JustPersist
import JustPersistPostgres
import Testing

/// The properties of the server on which the engine's transactions rest.
@Suite(.enabled(if: Server.isThere, Server.notThere)) struct TransactionTests {
    /// A transaction that has waited for the lock sees the commit for which it has waited, in REPEATABLE READ too.
    @Test func lockingATableTakesNoSnapshot() throws {
        let table =
            "locked_" + UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: "_")
        try Server.run("CREATE TABLE \(table) (n int); INSERT INTO \(table) VALUES (1)")
        defer { _ = try? Server.run("DROP TABLE \(table)") }
        let first = try TestConnection()
        try first.run("BEGIN; LOCK TABLE \(table) IN EXCLUSIVE MODE; UPDATE \(table) SET n = 2")

        let second = try TestConnection()
        let result = Locked<Result<[[String]], any Error>?>(nil)
        let thread = Thread {
            let outcome = Result {
                try second.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
                try second.run("LOCK TABLE \(table) IN EXCLUSIVE MODE")
                let rows = try second.run("SELECT n FROM \(table)")
                // It is the newest state, so changing it conflicts with nothing.
                try second.run("UPDATE \(table) SET n = n + 1; COMMIT")
                return rows
            }
            result.change { $0 = outcome }
        }
        thread.start()
        var isWaiting = false
        for _ in 0..<500 where !isWaiting {
            isWaiting = try !Server.run(
                "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '\(table)'::regclass"
            ).isEmpty
            Thread.sleep(forTimeInterval: 0.01)
        }
        #expect(isWaiting)
        try first.run("COMMIT")
        let rows = try result.wait { $0 }.get()
        #expect(rows == [["2"]])
        #expect(try Server.run("SELECT n FROM \(table)") == [["3"]])
    }

    /// Keys are ordered as unsigned bytes, whatever the locale.
    @Test func bytesAreOrderedAsTheLibraryOrdersThem() throws {
        let rows = try Server.run(
            """
            SELECT encode(k, 'hex') FROM (VALUES ('\\xff'::bytea), ('\\x7f'), ('\\x0100'), ('\\x01'), ('\\x80')) AS t(k) \
            ORDER BY k
            """)
        #expect(rows.map { $0[0] } == ["01", "0100", "7f", "80", "ff"])
    }
}
