import Foundation
import JustPersist
import JustPersistConformance
import JustPersistMigration
import Testing

/// Random changes of a graph, compared with a model of a few dictionaries after each block.
@Suite struct GraphModelTests {
    @Test(arguments: Backend.allCases)
    func randomGraphsAgreeWithAModel(_ backend: Backend) throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var graph = Graph()
        try backend.withStore { store in
            for round in 0..<40 {
                var changed = graph
                let failure = Bool.random(using: &random) && round % 3 == 0
                let child = round % 4 == 1 ? try store.makeChild() : nil
                try child?.open()
                defer { try? child?.close() }
                struct RolledBack: Error {}
                do {
                    try (child ?? store).write { db in
                        for _ in 0..<12 { try changed.step(db, &random) }
                        try changed.expectSame(db, "in the block, round \(round), seed \(seed)")
                        if failure { throw RolledBack() }
                    }
                    graph = changed
                } catch is RolledBack {}
                if let child {
                    let report = try store.merge(child, policy: .childWins)
                    #expect(report.conflicts.isEmpty, "seed \(seed)")
                }
                try store.read { db in
                    try graph.expectSame(db, "after the block, round \(round), seed \(seed)")
                }
            }
            if let store = store as? any MaintainableDataStore {
                #expect(try store.verify().problems.isEmpty, "seed \(seed)")
            }
        }
    }

    @Test(
        arguments: [Backend.lmdb, .memory, .reference], [Backend.levelDB, .reference])
    func migrationKeepsTheGraph(_ source: Backend, _ target: Backend) async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await source.withStore { store in
            let graph = try await store.write { db in
                var (random, graph) = (SeededGenerator(seed: seed), Graph())
                for _ in 0..<200 { try graph.step(db, &random) }
                return graph
            }
            try await target.withStore { copy in
                _ = try Migration(from: store, to: copy).run()
                try await copy.read { db in try graph.expectSame(db, "seed \(seed)") }
                try await copy.write { db in
                    for author in try db.items(Library.Author.self) { try db.delete(author) }
                    try #expect(
                        db.count(Library.Book.self) == graph.books.filter { $0.value == nil }.count)
                }
            }
        }
    }
}
