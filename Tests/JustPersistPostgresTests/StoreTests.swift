import Foundation
import JustPersist
import JustPersistPostgres
import Testing

@Suite(.enabled(if: Server.isThere, Server.notThere)) struct StoreTests {
    @Test func itemsAreStoredAndFound() throws {
        let url = try Server.newStore()
        let store = try PostgresDataStore.open(url)
        try store.write { db in
            try db.declare(ItemSchema("Dish", attributes: [AttributeSchema("price")]))
            for number in 0..<1_000 { try db.create("Dish")["price"] = .int(Int64(number)) }
        }
        try store.close()
        let again = try PostgresDataStore.open(url)
        var prices: [DataStoreValue?] = []
        try again.performRead { db in
            for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: "Dish")) {
                prices.append(item["price"])
            }
        }
        let expected: [DataStoreValue?] = (0..<Int64(1_000)).map { .int($0) }
        #expect(prices == expected)
        try again.destroy()
        #expect(throws: DataStoreError.self) {
            try PostgresDataStore.open(url, options: DataStoreOptions(createsIfMissing: false))
        }
    }

    /// A failure of opening, with its text.
    private func failure(
        opening url: String, _ options: DataStoreOptions = DataStoreOptions()
    ) throws -> DataStoreError {
        let error = #expect(throws: DataStoreError.self) {
            _ = try PostgresDataStore.open(url, options: options)
        }
        return try #require(error)
    }

    @Test func aSchemaOfOthersIsRefusedAndLeftUntouched() throws {
        let url = try Server.newStore()
        let schema = "jp_" + (try #require(url.split(separator: "=").last))
        try Server.run("CREATE SCHEMA \(schema); CREATE TABLE \(schema).kv (a int)")
        #expect(try failure(opening: url).code == .notAStore)
        let closed = try #require(try DataStores.make(url) as? PostgresDataStore)
        #expect(throws: DataStoreError.self) { try closed.destroy() }
        #expect(
            try Server.run(
                "SELECT relname FROM pg_class WHERE relnamespace = '\(schema)'::regnamespace")
                == [["kv"]])
        try Server.run("DROP SCHEMA \(schema) CASCADE")
    }

    @Test func anEmptySchemaIsTakenForTheStore() throws {
        let url = try Server.newStore()
        let schema = "jp_" + (try #require(url.split(separator: "=").last))
        try Server.run("CREATE SCHEMA \(schema)")
        let store = try PostgresDataStore.open(url)
        try store.write { db in
            try db.declare(ItemSchema("Dish", attributes: []))
            _ = try db.create("Dish")
        }
        try store.destroy()
    }

    @Test func aReadOnlyStoreRefusesWrites() throws {
        let url = try Server.newStore()
        let missing = try failure(opening: url + "&readOnly=true")
        #expect(missing.code == .storeNotFound)
        let store = try PostgresDataStore.open(url)
        try store.write { db in try db.declare(ItemSchema("Dish", attributes: [])) }
        let reader = try PostgresDataStore.open(url + "&readOnly=true")
        #expect(try reader.read { try $0.schemas().count } == 1)
        let error = #expect(throws: DataStoreError.self) {
            try reader.write { db in try db.declare(ItemSchema("Other", attributes: [])) }
        }
        #expect(error?.code == .readOnly)
        try reader.close()
        try store.destroy()
    }

    @Test func aStoreThatWasDestroyedElsewhereSaysSo() throws {
        let url = try Server.newStore()
        let store = try PostgresDataStore.open(url)
        try store.write { db in try db.declare(ItemSchema("Dish", attributes: [])) }
        let other = try #require(try DataStores.make(url) as? PostgresDataStore)
        try other.destroy()
        let error = #expect(throws: DataStoreError.self) { try store.performRead { _ in } }
        #expect(error?.code == .storeDeleted)
    }

    @Test(arguments: [
        "postgres://user:secret@host/db", "postgres://user:secret@/db?store=a",
        "postgres://user:secret@host:notaport/db", "postgres:user:secret@host",
        "postgres://user:12/secret@host/db", "postgres://user:12?secret@host/db?store=a",
        "postgres://user@host/db?password=secret",
        "postgres://user@host/db?user=a:secret@b",
    ])
    func aPasswordInTheURLIsRefusedAndNotShown(_ url: String) throws {
        let error = try failure(opening: url)
        #expect(error.code == .invalidStoreURL)
        #expect(!"\(error) \(error.message)".contains("secret"))
    }

    @Test func theURLNamesServersAndOptions() throws {
        PostgresDataStore.register()
        let url =
            "postgres://me%40work@one:5433,%2Ftmp%2Fsockets,[::1]:7/db?store=a_1&sslmode=verify-full&durability=relaxed"
        let store = try #require(try DataStores.make(url) as? PostgresDataStore)
        let configuration = store.engine.configuration
        #expect(
            configuration.hosts == [
                .init("one", port: 5433), .init("/tmp/sockets"), .init("::1", port: 7),
            ])
        #expect(configuration.user == "me@work")
        #expect(configuration.database == "db")
        #expect(configuration.store == "a_1")
        #expect(configuration.encryption == .verifyFull)
        #expect(store.capabilities.persistence == .processCrash)
        for bad in ["", "Aa", "a-b", "a\"b", String(repeating: "a", count: 61)] {
            #expect(try failure(opening: "postgres://h/d?store=\(bad)").code == .invalidStoreURL)
        }
    }

    @Test func aServerThatIsNotThereIsALostConnection() throws {
        let error = try failure(opening: "postgres://u@%2Fno%2Fsuch%2Fdirectory/d")
        #expect(error.code == .connectionLost)
    }

    /// Threads whose blocks begin blocks of their own share a few connections, and none waits for ever.
    @Test func manyThreadsShareFewConnections() throws {
        let store = try PostgresDataStore.open(Server.newStore("connections=8"))
        try store.write { db in
            try db.declare(ItemSchema("Count", attributes: [AttributeSchema("value")]))
            try db.create("Count")["value"] = .int(0)
        }
        let request = DataStoreRequest(itemTypeKey: "Count")
        let (threads, rounds) = (200, 3)
        let left = Locked(threads)
        for _ in 0..<threads {
            Thread {
                do {
                    for _ in 0..<rounds {
                        try store.read { outer in
                            _ = try outer.count(request)
                            try store.read { inner in _ = try inner.count(request) }
                            try store.write { db in
                                guard let item = try db.dynamicItems(request).first,
                                    case .int(let value) = item["value"]
                                else { return }
                                try store.read { inner in _ = try inner.count(request) }
                                item["value"] = .int(value + 1)
                            }
                        }
                    }
                } catch {
                    Issue.record(error)
                }
                left.change { $0 -= 1 }
            }.start()
        }
        left.wait { $0 == 0 ? () : nil }
        let value = try store.read { try $0.dynamicItems(request).first?["value"] }
        #expect(value == .int(Int64(threads * rounds)))
        try store.destroy()
    }

    /// Two stores, as two processes have them, append to one item by turns.
    @Test func twoStoresWriteWithoutLosingAnUpdate() throws {
        let url = try Server.newStore()
        let stores = try [PostgresDataStore.open(url), PostgresDataStore.open(url)]
        try stores[0].write { db in
            try db.declare(ItemSchema("Count", attributes: [AttributeSchema("value")]))
            try db.create("Count")["value"] = .int(0)
        }
        let request = DataStoreRequest(itemTypeKey: "Count")
        let left = Locked(4)
        for number in 0..<4 {
            Thread {
                do {
                    for _ in 0..<250 {
                        try stores[number % 2].write { db in
                            guard let item = try db.dynamicItems(request).first,
                                case .int(let value) = item["value"]
                            else { return }
                            item["value"] = .int(value + 1)
                        }
                    }
                } catch {
                    Issue.record(error)
                }
                left.change { $0 -= 1 }
            }.start()
        }
        left.wait { $0 == 0 ? () : nil }
        let value = try stores[1].read { try $0.dynamicItems(request).first?["value"] }
        #expect(value == .int(1_000))
        try stores[1].close()
        try stores[0].destroy()
    }

    /// A value is as large as the contract allows, and a scan past it is answered in small pages.
    @Test func largeValuesAreStoredAndScanned() throws {
        let store = try PostgresDataStore.open(Server.newStore())
        let sizes = [1, 5 << 20, 10, 64 << 20, 0, 3 << 20, 3 << 20]
        try store.write { db in
            try db.declare(ItemSchema("Blob", attributes: [AttributeSchema("bytes")]))
            for size in sizes {
                try db.create("Blob")["bytes"] = .data(Data(repeating: 7, count: size))
            }
        }
        let found = try store.read { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: "Blob")).map { item in
                if case .data(let data) = item["bytes"] { data.count } else { -1 }
            }
        }
        #expect(found == sizes)
        try store.destroy()
    }

    @Test func backupAndCompactionNameTheServersTools() throws {
        let store = try PostgresDataStore.open(Server.newStore())
        let backup = #expect(throws: DataStoreError.self) {
            try store.backUp(to: URL(filePath: "/tmp/no-backup-\(UUID())"))
        }
        #expect(backup?.code == .unsupported && backup?.message.contains("pg_dump") == true)
        let compaction = #expect(throws: DataStoreError.self) { try store.compact() }
        #expect(compaction?.code == .unsupported && compaction?.message.contains("VACUUM") == true)
        try store.destroy()
    }
}
