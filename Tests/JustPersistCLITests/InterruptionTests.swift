import Foundation
import JustPersistConformance
import Testing

/// Imports that end before their file does.
@Suite struct InterruptionTests {
    private let tool: Tool

    init() throws { tool = try Tool() }

    private static func lines(_ numbers: Range<Int>) -> String {
        numbers.map { "{\"n\":\($0),\"text\":\"the row with the number \($0)\"}\n" }.joined()
    }

    /// Checks that the store is sound and holds the rows up to some number; returns that number.
    private func expectFirstRows(in store: String) throws -> Int {
        let verification = try tool("verify", store)
        #expect(verification.status == 0, "\(verification.errors)")
        let count = try tool("query", store, "T", "--format", "count")
        // Nothing may have been committed at all, not even the type.
        guard count.status == 0, let rows = Int(count.output.dropLast()) else { return 0 }
        let first = try tool("query", store, "T", "--format", "count", "--where", "n < \(rows)")
        #expect(first.output == count.output)
        return rows
    }

    @Test(arguments: ["lmdb", "leveldb"])
    func aKilledImportLeavesWholeBatches(scheme: String) throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<4 {
            let store = tool.store(scheme, "store\(round)")
            // A second import into the same store, killed like the first.
            for _ in 0..<2 {
                let rows = Int.random(in: 0..<9000, using: &generator)
                let running = try tool.start(["import", store, "T", "-", "--format", "jsonl"])
                #expect(running.feed(Self.lines(0..<rows)))
                running.kill()
                #expect(try running.end().isKilled)
            }
            let verification = try tool("verify", store)
            let isThere = !verification.errors.contains("There is no")
            guard isThere else { continue }
            #expect(verification.status == 0, "seed \(seed): \(verification.errors)")
            let count = try tool("query", store, "T", "--format", "count").output.dropLast()
            #expect((Int(count) ?? 0) % 2000 == 0, "seed \(seed)")
        }
    }

    @Test(arguments: ["lmdb", "leveldb"])
    func anInterruptedImportSaysHowToGoOn(scheme: String) throws {
        let store = tool.store(scheme)
        let running = try tool.start(["import", store, "T", "-", "--format", "jsonl"])
        // More than a pipe holds: once it is written, the tool reads.
        #expect(running.feed(Self.lines(0..<5000)))
        running.interrupt()
        var fed = 5000
        while fed < 1_000_000, running.feed(Self.lines(fed..<fed + 5000)) { fed += 5000 }
        let run = try running.end()
        #expect(run.status == 130 && !run.isKilled)
        let rows = try expectFirstRows(in: store)
        #expect(rows > 0 && rows % 2000 == 0)
        #expect(
            run.errors == """
                justpersist: Interrupted: \(rows) items are in “T”. To go on, import again with \
                --skip \(rows).

                """)
        let file = try tool.file("rows.jsonl", Self.lines(0..<rows + 100))
        #expect(try tool("import", store, "T", file, "--skip", "\(rows)").status == 0)
        #expect(try expectFirstRows(in: store) == rows + 100)
    }
}
