import Foundation
import JustPersist
import Testing

@testable import JustPersistConformance

/// A store that keeps what a block that threw had written.
enum KeptRollbackFixture: ConformanceFixture {
    static func makeStore(in directory: URL) -> ReferenceDataStore {
        var rules = ReferenceRules()
        rules.rolledBack = { _, after in after }
        return ReferenceDataStore(rules: rules)
    }
}

/// A failing history is kept and can be replayed.
struct ReplayTests {
    private func report(
        on fixture: any ConformanceFixture.Type, _ check: String, _ directory: URL
    ) async -> CheckResult? {
        let report = await Conformance.report(
            on: fixture,
            options: ConformanceOptions(
                only: [check], seed: 1, runsInProcess: true, replayDirectory: directory),
            children: nil)
        return report.results.first { $0.id == check }
    }

    @Test func failureIsShrunkKeptAndRunAgain() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "justpersist-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }

        let found = try #require(
            await report(on: KeptRollbackFixture.self, "model/transactions", directory))
        #expect(found.outcome == .fail)
        let message = try #require(found.failures.first?.message)
        #expect(message.contains("throw CancellationError()  // rolls back"))
        let file = try #require(try ReplayFile.files(in: directory).first)
        #expect(message.contains(file.lastPathComponent))
        let replay = try ReplayFile(contentsOf: file)
        #expect(replay.check == "model/transactions")
        #expect(replay.history.stepCount == 1)

        let again = try #require(
            await report(on: KeptRollbackFixture.self, "model/replay-corpus", directory))
        #expect(again.failures.contains { $0.message.contains(file.lastPathComponent) })
        let mended = try #require(
            await report(on: SoundFixture.self, "model/replay-corpus", directory))
        #expect(mended.outcome == .pass)
        #expect(mended.expectations > ReplayCorpus.histories.count - 2)
    }

    @Test func replayThatCannotBeReadIsNamed() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "justpersist-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try Data("{}".utf8).write(to: directory.appending(path: "model-crud-1.json"))
        let result = try #require(
            await report(on: SoundFixture.self, "model/replay-corpus", directory))
        #expect(result.failures.count == 1)
        #expect(result.failures.first?.message.contains("model-crud-1.json") == true)
    }
}
