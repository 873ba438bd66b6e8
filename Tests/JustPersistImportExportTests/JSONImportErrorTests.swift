import Foundation
import JustPersist
import JustPersistConformance
import JustPersistImportExport
import Testing

/// What is wrong with a file is said with its line, and what was stored before stays.
@Suite struct JSONImportErrorTests {
    private func failure(
        _ content: [UInt8], name: String = "r.jsonl", format: ItemImport.Format = .automatic
    ) throws -> DataStoreError {
        let directory = try TemporaryDirectory()
        let file = try directory.file(name, content)
        var failures: [DataStoreError] = []
        for chunkSize in [1, 1 << 20] {
            let store = try memoryStore()
            let rows = ItemImport(itemType: "T", format: format, chunkSize: chunkSize)
            let failure = #expect(throws: DataStoreError.self) { try rows.run(file, into: store) }
            #expect(try store.rows() == [])
            failures.append(try #require(failure))
        }
        #expect(failures.first?.message == failures.last?.message)
        #expect(failures.first?.code == .invalidInput)
        return try #require(failures.first)
    }

    @Test func aValueOfAnotherThanTheDeclaredKindIsRefused() throws {
        let directory = try TemporaryDirectory()
        let store = try memoryStore()
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "T",
                    attributes: [
                        AttributeSchema("name", kinds: [.string]),
                        AttributeSchema("score", kinds: [.double], default: .double(0.5)),
                        AttributeSchema("label", formerNames: ["tag"]),
                    ]))
        }
        let good = try directory.file(
            "good.jsonl",
            Array("{\"name\":\"a\",\"score\":3,\"tag\":1}\n{\"name\":\"b\"}\n{\"score\":null}".utf8)
        )
        try ItemImport(itemType: "T").run(good, into: store)
        let rows: [[String: DataStoreValue]] = [
            ["name": .string("a"), "score": .double(3), "label": .int(1)],
            ["name": .string("b"), "score": .double(0.5)], ["score": .double(0.5)],
        ]
        #expect(try store.rows() == rows)
        let bad = try directory.file("bad.jsonl", Array("{\"name\":\"c\"}\n{\"name\":42}".utf8))
        let error = #expect(throws: DataStoreError.self) {
            try ItemImport(itemType: "T").run(bad, into: store)
        }
        #expect(error?.code == .kindMismatch)
        #expect(error?.attribute == "name")
        #expect(error?.message.contains("“bad.jsonl”, line 2:") == true)
        #expect(error?.message.contains("Nothing was stored") == true)
        #expect(try store.rows() == rows)
    }

    @Test(arguments: [
        ("{\"a\":1}\n{\"a\":", 2, "ends where a value"),
        ("{\"a\":1}\n\n{\"a\":\"x", 3, "ends inside a string"),
        ("{\"a\":1}\n[1]\n", 2, "must be an object"),
        ("{\"a\":1}\n5\n", 2, "must be an object"),
        ("{\"a\":1} {\"a\":2}\n", 1, "follows the end"),
        ("{\"a\":1,}\n", 1, "a key in quotes"),
        ("{a:1}\n", 1, "a key in quotes"),
        ("{\"a\" 1}\n", 1, "follow the key “a”"),
        ("{\"a\":1 \"b\":2}\n", 1, "“,” or “}”"),
        ("{\"a\":[1 2]}\n", 1, "“,” or “]”"),
        ("{\"a\":[1,]}\n", 1, "a value should be"),
        ("{\"a\":tru}\n", 1, "a value should be"),
        ("{\"a\":NaN}\n", 1, "a value should be"),
        ("{\"a\":01}\n", 1, "begins with a zero"),
        ("{\"a\":-}\n", 1, "has no digits"),
        ("{\"a\":1.}\n", 1, "after its point"),
        ("{\"a\":1e}\n", 1, "exponent"),
        ("{\"a\":1e400}\n", 1, "too large"),
        ("{\"a\":\"\\x\"}\n", 1, "escape"),
        ("{\"a\":\"\\ud800\"}\n", 1, "surrogate"),
        ("{\"a\":\"\\u12g4\"}\n", 1, "hexadecimal"),
        ("{\"a\":\"x\ty\"}\n", 1, "must be escaped"),
        ("{\"a.b\":1}\n", 1, "“a.b”"),
        ("{\"a\":1}\n{\"\":1}\n", 2, "is empty"),
        ("{\"a\":\n1}\n", 1, "ends where a value"),
    ])
    func aBadLineIsNamed(text: String, line: Int, reason: String) throws {
        let message = try failure(Array(text.utf8)).message
        #expect(message.hasPrefix("“r.jsonl”, line \(line): "))
        #expect(message.contains(reason), "\(message)")
        #expect(message.contains("Nothing was stored"))
    }

    @Test func invalidUTF8IsNamed() throws {
        let bytes = Array("{\"a\":1}\n{\"a\":\"".utf8) + [0xc3, 0x28] + Array("\"}\n".utf8)
        #expect(try failure(bytes).message.contains("line 2: a string is not valid UTF-8"))
    }

    @Test(arguments: [
        ("[{\"a\":1}\n{\"a\":2}]", 2, "“,” or “]”"),
        ("[{\"a\":1},\n{\"a\":2},\n]", 3, "object in braces"),
        ("[{\"a\":1},\n{\"a\":\n2", 2, "the file ends inside the item"),
        ("[{\"a\":1}", 1, "here the file ends"),
        ("[{\"a\":1},\n{\n\"a\":\nx}]", 4, "a value should be"),
        ("[{\"a\":1}]\n]", 2, "nothing may follow"),
        ("[1, 2]", 1, "object in braces"),
        ("\n\n\"a\"", 3, "begins with “\"”"),
        ("{\"x\":1,\n\"rows\":\n[\n{\"a\":x}]}", 4, "a value should be"),
    ])
    func aBadArrayIsNamed(text: String, line: Int, reason: String) throws {
        let message = try failure(Array(text.utf8), name: "r.json").message
        #expect(message.hasPrefix("“r.json”, line \(line): "), "\(message)")
        #expect(message.contains(reason), "\(message)")
    }

    @Test(arguments: [
        (#"{"x":40.//5,"items":[{"a":1}]}"#, "no digits after its point (column 9)"),
        (#"{"items":[{"a":1}],"x":40.//5}"#, "no digits after its point (column 27)"),
        (#"{"x":4/,"items":[{"a":1}]}"#, "“,” or “}” should be where “/” is (column 7)"),
        (#"{"x":[1}],"items":[{"a":1}]}"#, "“,” or “]” should be where “}” is (column 8)"),
        (#"{"items":[{"a":1}}]"#, "“,” or “]” should be where “}”"),
        (#"{"items":[{"a":1}]"#, "the file ends inside the object"),
        (#"{"items":[{"a":1}],}"#, "a key in quotes should be where “}”"),
        (#"{,"items":[{"a":1}]}"#, "a key in quotes should be where “,”"),
        (#"{"x":1 "items":[{"a":1}]}"#, "“,” or “}” should be where “\""),
        (#"{"x" 1,"items":[{"a":1}]}"#, "“:” should follow the key “x”"),
        (#"{"x":,"items":[{"a":1}]}"#, "a value should be where “,”"),
        (#"{x:1,"items":[{"a":1}]}"#, "a key in quotes should be where “x”"),
        (#"{"x":[,1],"items":[{"a":1}]}"#, "a value should be where “,”"),
        (#"{"x":"\x","items":[{"a":1}]}"#, "an escape that JSON does not know"),
        (#"{"x":"\ud800","items":[{"a":1}]}"#, "half of a surrogate pair"),
        ("{\"x\":\"\t\",\"items\":[{\"a\":1}]}", "must be escaped (column 7)"),
        ("{\"x\":\"\n\",\"items\":[{\"a\":1}]}", "must be escaped (column 7)"),
        (#"{"x":01,"items":[{"a":1}]}"#, "begins with a zero"),
        ("{\"items\":[{\"a\":1}]}\u{1}", "follows the end"),
    ])
    func textThatIsNoJSONBesideTheArrayIsNamed(text: String, reason: String) throws {
        let message = try failure(Array(text.utf8), name: "r.json").message
        #expect(message.hasPrefix("“r.json”, line 1: ") && message.contains(reason), "\(message)")
    }

    @Test func invalidUTF8BesideTheArrayIsNamed() throws {
        let bytes = Array("{\"x\":\"".utf8) + [0xc3, 0x28] + Array("\",\n\"items\":[{}]}".utf8)
        let message = try failure(bytes, name: "r.json").message
        #expect(message.contains("line 1: a string is not valid UTF-8"))
    }

    @Test func nestingBesideTheArrayIsAsDeepAsInIt() throws {
        func text(_ depth: Int) -> String {
            let nested =
                String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            return #"{"x":{"y":\#(nested)},"items":[{"a":1}]}"#
        }
        #expect(try imported(text(100)).count == 1)
        for depth in [200, 100_000] {
            let message = try failure(Array(text(depth).utf8), name: "r.json").message
            #expect(message.contains("objects and arrays are inside one another"))
        }
    }

    @Test func nothingMayFollowTheObjectWhoseArrayIsAskedFor() throws {
        let text = Array("{\"A\":[{\"a\":1}]}\n{\"A\":[{\"a\":2}]}\n".utf8)
        let message = try failure(text, name: "r.json", format: .json(member: "A")).message
        #expect(message.contains("line 2: nothing may follow the object"))
    }

    @Test func membersThatCannotBeChosenAreListed() throws {
        let text = Array(#"{"A": [], "B": []}"#.utf8)
        #expect(try failure(text, name: "r.json").message.contains("“A”, “B”"))
        let unknown = try failure(text, name: "r.json", format: .json(member: "C")).message
        #expect(unknown.contains("no array “C”") && unknown.contains("“A”, “B”"))
    }

    @Test func deepNestingIsRefusedWithoutRunningOutOfStack() throws {
        for depth in [101, 100_000] {
            let text = #"{"a":"# + String(repeating: "[", count: depth)
            #expect(try failure(Array(text.utf8)).message.contains("100 objects and arrays"))
        }
        let most = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        #expect(try imported("[{\"a\": \(most)}]").count == 1)
    }

    @Test func batchesBeforeABadLineAreStoredAndItsOwnIsNot() throws {
        let directory = try TemporaryDirectory()
        let store = try memoryStore()
        var lines = (0..<30).map { "{\"n\":\($0)}" }
        lines[24] = "{\"n\":"
        let file = try directory.file("r.jsonl", Array(lines.joined(separator: "\n").utf8))
        let failure = #expect(throws: DataStoreError.self) {
            try ItemImport(itemType: "T", batchSize: 10).run(file, into: store)
        }
        let message = try #require(failure?.message)
        #expect(message.contains("line 25:") && message.contains("The 20 rows before"))
        #expect(try store.rows().count == 20)
    }

    @Test func whatTheStoreRefusesIsSaidWithTheLines() throws {
        let directory = try TemporaryDirectory()
        let store = try memoryStore()
        let name = String(repeating: "x", count: 256)
        let file = try directory.file("r.jsonl", Array("{\"a\":1}\n{\"\(name)\":1}\n".utf8))
        let failure = #expect(throws: DataStoreError.self) {
            try ItemImport(itemType: "T").run(file, into: store)
        }
        #expect(failure?.code == .limitExceeded)
        #expect(failure?.message.contains("line 2:") == true)
        #expect(try store.rows() == [])
    }

    @Test func whatIsNoReadableFileIsRefused() throws {
        let directory = try TemporaryDirectory()
        let store = try memoryStore()
        for url in [directory.url, directory.url.appending(path: "missing")] {
            let failure = #expect(throws: DataStoreError.self) {
                try ItemImport(itemType: "T").run(url, into: store)
            }
            #expect(failure?.code == .invalidInput)
            #expect(throws: DataStoreError.self) { try ItemImport.check(url) }
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/mem")))
    func aFileThatFailsWhileItIsReadIsSaidTo() throws {
        let failure = #expect(throws: DataStoreError.self) {
            try ItemImport(itemType: "T").run(URL(filePath: "/proc/self/mem"), into: memoryStore())
        }
        #expect(failure?.code == .storageFailure)
    }

    private static let pipes: [(text: String, format: ItemImport.Format, count: Int?)] = [
        ("{\"a\":1}\n{\"a\":2}\n", .automatic, 2), (" [{\"a\":1}]", .automatic, 1),
        ("{\"rows\":[{}]}", .json(member: "rows"), nil),
    ]

    @Test(arguments: pipes)
    func aPipeIsReadOnce(text: String, format: ItemImport.Format, count: Int?) throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try pipe.fileHandleForWriting.close()
        let file = URL(filePath: "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)")
        let store = try memoryStore()
        let rows = ItemImport(itemType: "T", format: format)
        if let count {
            #expect(try rows.run(file, into: store).items == count)
        } else {
            let failure = #expect(throws: DataStoreError.self) { try rows.run(file, into: store) }
            #expect(failure?.message.contains("cannot be read twice") == true)
        }
    }

    /// Damage anywhere ends in an error or in items, and never in a trap.
    @Test func randomDamageIsHarmless() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        let text = Array(
            #"{"rows":[{"a":1.5e3,"b":"x\u00e9\n","c":[true,null]},{"d":{"$date":1}}]}"#.utf8)
        for round in 0..<300 {
            var bytes = text
            for _ in 0...round % 3 {
                let place = Int.random(in: bytes.indices, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[place] = .random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: place)
                default: bytes.insert(bytes[(place * 7) % bytes.count], at: place)
                }
            }
            let file = try directory.file("r.json", bytes)
            let store = try memoryStore()
            do {
                let count = try ItemImport(itemType: "T", chunkSize: 7).run(file, into: store).items
                #expect(try store.rows().count == count, "seed \(seed)")
            } catch let error as DataStoreError {
                #expect(error.code == .invalidInput, "seed \(seed): \(error)")
            }
        }
    }
}
