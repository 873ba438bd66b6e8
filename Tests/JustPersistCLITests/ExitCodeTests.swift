import Foundation
import Testing

/// Every verb, called wrongly: 64 for a wrong call, 1 with one clear line for what cannot be done, and no advice on Swift.
@Suite struct ExitCodeTests {
    private let tool: Tool
    private let store: String

    init() throws {
        tool = try Tool()
        store = tool.store("lmdb")
        let rows = try tool.file(
            "rows.jsonl", "{\"name\":\"a\",\"n\":1}\n{\"name\":\"a\",\"n\":2}\n")
        try #require(try tool("import", store, "T", rows).status == 0)
    }

    /// STORE is the store, DIR the directory that it is in.
    private static let wrongCalls = [
        "frobnicate", "help frobnicate", "--frobnicate", "info", "info STORE extra", "query",
        "query STORE", "query STORE T --format xml", "query STORE T --limit -1",
        "query STORE T --limit x", "query STORE T --offset -2", "query STORE T --nope",
        "query STORE T --where", "query STORE T --sort :desc",
        "query STORE T --columns n --select n", "query STORE T --having n>1",
        "query STORE T --group-by n --explain", "query STORE T --select nope:n",
        "export", "export STORE", "export STORE T - --format xml",
        "export STORE T - --delimiter ab",
        "import STORE", "import STORE T", "import STORE T f --format xml",
        "update STORE T --where n=1", "update STORE T --set n=1",
        "update STORE T --where n=1 --set n", "update STORE T --where n=1 --set =1",
        "update STORE T --where n=1 --add x", "delete STORE T", "delete STORE T --yes",
        "migrate STORE", "diff STORE", "diff STORE STORE --limit -1", "verify",
        "verify STORE --patience 0", "verify STORE --patience x", "repair", "backup STORE",
        "compact", "index", "index add STORE T", "index drop STORE",
        "conformance", "conformance memory: --timeout 0",
    ]

    /// Calls that are right and cannot be carried out.
    private static let failures = [
        "info DIR", "info nowhere:DIR", "info lmdb:", "info memory:", "info lmdb:DIR/none",
        "info leveldb:DIR/none", "info leveldb:DIR/store", "info lmdb:DIR/rows.jsonl",
        "info lmdb:DIR", "info STORE?foo=1", "info STORE?mapSize=x", "query STORE U",
        "query STORE T --where m=1", "query STORE T --where n==", "query STORE T --where $n=1",
        "query STORE T --where n=%@", "query STORE T --sort m", "query STORE T --columns m",
        "query STORE T --select m", "query STORE T --select sum:m", "query STORE T --group-by m",
        "query STORE T --select count,count", "export STORE U", "export STORE T DIR/no/x.csv",
        "export STORE T DIR/x.foo", "export STORE T DIR/rows.jsonl", "export STORE T --select m",
        "import STORE T DIR/none.csv", "import STORE T DIR", "import lmdb: T DIR/rows.jsonl",
        "import STORE?readOnly=true T DIR/rows.jsonl",
        "import lmdb:DIR/new?create=false T DIR/rows.jsonl",
        "import STORE T DIR/rows.jsonl --key n",
        "update STORE U --where n=1 --set n=1 --yes", "update STORE T --where m=1 --set n=1 --yes",
        "update STORE T --where n=1 --set m=1 --yes", "update STORE T --where n=1 --set n=x --yes",
        "update STORE T --where n=1 --add n=1 --yes",
        "update STORE T --where n=1 --add uniqueToken=1 --yes",
        "update STORE T --where n=1 --set n=3",
        "update STORE?readOnly=true T --where n=1 --set n=3 --yes",
        "update STORE T --where n=1 --add x.y=1 --yes",
        "update STORE T --where n=1 --add x:int=a --yes",
        "delete STORE T --where m=1 --yes", "delete STORE U --where n=1 --yes",
        "delete STORE T --where n=1", "migrate STORE STORE", "diff STORE STORE",
        "schema diff STORE STORE", "inspect STORE?readOnly=true --write",
        "schema drop STORE T nope --yes", "migrate lmdb:DIR/none leveldb:DIR/x",
        "migrate STORE nowhere:x", "diff STORE lmdb:DIR/none",
        "verify lmdb:DIR/none", "verify memory:", "repair lmdb:DIR/none --yes", "repair STORE",
        "repair STORE --into DIR", "backup STORE DIR", "backup lmdb:DIR/none DIR/b",
        "compact lmdb:DIR/none", "index list STORE U", "index frobnicate STORE",
        "index add STORE T m",
        "index add STORE T name --unique", "index drop STORE T n", "index drop STORE U n",
        "index add STORE?readOnly=true T n", "conformance nowhere:", "conformance lmdb",
    ]

