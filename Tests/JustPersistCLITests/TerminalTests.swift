import Foundation
import Testing

/// A tour of the verbs on terminals of several widths and in pipes.
@Suite struct TerminalTests {
    private let tool: Tool

    init() throws { tool = try Tool() }

    private static let words = [
        "short", "ein längerer Text, der nicht auf jede Zeile passt", "漢字かな交じり文", "🧭🧭",
    ]

    /// A store with more columns than a narrow terminal has room for.
    private func makeStore() throws -> String {
        let store = tool.store("lmdb")
        let rows = (0..<30).map { row in
            "{"
                + (0..<12).map { column in
                    let word = Self.words[(row + column) % Self.words.count]
                    return column == 0
                        ? "\"amount\":\(row * 1_000_003)" : "\"column\(column)\":\"\(word)\""
                }.joined(separator: ",") + "}\n"
        }
        let file = try tool.file("rows.jsonl", rows.joined())
        try #require(try tool("import", store, "Type", file).status == 0)
        return store
    }

    private func tour(_ store: String) -> [[String]] {
        let copy = tool.store("leveldb", UUID().uuidString)
        func place(_ name: String) -> String {
            tool.directory.url.appending(path: "\(UUID())\(name)").path
        }
        return [
            ["--help"], ["query", "--help"], ["info", store], ["query", store, "Type"],
            ["query", store, "Type", "--group-by", "column1", "--select", "count,max:amount"],
            ["query", store, "Type", "--explain", "--where", "amount > 5"],
            ["index", "add", store, "Type", "column1"], ["index", store],
            ["update", store, "Type", "--where", "amount == 0", "--set", "column2=x", "--yes"],
            ["delete", store, "Type", "--where", "amount == 1000003", "--yes"], ["verify", store],
            ["migrate", store, copy], ["diff", store, copy],
            ["export", store, "Type", place(".csv.gz")], ["backup", store, place("")],
            ["compact", store], ["repair", store, "--yes"], ["repair", store, "--into", place("")],
        ]
    }

    private static func columns(_ line: Substring) -> Int {
        line.reduce(0) { width, character in
            let scalar = character.unicodeScalars.first?.value ?? 0
            return width + (scalar > 0x2e80 ? 2 : 1)
        }
    }

