import Foundation
import Testing

/// `justpersist inspect`, up to the address of the page; the pages have tests of their own.
@Suite struct InspectCommandTests {
    private let tool: Tool

    init() throws { tool = try Tool() }

    private func filled() throws -> String {
        let store = tool.store("lmdb")
        let file = try tool.file("rows.jsonl", "{\"a\":1}")
        try #require(try tool("import", store, "Country", file).status == 0)
        return store
    }

    @Test func itPrintsTheAddressAndEndsWithCtrlC() async throws {
        let running = try tool.start(["inspect", try filled(), "--hours", "1"])
        #expect(try await running.prints("Ctrl-C ends"))
        running.interrupt()
        let run = try running.end()
        #expect(run.status == 130 && !run.isKilled, "\(run.errors)")
        #expect(run.output.contains(/Open http:\/\/127\.0\.0\.1:[0-9]+\/#t=[0-9a-f]{32}\n/))
    }

    @Test func itSaysWhyItEnds() throws {
        let run = try tool("inspect", try filled(), "--hours", "0.0001")
        #expect(run.status == 0 && run.output.contains("there was no request"), "\(run.output)")
    }

    @Test func itEndsWithItsParent() async throws {
        // The shell ends, and the tool has lost its parent.
        let store = try filled()
        let log = tool.directory.url.appending(path: "log").path
        let run = try tool.inShell(
            "sh -c 'justpersist inspect \(store) > \(log) & echo $!; until grep -q Open \(log); do sleep 0.1; done'"
        )
        let id = try #require(Int32(run.output.trimmingCharacters(in: .whitespacesAndNewlines)))
        for _ in 0..<600 where kill(id, 0) == 0 { try await Task.sleep(for: .milliseconds(100)) }
        #expect(kill(id, 0) != 0)
        #expect(try String(contentsOfFile: log, encoding: .utf8).contains("Open http://"))
    }

    @Test func wrongCallsAreErrors() throws {
        let store = try filled()
        #expect(try tool("inspect").status == 64)
        #expect(try tool("inspect", store, "--hours", "0").status == 64)
        #expect(try tool("inspect", store, "--port", "99999").status == 64)
        let redact = try tool("inspect", store, "--redact", "phone")
        #expect(redact.status == 1 && redact.errors.contains("TYPE.ATTRIBUTE"))
        let mistake = try tool("inspect", store, "--redact", "Country.b")
        #expect(mistake.status == 1 && mistake.errors.contains("names of this type are a"))
        let missing = try tool("inspect", tool.store("lmdb", "missing"))
        #expect(missing.status == 1 && missing.errors.contains("import and migrate make"))
    }
}
