import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMemory
import JustPersistRecords
import Testing

/// A store of format 2 as it was written by the release that made the format: each later release opens it.
@Suite struct FormatFixtureTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Fixtures/Format2.txt")
    /// A store of a build before the first release.
    private static let oldFile = file.deletingLastPathComponent().appending(path: "Format1.txt")

    /// The engines that the fixture is loaded into.
    enum Place: CaseIterable {
        case memory, array, lmdb, levelDB

        fileprivate func engine(in directory: URL) -> any KeyValueEngine {
            switch self {
            case .memory: InMemoryEngine()
            case .array: SortedArrayEngine()
            case .lmdb: LMDBEngine(at: directory)
            case .levelDB: LevelDBEngine(at: directory)
            }
        }
    }

    private func withFixture(
        in place: Place, _ body: (any DataStore, any KeyValueEngine) throws -> Void
    ) throws {
        try withClosedStore(in: place, of: Self.file) { store, engine in
            try store.open()
            try body(store, engine)
            try store.close()
        }
    }

    private func withClosedStore(
        in place: Place, of file: URL, _ body: (any DataStore, any KeyValueEngine) throws -> Void
    ) throws {
        func run<Engine: KeyValueEngine>(_ engine: Engine) throws {
            // An engine in memory keeps what it has only while it is open.
            try engine.open()
            let entries = try HexEntries.read(file)
            try engine.write { writer in
                for (key, value) in entries { try writer.put(value.span, forKey: key.span) }
            }
            if engine.traits.isPersistent { engine.close() }
            try body(RecordStore(engine: engine), engine)
        }
        try withTemporaryDirectory { directory in try run(place.engine(in: directory)) }
    }

    @Test(arguments: Place.allCases)
    func aStoreOfAnEarlierFormatIsRefused(_ place: Place) throws {
        try withClosedStore(in: place, of: Self.oldFile) { store, engine in
            expectError(.olderFormat) { try store.open() }
            if !engine.traits.isPersistent, place == .memory { return }
            let left = try HexEntries.all(in: engine)
            let fixture = try HexEntries.read(Self.oldFile)
            #expect(left.map { Data($0.key) } == fixture.map { Data($0.key) })
            #expect(left.map { Data($0.value) } == fixture.map { Data($0.value) })
        }
    }

    @Test(arguments: [Place.lmdb, .levelDB])
    func aStoreOfAnEarlierFormatIsNotSalvaged(_ place: Place) throws {
        try withClosedStore(in: place, of: Self.oldFile) { store, _ in
            try withTemporaryDirectory { home in
                expectError(.olderFormat) { _ = try store.salvage(into: home) }
            }
        }
    }

    @Test(arguments: Place.allCases)
    func everyValueIsRead(_ place: Place) throws {
        try withFixture(in: place) { store, _ in
            try expectFixture(store)
            try expectClasses(store)
            if case .memory = place { return }
            try store.close()
            try store.open()
            try expectFixture(store)
        }
    }

    @Test(arguments: Place.allCases)
    func itIsWrittenToAndKeepsWhatALaterReleasePutThere(_ place: Place) throws {
        try withFixture(in: place) { store, engine in
            for type in [FormatFixture.sealed, FormatFixture.closed] {
                expectError(.newerFormat) { try store.write { db in _ = try db.create(type) } }
            }
            store.read { db in
                expectError(.newerFormat) {
                    _ = try db.performFetch(DataStoreRequest(itemTypeKey: FormatFixture.closed))
                }
                return
            }
            let id = try store.write { db in
                let everything = DataStoreRequest(itemTypeKey: "Everything")
                for item in try db.dynamicItems(everything) { item["int"] = .int(7) }
                let item = try db.create("Everything")
                for (name, value) in FormatFixture.everyKind { item[name] = value }
                try db.declare(
                    ItemSchema(
                        "Guest", formerTypeKeys: ["Visitor"], attributes: [AttributeSchema("name")])
                )
                try db.create("Visitor")["name"] = .string("Ann")
                let dish = try #require(
                    try db.dynamicItems(DataStoreRequest(itemTypeKey: "Dish")).first)
                try db.delete(dish)
                return item.uniqueToken
            }
            try store.read { db in
                // The new one is the last.
                let all = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Everything"))
                #expect(all.map { $0["int"] } == [.int(7), .int(7), .int(7), .int(-2)])
                let item = try #require(
                    try db.performFetchItem(ItemType(dynamic: "Everything"), id: id))
                for (name, value) in FormatFixture.everyKind {
                    let stored = try item.storedValue(forKeyPath: name)
                    #expect(stored.isSame(as: value), "\(name)")
                }
            }
            let report = try store.verify()
            #expect(report.problems.isEmpty)
            var counts = FormatFixture.counts
            counts["Everything", default: 0] += 1
            counts["Dish", default: 0] -= 1
            counts["Guest"] = 1
            #expect(report.itemCounts == counts)
            // What only a later release knows is still there.
            if engine.traits.isPersistent { try store.close() }
            let values = try HexEntries.all(in: engine).map { Data($0.value) }
            for field in FormatFixture.laterFields {
                #expect(values.contains { $0.range(of: Data(field)) != nil }, "\(field)")
            }
            if engine.traits.isPersistent { try store.open() }
        }
    }

    @Test(arguments: Place.allCases)
    func aPlanIsAppliedToIt(_ place: Place) throws {
        let plan = SchemaPlan("app") {
            SchemaStep("names") { db in
                try db.renameAttribute("title", to: "heading", of: "Meal")
                try db.dropAttribute("note", of: "Dish")
                try db.dropType("Supper")
            }
            SchemaStep.batched("stars", of: "Dish", batchSize: 2) { dish in
                guard case .int(let stars) = dish["stars"] else { return }
                dish["stars"] = .int(stars + 1)
            }
        }
        try withFixture(in: place) { store, engine in
            for type in [FormatFixture.sealed, FormatFixture.closed] {
                for step in [
                    SchemaStep("x") { db in try db.dropAttribute("n", of: type) },
                    SchemaStep("x") { db in try db.dropType(type) },
                    SchemaStep("x") { db in try db.renameAttribute("n", to: "m", of: type) },
                ] {
                    expectError(.newerFormat) { try store.apply(SchemaPlan("later") { step }) }
                }
            }
            try store.apply(plan)
            if engine.traits.isPersistent {
                try store.close()
                try store.open()
            }
            let dishes = try store.read { db in
                try db.dynamicItems(DataStoreRequest(itemTypeKey: "Dish")).map { try $0.values() }
            }
            let expected = FormatFixture.items["Dish"]?.map { dish in
                var values = dish.values
                values["note"] = nil
                values["heading"] = values.removeValue(forKey: "title")
                if case .int(let stars)? = values["stars"] { values["stars"] = .int(stars + 1) }
                return values
            }
            #expect(dishes == expected)
            try #expect(store.schemaHistory().map(\.name) == ["names", "stars"])
            try #expect(store.verify().problems.isEmpty)
        }
    }

    /// Byte for byte, but for the store's id, which is random, and the checksum over it.
    @Test func theSameStoreIsWrittenInTheSameBytes() throws {
        let written = try FormatFixture.write()
        guard FileManager.default.fileExists(atPath: Self.file.path) else {
            try HexEntries.write(written, to: Self.file)
            Issue.record("There was no fixture. It was written: \(Self.file.lastPathComponent).")
            return
        }
        let fixture = try HexEntries.read(Self.file)
        #expect(written.map { Data($0.key) } == fixture.map { Data($0.key) })
        for (new, old) in zip(written, fixture) {
            #expect(Data(new.key) == Data(old.key))
            let isHeader = new.key == [StoredBytes.headerTag]
            #expect(
                Data(isHeader ? withoutID(new.value) : new.value)
                    == Data(isHeader ? withoutID(old.value) : old.value), "\(new.key)")
        }
    }

    private func withoutID(_ header: [UInt8]) -> [UInt8] {
        Array(header[..<16] + header[32..<(header.count - 8)])
    }

    // MARK: What is in it

    private func expectFixture(_ store: any DataStore) throws {
        try store.read { db in
            let schemas = try db.schemas()
            #expect(Set(schemas.map(\.itemTypeKey)) == Set(FormatFixture.counts.keys))
            for (key, description) in FormatFixture.descriptions {
                let schema = try #require(schemas.first { $0.itemTypeKey == key })
                #expect(schema.described == description)
            }
            for (type, items) in FormatFixture.items where type != FormatFixture.closed {
                let request = DataStoreRequest(itemTypeKey: type)
                let found = try db.dynamicItems(request)
                #expect(found.map(\.uniqueToken) == items.map(\.id), "\(type)")
                try #expect(db.performCount(request) == items.count, "\(type)")
                for (item, expected) in zip(found, items) {
                    let values = try item.values()
                    #expect(Set(values.keys) == Set(expected.values.keys), "\(type)")
                    for (name, value) in expected.values {
                        #expect(values[name]?.isSame(as: value) == true, "\(type).\(name)")
                    }
                }
            }
            for (key, type) in [
                ("Meal", "Dish"), ("Snack", "Dish"), ("Dinner", "Supper"),
            ] {
                let request = DataStoreRequest(itemTypeKey: key)
                try #expect(db.performCount(request) == FormatFixture.counts[type], "\(key)")
            }
            let request = DataStoreRequest(itemTypeKey: "Dish")
            request.predicate = try DataStorePredicate("side.name == 'salad'")
            try #expect(db.performCount(request) == 2)
            request.predicate = try DataStorePredicate("guest.name == nil AND title == 'soup'")
            try #expect(db.performCount(request) == 1)
        }
        let report = try store.verify()
        #expect(report.problems.isEmpty)
        #expect(report.itemCounts == FormatFixture.counts)
    }

    private func expectClasses(_ store: any DataStore) throws {
        try store.read { db in
            let first = try #require(try db.first(FixtureDish.self))
            try #expect(first.storedValue(forKeyPath: "name") == .string("salad"))
            try #expect(first.storedValue(forKeyPath: "stars") == .int(3))
            let soup = try #require(
                try db.first(FixtureDish.self, where: DataStorePredicate("name == 'soup'")))
            guard case .reference(let side) = try soup.storedValue(forKeyPath: "side") else {
                Issue.record("The side is no reference")
                return
            }
            try #expect(db.item(FixtureDish.self, side)?.uniqueToken == first.uniqueToken)
        }
    }
}

