import Foundation
import JustPersist
import JustPersistConformance
import JustPersistImportExport
import Testing

/// Values as JSON text.
@Suite struct JSONTextTests {
    @Test func eachKindIsWritten() throws {
        let id = try #require(ItemID("018f3c2a-0000-7000-8000-000000000001"))
        let cases: [(DataStoreValue, String)] = [
            (.null, "null"), (.bool(true), "true"), (.int(.min), "-9223372036854775808"),
            (.double(5), "5.0"), (.double(1e300), "1e+300"), (.double(-0.0), "-0.0"),
            (.double(.nan), #"{"$double":"nan"}"#),
            (.double(-.infinity), #"{"$double":"-inf"}"#),
            (.string("é\"\\\n\u{1}\u{1f}/"), #""é\"\\\n\u0001\u001f/""#),
            (.date(Date(timeIntervalSince1970: 1.5)), #"{"$date":1500}"#),
            (.date(Date(timeIntervalSince1970: -1)), #"{"$date":-1000}"#),
            (
                .date(Date(timeIntervalSinceReferenceDate: 0.1)),
                #"{"$date":{"$secondsSince2001":0.1}}"#
            ),
            (.data(Data([1, 2])), #"{"$data":"AQI="}"#),
            (.decimal(Decimal(15) / 10), #"{"$decimal":"1.5"}"#),
            (.decimal(.nan), #"{"$decimal":"NaN"}"#),
            (
                .decimal(try #require(Decimal(string: "12345678901234567890.5"))),
                "12345678901234567890.5"
            ),
            (.uuid(id.uuid), #"{"$uuid":"018f3c2a-0000-7000-8000-000000000001"}"#),
            (
                .url(try #require(URL(string: "https://a.b/c"))), #"{"$url":"https://a.b/c"}"#
            ),
            (
                .reference(ItemReference(itemTypeKey: "T", id: id)),
                #"{"$ref":{"type":"T","id":"\#(id)"}}"#
            ),
            (.array([]), "[]"), (.array([.int(1), .null]), "[1,null]"),
            (.dictionary(["b": .int(1), "a": .dictionary([:])]), #"{"a":{},"b":1}"#),
            // What would be taken for another kind, and what would not.
            (.dictionary(["$date": .int(1)]), #"{"$$date":1}"#),
            (.dictionary(["$$date": .int(1)]), #"{"$$$date":1}"#),
            (.dictionary(["$date": .string("soon")]), #"{"$$date":"soon"}"#),
            (.dictionary(["$ref": .string("#/a")]), ##"{"$ref":"#/a"}"##),
            (.dictionary(["$ref": .int(1)]), #"{"$$ref":1}"#),
            (.dictionary(["$oid": .string("x")]), #"{"$oid":"x"}"#),
        ]
        for (value, text) in cases {
            #expect(value.jsonText == text)
            #expect(try imported("[{\"v\":\(text)}]") == [["v": value].filter { !$0.value.isNull }])
        }
    }

    /// Random values of JSON's own kinds, and dates, come back the same; Foundation can read the text too.
    @Test func textIsReadBack() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        let rows = (0..<400).map { _ in
            ["v": Self.value(using: &generator, depth: 0)].filter { !$0.value.isNull }
        }
        let lines = rows.map { row in String(jsonObject: row.map { ($0.key, $0.value) }) }
        for line in lines {
            #expect(throws: Never.self, "seed \(seed)") {
                try JSONSerialization.jsonObject(with: Data(line.utf8))
            }
        }
        let text = lines.joined(separator: "\n")
        #expect(try imported(text, name: "r.jsonl", chunkSize: 100) == rows, "seed \(seed)")
        let array = "[" + lines.joined(separator: ",\n") + "]"
        #expect(try imported(array, chunkSize: 100) == rows, "seed \(seed)")
    }

    private static func value(
        using generator: inout SeededGenerator, depth: Int
    ) -> DataStoreValue {
        let strings = ["", "a", "é", "e\u{301}", "\u{0}", "\"[{", "\\", "\n", "🏳️‍🌈", "$date", "日本"]
        func pick<Element>(_ list: [Element]) -> Element {
            list[Int.random(in: list.indices, using: &generator)]
        }
        switch Int.random(in: 0..<(depth > 2 ? 6 : 8), using: &generator) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &generator))
        case 2: return .int(Int64(bitPattern: generator.next()))
        case 3:
            let double = Double(bitPattern: generator.next())
            return .double(double.isFinite ? double : 0.5)
        case 4:
            let whole = Int.random(in: -1_000_000_000_000...4_000_000_000_000, using: &generator)
            return .date(Date(timeIntervalSince1970: Double(whole) / 1000))
        case 5: return .string(pick(strings) + pick(strings))
        case 6:
            let count = Int.random(in: 0..<4, using: &generator)
            return .array((0..<count).map { _ in value(using: &generator, depth: depth + 1) })
        default:
            var entries: [String: DataStoreValue] = ["k": .null]
            for _ in 0..<Int.random(in: 0..<4, using: &generator) {
                entries[pick(strings)] = value(using: &generator, depth: depth + 1)
            }
            return .dictionary(entries)
        }
    }
}
