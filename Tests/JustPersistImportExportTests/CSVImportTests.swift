import Foundation
import JustPersist
import JustPersistConformance
import JustPersistImportExport
import Testing

/// CSV as it is met.
@Suite struct CSVImportTests {
    private func imported(
        _ text: String, name: String = "rows.csv", _ options: CSVOptions = CSVOptions()
    ) throws -> [[String: DataStoreValue]] {
        try imported(Array(text.utf8), name: name, options)
    }

    private func imported(
        _ bytes: [UInt8], name: String = "rows.csv", _ options: CSVOptions = CSVOptions()
    ) throws -> [[String: DataStoreValue]] {
        let directory = try TemporaryDirectory()
        let file = try directory.file(name, bytes)
        var results: [[[String: DataStoreValue]]] = []
        for chunkSize in [1, 2, 7, 1 << 20] {
            let store = try memoryStore()
            var settings = ItemImport(itemType: "T", chunkSize: chunkSize)
            settings.csv = options
            let report = try settings.run(file, into: store)
            results.append(try store.rows())
            #expect(report.created == results.last?.count)
        }
        #expect(Set(results).count == 1)
        return results[0]
    }

    private func failure(
        _ text: String, name: String = "rows.csv", _ options: CSVOptions = CSVOptions()
    ) throws -> DataStoreError {
        let directory = try TemporaryDirectory()
        let file = try directory.file(name, Array(text.utf8))
        let store = try memoryStore()
        var settings = ItemImport(itemType: "T", chunkSize: 3)
        settings.csv = options
        let error = #expect(throws: DataStoreError.self) { try settings.run(file, into: store) }
        #expect(try store.rows() == [])
        return try #require(error)
    }

    private let twoRows: [[String: DataStoreValue]] = [
        ["a": .int(1), "b": .string("x")], ["a": .int(2), "b": .string("y")],
    ]

    @Test(arguments: [
        "a,b\n1,x\n2,y\n", "a,b\r\n1,x\r\n2,y", "a,b\r1,x\r2,y\r", "\u{feff}a,b\n1,x\n2,y",
        "\n\na,b\n\n1,x\n\r\n2,y\n\n", "\"a\",\"b\"\n\"1\",\"x\"\n\"2\",\"y\"\n",
    ])
    func lineEndsMarksAndEmptyLinesAreNoMatter(text: String) throws {
        #expect(try imported(text) == twoRows)
    }

