import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistMigration
import JustPersistPostgres
import Testing

/// A program writes all the time while its store moves from LMDB to PostgreSQL, and back.
@Suite(.serialized, .enabled(if: Server.isThere, Server.notThere)) struct LiveMigrationTests {
    /// What the writers have been acknowledged, and how long they have waited.
    private struct Ledger {
        var values: [Int64: Int64] = [:]
        var blocks = 0
        var phase = ""
        var longest: [String: Double] = [:]
    }

    private static let isLong = ProcessInfo.processInfo.environment["JP_LONG"] == "1"

    private func write(_ number: Int64, _ value: Int64, to store: any DataStore) throws {
        try store.write { db in
            let request = DataStoreRequest(itemTypeKey: "Entry")
            request.predicate = try DataStorePredicate("number == \(number)")
            if let item = try db.dynamicItems(request).first {
                item["value"] = .int(value)
            } else {
                let item = try db.create("Entry")
                item["number"] = .int(number)
                item["value"] = .int(value)
            }
        }
    }

    private func values(in store: any DataStore) throws -> [Int64: Int64] {
        var values: [Int64: Int64] = [:]
        try store.performRead { db in
            for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: "Entry")) {
                guard case .int(let number) = item["number"], case .int(let value) = item["value"]
                else { continue }
                #expect(values[number] == nil, "stored twice")
                values[number] = value
            }
        }
        return values
    }

    @Test func nothingIsLostOnTheWayToTheServerAndBack() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let items: Int64 = Self.isLong ? 100_000 : 5_000
        let seconds = Self.isLong ? 10.0 : 1
        let log = ChangeLogLength(commits: 100_000)
        let url = try Server.newStore()
        func lmdb(_ name: String) -> LMDBDataStore {
            LMDBDataStore(
                at: directory.appending(path: name),
                configuration: LMDBConfiguration(changeLog: log))
        }
        func postgres() throws -> PostgresDataStore {
            PostgresDataStore.register()
            let store = try DataStores.make(url, options: DataStoreOptions(changeLog: log))
            return try #require(store as? PostgresDataStore)
        }
        let ledger = Locked(Ledger())
        let first = lmdb("first")
        try first.open()
        try first.write { db in
            try db.declare(
                ItemSchema(
                    "Entry",
                    attributes: [
                        AttributeSchema("number", isUnique: true), AttributeSchema("value"),
                    ]))
            for number in 0..<items {
                let item = try db.create("Entry")
                item["number"] = .int(number)
                item["value"] = .int(-1)
            }
        }
        try first.close()
        ledger.withLock {
            $0.values = Dictionary(uniqueKeysWithValues: (0..<items).map { ($0, -1) })
        }

        for (name, old, new) in [
            ("to PostgreSQL", first as any DataStore, try postgres() as any DataStore),
            ("to LMDB", try postgres(), lmdb("second")),
        ] {
            let store = MigratingDataStore(
                from: old, to: new, recordedIn: directory.appending(path: name))
            try store.open()
            let isOver = Locked(false)
            let running = Locked(2)
            for writer in 0..<2 {
                Thread {
                    var last = Surroundings.now
                    var value: Int64 = 0
                    while !isOver.withLock({ $0 }) {
                        // Half of them exist.
                        let number = 2 * Int64.random(in: 0..<items) + Int64(writer)
                        value += 1
                        do {
                            try self.write(number, value, to: store)
                            let now = Surroundings.now
                            let duration = (now - last) / .seconds(1)
                            last = now
                            ledger.withLock { [value] ledger in
                                ledger.values[number] = value
                                ledger.blocks += 1
                                let phase = "\(name), \(ledger.phase)"
                                ledger.longest[phase] = max(ledger.longest[phase] ?? 0, duration)
                            }
                        } catch {
                            Issue.record(error)
                            break
                        }
                    }
                    running.change { $0 -= 1 }
                }.start()
            }
            func phase(_ name: String, _ body: () throws -> Void) throws {
                ledger.withLock { $0.phase = name }
                try body()
                Thread.sleep(forTimeInterval: seconds / 4)
            }
            do {
                try phase("copying") { try store.waitUntilInStep() }
                try phase("cutting over") { try store.cutOver() }
                try phase("switched") { Thread.sleep(forTimeInterval: seconds) }
                try phase("going back") {
                    try store.waitUntilInStep()
                    try store.goBack()
                }
                try phase("cutting over again") {
                    try store.waitUntilInStep()
                    try store.cutOver()
                }
                try phase("finishing") { try store.finish() }
            } catch {
                Issue.record(error)
            }
            isOver.withLock { $0 = true }
            running.wait { $0 == 0 ? () : nil }
            try store.close()
            try new.open()
            let found = try values(in: new)
            #expect(found == ledger.withLock { $0.values }, "\(name): something was lost")
            try new.close()
        }
        let result = ledger.withLock { $0 }
        print(
            "Migrated \(result.values.count) items under \(result.blocks) write blocks. Longest stalls, in seconds:"
        )
        for (phase, stall) in result.longest.sorted(by: { $0.key < $1.key }) {
            print("  \(phase): \(String(format: "%.3f", stall))")
        }
        let server = try postgres()
        try server.open()
        try server.destroy()
    }
}
