import Foundation
import Testing

/// Names with spaces, signs and keywords, and predicates in the habits of other languages.
@Suite struct OddNameTests {
    private let tool: Tool
    private let store: String

    init() throws {
        tool = try Tool()
        store = tool.store("lmdb")
        let rows = try tool.file(
            "rows.jsonl",
            """
            {"address line 2":"Suite 5","$price":4,"a,b":1,"x:y":2,"k=v":3,"a-b":6,"zip":"1","in":1,"at":{"$date":0}}
            {"address line 2":"100%","$price":7,"zip":"2","in":2,"addr":{"post code":"x"},"marks":[{"score":3}]}

            """)
        try #require(try tool("import", store, "Place", rows).status == 0)
    }

    private func run(_ arguments: [String]) throws -> Tool.Run { try tool.start(arguments).end() }

    @Test(arguments: [
        ##"#"address line 2" == "Suite 5""##, ##"#"$price" < 5"##, ##"#"a-b" == 6"##, "#in == 1",
        ##"#"a,b" == 1 AND #"k=v" == 3"##,
    ])
    func namesWithSpacesAndSignsAreQuotedInPredicates(predicate: String) throws {
        let run = try run(["query", store, "Place", "--where", predicate, "--format", "count"])
        #expect(run.output == "1\n" && run.errors.isEmpty, "\(run.errors)")
    }

    @Test func namesWithSpacesAndSignsAreWrittenInOptions() throws {
        for columns in ["address line 2,$price", ##"#"address line 2",#"$price""##] {
            let run = try run([
                "query", store, "Place", "--format", "csv", "--columns", columns, "--sort",
                "address line 2", "--sort", ##"#"$price":desc"##,
            ])
            #expect(run.output == "address line 2,$price\n100%,7\nSuite 5,4\n", "\(run.errors)")
        }
        let quoted = try run([
            "query", store, "Place", "--format", "csv", "--columns", ##"#"a,b",x:y,k=v"##,
            "--limit", "1",
        ])
        #expect(quoted.output == "\"a,b\",x:y,k=v\n1,2,3\n", "\(quoted.errors)")
        let update = try run([
            "update", store, "Place", "--where", "TRUEPREDICATE", "--yes", "--set",
            "address line 2=x", "--set", ##"#"k=v"=8"##, "--set", ##"$price=#"9""##,
        ])
        #expect(update.status == 1 && update.errors.contains(##"“#"9"” cannot be read as int"##))
        let changed = try run([
            "update", store, "Place", "--where", "TRUEPREDICATE", "--yes", "--set",
            "address line 2=x", "--set", ##"#"k=v"=8"##,
        ])
        #expect(changed.output == "2 items changed.\n", "\(changed.errors)")
    }

    @Test func theErrorAtANameWithSpacesShowsTheQuotedForm() throws {
        for (predicate, text) in [
            (#"address line 2 == "x""#, ##"write #"address line 2"."##),
            ("$price > 3", ##"an attribute of that name is written #"$price"."##),
            (##"#"adress line 2" == 1"##, ##"Did you mean “#"address line 2"”?"##),
            ("a-b == 6", ##"“#"a-b"”"##), ("In == 1", "an attribute of that name is written #In"),
            ("zip == Queens", "A text is written in quotes."),
        ] {
            let run = try run(["query", store, "Place", "--where", predicate])
            #expect(run.status == 1 && run.output.isEmpty)
            #expect(run.errors.contains(text), "\(run.errors)")
        }
        let help = try tool("help", "predicates")
        #expect(help.status == 0 && help.output.contains(##"#"address line 2""##))
        #expect(try tool("predicates").output.contains(##"#"$price""##))
        #expect(try tool("help", "query").output.contains("help predicates"))
    }

    @Test func aPredicateThatFindsNothingGetsAHint() throws {
        let cases = [
            (##"#"address line 2" LIKE "%5""##, "The wildcards of LIKE are * and ?"),
            (#"zip == 1"#, #"“zip” holds texts; write "1" in quotes."#),
            (##"#"$price" == "4""##, "“$price” holds numbers; write 4 without quotes."),
            (#"at > "1970-01-01""#, #"“at” holds dates; write date("1970-01-01T00:00:00Z")."#),
            ("marks.score == 3", "“marks” holds arrays; write ANY marks.score …"),
        ]
        let file = tool.directory.url.appending(path: "out.jsonl").path
        for (predicate, hint) in cases {
            for arguments in [
                ["query", store, "Place"], ["query", store, "Place", "--format", "count"],
                ["delete", store, "Place", "--yes"], ["export", store, "Place", file, "--yes"],
                ["export", store, "Place"],
            ] {
                let run = try run(arguments + ["--where", predicate])
                #expect(run.status == 0, "\(run.errors)")
                #expect(run.errors.hasPrefix("justpersist: No item matches. "), "\(run.errors)")
                #expect(run.errors.contains(hint), "\(arguments): \(run.errors)")
            }
        }
        for predicate in [##"#"address line 2" LIKE "*%""##, "zip == '9'", "ANY marks.score == 4"] {
            let run = try run(["query", store, "Place", "--where", predicate])
            #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        }
    }

    /// A byte order mark at the start of a name, as files have it, could not be seen.
    @Test func aNameWithAByteOrderMarkIsShownAsItIsWritten() throws {
        let file = try tool.file("mark.jsonl", "{\"\u{feff}ISO\":\"de\"}\n")
        try #require(try tool("import", store, "Country", file).status == 0)
        #expect(try tool("info", store).output.contains(##"\u{feff}ISO"##))
        let slip = try tool("query", store, "Country", "--where", "ISO == 'de'")
        #expect(slip.errors.contains(##"Did you mean “#"\ufeffISO"”?"##), "\(slip.errors)")
        let predicate = ##"#"\ufeffISO" == 'de'"##
        #expect(
            try tool("query", store, "Country", "--where", predicate, "--format", "count").output
                == "1\n")
    }

    @Test func itemsWithoutAttributesArePrintedByTheirIDs() throws {
        try #require(try tool("import", store, "E", tool.file("e.jsonl", "{}\n")).status == 0)
        let run = try tool("query", store, "E")
        #expect(run.output.hasPrefix("uniqueToken") && run.output.split(separator: "\n").count == 3)
        #expect(try tool("query", store, "E", "--format", "jsonl").output == "{}\n")
        #expect(try !tool("info", store, "--wide").output.contains("E: 1 item\n  ATTRIBUTE"))
    }

    /// The parser takes a dash for the start of an option where it is not said otherwise.
    @Test func valuesMayBeginWithADash() throws {
        let predicate = ##"-1 < #"$price""##
        #expect(
            try run(["query", store, "Place", "--format", "count", "--where", predicate]).output
                == "2\n")
        for option in ["--limit", "--offset"] {
            let run = try run(["query", store, "Place", option, "-1"])
            #expect(run.status == 64 && run.errors.contains("\(option) must be 0 or more"))
        }
    }
}
