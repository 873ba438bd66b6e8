import Foundation
import JustPersist
import JustPersistConformance
import JustPersistImportExport
import Testing

/// What was exported is imported as the same values, bit for bit.
@Suite struct RoundTripTests {
    private static let kinds = DataStoreValue.Kind.allCases.filter { $0 != .null }

    static let files = [
        "rows.json", "rows.jsonl", "rows.csv", "rows.tsv", "rows.json.gz", "rows.jsonl.zst",
        "rows.csv.gz",
    ]

    /// Random values of every kind, a column for each; in JSON also a column of all kinds.
    @Test(arguments: Backend.allCases, files)
    func everyKindComesBack(_ backend: Backend, _ name: String) throws {
        var generator = SeededGenerator(seed: .random(in: 0 ... .max))
        let isCSV = !name.contains("json")
        var rows: [[String: DataStoreValue]] = []
        for _ in 0..<120 {
            var row: [String: DataStoreValue] = [:]
            for kind in Self.kinds where generator.int(in: 0..<6) > 0 {
                row["\(kind)"] = RandomValue.value(kind, &generator)
            }
            if !isCSV {
                row["any"] = RandomValue.value(generator.pick(Self.kinds), &generator)
                // Names that mean something where they stand for no attribute.
                row["$id"] = .string("x")
                row["$date"] = .int(1)
            }
            rows.append(row)
        }
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(path: name)
        let source = try backend.open(in: directory.url.appending(path: "source"))
        try source.fill(rows)
        var export = ItemExport(DataStoreRequest(itemTypeKey: "T"))
        export.includesIDs = true
        #expect(try export.run(from: source, to: file) == rows.count)

        let target = try backend.open(in: directory.url.appending(path: "target"))
        var rowsImport = ItemImport(itemType: "T", chunkSize: 100)
        rowsImport.csv.columns = isCSV ? Self.kinds.map { .init("\($0)", $0) } : []
        #expect(try rowsImport.run(file, into: target).created == rows.count)
        #expect(try target.rows() == rows, "seed \(generator.seed)")
        #expect(try target.ids() == source.ids())

        // The ids are known now: nothing is made again, and nothing changed.
        #expect(try rowsImport.run(file, into: target).updated == rows.count)
        #expect(try target.rows() == rows, "seed \(generator.seed)")
        try source.close()
        try target.close()
    }

    /// The kinds of CSV's columns are found out for what their texts show.
    @Test func inferredKindsComeBack() throws {
        var generator = SeededGenerator(seed: .random(in: 0 ... .max))
        let kinds: [DataStoreValue.Kind] = [.bool, .int, .double, .date]
        let rows = (0..<200).map { _ in
            var row: [String: DataStoreValue] = [:]
            for kind in kinds where generator.int(in: 0..<5) > 0 {
                row["\(kind)"] = RandomValue.value(kind, &generator)
            }
            row["string"] = .string(generator.pick(["007", "x", "+1", "true", "1.5", ""]))
            return row
        }
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(path: "rows.csv")
        let source = try memoryStore()
        try source.fill(rows + [["string": .string("007"), "double": .double(0.5)]])
        try ItemExport(DataStoreRequest(itemTypeKey: "T")).run(from: source, to: file)
        let target = try memoryStore()
        try ItemImport(itemType: "T").run(file, into: target)
        #expect(try target.rows() == source.rows(), "seed \(generator.seed)")
    }

    /// The first and the last points in time that milliseconds since 1970 reach.
    @Test(arguments: ["-9223372036854775808", "9223372036854774784", "0", "-1"])
    func theFarthestPointsInTimeComeBack(milliseconds: String) throws {
        let directory = try TemporaryDirectory()
        let source = try memoryStore()
        try ItemImport(itemType: "T").run(
            directory.file("t.jsonl", Array("{\"t\":{\"$date\":\(milliseconds)}}".utf8)),
            into: source)
        for name in ["t.csv", "t.json"] {
            let file = directory.url.appending(path: name)
            try ItemExport(DataStoreRequest(itemTypeKey: "T")).run(from: source, to: file)
            let target = try memoryStore()
            try ItemImport(itemType: "T").run(file, into: target)
            #expect(try target.rows() == source.rows())
        }
    }

    @Test func explicitNullsAndDefaultsComeBack() throws {
        let schema = ItemSchema(
            "T",
            attributes: [
                AttributeSchema("n", kinds: [.int], default: .int(7), isOptional: true),
                AttributeSchema("s", kinds: [.string]),
            ])
        for name in ["rows.jsonl", "rows.csv"] {
            let directory = try TemporaryDirectory()
            let file = directory.url.appending(path: name)
            let source = try memoryStore()
            try source.write { db in
                try db.declare(schema)
                for value in [DataStoreValue.null, .int(1), nil] {
                    let item = try db.create("T")
                    if let value { try item.backing.setValue(value, forAttribute: "n") }
                    try item.backing.setValue(.string(""), forAttribute: "s")
                }
            }
            let rows = try source.rows()
            #expect(rows.map { $0["n"] } == [nil, .int(1), .int(7)])
            try ItemExport(DataStoreRequest(itemTypeKey: "T")).run(from: source, to: file)
            let target = try memoryStore()
            try target.write { db in try db.declare(schema) }
            try ItemImport(itemType: "T").run(file, into: target)
            #expect(try target.rows() == rows, "\(name)")
        }
    }

