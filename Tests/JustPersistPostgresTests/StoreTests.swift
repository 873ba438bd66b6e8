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

    /// The counters of items, which each block that creates one asks for, come with the beginning of the transaction.
    @Test func aCommitOfANewItemTakesTwoRequests() throws {
        let proxy = try Proxy()
        defer { proxy.stop() }
        let url = try Server.newStore()
        let store = try PostgresDataStore.withEntries(proxy.url(of: url))
        try store.writeEntry(0)
        let before = proxy.requests
        for number in 1...10 { try store.writeEntry(Int64(number)) }
        #expect(proxy.requests - before == 20)
        #expect(try store.entryNumbers().count == 11)
        try store.destroy()
    }

    /// A page is first asked for without long values.
    ///
    /// None is lost or returned twice, wherever they are in the page.
    @Test(arguments: [[0], [255, 256, 257], [300, 4_000, 4_999], Array(0..<5_000)])
    func longValuesAreScannedBesideShortOnes(_ long: [Int]) throws {
        let store = try PostgresDataStore.withEntries(Server.newStore())
        let sizes = [600, 2_000, 20_000]
        try store.write { db in
            for number in 0..<5_000 {
                let item = try db.create("Entry")
                item["number"] = .int(Int64(number))
            }
            let items = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Entry"))
            for place in long where long.count < 5_000 || place % 7 == 0 {
                items[place]["secret"] = .data(Data(repeating: 7, count: sizes[place % 3]))
            }
            if long.count < 5_000 {
                items[long[0]]["secret"] = .data(Data(repeating: 7, count: 5 << 20))
            }
        }
        for isAscending in [true, false] {
            let request = DataStoreRequest(itemTypeKey: "Entry")
            request.sortDescriptors = [.init(key: "uniqueToken", ascending: isAscending)]
            let numbers = try store.read { db in
                try db.dynamicItems(request).map { $0["number"] }
            }
            let expected = (0..<Int64(5_000)).map { DataStoreValue.int($0) }
            #expect(numbers == (isAscending ? expected : expected.reversed()))
        }
        let request = DataStoreRequest(itemTypeKey: "Entry")
        request.predicate = try DataStorePredicate("secret != NIL")
        let count = try store.read { db in try db.dynamicItems(request).count }
        #expect(count == (long.count < 5_000 ? long.count : 715))
        try store.destroy()
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

    @Test func anEmptySchemaIsTakenForTheStoreAndStays() throws {
        let url = try Server.newStore()
        let schema = "jp_" + (try #require(url.split(separator: "=").last))
        try Server.run("CREATE SCHEMA \(schema); COMMENT ON SCHEMA \(schema) IS 'mine'")
        let store = try PostgresDataStore.open(url)
        try store.write { db in
            try db.declare(ItemSchema("Dish", attributes: []))
            _ = try db.create("Dish")
        }
        try store.destroy()
        let left =
            "SELECT (SELECT count(*) FROM pg_class WHERE relnamespace = n.oid) FROM pg_namespace AS n"
            + " WHERE nspname = '\(schema)'"
        #expect(try Server.run(left) == [["0"]])
        try Server.run("DROP SCHEMA \(schema)")
    }

    @Test func destroyingLeavesTheTablesOfOthersInTheSchema() throws {
        let url = try Server.newStore()
        let schema = "jp_" + (try #require(url.split(separator: "=").last))
        let names =
            "SELECT relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace"
        let store = try PostgresDataStore.open(url)
        try Server.run("CREATE TABLE \(schema).mine (a int)")
        try store.destroy()
        #expect(try Server.run("\(names) WHERE nspname = '\(schema)'") == [["mine"]])
        try Server.run("DROP SCHEMA \(schema) CASCADE")
        // Otherwise, nothing is left.
        try store.open()
        try store.destroy()
        #expect(try Server.run("SELECT 1 FROM pg_namespace WHERE nspname = '\(schema)'").isEmpty)
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

    /// The other store's catalog has the version of this one's, and other types.
    @Test(arguments: [false, true])
    func aStoreThatWasReplacedElsewhereIsNotWrittenWithTheOldCatalog(_ isEmpty: Bool) throws {
        let url = try Server.newStore()
        let store = try PostgresDataStore.open(url)
        try store.write { db in
            try db.declare(ItemSchema("Dish", attributes: [AttributeSchema("price")]))
            try db.create("Dish")["price"] = .int(1)
        }
        #expect(try store.read { try $0.count(DataStoreRequest(itemTypeKey: "Dish")) } == 1)
        let child = try store.makeChild()
        try child.open()
        let other = try PostgresDataStore.open(url)
        try other.destroy()
        try other.open()
        if isEmpty {
            let schema = "jp_" + (try #require(url.split(separator: "=").last))
            try Server.run("DELETE FROM \(schema).kv")
        } else {
            try other.write { db in
                try db.declare(ItemSchema("Drink", attributes: [AttributeSchema("volume")]))
                try db.create("Drink")["volume"] = .double(0.5)
            }
        }
        let calls: [() throws -> Void] = [
            { try store.write { db in try db.create("Dish")["price"] = .int(2) } },
            { try store.write { db in try db.declare(ItemSchema("Other", attributes: [])) } },
            { try store.performRead { _ in } },
            { _ = try store.read { try $0.schemas() } },
            { _ = try child.read { try $0.count(DataStoreRequest(itemTypeKey: "Dish")) } },
        ]
        for call in calls {
            let error = #expect(throws: DataStoreError.self) { try call() }
            #expect(error?.code == .storeDeleted, "\(error as Any)")
            #expect(error?.message.contains("destroyed") == true)
        }
        if !isEmpty {
            #expect(try other.read { try $0.schemas().map(\.itemTypeKey) } == ["Drink"])
            #expect(try other.verify().problems.isEmpty)
        }
        try store.close()
        try store.open()
        #expect(try store.read { try $0.schemas().count } == (isEmpty ? 0 : 1))
        try other.close()
        try store.destroy()
    }

    /// An empty store has no id, so a store that is read then has the one that the first writer gives it.
    @Test func aReaderOfAnEmptyStoreFollowsTheProcessThatFillsIt() throws {
        let url = try Server.newStore()
        let schema = "jp_" + (try #require(url.split(separator: "=").last))
        try PostgresDataStore.open(url).close()
        try Server.run("DELETE FROM \(schema).kv")
        let reader = try PostgresDataStore.open(url + "&readOnly=true")
        #expect(try reader.read { try $0.schemas().count } == 0)
        let writers = try [PostgresDataStore.open(url), PostgresDataStore.open(url)]
        for (number, writer) in writers.enumerated() {
            try writer.write { db in
                try db.declare(ItemSchema("Dish\(number)", attributes: []))
                _ = try db.create("Dish\(number)")
            }
        }
        #expect(try reader.read { try $0.schemas().count } == 2)
        #expect(try reader.read { try $0.count(DataStoreRequest(itemTypeKey: "Dish1")) } == 1)
        for store in [reader, writers[1]] { try store.close() }
        try writers[0].destroy()
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

    /// The server's refusals are recognized by their SQLSTATE.
    @Test func refusalsOfTheServerHaveCodes() throws {
        let url = try #require(Server.url)
        let missing = url.replacing(#/\/postgres(?!@)/#, with: "/postgres_missing")
        let absence = try failure(opening: Server.with(options: ["store=a"], missing))
        let role = url.replacing("//postgres@", with: "//missing@")
        let refusal = try failure(opening: Server.with(options: ["store=a"], role))
        if Server.isPooled { return }
        #expect(absence.code == .storeNotFound)
        #expect(refusal.code == .accessDenied, "\(refusal)")
    }

    /// A server that could not be reached may accept the connection later, whatever the others have said.
    @Test func severalServersAreTriedInTheirOrder() throws {
        let refusing = try RefusingServer("SFATAL\0VFATAL\0C28P01\0Mno\0Rauth_failed\0")
        defer { refusing.stop() }
        let absent = try RefusingServer("SFATAL\0VFATAL\0C3D000\0Mno\0RInitPostgres\0")
        defer { absent.stop() }
        let without = absent.directory.replacing("/", with: "%2F")
        let (refused, away) = (refusing.directory.replacing("/", with: "%2F"), "%2Fno%2Fserver")
        let url = try Server.newStore()
        let there = Server.reachedDirectory.replacing("/", with: "%2F")
        func with(_ hosts: String...) -> String {
            url.replacing(there, with: hosts.joined(separator: ",")) + "&connectTimeout=6"
        }
        #expect(try failure(opening: with(refused, without)).code == .accessDenied)
        #expect(try failure(opening: with(without, refused)).code == .storeNotFound)
        #expect(try failure(opening: with(refused, away)).code == .connectionLost)
        #expect(try failure(opening: with(away, refused)).code == .connectionLost)
        for hosts in [[there, away], [away, there], [refused, there]] {
            let store = try PostgresDataStore.open(with(hosts.joined(separator: ",")))
            try store.close()
        }
        try PostgresDataStore.open(url).destroy()
    }

    /// A call that commits nothing, or whose effect is not known, does not say that nothing was committed.
    @Test func aLossIsDescribedForTheCall() throws {
        PostgresDataStore.register()
        let url = "postgres://u@%2Fno%2Fserver/d"
        let token = CommitToken(
            rawValue: "\(UUID().uuidString)/1/\(Int(Date().timeIntervalSince1970))")
        let store = try #require(try DataStores.make(url) as? PostgresDataStore)
        let calls: [(String, () throws -> Void)] = [
            ("open", { try store.open() }), ("outcome", { _ = try store.outcome(of: token) }),
            ("destroy", { try store.destroy() }),
        ]
        for (operation, call) in calls {
            let error = try #require(#expect(throws: DataStoreError.self) { try call() })
            #expect(error.code == .connectionLost && error.operation == operation)
            #expect(!error.message.contains("Nothing was committed"), "\(error)")
        }
    }

    /// A server may write its messages in any language.
    @Test(arguments: [
        ("28P01", DataStoreError.Code.accessDenied), ("3D000", .storeNotFound), ("53300", .busy),
        ("57P03", .connectionLost),
    ])
    func refusalsInOtherLanguagesHaveCodes(_ state: String, _ code: DataStoreError.Code) throws {
        let server = try RefusingServer(
            "S致命的错误\0VFATAL\0C\(state)\0M用户 \"u\" 失败\0Rauth_failed\0")
        defer { server.stop() }
        let directory = server.directory.replacing("/", with: "%2F")
        let error = try failure(opening: "postgres://u@\(directory)/d?connectTimeout=1")
        #expect(error.code == code, "\(error)")
        #expect(error.engine?.text.contains(state) == true)
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
