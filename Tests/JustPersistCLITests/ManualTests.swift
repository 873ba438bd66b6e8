import Foundation
import Testing

/// The manual page and the completions, which `make install` puts in place.
@Suite struct ManualTests {
    private let tool: Tool

    init() throws { tool = try Tool() }

    private static let verbs = [
        "info", "stats", "query", "import", "import-coredata", "generate-items", "export", "update",
        "delete", "link", "unlink",
        "delete-rule", "migrate",
        "verify", "index", "inspect",
        "conformance",
    ]

    @Test func theManualHasEveryVerbAndOption() throws {
        let run = try tool("generate-manual")
        #expect(run.status == 0 && run.errors.isEmpty)
        let page = run.output.replacing("\\-", with: "-")
        #expect(page.hasPrefix(".Dd "))
        for verb in Self.verbs { #expect(page.contains(".Ss justpersist \(verb)\n"), "\(verb)") }
        for verb in Self.verbs.dropLast() {
            let help = try tool("help", verb).output
            for option in help.matches(of: /--[a-z][a-z-]+/).map({ String($0.output) })
            where option != "--help" {
                #expect(page.contains(option), "\(verb) \(option)")
            }
        }
        for text in ["mapSize=64MiB", "NO_COLOR", "EXIT STATUS", "130", "readOnly=true"] {
            #expect(page.contains(text), "\(text)")
        }
        #expect(try !tool("--help").output.contains("generate-manual"))
        // What begins with a point is a macro, and known.
        let macros = [
            "Dd", "Dt", "Os", "Sh", "Nm", "Nd", "Pp", "Ss", "Bl", "It", "El", "Bd", "Ed", "br",
            "nh",
        ]
        for line in page.split(separator: "\n") where line.hasPrefix(".") {
            #expect(macros.contains(String(line.dropFirst().prefix { $0 != " " })), "\(line)")
        }
        for (begin, end) in [("\n.Bl ", "\n.El\n"), ("\n.Bd ", "\n.Ed\n")] {
            #expect(
                page.components(separatedBy: begin).count
                    == page.components(separatedBy: end).count)
        }
    }

    @Test func theManualHasTheLanguageOfPredicatesAndExamples() throws {
        let page = try tool("generate-manual").output
            .replacing("\\-", with: "-").replacing("\\(dq", with: "\"").replacing(
                "\\(aq", with: "'")
        for text in ["\n.Sh PREDICATES\n", "\n.Sh EXAMPLES\n", "\n.Sh EXIT STATUS\n"] {
            #expect(page.contains(text))
        }
        #expect(!page.contains(".Ss justpersist predicates"))
        // Kept in one place.
        for topic in ["predicates", "examples"] {
            let lines = try tool(topic).output.split(separator: "\n")
            #expect(lines.count > 20)
            for line in lines {
                let text = line.trimmingCharacters(in: .whitespaces).replacing("\\", with: "\\e")
                #expect(page.contains(text), "\(text)")
            }
        }
    }

    @Test func theExamplesOfTheManualRun() throws {
        _ = try tool.file(
            "places.jsonl",
            """
            {"name":"Café","stars":4,"borough":"Queens","address line 2":"x"}
            {"name":"b","stars":5,"borough":"Bronx"}

            """)
        let calls = try tool("examples").output.split(separator: "\n").filter {
            $0.hasPrefix("  ")
        }
        #expect(calls.count > 10)
        for call in calls {
            let run = try tool.inShell(String(call))
            #expect(run.status == 0 && run.errors.isEmpty, "\(call): \(run.errors)")
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func completionsAreMade(shell: String) throws {
        let run = try tool("--generate-completion-script", shell)
        #expect(run.status == 0)
        for verb in Self.verbs { #expect(run.output.contains(verb)) }
    }

    @Test func storesAndTypesAreCompleted() throws {
        let store = tool.store("lmdb")
        let file = try tool.file("rows.jsonl", "{\"a\":1}")
        try #require(try tool("import", store, "Country", file).status == 0)
        #expect(
            try tool(
                "---completion", "info", "--", "positional@0", "2", "0", "justpersist", "info", ""
            )
            .output.split(separator: "\n") == ["leveldb:", "lmdb:", "memory:", "postgres:"])
        let folder = "lmdb:" + tool.directory.url.path + "/"
        #expect(
            try tool(
                "---completion", "info", "--", "positional@0", "2", "\(folder.count)",
                "justpersist",
                "info", folder
            ).output.split(separator: "\n").contains(Substring(store)))
        #expect(
            try tool(
                "---completion", "query", "--", "positional@1", "3", "0", "justpersist", "query",
                store,
                ""
            ).output == "Country\n")
    }
}