    @Test func mixedKindsInOneJSONColumnAndOrderStay() throws {
        let text = """
            {"b":1,"a":"x"}
            {"a":1.0,"c":[{"$oid":"5"},{"d":null}]}
            {"b":{"$date":1393804800000}}

            """
        let directory = try TemporaryDirectory()
        let store = try memoryStore()
        try ItemImport(itemType: "T").run(
            try directory.file("in.jsonl", Array(text.utf8)), into: store)
        let file = directory.url.appending(path: "out.jsonl")
        try ItemExport(DataStoreRequest(itemTypeKey: "T")).run(from: store, to: file)
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }
}

/// Random values, the awkward ones more often than chance would have it.
enum RandomValue {
    private static let texts = [
        "", "a", "é", "e\u{301}", "\u{0}", "\"", "\"\"", ",", ";", "\t", "\n", "\r\n", "\r", " ",
        "  x ",
        "🏳️‍🌈", "$date", "日本", "007", "1", "true", "null", "\u{feff}", "[1]", "{}", "\\", "-0",
        "\u{2028}",
    ]
    private static let doubles: [Double] = [
        0, -0.0, 1, 0.1, 5, 1e300, -1e-300, .nan, .infinity, -.infinity, .leastNonzeroMagnitude,
        .greatestFiniteMagnitude, 1e15, 9_007_199_254_740_992,
        Double(bitPattern: 0x7ff8_0000_0000_0123),
    ]

    static func value(
        _ kind: DataStoreValue.Kind, _ generator: inout SeededGenerator, depth: Int = 0
    ) -> DataStoreValue {
        switch kind {
        case .null: return .null
        case .bool: return .bool(generator.bool())
        case .int:
            return .int(
                generator.bool()
                    ? Int64(bitPattern: generator.next()) : generator.pick([0, .min, .max, 1]))
        case .double: return .double(double(&generator))
        case .string: return .string(generator.pick(texts) + generator.pick(texts))
        case .date:
            let whole = Double(generator.int(in: -62_000_000_000_000...62_000_000_000_000)) / 1000
            return .date(
                generator.bool()
                    ? Date(timeIntervalSince1970: whole)
                    : Date(timeIntervalSinceReferenceDate: double(&generator)))
        case .data:
            let count = generator.int(in: 0..<5)
            return .data(
                Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }))
        case .uuid: return .uuid(id(&generator).uuid)
        case .decimal: return .decimal(decimal(&generator))
        case .url: return .url(url(&generator))
        case .reference:
            return .reference(
                ItemReference(
                    itemTypeKey: generator.pick(["T", "A b", "é \""]), id: id(&generator)))
        case .array:
            let count = depth > 2 ? 0 : generator.int(in: 0..<4)
            return .array((0..<count).map { _ in any(&generator, depth: depth + 1) })
        case .dictionary:
            var entries: [String: DataStoreValue] = [:]
            let keys =
                texts + [
                    "$data", "$uuid", "$ref", "$$date", "$$$uuid", "$double", "$decimal", "$url",
                    "$id",
                    "$secondsSince2001", "$numberLong",
                ]
            for _ in 0..<(depth > 2 ? 0 : generator.int(in: 0..<3)) {
                entries[generator.pick(keys)] = any(&generator, depth: depth + 1)
            }
            if generator.bool() { entries = tagged(&generator) }
            return .dictionary(entries)
        }
    }

    /// A dictionary that looks like a value of another kind.
    private static func tagged(_ generator: inout SeededGenerator) -> [String: DataStoreValue] {
        generator.pick([
            ["$date": .int(5)], ["$date": .dictionary(["$secondsSince2001": .double(1)])],
            ["$date": .dictionary(["$numberLong": .string("5")])],
            ["$date": .string("2014-03-03T00:00:00Z")], ["$data": .string("AQI=")],
            ["$uuid": .string("018F3C2A-0000-7000-8000-000000000001")],
            ["$decimal": .string("1.5")], ["$url": .string("x")], ["$double": .string("nan")],
            [
                "$ref": .dictionary([
                    "type": .string("T"), "id": .string("018f3c2a-0000-7000-8000-000000000001"),
                ])
            ],
            ["$url": .array([.string("a"), .string("https://b.c")])], ["$$uuid": .string("x")],
            ["$id": .string("x")], ["$date": .date(Date(timeIntervalSince1970: 1))],
        ])
    }

    private static func any(_ generator: inout SeededGenerator, depth: Int) -> DataStoreValue {
        value(generator.pick(DataStoreValue.Kind.allCases), &generator, depth: depth)
    }

    private static func double(_ generator: inout SeededGenerator) -> Double {
        generator.bool() ? generator.pick(doubles) : Double(bitPattern: generator.next())
    }

    private static func decimal(_ generator: inout SeededGenerator) -> Decimal {
        let text = generator.pick([
            "0", "1.5", "-1.10", "12345678901234567890.5", "99999999999999999999999999999999999999",
            "0.00000000000000000000000000000000000001", "1e20", "9223372036854775808", "NaN",
            "-0.1", "1e100",
        ])
        return text == "NaN" ? .nan : Decimal(string: text) ?? 0
    }

    private static func url(_ generator: inout SeededGenerator) -> URL {
        let base = URL(string: "https://example.com/a/b?q=%20#f")
        let urls = [
            base, URL(string: "c/d", relativeTo: base), URL(string: "mailto:a@b.c"),
            URL(string: "/x,y"), URL(string: "file:///tmp/a%20b"),
        ]
        return generator.pick(urls.compactMap { $0 })
    }

    private static func id(_ generator: inout SeededGenerator) -> ItemID {
        ItemID(high: generator.next(), low: generator.next())
    }
}
