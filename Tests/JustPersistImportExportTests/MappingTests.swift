import Foundation
import JustPersist
import JustPersistImportExport
import Testing

/// Mappings for items without a class and for files, and what is wrong with objects.
@Suite struct MappingTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// What a file is imported as with a mapping.
    private func rows(
        _ text: String, name: String = "r.jsonl", _ mapping: ItemMapping,
        into store: (any DataStore)? = nil
    ) throws -> [[String: DataStoreValue]] {
        let store = try store ?? memoryStore()
        var settings = ItemImport(itemType: "T")
        settings.mapping = mapping
        try settings.run(directory.file(name, Array(text.utf8)), into: store)
        return try store.rows()
    }

    private func message(_ body: () throws -> Void) -> String {
        let error = #expect(throws: DataStoreError.self) { try body() }
        return error?.message ?? ""
    }

    @Test func aKeyPathIsTakenOutOfItsObject() throws {
        let mapping = ItemMapping(["mag": .from("p.mag"), "lon": .from("g.c.0"), "n": .from("a.b")])
        #expect(
            try rows(
                #"{"p": {"mag": 2, "place": "X"}, "g": {"c": [1.5, 2]}, "a.b": 3, "q": 4}"#, mapping
            )
                == [
                    [
                        "mag": .int(2), "p": .dictionary(["place": .string("X")]),
                        "lon": .double(1.5), "n": .int(3), "q": .int(4),
                        // An array keeps the element.
                        "g": .dictionary(["c": .array([.double(1.5), .int(2)])]),
                    ]
                ])
        let exact = ItemMapping(["mag": .from("p.mag")])
        #expect(try rows(#"{"p": {"mag": 2}}"#, exact) == [["mag": .int(2)]])
    }

    @Test func otherKeysMayBeLeftOut() throws {
        var mapping = ItemMapping(["a": .from("x")])
        mapping.keepsOtherKeys = false
        #expect(try rows(#"{"x": 1, "y": 2, "z.z": 3}"#, mapping) == [["a": .int(1)]])
    }

    @Test func twoKeysForOneAttributeAreRefused() throws {
        let text = message { _ = try rows(#"{"x": 1, "a": 2}"#, ItemMapping(["a": .from("x")])) }
        #expect(text.contains("line 1") && text.contains("“a”"), "\(text)")
        let swapped = ItemMapping(["a": .from("b"), "b": .from("a")])
        #expect(
            try rows(#"{"a": 1, "b": 2}"#, swapped) == [["a": .int(2), "b": .int(1)]])
    }

    @Test func aCSVFileIsImportedWithAMapping() throws {
        let mapping = ItemMapping(
            ["day": .from("Day", format: "dd.MM.yyyy"), "a_b": .from("a.b"), "n": .from("")])
        #expect(
            try rows(",a.b,Day\n1,x,05.08.2011\n2,,\n", name: "r.csv", mapping) == [
                [
                    "n": .int(1), "a_b": .string("x"),
                    "day": .date(Date(timeIntervalSince1970: 1_312_502_400)),
                ],
                ["n": .int(2)],
            ])
    }

    @Test(arguments: Backend.allCases)
    func itemsWithoutAClassAreNested(_ backend: Backend) throws {
        let store = try backend.open(in: directory.url.appending(path: "store"))
        let author = ItemMapping(["born": .from("born", format: "yyyy")], key: "name")
        let mapping = ItemMapping(["by": .item("Author", from: "author", mapping: author)])
        let text = """
            {"t": 1, "author": {"name": "A", "born": "1900"}}
            {"t": 2, "author": "A"}
            {"t": 3, "author": null}
            {"t": 4}
            """
        let found = try rows(text, mapping, into: store)
        #expect(found.count == 4 && found[0]["by"] != nil && found[0]["by"] == found[1]["by"])
        #expect(found[2]["by"] == nil && found[3]["by"] == nil)
        #expect(try store.rows("Author").map { $0["name"] } == [.string("A")])
        #expect(try rows(text, mapping, into: store).count == 8)
        #expect(try store.rows("Author").count == 1)
        try store.close()
    }

    @Test func aBadRowLeavesNoNestedItem() throws {
        let store = try memoryStore()
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "T", attributes: [AttributeSchema("n", kinds: [.int], isUnique: true)]))
        }
        var settings = ItemImport(itemType: "T")
        settings.onError = .skip
        settings.mapping = ItemMapping(["o": .item("O", mapping: ItemMapping(key: "k"))])
        let file = try directory.file(
            "r.jsonl",
            Array(
                """
                {"n": 1, "o": {"k": 1}}
                {"n": 1, "o": {"k": 2}}
                {"n": "x", "o": {"k": 3}}
                {"n": "4", "o": {"k": 4}}
                """.utf8))
        let report = try settings.run(file, into: store)
        #expect(report.created == 2 && report.skipped == 2)
        #expect(try store.rows("O").map { $0["k"] } == [.int(1), .int(4)])
    }

    @Test func whatTheMappingLeavesOutIsCounted() throws {
        var settings = ItemImport(itemType: "T", batchSize: 1)
        settings.mapping = ItemMapping()
        settings.mapping?.willImport = { $0["a"] == .int(1) ? nil : $0 }
        let file = try directory.file("r.jsonl", Array("{\"a\":1}\n{\"a\":2}\n{\"a\":1}".utf8))
        let report = try settings.run(file, into: memoryStore())
        #expect(report.created == 1 && report.omitted == 2 && report.skipped == 0)
    }

    // MARK: Errors

    @Test func anErrorNamesTheRowTheKeyPathAndTheValue() throws {
        let store = try memoryStore()
        let dates = ItemMapping(["date": .from("meta.date", format: "yyyy-MM-dd")])
        let text = message {
            try store.write { db in
                _ = try db.importItems(
                    Sample.self,
                    from: [["meta": ["date": "2011-08-05"]], ["meta": ["date": "05/08"]]],
                    mapping: dates)
            }
        }
        for part in ["Row 2", "“05/08”", "“meta.date”", "“yyyy-MM-dd”"] {
            #expect(text.contains(part), "\(text)")
        }
        let number = message {
            try store.write { db in _ = try db.importItem(Sample.self, from: ["date": 5]) }
        }
        #expect(number.contains("“5” at the key path “date” is not of the kind date"), "\(number)")
        let inner = ItemMapping([
            "many": .items(Related.self, mapping: ItemMapping(key: "key"))
        ])
        let nested = message {
            try store.write { db in
                _ = try db.importItem(
                    Owner.self, from: json(#"{"many": [{"key": 1}, {"key": "x"}]}"#), mapping: inner
                )
            }
        }
        #expect(nested.contains("“many.1.key”"), "\(nested)")
        #expect(
            try store.read { db in try db.count(DataStoreRequest(itemType: Related.self)) } == 0)
    }

    @Test func anAttributeThatTheClassDoesNotHaveIsRefused() throws {
        let error = #expect(throws: DataStoreError.self) {
            try memoryStore().write { db in
                _ = try db.importItem(
                    Sample.self, from: ["a": 1], mapping: ItemMapping(["nmae": .from("a")]))
            }
        }
        #expect(error?.code == .unknownAttribute && error?.attribute == "nmae")
    }

    @Test func anArrayIsNoSingleItem() throws {
        let mapping = ItemMapping(["one": .item(Sample.self)])
        let text = message {
            try memoryStore().write { db in
                _ = try db.importItem(Owner.self, from: ["one": [["text": "a"]]], mapping: mapping)
            }
        }
        #expect(text.contains(".items"), "\(text)")
        let key = message {
            try memoryStore().write { db in
                _ = try db.importItem(Owner.self, from: ["one": 5], mapping: mapping)
            }
        }
        #expect(key.contains("has no key"), "\(key)")
    }
}
