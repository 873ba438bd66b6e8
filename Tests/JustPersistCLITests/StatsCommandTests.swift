import Foundation
import JustPersist
import JustPersistLMDB
import Testing

/// `justpersist stats`.
@Suite struct StatsCommandTests {
    private let tool: Tool

    init() throws { tool = try Tool() }

    private func filled(_ engine: String) throws -> String {
        let store = tool.store(engine)
        let rows = (0..<300).map {
            "{\"a\":\($0),\"text\":\"\(String(repeating: "x", count: $0))\"}"
        }
        let file = try tool.file("rows.jsonl", rows.joined(separator: "\n"))
        try #require(try tool("import", store, "Country", file).status == 0)
        try #require(try tool("index", "add", store, "Country", "a").status == 0)
        return store
    }

    @Test(arguments: ["lmdb", "leveldb"])
    func itCountsEntriesByTypeAndIndex(_ engine: String) throws {
        let run = try tool("stats", try filled(engine))
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n")
        #expect(lines.contains { $0.contains(#/record +Country +300 /#) }, "\(run.output)")
        #expect(lines.contains { $0.contains(#/index +Country +a +300 /#) }, "\(run.output)")
        #expect(run.output.contains(" in use, ") == (engine == "lmdb"))
    }

    @Test func aReaderThatKeepsPagesIsNamed() throws {
        let store = try filled("lmdb")
        let url = try StoreURL(store)
        let holder = try LMDBDataStore.open(at: URL(filePath: url.location))
        let run = try holder.read { db in
            _ = try db.schemas()
            for number in 0..<3 {
                let update = try tool(
                    "update", store, "Country", "--where", "TRUEPREDICATE", "--set", "a=\(number)",
                    "--yes")
                #expect(update.status == 0, "\(update.errors)")
            }
            return try tool("stats", store)
        }
        try holder.close()
        #expect(run.output.contains("process \(ProcessInfo.processInfo.processIdentifier) reads"))
        #expect(run.output.contains("cannot be used again"), "\(run.output)")
    }
}