    private func run(_ line: String) throws -> Tool.Run {
        let words = line.split(separator: " ").map { word in
            String(word).replacing("STORE", with: store).replacing(
                "DIR", with: tool.directory.url.path)
        }
        return try tool.start(words).end()
    }

    @Test func wrongCallsHaveExitCode64() throws {
        for call in Self.wrongCalls {
            let run = try run(call)
            #expect(run.status == 64 && !run.isKilled, "\(call): \(run.status) \(run.errors)")
            #expect(run.output.isEmpty && run.errors.hasPrefix("Error: "), "\(call)")
        }
    }

    @Test func failuresHaveExitCode1AndOneLine() throws {
        for call in Self.failures {
            let run = try run(call)
            #expect(run.status == 1 && !run.isKilled, "\(call): \(run.status) \(run.errors)")
            #expect(run.errors.hasPrefix("justpersist: "), "\(call): \(run.errors)")
            let lines = run.errors.split(separator: "\n")
            // Under an error in a predicate are its text and a caret.
            let place = lines.dropFirst().last?.allSatisfy { $0 == " " || $0 == "^" } == true
            #expect(lines.count == (place ? 3 : 1), "\(call): \(run.errors)")
            // The declarations of the library.
            let swift =
                /[a-z]\((_:|[a-z]+:)*\)|[a-z][A-Z][a-z]+:\)|isReadOnly|DataStore|Swift|item class|@[A-Z]/
            #expect(run.errors.firstMatch(of: swift) == nil, "\(call): \(run.errors)")
        }
    }

    @Test func adviceNamesOptionsOfTheTool() throws {
        for (call, advice) in [
            ("info lmdb:DIR/none", "import and migrate make a store"),
            ("update STORE?readOnly=true T --where n=1 --set n=3 --yes", "Leave readOnly=true out"),
            ("query STORE T --where n=%@", "Write a value in its place"),
            ("query STORE T --select count,count", "Leave one out"),
            ("diff STORE STORE", "Name each store once."),
            ("diff STORE leveldb:DIR/none", "import and migrate"),
            ("conformance nowhere:", "known here: leveldb:, lmdb:"),
        ] {
            let run = try run(call)
            #expect(run.errors.contains(advice), "\(call): \(run.errors)")
        }
        let copy = tool.store("leveldb", "copy")
        try #require(try tool("import", copy, "T", tool.file("a.jsonl", "{}\n")).status == 0)
        let type = try tool("diff", store, copy, "--type", "U")
        #expect(type.status == 1 && type.errors.contains("The store has no type “U”."))
        let migration = try tool("migrate", store, copy)
        #expect(migration.status == 1 && migration.errors.contains("add --update"))
    }

    @Test func versionIsPrinted() throws {
        let run = try tool("--version")
        #expect(run.status == 0 && run.errors.isEmpty)
        #expect(run.output.wholeMatch(of: /justpersist \d+\.\d+\.\d+(-[a-z]+)?\n/) != nil)
        let version = run.output.split(separator: " ")[1].dropLast()
        #expect(
            try tool("conformance", "--version").output == "justpersist-conformance \(version)\n")
        #expect(try tool("generate-manual").output.contains("\n.Os JustPersist \(version)\n"))
    }
}
