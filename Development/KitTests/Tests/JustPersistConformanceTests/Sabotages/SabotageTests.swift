import Foundation
import JustPersistConformanceTesting
import JustPersistMemory
import Testing

@testable import JustPersistConformance

/// Each sabotage is detected by the check that names it.
@Suite struct SabotageTests {
    private func results(of sabotage: Sabotage, only checks: [String]) async -> [CheckResult] {
        let directory = SabotagedFixture.directory(of: sabotage)
        defer { try? FileManager.default.removeItem(at: directory) }
        let options = ConformanceOptions(
            profile: sabotage.profile, only: checks, seed: 1, timeout: sabotage.hangs ? 3 : 60,
            runsInProcess: !sabotage.hangs, scratchDirectory: directory,
            replayDirectory: directory.appending(path: "Replays"))
        if sabotage.hangs {
            return await Conformance.report(
                on: SabotagedFixture.self, options: options, children: .exitTests
            ).results
        }
        return await ProcessSlots.shared.withSlot {
            await Conformance.report(
                on: SabotagedFixture.self, options: options, children: nil
            ).results
        }
    }

    @Test(arguments: Sabotage.all) func isCaught(_ sabotage: Sabotage) async {
        let results = await self.results(of: sabotage, only: [sabotage.caughtBy])
        #expect(results.map(\.outcome) == [.fail], "\(sabotage.name): \(results)")
        #expect(results.flatMap(\.dumps) == [], "\(sabotage.name)")
        if sabotage.hangs { #expect(results.allSatisfy { $0.isBroken }, "\(sabotage.name)") }
    }

    @Test func withoutASabotageTheseChecksPass() async {
        for result in await results(
            of: .none, only: Array(Set(Sabotage.all.filter { !$0.hangs }.map(\.caughtBy))))
        {
            // A check for stores without a capability, which this one has.
            var isForOthers = false
            if case .counterCheck? = Inventory.definition(result.id)?.gate { isForOthers = true }
            #expect(result.outcome == (isForOthers ? .notApplicable : .pass), "\(result)")
        }
    }

    @Test func aStoreWhoseBlocksRunOnTheMainThreadPasses() async {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let results = await Conformance.report(
            on: MainThreadFixture.self,
            options: ConformanceOptions(
                only: ["thread/*"], seed: 1, timeout: 60, replayDirectory: directory),
            children: .exitTests
        ).results
        // A block on the main thread cannot wait for it.
        for result in results where result.id != "thread/accessor-on-other-thread" {
            #expect([.pass, .notApplicable].contains(result.outcome), "\(result)")
        }
    }

    /// In batches, as authors run them.
    @Test func theRecordLayerPasses() async {
        let options = ConformanceOptions(
            only: [
                "twin/*", "limit/*", "many/*", "prim/*", "idx/built", "chg/*", "page/*", "pred/*",
            ],
            seed: 1, timeout: 60,
            replayDirectory: FileManager.default.temporaryDirectory.appending(
                path: UUID().uuidString))
        let start = ContinuousClock.now
        let results = await Conformance.report(
            on: MemoryFixture.self, options: options, children: .exitTests
        ).results
        print("\(results.count) checks in batches: \(start.duration(to: .now))")
        for result in results {
            #expect([.pass, .notApplicable].contains(result.outcome), "\(result)")
        }
    }

    @Test func namesAreUnique() {
        #expect(Set(Sabotage.all.map(\.name)).count == Sabotage.all.count)
        #expect(Sabotage.all.count >= 80)
    }
}

/// The record layer over the engine in memory.
enum MemoryFixture: ConformanceFixture {
    static func makeStore(in directory: URL) -> InMemoryDataStore { InMemoryDataStore() }
}
