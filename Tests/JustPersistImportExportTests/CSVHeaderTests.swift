import Foundation
import JustPersist
import JustPersistImportExport
import Testing

/// Headers that cannot be the names of attributes as they are, and the options that the refusals name.
@Suite struct CSVHeaderTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func rows(
        _ text: String, _ csv: CSVOptions = CSVOptions(), renaming: [String: String] = [:]
    ) throws -> [[String: DataStoreValue]] {
        let store = try memoryStore()
        var settings = ItemImport(itemType: "T")
        settings.csv = csv
        if !renaming.isEmpty { settings.mapping = ItemMapping(renaming.mapValues { .from($0) }) }
        try settings.run(directory.file("r.csv", Array(text.utf8)), into: store)
        return try store.rows()
    }

    private func refusal(_ text: String, _ csv: CSVOptions = CSVOptions()) -> String {
        let error = #expect(throws: DataStoreError.self) { try rows(text, csv) }
        #expect(error?.code == .invalidInput)
        return error?.message ?? ""
    }

    private let ab: [[String: DataStoreValue]] = [["a": .int(1), "b": .string("x")]]

    @Test func anEmptyFirstHeaderIsRefusedWithTheOptions() throws {
        let message = refusal(",b\n1,x\n")
        #expect(message.contains("the column 1 has no name"), "\(message)")
        #expect(message.contains("--rename '=NAME'") && message.contains("--columns"))
        #expect(try rows(",b\n1,x\n", renaming: ["a": ""]) == ab)
        #expect(try rows(",b\n1,x\n", CSVOptions(names: ["a", "b"])) == ab)
    }

    @Test func aTrailingSeparatorIsAColumnThatCanBeLeftOut() throws {
        #expect(refusal("a,b,\n1,x,\n").contains("the column 3 has no name"))
        #expect(try rows("a,b,\n1,x,\n", CSVOptions(names: ["a", "b", ""])) == ab)
        #expect(refusal("a,,\n1,x,\n").contains("the column 2 has no name"))
    }

    @Test func aDottedHeaderIsRefusedWithTheOption() throws {
        let message = refusal("a.b,b\n1,x\n")
        #expect(message.contains("--rename 'a.b=a_b'"), "\(message)")
        #expect(try rows("a.b,b\n1,x\n", renaming: ["a": "a.b"]) == ab)
    }

    @Test func headersThatAreTwiceThereAreRefusedWithTheOption() throws {
        let message = refusal("a,a\n1,x\n")
        #expect(message.contains("two columns have the name “a”") && message.contains("--columns"))
        #expect(try rows("a,a\n1,x\n", CSVOptions(names: ["a", "b"])) == ab)
        #expect(refusal("a,b\n1,x\n", CSVOptions(names: ["a"])).contains("the file has 2 columns"))
    }

    @Test(arguments: [(";", "';'"), ("\t", "tab"), ("|", "'|'")])
    func anotherSeparatorIsRefusedWithTheOption(_ separator: String, _ option: String) throws {
        let text = "a\(separator)b\n1\(separator)x\n"
        let message = refusal(text)
        #expect(message.contains("--separator \(option)"), "\(message)")
        #expect(try rows(text, CSVOptions(delimiter: separator.first)) == ab)
        #expect(try rows(text, CSVOptions(delimiter: ",")).count == 1)
        #expect(
            try rows("a,b\n1,x\(separator)y\n") == [["a": .int(1), "b": .string("x\(separator)y")]])
    }

    @Test func aFileThatIsRightWithCommasIsNotGuessedAt() throws {
        #expect(try rows("\"a,b\"\n1\n") == [["a,b": .int(1)]])
        #expect(try rows("a;b,c\n1;2,3\n") == [["a;b": .string("1;2"), "c": .int(3)]])
        #expect(refusal("a;\"b, c\"\n1;2\n").contains("--separator"))
    }

    @Test func blanksAroundHeadersAreRefusedWithTheOption() throws {
        let message = refusal("a, b\n1, x\n")
        #expect(message.contains("--trim") && message.contains("“ b”"), "\(message)")
        var csv = CSVOptions()
        csv.trimsBlanks = true
        #expect(try rows("a, b\n 1 , x\n", csv) == ab)
        #expect(try rows("a , \"b\" \n 1 ,\"x\"\n", csv) == ab)
        #expect(try rows("a, b\n1,x\n", renaming: ["b": " b"]) == ab)
    }

    @Test func byteOrderMarksLineEndsAndQuotesDoNotMatter() throws {
        #expect(try rows("\u{feff}\"a\",\"b\"\r\n1,x\r\n") == ab)
        #expect(try rows("\u{feff}a,b\r1,x\r") == ab)
        #expect(try rows("a,b\n").isEmpty)
        #expect(try rows("\u{feff}a,b").isEmpty)
        #expect(try rows("").isEmpty)
    }

    @Test func aDottedKeyOfJSONIsRefusedWithTheOption() throws {
        let error = #expect(throws: DataStoreError.self) { _ = try imported(#"[{"a.b": 1}]"#) }
        #expect(error?.message.contains("--rename 'a.b=a_b'") == true, "\(error?.message ?? "")")
    }
}