    @Test func otherCharactersBetweenCells() throws {
        #expect(try imported("a\tb\n1\tx\n2\ty\n", name: "rows.tsv") == twoRows)
        #expect(
            try imported("a;b\n1;x\n2;y\n", CSVOptions(delimiter: ";")) == twoRows)
        for delimiter: Character in ["é", "\n", "\""] {
            let error = try failure("a,b\n1,x", CSVOptions(delimiter: delimiter))
            #expect(error.message.contains("cannot stand between the cells"))
        }
    }

    @Test func quotesHoldWhatWouldEndACell() throws {
        let text = "a,b\n\"x,\"\"y\"\"\n\r\nz\",\" s \"\n s ,\u{0}é🏳️‍🌈\n"
        #expect(
            try imported(text) == [
                ["a": .string("x,\"y\"\n\r\nz"), "b": .string(" s ")],
                ["a": .string(" s "), "b": .string("\u{0}é🏳️‍🌈")],
            ])
    }

    @Test func emptyIsNullAndEmptyQuotesAreAnEmptyText() throws {
        #expect(
            try imported("a,b,c\n,\"\",x\n\"\",,\n1,,y") == [
                ["b": .string(""), "c": .string("x")], [:], ["a": .int(1), "c": .string("y")],
            ])
        #expect(try imported("a,b\n\"\",\n,\"\"") == [["a": .string("")], ["b": .string("")]])
    }

    @Test func aColumnIsOfOneKind() throws {
        let cases: [(cells: [String], values: [DataStoreValue])] = [
            (["1", "-20", "0"], [.int(1), .int(-20), .int(0)]),
            (["1", "2.5", "1e3"], [.double(1), .double(2.5), .double(1000)]),
            (["1", "007"], [.string("1"), .string("007")]),
            (["1", "+1"], [.string("1"), .string("+1")]),
            (["1", " 2"], [.string("1"), .string(" 2")]),
            (["1", "9223372036854775808"], [.string("1"), .string("9223372036854775808")]),
            (["9007199254740993", "0.5"], [.string("9007199254740993"), .string("0.5")]),
            (["0.1234567890123456789"], [.string("0.1234567890123456789")]),
            (["1e999"], [.string("1e999")]), (["-0"], [.string("-0")]), (["-0.0"], [.double(-0.0)]),
            (["nan", "inf"], [.string("nan"), .string("inf")]),
            (["1", "nan"], [.string("1"), .string("nan")]),
            (["1.5", "-inf"], [.double(1.5), .double(-.infinity)]),
            (["1.5", "0x1F"], [.string("1.5"), .string("0x1F")]),
            (["secondsSince2001:0.1"], [.date(Date(timeIntervalSinceReferenceDate: 0.1))]),
            (["secondsSince2001:x"], [.string("secondsSince2001:x")]),
            (["secondsSince2001:0x1F"], [.string("secondsSince2001:0x1F")]),
            (["1.", ".5"], [.string("1."), .string(".5")]),
            (["true", "false"], [.bool(true), .bool(false)]),
            (["true", "1"], [.string("true"), .string("1")]),
            (["TRUE"], [.string("TRUE")]),
            (
                ["2014-03-03T00:00:00Z", "2014-03-03T01:00:00.250+01:00"],
                [
                    .date(Date(timeIntervalSince1970: 1_393_804_800)),
                    .date(Date(timeIntervalSince1970: 1_393_804_800.25)),
                ]
            ),
            (["2014-03-03"], [.string("2014-03-03")]),
            (["2014-03-03T00:00:00"], [.string("2014-03-03T00:00:00")]),
            (["2014-03-03T00:00:00Zx"], [.string("2014-03-03T00:00:00Zx")]),
        ]
        for (cells, values) in cases {
            #expect(try imported("a\n" + cells.joined(separator: "\n")) == values.map { ["a": $0] })
        }
    }

    /// The last row of a file counts as much as the first one; of a pipe the first 1000 rows count.
    @Test func allRowsOfAFileDecide() throws {
        let text = "a\n" + String(repeating: "1\n", count: 1500) + "x\n"
        #expect(try imported(text).last == ["a": .string("x")])
        #expect(try imported(text).first == ["a": .string("1")])

        let pipe = Pipe()
        let bytes = Data(text.utf8)
        Thread.detachNewThread {
            try? pipe.fileHandleForWriting.write(contentsOf: bytes)
            try? pipe.fileHandleForWriting.close()
        }
        let store = try memoryStore()
        var settings = ItemImport(itemType: "T", format: .csv)
        settings.onError = .skip
        var bad: [ItemImport.BadRow] = []
        let report = try settings.run(
            pipe.fileHandleForReading, named: "pipe", into: store, badRow: { bad.append($0) })
        #expect(report.created == 1500 && report.skipped == 1)
        #expect(bad.map(\.line) == [1502])
        #expect(bad.first?.reason.contains("--schema") == true)
        #expect(try store.rows().first == ["a": .int(1)])
    }

    @Test func kindsMayBeGiven() throws {
        let options = CSVOptions(columns: [
            .init("zip", .string), .init("n", .double), .init("day", .date), .init("d", .decimal),
            .init("m", .int, .string),
        ])
        #expect(
            try imported("zip,n,day,d,m,x\n10001,1,2026-03-01,1.10,5,5\n10002,,,2,a,6", options)
                == [
                    [
                        "zip": .string("10001"), "n": .double(1),
                        "day": .date(Date(timeIntervalSince1970: 1_772_323_200)),
                        "d": .decimal(Decimal(11) / 10), "m": .int(5), "x": .int(5),
                    ],
                    [
                        "zip": .string("10002"), "d": .decimal(2), "m": .string("a"), "x": .int(6),
                    ],
                ])
        let error = try failure("a\n1\n", CSVOptions(columns: [.init("b", .int)]))
        #expect(error.message.contains("no column “b”"))
        let bad = try failure("n\n1\nx", CSVOptions(columns: [.init("n", .int)]))
        #expect(
            bad.message.contains("“rows.csv”, line 3: “x” in the column “n” is not of the kind int")
        )
    }

    @Test func withoutAHeaderTheColumnsAreNamed() throws {
        let columns: [CSVOptions.Column] = [.init("a", .int), .init("b", .string)]
        #expect(
            try imported("1,x\n2,y", CSVOptions(hasHeader: false, columns: columns)) == twoRows)
        let error = try failure("1,x", CSVOptions(hasHeader: false))
        #expect(error.message.contains("must be named"))
    }

    /// What the store knows of an attribute counts, so that a second file fits to the first.
    @Test func kindsThatAreDeclaredOrStoredAreKept() throws {
        let directory = try TemporaryDirectory()
        let store = try memoryStore()
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "T",
                    attributes: [
                        AttributeSchema("declared", kinds: [.string]), AttributeSchema("stored"),
                        AttributeSchema("number"),
                    ]))
            let item = try db.create("T")
            try item.backing.setValue(.string("007"), forAttribute: "stored")
            try item.backing.setValue(.double(1.5), forAttribute: "number")
        }
        let file = try directory.file("r.csv", Array("declared,stored,number\n1,2,3\n".utf8))
        try ItemImport(itemType: "T").run(file, into: store)
        #expect(
            try store.rows().last == [
                "declared": .string("1"), "stored": .string("2"), "number": .double(3),
            ])
    }

    @Test(arguments: [
        ("a,b\n1,2\n1\n", 3, "has 1 cell, and there are 2"),
        ("a,b\n1,2\n\"x\ny\",2,3\n", 3, "has 3 cells"),
        ("a,b\n\"x\n\ny\",1\n1\n", 5, "has 1 cell"),
        ("a,b\r\n\"x\r\ny\",1\r\n1\r\n", 4, "has 1 cell"),
        ("a,b\n1,x\"y\n", 2, "quotation mark"), ("a,b\n1,\"x\"y\n", 2, "quotation mark"),
        ("a,b\n1,2\n\n1,\"x\ny\n", 4, "quotation mark"),
        ("a,a\n1,2\n", 1, "two columns have the name “a”"), ("a,\n1,2\n", 1, "has no name"),
        ("a,b.c\n1,2\n", 1, "has a dot"), ("$id,a\nx,2\n", 2, "of the kind uuid"),
    ])
    func aBadRowIsNamed(text: String, line: Int, reason: String) throws {
        let message = try failure(text).message
        #expect(message.hasPrefix("“rows.csv”, line \(line): "), "\(message)")
        #expect(message.contains(reason) && message.contains("Nothing was stored"), "\(message)")
    }

    @Test func textThatIsNoUTF8IsNamed() throws {
        let directory = try TemporaryDirectory()
        for (bytes, reason) in [
            (Array("a,b\n1,".utf8) + [0xc3, 0x28], "line 2: a cell is not valid UTF-8"),
            ([0xff, 0xfe, 0x61, 0x00], "UTF-16"),
        ] {
            let file = try directory.file("r.csv", bytes)
            let error = #expect(throws: DataStoreError.self) {
                try ItemImport(itemType: "T").run(file, into: memoryStore())
            }
            #expect(error?.message.contains(reason) == true)
        }
    }

    @Test func filesWithoutRowsGiveNone() throws {
        for text in ["", "a,b", "a,b\n", "\u{feff}", "\n\n"] { #expect(try imported(text) == []) }
    }

    @Test func aLongCellIsRead() throws {
        let long = String(repeating: "xé\"\n", count: 700_000)
        let text = "a,b\n\"" + long.replacing("\"", with: "\"\"") + "\",1\n"
        let directory = try TemporaryDirectory()
        let store = try memoryStore()
        try ItemImport(itemType: "T").run(
            try directory.file("r.csv", Array(text.utf8)), into: store)
        #expect(try store.rows() == [["a": .string(long), "b": .int(1)]])
    }

    /// Damage anywhere ends in an error or in items, and never in a trap; pieces of any length are read the same.
    @Test func randomDamageIsHarmless() throws {
        var generator = SeededGenerator(seed: .random(in: 0 ... .max))
        let directory = try TemporaryDirectory()
        let text = Array("a,\"b \"\"c\"\"\",$id\r\n1.5,\"x\ny\",\n\"\",é,\n2,,\n".utf8)
        let pieces: [UInt8] = Array("\",\r\n\0 1x".utf8) + [0xff, 0xc3]
        var accepted = 0
        for round in 0..<300 {
            var bytes = text
            for _ in 0..<round % 3 {
                let place = generator.int(in: bytes.indices)
                switch generator.int(in: 0..<3) {
                case 0: bytes[place] = generator.pick(pieces)
                case 1: bytes.remove(at: place)
                default: bytes.insert(generator.pick(pieces), at: place)
                }
            }
            let file = try directory.file("r.csv", bytes)
            var outcomes: [[[String: DataStoreValue]]?] = []
            for chunkSize in [1, 5, 1 << 20] {
                let store = try memoryStore()
                do {
                    let count = try ItemImport(itemType: "T", chunkSize: chunkSize)
                        .run(file, into: store).items
                    outcomes.append(try store.rows())
                    #expect(outcomes.last??.count == count, "seed \(generator.seed)")
                    accepted += 1
                } catch let error as DataStoreError {
                    #expect(error.code == .invalidInput, "seed \(generator.seed): \(error)")
                    outcomes.append(nil)
                }
            }
            #expect(
                outcomes[0] == outcomes[1] && outcomes[1] == outcomes[2], "seed \(generator.seed)")
        }
        // Some of both, or nothing was tried.
        #expect((1..<900).contains(accepted), "seed \(generator.seed)")
    }
}
