import Foundation
import JustPersist
import JustPersistImportExport
import Testing

/// The promises that MagicalRecord's import tests hold its data import to.
@Suite struct MagicalImportTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ backend: Backend) throws -> any DataStore {
        try backend.open(in: directory.url.appending(path: "store"))
    }

    /// The value of an attribute of an item that is imported from an object.
    private func imported(
        _ attribute: String, _ source: ItemMapping.Source? = nil, from text: String
    ) throws -> DataStoreValue {
        let mapping = ItemMapping(source.map { [attribute: $0] } ?? [:])
        return try memoryStore().write { db in
            let item = try db.importItem(Sample.self, from: json(text), mapping: mapping)
            return try #require(item).value(attribute)
        }
    }

    // MARK: Attributes

    @Test func aSingleItem() throws {
        let store = try memoryStore()
        try store.write { db in
            let item = try db.importItem(Sample.self, from: ["text": "This is a test value"])
            let isMade = item != nil
            #expect(isMade)
        }
        #expect(try store.read { db in try db.count(DataStoreRequest(itemType: Sample.self)) } == 1)
    }

    @Test func aString() throws {
        #expect(try imported("text", from: #"{"text": "a"}"#) == .string("a"))
    }

    @Test func wholeNumbers() throws {
        #expect(try imported("number", from: #"{"number": 256}"#) == .int(256))
        #expect(try imported("number", from: #"{"number": "42"}"#) == .int(42))
    }

    @Test func aDecimal() throws {
        let decimal = DataStoreValue.decimal(Decimal(string: "1.2") ?? 0)
        #expect(try imported("decimal", from: #"{"decimal": 1.2}"#) == decimal)
        #expect(try imported("decimal", from: #"{"decimal": "1.2"}"#) == decimal)
    }

    @Test func doubles() throws {
        #expect(try imported("double", from: #"{"double": 124.3}"#) == .double(124.3))
        #expect(try imported("double", from: #"{"double": 10000000000}"#) == .double(1e10))
        #expect(try imported("double", from: #"{"double": "124.3"}"#) == .double(124.3))
    }

    @Test func booleans() throws {
        #expect(try imported("flag", from: #"{"flag": false}"#) == .bool(false))
        for text in ["true", "YES", "y", "1"] {
            #expect(try imported("flag", from: #"{"flag": "\#(text)"}"#) == .bool(true))
        }
        #expect(try imported("flag", from: #"{"flag": 0}"#) == .bool(false))
    }

    @Test func aMappedString() throws {
        let source = ItemMapping.Source.from("mappedKey")
        #expect(try imported("text", source, from: #"{"mappedKey": "x"}"#) == .string("x"))
    }

    @Test func aNull() throws {
        #expect(try imported("number", from: #"{"number": null}"#) == .null)
    }

    @Test func aNumberAsAString() throws {
        #expect(try imported("text", from: #"{"text": 10248909829}"#) == .string("10248909829"))
    }

    @Test func anAttributeThatIsNotInTheData() throws {
        #expect(try imported("state", from: #"{"text": "a"}"#) == .string("new"))
        let source = ItemMapping.Source.from(default: .string("old"))
        #expect(try imported("state", source, from: #"{"text": "a"}"#) == .string("old"))
        #expect(try imported("state", source, from: #"{"state": null}"#) == .string("old"))
    }

    @Test func aColour() throws {
        let source = ItemMapping.Source.from("rgba") { value in
            guard case .string(let text) = value else { return value }
            let parts = text.split { "rgba(,)".contains($0) }.compactMap { Int64($0) }
            return .array(parts.map { .int($0) })
        }
        #expect(
            try imported("colour", source, from: #"{"rgba": "rgba(64,128,225,1)"}"#)
                == .array([.int(64), .int(128), .int(225), .int(1)]))
    }

    @Test func aURL() throws {
        let url = try #require(URL(string: "https://a.b/c"))
        #expect(try imported("link", from: #"{"link": "https://a.b/c"}"#) == .url(url))
    }

    @Test func aDate() throws {
        #expect(
            try imported("date", from: #"{"date": "2011-07-23T22:30:40Z"}"#)
                == .date(Date(timeIntervalSince1970: 1_311_460_240)))
    }

    @Test func aDateInACustomFormat() throws {
        let date = DataStoreValue.date(Date(timeIntervalSince1970: 1_312_509_364))
        let source = ItemMapping.Source.from(format: "yyyy", "M/d/yyyy H-mm-ss")
        #expect(try imported("date", source, from: #"{"date": "8/5/2011 1-56-04"}"#) == date)
    }

    @Test func aDateInSecondsAndInMilliseconds() throws {
        #expect(
            try imported(
                "date", .from(format: .secondsSince1970), from: #"{"date": 1388349428}"#)
                == .date(Date(timeIntervalSince1970: 1_388_349_428)))
        #expect(
            try imported(
                "date", .from(format: .millisecondsSince1970), from: #"{"date": "1388349427543"}"#)
                == .date(Date(timeIntervalSince1970: 1_388_349_427.543)))
    }

    @Test func severalItemsWithoutAKey() throws {
        try memoryStore().write { db in
            let objects = (1...4).map { ["number": $0] }
            let first = try db.importItems(Sample.self, from: objects).count
            let second = try db.importItems(Sample.self, from: objects).count
            let count = try db.count(DataStoreRequest(itemType: Sample.self))
            #expect(first == 4 && second == 4 && count == 8)
        }
    }

    // MARK: Related items

    private let related = ItemMapping(
        ["key": .from("id"), "inner": .from("attributeValue.nestedValue")], key: "key")

    /// The items that an owner is imported with, and the owner's values.
    private func importOwner(
        _ text: String, _ sources: [String: ItemMapping.Source], into store: any DataStore
    ) throws -> DynamicItem.Values {
        try store.write { db in
            let mapping = ItemMapping(sources, key: "id")
            let owner = try db.importItem(Owner.self, from: json(text), mapping: mapping)
            return try DynamicItem.Values(#require(owner))
        }
    }

    private func all(_ store: any DataStore) throws -> [[String: DataStoreValue]] {
        try store.read { db in
            try Related.all(in: db).map { item in
                [
                    "key": try item.value("key"), "note": try item.value("note"),
                    "inner": try item.value("inner"),
                ]
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func aRelatedItemThatIsThereIsChanged(_ backend: Backend) throws {
        let store = try open(backend)
        let there = try store.write { db in
            try db.importItem(
                Related.self, from: json(#"{"id": 42, "note": "from the setup"}"#), mapping: related
            )?.uniqueToken
        }
        let owner = try importOwner(
            #"{"id": 24, "random": {"id": 42, "note": "sample json file"}}"#,
            ["one": .item(Related.self, from: "random", mapping: related)], into: store)
        #expect((owner["one"].any as? ItemReference)?.id == there)
        #expect(try all(store).map { $0["note"] } == [.string("sample json file")])
        try store.close()
    }

    @Test(arguments: Backend.allCases)
    func aRelatedItemWithNestedMappedAttributesIsMade(_ backend: Backend) throws {
        let store = try open(backend)
        _ = try importOwner(
            #"{"id": 1, "one": {"id": 42, "attributeValue": {"nestedValue": "a nested value"}}}"#,
            ["one": .item(Related.self, mapping: related)], into: store)
        #expect(
            try all(store) == [
                ["key": .int(42), "note": .null, "inner": .string("a nested value")]
            ])
        try store.close()
    }

    @Test func secondaryMappedKeys() throws {
        let keys = ItemMapping.Source.from("notInUse", "warmer", "actual")
        #expect(
            try imported("text", keys, from: #"{"warmer": null, "actual": "found"}"#)
                == .string("found"))
        let store = try memoryStore()
        let owner = try importOwner(
            #"{"id": 1, "actualObject": {"id": 7}}"#,
            ["one": .item(Related.self, from: "almost", "actualObject", mapping: related)],
            into: store)
        #expect(owner["one"].kind == .reference)
    }

    @Test(arguments: Backend.allCases)
    func aListOfKeysRefersToItemsThatAreThere(_ backend: Backend) throws {
        let store = try open(backend)
        try store.write { db in
            _ = try db.importItems(
                Related.self,
                from: (0..<10).map { ["id": $0, "note": "test attribute \($0)"] as [String: Any] },
                mapping: related)
            try db.importItem(Owner.self, from: ["id": 84], mapping: ItemMapping(key: "id"))
        }
        let owner = try importOwner(
            #"{"id": 84, "many": [1, "3", 5, 7, 9]}"#,
            ["many": .items(Related.self, mapping: related)], into: store)
        guard case .array(let references) = owner["many"] else { return }
        #expect(references.count == 5)
        try store.read { db in
            #expect(try db.count(DataStoreRequest(itemType: Owner.self)) == 1)
            #expect(try db.count(DataStoreRequest(itemType: Related.self)) == 10)
            let notes = try references.map { reference -> Any? in
                guard case .reference(let reference) = reference else { return nil }
                return try db.item(Related.self, reference)?["note"]
            }
            #expect(
                notes.compactMap { $0 as? String }
                    == [1, 3, 5, 7, 9].map { "test attribute \($0)" })
        }
        try store.close()
    }

    @Test(arguments: Backend.allCases)
    func anArrayOfObjectsMakesItems(_ backend: Backend) throws {
        let store = try open(backend)
        let owner = try importOwner(
            #"{"id": 1, "many": [{"id": 1}, {"id": 2}, null, {"id": 3}, {"id": 1, "note": "x"}]}"#,
            ["many": .items(Related.self, mapping: related)], into: store)
        guard case .array(let references) = owner["many"] else { return }
        #expect(references.count == 4 && references[0] == references[3])
        #expect(try all(store).count == 3)
        try store.close()
    }

    @Test func anItemOfAnotherClassIsMade() throws {
        let store = try memoryStore()
        let owner = try importOwner(
            #"{"id": 1, "one": {"text": "BASE"}}"#, ["one": .item(Sample.self)], into: store)
        #expect((owner["one"].any as? ItemReference)?.itemTypeKey == "Sample")
    }

    // MARK: Hooks

    @Test func shouldImportWillImportAndDidImport() throws {
        struct Bad: Error {}
        var mapping = ItemMapping(["text": .from("t")])
        mapping.willImport = { object in
            if object["no"] != nil { return nil }
            if object["bad"] != nil { throw Bad() }
            return object.merging(["t": .string("by will")]) { own, _ in own }
        }
        mapping.didImport = { item, object in
            item["state"] = "did \(object["t"]?.any ?? "")"
        }
        let store = try memoryStore()
        let states = try store.write { db in
            try db.importItems(
                Sample.self, from: json(#"[{"number": 1}, {"no": 1}, {"t": "own"}]"#),
                mapping: mapping
            ).map { $0["state"] as? String }
        }
        #expect(states == ["did by will", "did own"])
        let error = #expect(throws: DataStoreError.self) {
            try store.write { db in
                _ = try db.importItems(Sample.self, from: [["t": 1], ["bad": 1]], mapping: mapping)
            }
        }
        #expect(error?.code == .invalidInput)
        #expect(
            error?.message.hasPrefix("Row 2: ") == true && error?.message.contains("Bad") == true)
    }

    @Test func aChangeThatWasRefusedInDidImportWasLost() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.file(
            "rows.jsonl", Array("{\"text\": \"a\"}\n{\"text\": \"b\"}\n".utf8))
        let store = try memoryStore()
        try store.write { db in try db.declare(Sample.schema) }
        var settings = ItemImport(itemType: "Sample")
        settings.mapping = ItemMapping(["text": .from("text")])
        settings.mapping?.didImport = { item, object in
            if object["text"] == .string("b") { (item as? DynamicItem)?["number"] = .string("x") }
        }
        let error = #expect(throws: DataStoreError.self) { try settings.run(file, into: store) }
        #expect(error?.code == .kindMismatch)
        #expect(try store.read { db in try db.count(Sample.self) } == 0)
    }
}
