import Foundation
import JustPersist
import JustPersistImportExport
import Testing

/// The shapes of files and the values in them.
@Suite struct JSONImportTests {
    private static let twoRows: [[String: DataStoreValue]] = [["a": .int(1)], ["a": .int(2)]]

    @Test(arguments: [
        ("rows.json", #"[{"a": 1}, {"a": 2}]"#),
        ("rows.json", "\n [\n{\"a\":1}\n,\n{\"a\":2}\n]\n"),
        ("rows.jsonl", "{\"a\": 1}\n{\"a\": 2}\n"),
        ("rows.jsonl", "{\"a\": 1}\n{\"a\": 2}"),
        ("rows.jsonl", "\r\n{\"a\": 1}\r\n \t\r\n{\"a\": 2}\r\n\r\n"),
        ("rows.json", "{\"a\": 1}\n\n{\"a\": 2}\n"),
        ("rows", "{\"a\": 1}\n{\"a\": 2}\n"),
        ("rows.jsonl", "\u{FEFF}{\"a\": 1}\n{\"a\": 2}\n"),
        ("rows.json", "\u{FEFF}[{\"a\": 1}, {\"a\": 2}]"),
        ("rows.json", #"{"n": 2, "s": "[", "rows": [{"a": 1}, {"a": 2}], "o": {"x": [1]}}"#),
        ("rows.json", #"{"q\"[\"": "\\", "r\u006fws": [{"a": 1}, {"a": 2}]}"#),
        ("rows.ndjson", "{\"a\": 1}\n{\"a\": 2}\n"),
    ])
    func everyShapeIsFound(name: String, text: String) throws {
        for chunkSize in [1, 2, 5, 1 << 20] {
            #expect(try imported(text, name: name, chunkSize: chunkSize) == Self.twoRows)
        }
    }

    @Test func oneMemberOfSeveralIsChosen() throws {
        let text = #"{"A": [{"a": 0}], "3166-1": [{"a": 1}, {"a": 2}], "C": []}"#
        #expect(try imported(text, format: .json(member: "3166-1")) == Self.twoRows)
        #expect(try imported(text, format: .json(member: "C")) == [])
    }

    @Test func anObjectWithoutArraysIsOneItem() throws {
        #expect(try imported(#"{"a": 1, "o": {"l": [1]}}"#).count == 1)
        #expect(try imported(#"{"a": [1]}"#, format: .jsonLines) == [["a": .array([.int(1)])]])
    }

    @Test func filesWithoutObjectsHoldNoItems() throws {
        for text in ["", "\n", "\u{FEFF}", "[]", " [ ] ", #"{"rows": []}"#] {
            for chunkSize in [1, 1 << 20] {
                #expect(try imported(text, chunkSize: chunkSize) == [])
            }
        }
    }

    @Test func valuesKeepTheKindsTheyAreWrittenIn() throws {
        let text = """
            {"v": 5}
            {"v": 5.0}
            {"v": 5.5}
            {"v": 5e0}
            {"v": -0.0}
            {"v": true}
            {"v": "5"}
            {"v": [1, 1.0, null, {"n": null}]}
            {"v": {"a.b": 1, "": 2}}
            {"v": null, "w": false}
            {}
            """
        #expect(
            try imported(text, name: "rows.jsonl") == [
                ["v": .int(5)], ["v": .double(5)], ["v": .double(5.5)], ["v": .double(5)],
                ["v": .double(-0.0)], ["v": .bool(true)], ["v": .string("5")],
                ["v": .array([.int(1), .double(1), .null, .dictionary(["n": .null])])],
                ["v": .dictionary(["a.b": .int(1), "": .int(2)])], ["w": .bool(false)], [:],
            ])
    }

    @Test func numbersBecomeTheKindThatHoldsThem() throws {
        let cases: [(String, DataStoreValue)] = [
            ("9223372036854775807", .int(.max)),
            ("-9223372036854775808", .int(.min)),
            ("-0", .int(0)),
            ("9223372036854775808", .decimal(Decimal(UInt64(Int64.max) + 1))),
            ("18446744073709551615", .decimal(Decimal(UInt64.max))),
            ("100000000000000000000", .double(1e20)),
            ("0.1", .double(0.1)),
            ("0.30000000000000004", .double(0.1 + 0.2)),
            ("179769313486231570e291", .double(.greatestFiniteMagnitude)),
            ("5e-324", .double(.leastNonzeroMagnitude)),
            (
                "3.14159265358979323846",
                .decimal(try #require(Decimal(string: "3.14159265358979323846")))
            ),
            ("12345678901234567890123456789012345678901", .double(0x1.223eda24cc44cp+133)),
            ("1" + String(repeating: "0", count: 60), .double(1e60)),
            ("1e-400", .double(0)),
            ("0.000", .double(0)),
            ("1E+2", .double(100)),
        ]
        for (text, value) in cases {
            #expect(try imported("[{\"v\": \(text)}]") == [["v": value]], "\(text)")
        }
    }

    @Test func datesAreRead() throws {
        let cases: [(String, Double)] = [
            ("1393804800000", 1_393_804_800), ("-1500", -1.5), ("0.5", 0.0005),
            (#"{"$numberLong": "1393804800000"}"#, 1_393_804_800),
            (#""2014-03-03T00:00:00Z""#, 1_393_804_800),
            (#""2014-03-03T01:00:00+01:00""#, 1_393_804_800),
            (#""2014-03-03T00:00:00.250Z""#, 1_393_804_800.25),
        ]
        for (content, seconds) in cases {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(
                try imported("[{\"d\": {\"$date\": \(content)}}]") == [["d": .date(date)]],
                "\(content)")
        }
    }

    /// Foundation would read the 30th of February as the 2nd of March.
    @Test(arguments: [
        "2014-02-30T00:00", "2014-13-01T00:00", "2015-02-29T00:00", "2014-03-00T00:00",
        "2014-03-01T24:00", "1582-10-10T00:00", "2014-03-01T12:60",
    ])
    func aDayThatIsNotOnTheCalendarIsNoDate(_ text: String) throws {
        for text in ["\(text):00Z", "\(text):00.5+01:00"] {
            #expect(throws: DataStoreError.self, "\(text)") {
                try imported("[{\"d\": {\"$date\": \"\(text)\"}}]")
            }
            #expect(
                try imported("d\n\(text)\n", name: "d.csv") == [["d": .string(text)]])
            #expect(DataStoreValue.string(text).converted(to: .date) == nil)
            #expect(throws: DataStoreError.self) {
                try DataStorePredicate("d == date(\"\(text)\")")
            }
        }
        #expect(
            try imported(#"[{"d": {"$date": "2016-02-29T23:59:60Z"}}]"#)
                == [["d": .date(Date(timeIntervalSince1970: 1_456_790_400))]])
    }

    /// Before 1582-10-15, the calendar is the Julian one.
    @Test func aDayOfTheJulianCalendarIsReadBack() throws {
        let date = DataStoreValue.date(Date(timeIntervalSince1970: -14_825_894_400))
        #expect(date.cell == "1500-02-29T00:00:00.000Z")
        #expect(DataStoreValue.string("1500-02-29T00:00:00Z").converted(to: .date) == date)
    }

    @Test func aDateIsTheWholeText() {
        for text in [
            "2026-03-01T12:00:00Z and more", "2026-03-01T12.50:00:00Z",
            "2026-03-01T12:00:00+01.5:00", "2026-03-01T12:00:00Z.5",
        ] {
            #expect(DataStoreValue.string(text).converted(to: .date) == nil, "\(text)")
            #expect(DataStoreValue(cell: text, kinds: [.date]) == nil, "\(text)")
        }
    }

    @Test func otherObjectsStayDictionaries() throws {
        for text in [
            #"{"$oid":"55f14312c7447c3da7051b26"}"#, #"{"$date":1,"a":2}"#,
            ##"{"$ref":"#/components/schemas/Place"}"##,
        ] {
            let rows = try imported("[{\"v\": \(text)}]")
            let value = try #require(rows.first?["v"])
            #expect(value.kind == .dictionary)
            #expect(value.jsonText == text)
        }
    }

    @Test func aTaggedValueThatIsNoneIsAnErrorAndNoDictionary() throws {
        for text in [
            #"{"$date":"soon"}"#, #"{"$date":null}"#, #"{"$date":{"$numberLong":"1.5"}}"#,
            #"{"$uuid":"nope"}"#, #"{"$data":"%"}"#, #"{"$decimal":"one"}"#, #"{"$url":5}"#,
            #"{"$ref":{"id":"5","type":"T"}}"#, #"{"$double":"1.5"}"#,
        ] {
            let error = #expect(throws: DataStoreError.self, "\(text)") {
                try imported(#"[{"v": [{"w": \#(text)}]}]"#)
            }
            #expect(error?.code == .invalidInput)
            #expect(error?.message.contains("is the notation of a kind") == true, "\(error as Any)")
            // As the message advises.
            let escaped = text.replacing("{\"$", with: "{\"$$", maxReplacements: 1)
            let value = try #require(try imported(#"[{"v": \#(escaped)}]"#).first?["v"])
            #expect(value.kind == .dictionary)
            #expect(value.jsonText == escaped)
        }
    }

    @Test func stringsAreReadToTheLetter() throws {
        let text = #"""
            {"\uFEFFk": "a\"b\\c\/d\b\f\n\r\t\u0000\u00e9\ud83c\udff3é日🏳️‍🌈", "é": "\ud801\udc00"}
            """#
        for chunkSize in [1, 3, 1 << 20] {
            #expect(
                try imported(text, name: "r.jsonl", chunkSize: chunkSize) == [
                    [
                        "\u{FEFF}k": .string(
                            "a\"b\\c/d\u{8}\u{c}\n\r\t\0\u{e9}\u{1f3f3}é日🏳️‍🌈"),
                        "é": .string("\u{10400}"),
                    ]
                ])
        }
    }

    @Test func aRepeatedKeyCountsOnceWithItsLastValue() throws {
        #expect(
            try imported(#"[{"a": 1, "a": 2, "d": {"x": 1, "x": 2}}]"#)
                == [["a": .int(2), "d": .dictionary(["x": .int(2)])]])
    }

    @Test func keysBecomeAttributesInTheirOrderEvenWithoutValues() throws {
        let directory = try TemporaryDirectory()
        let store = try memoryStore()
        let file = try directory.file(
            "r.jsonl", Array("{\"z\":1,\"n\":null}\n{\"b\":1.5}\n{\"z\":\"x\",\"a\":[]}".utf8))
        try ItemImport(itemType: "T", batchSize: 1).run(file, into: store)
        let schema = try #require(try store.read { try $0.schemas() }.first)
        #expect(schema.attributes.map(\.name) == ["z", "n", "b", "a"])
        #expect(
            schema.attributes.map(\.storedKinds) == [[.int, .string], [], [.double], [.array]])
    }

    @Test func progressTellsItemsAndBytesAndEndsTheImport() throws {
        struct Enough: Error {}
        let directory = try TemporaryDirectory()
        let store = try memoryStore()
        let text = (0..<25).map { "{\"n\":\($0)}\n" }.joined()
        let file = try directory.file("r.jsonl", Array(text.utf8))
        var seen: [Int] = []
        let rows = ItemImport(itemType: "T", batchSize: 10)
        let report = try rows.run(file, into: store) { progress in
            seen.append(progress.items)
            #expect(progress.totalBytes == text.utf8.count)
            if progress.items == 25 { #expect(progress.bytes == text.utf8.count) }
        }
        #expect(report.items == 25 && report.created == 25)
        #expect(seen == [10, 20, 25])
        #expect(throws: Enough.self) {
            try rows.run(file, into: store) { if $0.items == 20 { throw Enough() } }
        }
        #expect(try store.rows().count == 45)
        try ItemImport(itemType: "T", skipping: 20).run(file, into: store)
        #expect(
            try store.rows().suffix(7).map { $0["n"] } == [
                .int(18), .int(19), .int(20), .int(21), .int(22), .int(23), .int(24),
            ])
    }
}