/// The class of the first release, with a type and an attribute under the names that they had then.
private final class FixtureDish: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Meal",
        attributes: [
            AttributeSchema("name", kinds: [.string]),
            AttributeSchema("stars", kinds: [.int], default: .int(3)),
            AttributeSchema("side", kinds: [.reference]),
        ])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}

/// What the store of the fixture holds, and how it came to that.
private enum FormatFixture {
    static let sealed = "Sealed"
    static let closed = "Closed"

    static func id(_ number: UInt64) -> ItemID {
        ItemID(high: 0x0190_0000_0000_7000 + number << 16, low: 0x8000_0000_0000_0000 + number)
    }

    private static func reference(_ type: String, _ number: UInt64) -> DataStoreValue {
        .reference(ItemReference(itemTypeKey: type, id: id(number)))
    }

    private static func url(_ text: String, base: String? = nil) -> DataStoreValue {
        URL(string: text, relativeTo: base.flatMap { URL(string: $0) }).map { .url($0) } ?? .null
    }

    /// A value of each kind, and of each form in which one is stored.
    static let everyKind: [(String, DataStoreValue)] = [
        ("null", .null), ("false", .bool(false)), ("true", .bool(true)), ("int", .int(-2)),
        ("smallestInt", .int(.min)), ("double", .double(-0.0)),
        ("nan", .double(Double(nan: 77, signaling: false))), ("emptyText", .string("")),
        ("text", .string("plain\0text é")), ("anyText", .string("cafe\u{301} 名 🏳️‍🌈")),
        ("date", .date(Date(timeIntervalSinceReferenceDate: 700_000_000.125))),
        ("data", .data(Data([0, 1, 254, 255]))), ("emptyData", .data(Data())),
        ("uuid", .uuid(id(99).uuid)),
        ("decimal", .decimal(Decimal(sign: .minus, exponent: -3, significand: 1_234_567))),
        ("decimalNaN", .decimal(.nan)), ("url", url("https://a.example/b?c#d")),
        ("relativeURL", url("b/c", base: "https://a.example/")),
        ("reference", reference("Dish", 11)), ("emptyArray", .array([])),
        (
            "array",
            .array([
                .null, .bool(true), .bool(false), .int(1), .double(1.5), .string("a"),
                .string("名"), .date(Date(timeIntervalSinceReferenceDate: 1)), .data(Data([7])),
                .uuid(id(98).uuid), .decimal(2), url("a:b"), reference("Dish", 11),
                .array([.array([])]), .dictionary(["k": .dictionary([:])]),
                .string(String(repeating: "x", count: 200)),
            ])
        ),
        ("dictionary", .dictionary(["": .int(0), "b": .null, "a.b": .array([.int(1)])])),
    ]

