import Foundation
import JustPersist
import JustPersistImportExport
import JustPersistLMDB
import Testing

/// Rows that change what is there, and rows that are left out.
@Suite struct ImportPolicyTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func file(_ text: String, name: String = "r.jsonl") throws -> URL {
        try directory.file(name, Array(text.utf8))
    }

    private func keyed(_ key: String = "k", batchSize: Int = 2000) -> ItemImport {
        var settings = ItemImport(itemType: "T", batchSize: batchSize)
        settings.key = key
        return settings
    }

    // MARK: Updating

    @Test(arguments: Backend.allCases, [1, 2, 2000])
    func aKeyFindsItems(_ backend: Backend, _ batchSize: Int) throws {
        let store = try backend.open(in: directory.url.appending(path: "store"))
        let settings = keyed(batchSize: batchSize)
        let first = try settings.run(
            file("{\"k\":1,\"a\":\"x\",\"b\":1}\n{\"k\":\"1\",\"a\":\"y\"}"), into: store)
        #expect(first.created == 2 && first.updated == 0)
        let ids = try store.ids()
        let second = try settings.run(
            file(
                "{\"k\":1,\"b\":2}\n{\"k\":3,\"a\":\"z\"}\n{\"k\":3,\"c\":true}\n{\"k\":\"1\",\"a\":null}"
            ),
            into: store)
        #expect(second.created == 1 && second.updated == 3)
        #expect(
            try store.rows() == [
                ["k": .int(1), "a": .string("x"), "b": .int(2)], ["k": .string("1")],
                ["k": .int(3), "a": .string("z"), "c": .bool(true)],
            ])
        #expect(try store.ids().prefix(2) == ids[...])
        try store.close()
    }

    @Test func aKeyThatSeveralMayShareIsRefused() throws {
        let store = try memoryStore()
        try store.fill([["k": .int(1)]])
        let error = #expect(throws: DataStoreError.self) {
            try keyed().run(file("{\"k\":1}"), into: store)
        }
        #expect(error?.code == .invalidRequest && error?.attribute == "k")
        #expect(error?.message.contains("index add STORE T k --unique") == true)
        try store.write { db in
            try db.declare(
                ItemSchema("T", attributes: [], indexes: [IndexSchema(["k"], isUnique: true)]))
        }
        #expect(try keyed().run(file("{\"k\":1,\"a\":1}"), into: store).updated == 1)
    }

    @Test(arguments: ["{\"a\":1}", "{\"k\":null}", "{\"k\":{\"$double\":\"nan\"}}"])
    func aRowWithoutItsKeyIsBad(text: String) throws {
        let store = try memoryStore()
        let error = #expect(throws: DataStoreError.self) {
            try keyed().run(file("{\"k\":1}\n" + text), into: store)
        }
        #expect(error?.message.contains("line 2: the row has no value for “k”") == true)
        #expect(try store.rows() == [])
    }

    @Test func idsFindItems() throws {
        let store = try memoryStore()
        let id = "018f3c2a-0000-7000-8000-000000000001"
        let rows = ItemImport(itemType: "T")
        let first = try rows.run(
            file(
                "{\"$id\":\"\(id)\",\"a\":1}\n{\"a\":2}\n{\"$id\":\"\(id.uppercased())\",\"b\":3}"),
            into: store)
        #expect(first.created == 2 && first.updated == 1)
        #expect(try store.rows() == [["a": .int(1), "b": .int(3)], ["a": .int(2)]])
        #expect(try store.ids().first == ItemID(id))
        let csv = try rows.run(file("$id,a\n\(id),\n", name: "r.csv"), into: store)
        #expect(csv.updated == 1 && csv.created == 0)
        #expect(try store.rows().first == ["b": .int(3)])
        for (settings, text, reason) in [
            (rows, "{\"$id\":\"x\"}", "“$$id”"), (rows, "{\"$id\":5}", "not the id of an item"),
            (keyed(), "{\"$id\":\"\(id)\",\"k\":1}", "Leave one of them out"),
        ] {
            let error = #expect(throws: DataStoreError.self) {
                try settings.run(file(text), into: memoryStore())
            }
            #expect(error?.message.contains(reason) == true)
        }
    }

    // MARK: Bad rows

    /// Kinds that differ from the declared ones, and values that another item has.
    private func strictStore(
        _ backend: Backend, _ rows: [[String: DataStoreValue]] = []
    ) throws -> any DataStore {
        let store = try backend.open(in: directory.url.appending(path: "strict"))
        try store.fill(rows)
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "T",
                    attributes: [
                        AttributeSchema("n", kinds: [.int]), AttributeSchema("u", isUnique: true),
                    ]))
        }
        return store
    }

    @Test(arguments: Backend.allCases, [1, 3, 2000])
    func badRowsAreLeftOutAndTheOthersGetIn(_ backend: Backend, _ batchSize: Int) throws {
        let store = try strictStore(backend)
        let name = String(repeating: "x", count: 256)
        let lines = [
            "{\"n\":1,\"u\":1}", "{\"n\":\"bad\",\"u\":2}", "{\"n\":", "{\"n\":2,\"u\":1}",
            "{\"n\":3,\"u\":3}", "5", "{\"n\":4,\"\(name)\":1}", "{\"n\":5,\"u\":5}",
            "{\"a.b\":1}", "{\"n\":6,\"u\":3}", "{\"n\":7,\"u\":2}",
        ]
        var settings = ItemImport(itemType: "T", batchSize: batchSize)
        settings.onError = .skip
        var bad: [Int] = []
        let report = try settings.run(
            file(lines.joined(separator: "\n")), into: store, badRow: { bad.append($0.line) })
        #expect(report.created == 4 && report.skipped == 7)
        #expect(bad == [2, 3, 4, 6, 7, 9, 10])
        #expect(try store.rows().map { $0["n"] } == [.int(1), .int(3), .int(5), .int(7)])
        try store.close()
    }

    @Test(arguments: Backend.allCases)
    func theFirstBadRowIsNamedAndNothingIsStored(_ backend: Backend) throws {
        let store = try strictStore(backend)
        for (text, line, code) in [
            (
                "{\"u\":1}\n\n{\"u\":2}\n{\"u\":1}\n{\"u\":2}", 4,
                DataStoreError.Code.uniqueViolation
            ),
            ("{\"u\":1}\n{\"n\":1.5}\n{\"u\":1}", 2, .kindMismatch),
        ] {
            let error = #expect(throws: DataStoreError.self) {
                try ItemImport(itemType: "T").run(file(text), into: store)
            }
            #expect(error?.code == code)
            #expect(error?.message.contains("line \(line):") == true, "\(error?.message ?? "")")
            #expect(try store.rows() == [])
        }
        try store.close()
    }

    /// An item that is there stays as it was if its row is bad.
    @Test(arguments: Backend.allCases, [true, false])
    func aBadRowChangesNothingOfItsItem(_ backend: Backend, _ byKey: Bool) throws {
        let store = try strictStore(backend, [["u": .int(1), "a": .int(1), "n": .int(1)]])
        let id = try #require(store.ids().first)
        var settings = ItemImport(itemType: "T")
        settings.key = byKey ? "u" : nil
        settings.onError = .skip
        let identity = byKey ? "\"u\":1" : "\"$id\":\"\(id)\""
        let report = try settings.run(
            file("{\(identity),\"a\":2,\"n\":\"bad\"}\n{\(identity),\"b\":3}"), into: store)
        #expect(report.updated == 1 && report.skipped == 1)
        #expect(
            try store.rows() == [["u": .int(1), "a": .int(1), "n": .int(1), "b": .int(3)]])
        try store.close()
    }

    @Test func whatCannotBeReadOnEndsTheImport() throws {
        var settings = ItemImport(itemType: "T", batchSize: 1)
        settings.onError = .skip
        for (name, text) in [
            ("r.json", "[{\"a\":1},{\"a\":2} {\"a\":3}]"), ("r.csv", "a\n1\n2\n\"x\"y\n3\n"),
        ] {
            let store = try memoryStore()
            let error = #expect(throws: DataStoreError.self) {
                try settings.run(file(text, name: name), into: store)
            }
            #expect(error?.code == .invalidInput)
        }
    }

    @Test func goingOnLeavesOutBadRowsToo() throws {
        struct Enough: Error {}
        let store = try memoryStore()
        var settings = ItemImport(itemType: "T", batchSize: 2)
        settings.onError = .skip
        let url = try file("{\"a\":1}\n{\"a\":\n{\"a\":2}\n{\"a\":3}\n5\n{\"a\":4}")
        var rows = 0
        #expect(throws: Enough.self) {
            try settings.run(url, into: store) { progress in
                rows = progress.rows
                if progress.items >= 2 { throw Enough() }
            }
        }
        settings.skipping = rows
        try settings.run(url, into: store)
        #expect(try store.rows() == (1...4).map { ["a": .int($0)] })
    }

    // MARK: Going on

    /// The rows that a message advises to skip are in the store, or invalid.
    ///
    /// If its advice is followed, all rows are imported once.
    @Test(arguments: [1, 2, 3, 2000])
    func whatComesBeforeTheEndOfReadingIsNotLost(_ batchSize: Int) throws {
        let store = try memoryStore()
        var settings = ItemImport(itemType: "T", batchSize: batchSize)
        settings.onError = .skip
        var bad: [Int] = []
        let rows = "[{\"a\":1},\n{\"b\":},\n{\"c\":2},\n"
        let error = try #require(
            #expect(throws: DataStoreError.self) {
                try settings.run(
                    file(rows + "x]", name: "r.json"), into: store,
                    badRow: { bad.append($0.line) })
            })
        settings.skipping = try Self.skipped(by: error)
        #expect(settings.skipping < 4)
        let report = try settings.run(
            file(rows + "{\"d\":3}]", name: "r.json"), into: store,
            badRow: { bad.append($0.line) })
        #expect(try store.rows() == [["a": .int(1)], ["c": .int(2)], ["d": .int(3)]])
        #expect(bad == [2] && report.skipped == (settings.skipping > 1 ? 0 : 1))
    }

    /// The number after `--skip` in a message; 0 if nothing was stored.
    private static func skipped(by error: DataStoreError) throws -> Int {
        if error.message.contains("Nothing was stored") { return 0 }
        let found = try #require(
            error.message.firstMatch(of: /--skip ([0-9]+)/), "\(error.message)")
        return try #require(Int(found.1))
    }

    @Test(arguments: [ItemImport.ErrorPolicy.stop, .skip])
    func aFullStoreSaysHowToGoOn(_ policy: ItemImport.ErrorPolicy) throws {
        let place = directory.url.appending(path: "full")
        func open(_ mapSize: Int) throws -> LMDBDataStore {
            let store = LMDBDataStore(
                at: place,
                configuration: LMDBConfiguration(maximumSize: mapSize, durability: .relaxed))
            try store.open()
            return store
        }
        let text = String(repeating: "x", count: 4000)
        var rows = (0..<500).map { "{\"n\":\($0),\"text\":\"\(text)\"}\n" }
        rows[3] = "{\"n\":\n"
        let lines = try file(rows.joined())
        var settings = ItemImport(itemType: "T", batchSize: 50)
        settings.onError = policy
        if policy == .stop { settings.skipping = 4 }
        var store = try open(1 << 20)
        let error = try #require(
            #expect(throws: DataStoreError.self) { try settings.run(lines, into: store) })
        #expect(error.code == .storageFull && error.message.contains("“r.jsonl”, from line"))
        try store.close()
        store = try open(64 << 20)
        settings.skipping = try Self.skipped(by: error)
        try settings.run(lines, into: store)
        let numbers = try store.rows().map { $0["n"] }
        let wanted = policy == .stop ? Array(4..<500) : Array(0..<3) + Array(4..<500)
        #expect(numbers == wanted.map { .int(Int64($0)) })
        try store.close()
    }

    /// A caller can end an import while the kinds of columns are found out.
    @Test func theFirstLookAtAFileCanBeEnded() throws {
        struct Enough: Error {}
        let store = try memoryStore()
        let text = "a,b\n" + String(repeating: "1,x\n", count: 200_000)
        var calls = 0
        #expect(throws: Enough.self) {
            try ItemImport(itemType: "T").run(file(text, name: "r.csv"), into: store) { progress in
                calls += 1
                #expect(progress.items == 0 && progress.rows == 0)
                if calls == 2 { throw Enough() }
            }
        }
        #expect(calls == 2)
        #expect(try store.rows().isEmpty)
    }
}