    /// Without colours and progress.
    private static func plain(_ text: String) -> String {
        text.replacing(/\u{1b}\[[0-9]*m/, with: "").replacing(
            /\r\u{1b}\[K[^\r\n]*\r\u{1b}\[K/, with: ""
        )
        .replacing("\r\u{1b}[K", with: "")
    }

    @Test(arguments: [80, 120, 200]) func tablesFitTheTerminal(columns: Int) throws {
        let store = try makeStore()
        for arguments in tour(store) {
            let run = try tool.onTerminal(columns: columns, arguments)
            #expect(run.status == 0, "\(arguments): \(run.text)")
            let text = Self.plain(run.text)
            #expect(!text.isEmpty || arguments[0] == "index", "\(arguments)")
            // The help is wrapped by the argument parser, which leaves long words whole; a store's path may be long.
            for line in text.split(separator: "\n") where !line.contains(tool.directory.url.path) {
                if arguments.contains("--help") { continue }
                #expect(Self.columns(line) <= columns, "\(arguments): \(line)")
            }
        }
        let query = try tool.onTerminal(columns: columns, ["query", store, "Type"])
        #expect(
            query.text.contains("…") && query.text.contains("\u{1b}[1m")
                && query.text.contains("amount"))
        // Numbers stay whole.
        #expect(query.text.contains("29000087"))
        let wide = try tool.onTerminal(columns: columns, ["query", store, "Type", "--wide"])
        #expect(!wide.text.contains("…") && wide.text.contains("column11"))
        if columns == 80 { #expect(query.text.contains("… --wide shows ")) }
    }

    /// Pieces of text end within a line where an array is written, whose commas are in front.
    @Test(arguments: ["json", "jsonl", "csv"])
    func anExportToATerminalIsWhole(format: String) throws {
        let store = tool.store("lmdb")
        let rows = (0..<1_200).map { "{\"n\":\($0)}\n" }.joined()
        try #require(try tool("import", store, "T", tool.file("rows.jsonl", rows)).status == 0)
        let run = try tool.onTerminal(
            columns: 80, ["export", store, "T", "-", "--format", format])
        let numbers = run.text.matches(of: /[0-9]+/).compactMap { Int($0.output) }
        #expect(numbers == Array(0..<1_200))
    }

    @Test func theUserChoosesTheWidthAndColours() throws {
        let store = try makeStore()
        let narrow = try tool.onTerminal(
            columns: 200, environment: ["COLUMNS": "60"], ["query", store, "Type"])
        for line in Self.plain(narrow.text).split(separator: "\n") {
            #expect(Self.columns(line) <= 60)
        }
        let missing = ["query", store, "Missing"]
        #expect(try tool.onTerminal(columns: 80, missing).text.contains("\u{1b}[31mjustpersist:"))
        for environment in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
            for arguments in [["query", store, "Type"], missing] {
                let run = try tool.onTerminal(columns: 80, environment: environment, arguments)
                #expect(!run.text.contains("\u{1b}["))
            }
        }
    }

    @Test(arguments: [1, 2, 7, 12]) func terminalsTooNarrowForAnythingGetSomething(columns: Int)
        throws
    {
        let store = try makeStore()
        let run = try tool.onTerminal(columns: columns, ["query", store, "Type", "--limit", "2"])
        #expect(run.status == 0)
        for line in Self.plain(run.text).split(separator: "\n") {
            #expect(Self.columns(line) <= columns, "\(line)")
        }
    }

    @Test func aTerminalGetsOneHundredRowsUnlessMoreAreAskedFor() throws {
        let store = tool.store("lmdb")
        let rows = (0..<150).map { "{\"n\":\($0)}\n" }.joined()
        try #require(try tool("import", store, "T", tool.file("rows.jsonl", rows)).status == 0)
        func shown(_ arguments: [String]) throws -> (rows: Int, note: Bool) {
            let run = try tool.onTerminal(columns: 80, ["query", store, "T"] + arguments)
            #expect(run.status == 0)
            let numbers = Self.plain(run.text).split(separator: "\n").compactMap {
                Int($0.trimmingCharacters(in: .whitespaces))
            }
            return (numbers.count, run.text.contains("the first 100"))
        }
        for arguments in [
            [], ["--format", "csv"], ["--format", "jsonl"],
            ["--group-by", "n", "--select", "max:n", "--format", "jsonl"],
        ] {
            let shown = try tool.onTerminal(columns: 80, ["query", store, "T"] + arguments).text
            #expect(shown.contains("These are the first 100. To print all, add --limit 0"))
            #expect(shown.contains("99") && !shown.contains("101"), "\(arguments)")
        }
        #expect(try shown(["--limit", "0"]) == (150, false))
        #expect(try shown(["--limit", "120"]) == (120, false))
        #expect(try shown(["--offset", "50"]) == (100, false))
        let count = try tool.onTerminal(columns: 80, ["query", store, "T", "--format", "count"])
        #expect(count.text == "150\n")
        let piped = try tool("query", store, "T", "--format", "csv")
        #expect(piped.output.split(separator: "\n").count == 151 && piped.errors.isEmpty)
    }

    @Test func nothingIsCutInAPipe() throws {
        let store = try makeStore()
        let run = try tool("query", store, "Type")
        #expect(!run.output.contains("…") && !run.output.contains("\u{1b}"))
        #expect(run.output.split(separator: "\n").count == 32)
        for word in Self.words { #expect(run.output.contains(word)) }
    }

    /// A reader of a pipe has a line while the next one is being looked for.
    @Test func aPipeGetsLinesBeforeTheEnd() throws {
        let store = tool.store("lmdb")
        let rows = (0..<40_000).map { "{\"n\":\($0),\"text\":\"a text that is looked through\"}\n" }
        let file = try tool.file("rows.jsonl", rows.joined())
        try #require(try tool("import", store, "T", file).status == 0)
        // One match at the start, and a long way to the end.
        let pipe = Pipe()
        let process = tool.process(
            [
                "query", store, "T", "--format", "jsonl", "--where",
                "n == 0 OR text MATCHES '(a|b|c)*.*(x+y+)+z'",
            ], output: pipe, errors: FileHandle.nullDevice)
        try process.run()
        try pipe.fileHandleForWriting.close()
        let first = try #require(try pipe.fileHandleForReading.read(upToCount: 1 << 16))
        #expect(String(decoding: first, as: UTF8.self).hasPrefix("{\"n\":0,"))
        process.terminate()
        process.waitUntilExit()
    }

    @Test(
        arguments: [
            "query", "verify", "index", "import", "migrate", "diff", "export", "backup", "compact",
            "repair",
        ])
    func ctrlCEndsEveryVerbWithAConsistentStore(verb: String) throws {
        let store = tool.store("lmdb")
        let copy = tool.store("leveldb", "copy")
        let rows = (0..<20_000).map { "{\"n\":\($0),\"text\":\"row \($0)\"}\n" }.joined()
        let file = try tool.file("rows.jsonl", rows)
        try #require(try tool("import", store, "T", file).status == 0)
        if verb == "diff" { try #require(try tool("migrate", store, copy).status == 0) }
        for delay in [0, 5, 20, 60] {
            let place = tool.directory.url.appending(path: "place\(delay)").path
            let calls = [
                "query": ["query", store, "T", "--sort", "text"], "verify": ["verify", store],
                "index": ["index", "add", store, "T", "text"],
                "import": ["import", store, "U", "-", "--format", "jsonl"],
                "migrate": ["migrate", store, copy], "diff": ["diff", store, copy],
                "export": ["export", store, "T", place + ".jsonl"],
                "backup": ["backup", store, place], "compact": ["compact", store],
                "repair": ["repair", store, "--yes"],
            ]
            let running = try tool.start(try #require(calls[verb]))
            Thread.sleep(forTimeInterval: Double(delay) / 1000)
            running.interrupt()
            running.interrupt()
            let run = try running.end()
            // Before the program has begun to look, the signal ends it by itself.
            #expect(run.isKilled || [0, 130].contains(run.status), "\(run.status) \(run.errors)")
            let verification = try tool("verify", store)
            #expect(verification.status == 0, "\(verification.errors)")
            // What was to be written is there as a whole, or not at all.
            if FileManager.default.fileExists(atPath: place) {
                #expect(try tool("diff", store, "lmdb:\(place)").status == 0)
            }
            if let exported = try? String(contentsOfFile: place + ".jsonl", encoding: .utf8) {
                #expect(exported.utf8.count { $0 == 0x0a } == 20_000)
            }
        }
        guard verb == "migrate" else { return }
        #expect(try tool("migrate", store, copy).status == 0)
        #expect(try tool("diff", store, copy).status == 0)
    }
}