    /// The items of each type, in the order of their ids, with all values that are not null.
    static let items: [String: [(id: ItemID, values: [String: DataStoreValue])]] = [
        "Everything": [
            (id(1), Dictionary(uniqueKeysWithValues: everyKind.filter { !$0.1.isNull })),
            // None, and one so large that the table of the record is wide.
            (id(2), [:]),
            (id(3), ["data": .data(Data(repeating: 5, count: 70_000)), "int": .int(3)]),
        ],
        "Dish": [
            (id(11), ["title": .string("salad"), "stars": .int(3), "note": .string("fresh")]),
            (
                id(12),
                [
                    "title": .string("soup"), "stars": .int(5), "side": reference("Dish", 11),
                    "guest": reference("Guest", 50), "note": .string("fresh"),
                ]
            ),
            (
                id(13),
                [
                    "title": .string("stew"), "stars": .int(3),
                    "side": reference("Dish", 11), "note": .string("rich"),
                ]
            ),
        ],
        "Supper": [(id(21), ["heading": .string("late"), "dish": reference("Dish", 12)])],
        "Empty": [],
        sealed: [(id(31), ["n": .int(1)])],
        closed: [(id(41), ["n": .int(1)])],
    ]

    static var counts: [String: Int] { items.mapValues(\.count) }

