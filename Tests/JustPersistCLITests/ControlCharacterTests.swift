import Foundation
import Testing

/// Texts of others cannot steer the terminal that they are shown on.
@Suite struct ControlCharacterTests {
    private let tool: Tool

    init() throws { tool = try Tool() }

    /// One of each sort: C0, DEL, C1, a line separator, and what turns the direction of reading.
    private static let hostile =
        "x\u{1b}[31m\r\u{7}\u{7f}\u{9b}2J\u{2028}\u{202e}\u{2066}\u{200f}\u{61c}y"
    private static let shown =
        #"x\u{1b}[31m\r\u{7}\u{7f}\u{9b}2J\u{2028}\u{202e}\u{2066}\u{200f}\u{61c}y"#

    private static let controls = Set(
        hostile.unicodeScalars.filter { !(0x20..<0x7f).contains($0.value) })

    private func isTame(_ text: String) -> Bool {
        !text.unicodeScalars.contains { Self.controls.contains($0) }
    }

    private func makeStore(scheme: String = "lmdb") throws -> String {
        let store = tool.store(scheme)
        let row = try JSONSerialization.data(withJSONObject: [Self.hostile: Self.hostile])
        let file = try tool.file("rows.jsonl", String(decoding: row, as: UTF8.self))
        let run = try tool("import", store, Self.hostile, file)
        #expect(run.status == 0 && run.output == "1 item imported into “\(Self.shown)”.\n")
        return store
    }

    @Test func messagesShowThem() throws {
        let store = try makeStore()
        let hostile = Self.hostile
        for arguments in [
            ["query", store, hostile + "z"],
            ["query", store, hostile, "--where", "\(hostile) == 1"],
            ["query", store, hostile, "--where", "a == 1 \(hostile)"],
            ["query", store, hostile, "--where", "a > 'b\(hostile)' AND > 2"],
            ["query", store, hostile, "--sort", hostile + "z"],
            ["query", store, hostile, "--columns", hostile + "z"],
            ["query", store, hostile, "--limit", hostile], [hostile], ["info", "lmdb:\(hostile)"],
            ["info", hostile], ["verify", "leveldb:\(hostile)"],
            ["migrate", "lmdb:\(hostile)", "memory:"],
            ["import", "memory:", "T", hostile], ["conformance", hostile],
            ["conformance", "\(hostile):"], ["conformance", "memory:", "--only", hostile],
            ["import", "memory:", "T", try tool.file("a\u{1b}[2Jb", "{\"\u{9b}\u{202e}.\":1}")],
        ] {
            let run = try tool.start(arguments).end()
            #expect(run.status != 0 && run.output.isEmpty && !run.isKilled, "\(arguments)")
            #expect(isTame(run.errors), "\(run.errors.debugDescription)")
        }
    }

    @Test func thePlaceInAPredicateIsShownBelowIt() throws {
        let run = try tool("query", try makeStore(), Self.hostile, "--where", "'\u{1b}[31m' > > 3")
        let lines = run.errors.split(separator: "\n")
        #expect(lines.dropFirst() == ["'\\u{1b}[31m' > > 3", "               ^"], "\(lines)")
    }

    @Test(arguments: ["lmdb", "leveldb"])
    func tablesShowThemAndDataKeepsThem(scheme: String) throws {
        let store = try makeStore(scheme: scheme)
        for arguments in [["info", store], ["verify", store], ["query", store, Self.hostile]] {
            let run = try tool.start(arguments).end()
            #expect(run.status == 0 && run.output.contains(Self.shown), "\(run.output)")
            #expect(isTame(run.output), "\(run.output.debugDescription)")
        }
        let migration = try tool("migrate", store, "memory:")
        #expect(isTame(migration.output) && migration.output.contains(Self.shown))

        let csv = try tool("query", store, Self.hostile, "--format", "csv").output
        #expect(csv == "\"\(Self.hostile)\"\n\"\(Self.hostile)\"\n")
        for format in ["json", "jsonl"] {
            let text = try tool("query", store, Self.hostile, "--format", format).output
            let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
            let rows = value as? [[String: String]] ?? [value as? [String: String] ?? [:]]
            #expect(rows == [[Self.hostile: Self.hostile]])
        }
    }
}
