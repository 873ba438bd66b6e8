import Foundation
import JustPersist
import JustPersistPostgres
import Logging
import Testing

/// The password and the values of items appear in no error, no log and no list of processes.
@Suite(.serialized, .enabled(if: Server.isThere, Server.notThere)) struct SecrecyTests {
    /// Keeps what is logged.
    private struct Recorder: LogHandler {
        let lines: Locked<[String]>
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
        }
    }

    private static func hex(_ text: String) -> String {
        text.utf8.map { String(format: "%02x", $0) }.joined()
    }

    /// The command lines of all processes.
    private static func commandLines() throws -> String {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }
            .compactMap { FileManager.default.contents(atPath: "/proc/\($0)/cmdline") }
            .map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
    }

    /// In a process of its own, because the password is in its environment.
    @Test func thePasswordAndTheValuesAreNotShown() async {
        await #expect(processExitsWith: .success) { try SecrecyTests.lookForSecrets() }
    }

    private static func lookForSecrets() throws {
        let password = "password-\(UUID().uuidString)"
        let value = "value-\(UUID().uuidString)"
        let server = try OwnServer(password: password)
        defer { server.stop() }
        var texts: [String] = []
        func expectFailure(_ call: () throws -> Void) {
            let error = #expect(throws: (any Error).self) { try call() }
            guard let error else { return }
            texts.append("\(error) \(String(reflecting: error)) \(error.localizedDescription)")
            if let error = error as? DataStoreError {
                texts.append("\(error.message) \(error.engine as Any)")
            }
        }
        let url = server.url + "?store=secret"
        unsafe unsetenv("PGPASSWORD")
        expectFailure { _ = try PostgresDataStore.open(url) }
        unsafe setenv("PGPASSWORD", password + "-wrong", 1)
        expectFailure { _ = try PostgresDataStore.open(url) }
        unsafe setenv("PGPASSWORD", password, 1)
        defer { unsafe unsetenv("PGPASSWORD") }
        expectFailure {
            _ = try PostgresDataStore.open(url.replacing("/postgres?", with: "/missing?"))
        }

        let lines = Locked<[String]>([])
        let store = try #require(try DataStores.make(url) as? PostgresDataStore)
        store.log = StoreLog(
            Logger(label: "secrecy") { _ in Recorder(lines: lines) }, slowQueries: .zero)
        store.errorHandler = { error in lines.withLock { $0.append("\(error)") } }
        try store.open()
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "Thing",
                    attributes: [AttributeSchema("name", isUnique: true), AttributeSchema("text")]))
            let item = try db.create("Thing")
            item["name"] = .string(value)
            item["text"] = .string(value + " text")
        }
        texts.append(try commandLines())
        // The library's own errors.
        expectFailure { try store.write { db in try db.create("Thing")["name"] = .string(value) } }
        expectFailure {
            try store.write { db in
                try db.create("Thing")["text"] = .data(Data(repeating: 7, count: 257 << 20))
            }
        }
        // Errors of the server, in a block of values.
        func whileBroken(_ breaking: String, _ mending: String) throws {
            let administrator = try TestConnection(server.directory)
            try administrator.run(breaking)
            expectFailure {
                try store.write { db in try db.create("Thing")["name"] = .string(value + "2") }
            }
            try administrator.run(mending)
        }
        try whileBroken(
            "ALTER TABLE jp_secret.kv RENAME v TO w", "ALTER TABLE jp_secret.kv RENAME w TO v")
        try whileBroken(
            "ALTER TABLE jp_secret.commits RENAME TO other",
            "ALTER TABLE jp_secret.other RENAME TO commits")
        let administrator = try TestConnection(server.directory)
        try store.write { db in
            try db.create("Thing")["name"] = .string(value + "3")
            let queries = try administrator.run("SELECT query FROM pg_stat_activity")
            texts.append(queries.joined().joined(separator: "\n"))
        }
        try server.restart()
        #expect(try store.read { try $0.count(DataStoreRequest(itemTypeKey: "Thing")) } == 2)
        for command in ["info", "verify", "sql-views"] {
            let outcome = try PostgresToolTests().run("justpersist", command, url)
            #expect(outcome.status == 0, "\(outcome.errors)")
            texts.append(outcome.output + outcome.errors)
        }
        try store.close()
        texts += lines.withLock { $0 }
        texts.append(try String(contentsOfFile: server.directory + "/log", encoding: .utf8))
        #expect(lines.withLock { $0.count } > 3)
        #expect(texts.count > 12)
        for secret in [password, value, hex(password), hex(value)] {
            for text in texts where text.contains(secret) {
                Issue.record("\(secret.prefix(12))… is shown: \(text.prefix(2_000))")
            }
        }
    }
}