    /// What the store says of the types, as ``ItemSchema/described`` writes it.
    static let descriptions: [String: [String]] = [
        "Dish": [
            "formerly Meal Snack", "title formerly name: string, stored string",
            "stars: int, stored int, 3 if there is none",
            "side: reference, stored reference", "guest: any, stored reference",
            "note: string, stored string, fresh if there is none, or null",
            "index title", "unique index title stars", "index note",
        ],
        "Supper": [
            "formerly Dinner", "heading formerly caption: string, stored string",
            "dish: any, stored reference", "index heading",
        ],
        "Empty": ["formerly"],
        sealed: ["formerly", "n: any, stored int"],
    ]

    /// What a later release has added: a field of each entry that describes something, with neither flag, and one of
    /// a type with each.
    static let plainField: [UInt8] = [0x3E, 5] + Array("later".utf8)
    static let sealingField: [UInt8] = [0x7D, 4] + Array("seal".utf8)
    static let closingField: [UInt8] = [0xBC, 5] + Array("close".utf8)
    static let laterFields = [plainField, sealingField, closingField]

    /// Writes the store through the public calls alone, release by release, and gives its entries.
    static func write() throws -> [SortedArrayEngine.Entry] {
        let engine = SortedArrayEngine()
        let store = RecordStore(engine: engine)
        try store.open()
        for step in steps { try store.write { db in try step(db) } }
        try store.close()
        var entries = engine.entries
        addFields(to: &entries)
        return entries
    }

    private typealias Step = @Sendable (borrowing DataStoreWriter) throws -> Void

    private static func insert(_ type: String, _ number: UInt64, _ values: [String: DataStoreValue])
        -> Step
    {
        { db in
            let isNew = try db.performInsert(DynamicItem(type, id: id(number), values: values))
            #expect(isNew)
        }
    }

