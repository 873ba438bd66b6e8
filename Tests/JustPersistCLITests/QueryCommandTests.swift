import Foundation
import JustPersist
import JustPersistLMDB
import Testing

/// What `query` prints.
@Suite struct QueryCommandTests {
    private let tool: Tool
    private let store: String

    init() throws {
        tool = try Tool()
        store = tool.store("lmdb")
        let rows = try tool.file(
            "rows.jsonl",
            """
            {"name":"Café, \\"x\\"","stars":5,"opened":{"$date":1500},"tags":["a",null]}
            {"name":"寿司 🍣","stars":4.5,"address":{"zip":"1002"}}
            {"name":"line\\nbreak\\u001b[1m","stars":"few","open":true}

            """)
        try #require(try tool("import", store, "Place", rows).status == 0)
    }

    private func query(_ options: String...) throws -> String {
        let arguments = ["query", store, "Place"] + options
        let run = try tool.start(arguments).end()
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        return run.output
    }

    @Test func tablesAreAligned() throws {
        #expect(
            try query("--columns", "name,stars,opened") == #"""
                name                  stars  opened
                --------------------  -----  ------------------------
                Café, "x"             5      1970-01-01T00:00:01.500Z
                寿司 🍣               4.5
                line\nbreak\u{1b}[1m  few

                """#)
        #expect(
            try query("--columns", "stars,address.zip", "--limit", "2") == """
                stars  address.zip
                -----  -----------
                    5
                  4.5         1002

                """)
    }

    @Test func jsonLinesComeBackByImport() throws {
        let lines = try query("--format", "jsonl")
        #expect(
            lines == """
                {"name":"Café, \\"x\\"","stars":5,"opened":{"$date":1500},"tags":["a",null]}
                {"name":"寿司 🍣","stars":4.5,"address":{"zip":"1002"}}
                {"name":"line\\nbreak\\u001b[1m","stars":"few","open":true}

                """)
        let file = try tool.file("again.jsonl", lines)
        let array = try tool.file("again.json", query("--format", "json"))
        for (name, file) in [("lines", file), ("array", array)] {
            let copy = tool.store("leveldb", name)
            try #require(try tool("import", copy, "Place", file).status == 0)
            #expect(try tool("query", copy, "Place", "--format", "jsonl").output == lines)
        }
    }

    /// Null is what an item has instead of the default.
    @Test func nilInPlaceOfADefaultIsExported() throws {
        let directory = tool.directory.url.appending(path: "defaults")
        let store = LMDBDataStore(at: directory)
        try store.open()
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "Note",
                    attributes: [
                        AttributeSchema(
                            "tag", kinds: [.string], default: .string("new"), isOptional: true),
                        AttributeSchema("name", kinds: [.string]),
                    ]))
            try db.create("Note")["tag"] = .null
        }
        try store.close()
        let run = try tool("query", "lmdb:\(directory.path)", "Note", "--format", "jsonl")
        #expect(run.output == "{\"tag\":null}\n")
    }

    @Test func jsonIsAnArray() throws {
        #expect(
            try query("--format", "json", "--columns", "stars", "--limit", "2")
                == "[{\"stars\":5}\n,{\"stars\":4.5}\n]\n")
        #expect(try query("--format", "json", "--where", "FALSEPREDICATE") == "[]\n")
    }

    @Test func csvFollowsTheRFC() throws {
        #expect(
            try query("--format", "csv", "--columns", "name,opened,tags") == """
                name,opened,tags
                "Café, ""x""\",1970-01-01T00:00:01.500Z,"[""a"",null]"
                寿司 🍣,,
                "line
                break\u{1b}[1m",,

                """)
    }

    @Test func aColumnWithoutAnyValueIsNoted() throws {
        let run = try tool(
            "query", store, "Place", "--columns", "name,address.zpi,address.zip")
        #expect(run.errors == "justpersist: None of these items has a value for “address.zpi”.\n")
        #expect(
            try tool(
                "query", store, "Place", "--where", "FALSEPREDICATE", "--columns", "address.zpi"
            ).errors.isEmpty)
    }

    @Test func countIsOneNumber() throws {
        #expect(try query("--format", "count") == "3\n")
        #expect(try query("--format", "count", "--where", "stars > 4") == "2\n")
        #expect(try query("--format", "count", "--where", "stars > 4", "--limit", "1") == "1\n")
    }

    @Test func sortAndSliceAreCarriedOut() throws {
        func stars(_ options: String...) throws -> [String] {
            let arguments = ["query", store, "Place", "--format", "csv", "--columns", "stars"]
            let run = try tool.start(arguments + options).end()
            return run.output.split(separator: "\n").dropFirst().map(String.init)
        }
        #expect(try stars("--sort", "stars") == ["4.5", "5", "few"])
        #expect(try stars("--sort", "stars:desc") == ["few", "5", "4.5"])
        #expect(try stars("--sort", "open", "--sort", "stars:asc") == ["4.5", "5", "few"])
        #expect(try stars("--sort", "stars", "--offset", "1", "--limit", "1") == ["5"])
        for order in ["caseInsensitive", "numeric", "localizedStandard"] {
            #expect(try stars("--sort", "stars:\(order):desc") == ["few", "5", "4.5"])
        }
        #expect(try stars("--sort", "name:caseInsensitive").count == 3)
    }

    @Test func idsAreAColumn() throws {
        let ids = try query("--format", "csv", "--columns", "uniqueToken").split(separator: "\n")
        let id = try #require(ids.last)
        #expect(ids.count == 4 && UUID(uuidString: String(id)) != nil)
        #expect(try query("--format", "count", "--where", "uniqueToken == \"\(id)\"") == "1\n")
    }

    @Test func namesThatAreNotThereAreSaid() throws {
        let cases: [([String], String)] = [
            (["--where", "nam == 1"], "“nam”, which --where asks for. Did you mean “name”?"),
            (["--where", "stars > 1 AND NOT (ANY tgs == 1)"], "“tgs”"),
            (["--where", "{nope, 1} CONTAINS 1"], "“nope”"),
            (["--sort", "Stars"], "“Stars”, which --sort asks for. Did you mean “stars”?"),
            (["--columns", "name,"], "“”, which --columns asks for"),
            (["--columns", "zzz.name"], "“zzz”"),
        ]
        for (options, text) in cases {
            let run = try tool.start(["query", store, "Place"] + options).end()
            #expect(run.status == 1 && run.output.isEmpty)
            #expect(run.errors.contains(text), "\(run.errors)")
            #expect(run.errors.split(separator: "\n").count == 1)
        }
        let run = try tool("query", store, "Plaice")
        #expect(run.status == 1)
        #expect(
            run.errors == "justpersist: The store has no type “Plaice”. Its types are “Place”.\n")
    }

    @Test func aPredicateThatIsWrongHasACaretUnderThePlace() throws {
        let run = try tool("query", store, "Place", "--where", "stars > > 3")
        #expect(run.status == 1 && run.output.isEmpty)
        let lines = run.errors.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 4 && lines[0].hasPrefix("justpersist: "))
        #expect(lines.dropFirst() == ["stars > > 3", "        ^", ""])
    }

    @Test func aClosedPipeIsNoError() throws {
        for format in ["table", "json", "jsonl", "csv", "count"] {
            let run = try tool.withClosedOutput(["query", store, "Place", "--format", format])
            #expect(run.status == 0 && run.errors.isEmpty && !run.isKilled)
        }
    }
}
