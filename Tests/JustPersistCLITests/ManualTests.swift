import Foundation
import Testing

/// The manual page and the completions, which `make install` puts in place.
@Suite struct ManualTests {
    private let tool: Tool

    init() throws { tool = try Tool() }

    private static let verbs = [
        "info", "query", "import", "export", "update", "delete", "migrate", "verify", "index",
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
            .output.split(separator: "\n") == ["leveldb:", "lmdb:", "memory:"])
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