    private static let steps: [Step] = [
        // The first release.
        { db in
            try db.declare(
                ItemSchema("Everything", attributes: everyKind.map { AttributeSchema($0.0) }))
            try db.declare(
                ItemSchema(
                    "Meal",
                    attributes: [
                        AttributeSchema("name", kinds: [.string], isIndexed: true),
                        AttributeSchema("stars", kinds: [.int], default: .int(3)),
                        AttributeSchema("side", kinds: [.reference]), AttributeSchema("guest"),
                    ], indexes: [IndexSchema(["name", "stars"], isUnique: true)]))
        },
        insert("Meal", 11, ["name": .string("salad")]),
        // A type that is not declared is referred to.
        insert(
            "Meal", 12,
            [
                "name": .string("soup"), "stars": .int(5), "side": reference("Meal", 11),
                "guest": reference("Guest", 50),
            ]),
        // The second release renames the type and an attribute, and adds one with a default.
        { db in
            try db.declare(
                ItemSchema(
                    "Dish", formerTypeKeys: ["Meal"],
                    attributes: [
                        AttributeSchema(
                            "title", kinds: [.string], originalName: "name", isIndexed: true),
                        AttributeSchema("stars", kinds: [.int], default: .int(3)),
                        AttributeSchema("side", kinds: [.reference]), AttributeSchema("guest"),
                        AttributeSchema(
                            "note", kinds: [.string], default: .string("fresh"), isOptional: true,
                            isIndexed: true),
                    ]))
        },
        insert("Everything", 1, Dictionary(uniqueKeysWithValues: everyKind)),
        insert("Everything", 2, [:]),
        insert(
            "Everything", 3, ["data": .data(Data(repeating: 5, count: 70_000)), "int": .int(3)]),
        // A type that gave way: it was declared before it was known as a former key, and a reference holds its number.
        { db in try db.declare(ItemSchema("Snack", attributes: [AttributeSchema("title")])) },
        insert(
            "Dish", 13,
            ["title": .string("stew"), "side": reference("Snack", 11), "note": .string("rich")]),
        { db in
            try db.declare(
                ItemSchema(
                    "Dish", formerTypeKeys: ["Snack"],
                    attributes: [AttributeSchema("title", kinds: [.string])]))
        },
        // An attribute that gave way, and a former key under which the store has never had items.
        { db in
            try db.declare(
                ItemSchema(
                    "Supper", formerTypeKeys: ["Dinner"],
                    attributes: [
                        AttributeSchema("caption", kinds: [.string]),
                        AttributeSchema("heading", kinds: [.string]), AttributeSchema("dish"),
                    ], indexes: [IndexSchema(["caption"])]))
        },
        insert("Supper", 21, ["caption": .string("late"), "dish": reference("Dish", 12)]),
        { db in
            try db.declare(
                ItemSchema(
                    "Supper",
                    attributes: [
                        AttributeSchema("heading", kinds: [.string], originalName: "caption")
                    ]))
        },
        { db in
            for type in [sealed, closed] {
                try db.declare(ItemSchema(type, attributes: [AttributeSchema("n")]))
            }
            try db.declare(ItemSchema("Empty", attributes: []))
        },
        insert(sealed, 31, ["n": .int(1)]), insert(closed, 41, ["n": .int(1)]),
    ]

    /// Adds fields of later releases to the header and to entries of the catalog.
    private static func addFields(to entries: inout [SortedArrayEngine.Entry]) {
        for index in entries.indices {
            let end = entries[index].value.count
            switch entries[index].key.first {
            case StoredBytes.headerTag:
                entries[index].value.insert(contentsOf: plainField, at: end - 8)
            case StoredBytes.catalogTag:
                let length = Int(entries[index].value[16])
                let key = String(decoding: entries[index].value[18..<(18 + length)], as: UTF8.self)
                entries[index].value += plainField
                if key == sealed { entries[index].value += sealingField }
                if key == closed { entries[index].value += closingField }
            default: continue
            }
            Checksum.correct(&entries[index])
        }
    }
}

extension ItemSchema {
    /// All that a store says of a type, in words.
    fileprivate var described: [String] {
        let attributes = attributes.map { attribute in
            func list(_ kinds: Set<DataStoreValue.Kind>) -> String {
                kinds.isEmpty ? "any" : kinds.map { "\($0)" }.sorted().joined(separator: " ")
            }
            var text = attribute.name
            if !attribute.formerNames.isEmpty {
                text += " formerly " + attribute.formerNames.joined(separator: " ")
            }
            text += ": \(list(attribute.kinds)), stored \(list(attribute.storedKinds))"
            if let value = attribute.defaultValue?.any {
                text += ", \(value) if there is none"
                if attribute.isOptional { text += ", or null" }
            }
            return text
        }
        let indexes = indexes.map {
            ($0.isUnique ? "unique index " : "index ") + $0.attributes.joined(separator: " ")
        }
        return [(["formerly"] + formerTypeKeys).joined(separator: " ")] + attributes + indexes
    }
}

extension DataStoreValue {
    /// Whether both are of one kind and have the same bits.
    fileprivate func isSame(as other: DataStoreValue) -> Bool {
        switch (self, other) {
        case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
        case (.date(let a), .date(let b)):
            a.timeIntervalSinceReferenceDate.bitPattern
                == b.timeIntervalSinceReferenceDate.bitPattern
        case (.string(let a), .string(let b)): Array(a.utf8) == Array(b.utf8)
        case (.decimal(let a), .decimal(let b)):
            a.isNaN ? b.isNaN : a == b && a.exponent == b.exponent
        case (.url(let a), .url(let b)):
            a.relativeString == b.relativeString && a.baseURL == b.baseURL
        case (.array(let a), .array(let b)):
            a.count == b.count && zip(a, b).allSatisfy { $0.isSame(as: $1) }
        case (.dictionary(let a), .dictionary(let b)):
            Set(a.keys) == Set(b.keys)
                && a.allSatisfy { key, value in b[key]?.isSame(as: value) == true }
        default: kind == other.kind && self == other
        }
    }
}

/// Keys and values as text: a line for each entry, both in hexadecimal digits; `05*200` is a byte 200 times.
private enum HexEntries {
    static func read(_ file: URL) throws -> [SortedArrayEngine.Entry] {
        let text = try String(contentsOf: file, encoding: .utf8)
        return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let fields = line.split(separator: " ", omittingEmptySubsequences: false)
            try #require(fields.count == 2)
            return (key: try bytes(fields[0]), value: try bytes(fields[1]))
        }
    }

    static func write(_ entries: [SortedArrayEngine.Entry], to file: URL) throws {
        var text = """
            # A store of format 2: its keys and values as the article "The file format" describes them, in hexadecimal
            # digits. 05*200 is a byte 200 times. FormatFixtureTests tells how it was made and what it holds. Every later
            # release has to open it, so it is never written anew; a later format gets a file of its own.

            """
        for (key, value) in entries { text += "\(hex(key)) \(hex(value))\n" }
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// The entries of an engine, but for its own.
    static func all(in engine: any KeyValueEngine) throws -> [SortedArrayEngine.Entry] {
        let isPersistent = engine.traits.isPersistent
        if isPersistent { try engine.open() }
        defer { if isPersistent { engine.close() } }
        var entries: [SortedArrayEngine.Entry] = []
        try engine.read { reader in
            try reader.scan(KeyRange(from: [0], upTo: [0xFF]), reversed: false) {
                (key, value) throws(DataStoreError) in
                entries.append(([UInt8](copying: key), [UInt8](copying: value)))
                return .next
            }
        }
        return entries
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        var text = ""
        var rest = bytes[...]
        while let byte = rest.first {
            let run = rest.prefix { $0 == byte }.count
            let digits = String(byte, radix: 16)
            let pair = digits.count == 1 ? "0" + digits : digits
            if run > 16 {
                text += "\(text.isEmpty ? "" : ",")\(pair)*\(run),"
                rest = rest.dropFirst(run)
            } else {
                text += pair
                rest = rest.dropFirst()
            }
        }
        return text
    }

    private static func bytes(_ text: Substring) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for part in text.split(separator: ",") {
            let fields = part.split(separator: "*")
            if fields.count == 2 {
                let byte = try #require(UInt8(fields[0], radix: 16))
                bytes += [UInt8](repeating: byte, count: try #require(Int(fields[1])))
                continue
            }
            var digits = Array(part)[...]
            while !digits.isEmpty {
                bytes.append(try #require(UInt8(String(digits.prefix(2)), radix: 16)))
                digits = digits.dropFirst(2)
            }
        }
        return bytes
    }
}
