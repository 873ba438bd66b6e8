import Foundation
import JustPersist
import JustPersistConformanceTesting
import Testing

@testable import JustPersistConformance

/// The kit detects every planted fault of a store, by the checks that the mutant names.
@Suite struct MutantTests {
    static let mutants: [SabotagedType] = [
        ValueMutants.all, CollectionMutants.all, ItemMutants.all, ComparisonMutants.all,
        QueryMutants.all, LanguageMutants.all, OrderMutants.all, TransactionMutants.all,
        RollbackMutants.all,
        IsolationMutants.all, CrowdMutants.all, LifeMutants.all, ThreadingMutants.all,
        ErrorMutants.all, RefusalMutants.all, ChildMutants.all, DurabilityMutants.all,
        MigrationMutants.all, DeclarationMutants.all, RenameMutants.all,
        QuestionMutants.all, ChangeMutants.all, QueueMutants.all, GroupMutants.all,
        DestroyMutants.all, IndexMutants.all, UniquenessMutants.all, AggregateMutants.all,
        StreamMutants.all,
    ].flatMap { $0 }

    private static func results(
        of mutant: MutantName, only: [String], inProcess: Bool = false
    ) async -> [CheckResult] {
        // Failing histories of mutants are not worth keeping.
        let replays = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: replays) }
        var options = ConformanceOptions(
            profile: mutant.store.profile, only: only, seed: 1, timeout: mutant.store.timeout,
            replayDirectory: replays)
        options.runsInProcess = inProcess
        return await Conformance.report(
            on: mutant.fixture, options: options, children: .exitTests
        ).results
    }

    /// Checks that measure their process, and so must not share it.
    private static let measuringChecks: Set = ["life/no-descriptor-leak"]

    /// The results in this process where possible: a process of its own for each check takes longer than the
    /// check.
    private static func quickResults(
        of mutant: MutantName, only checks: [String]
    ) async -> [CheckResult] {
        guard !mutant.store.endsItsProcess, !mutant.store.hangs else {
            return await results(of: mutant, only: checks)
        }
        let measuring = checks.filter(measuringChecks.contains)
        var all: [CheckResult] = []
        if !measuring.isEmpty { all = await results(of: mutant, only: measuring) }
        let others = checks.filter { !measuringChecks.contains($0) }
        if !others.isEmpty {
            all += await ProcessSlots.shared.withSlot {
                await results(of: mutant, only: others, inProcess: true)
            }
        }
        return all
    }

    /// The checks of some groups, without ratios of times, which need an idle machine.
    private static func checks(inGroup isWanted: (String) -> Bool) -> [String] {
        Inventory.definitions.filter { $0.group != "perf" && isWanted(String($0.group)) }.map(\.id)
    }

    /// A fault that depends on the timing of blocks is tried three times.
    @Test(arguments: mutants.map { MutantName(store: $0) })
    func isCaught(_ mutant: MutantName) async {
        var missedBy = mutant.store.caughtBy
        for attempt in 1...3 where !missedBy.isEmpty {
            let results =
                attempt == 1
                ? await Self.quickResults(of: mutant, only: missedBy)
                : await Self.results(of: mutant, only: missedBy)
            #expect(results.count == missedBy.count)
            missedBy = results.filter { $0.outcome != .fail }.map(\.id)
            for result in results {
                #expect(result.dumps == [], "\(mutant)")
                if attempt == 3 {
                    #expect(result.outcome == .fail, "\(mutant) is not caught by \(result)")
                }
                if !mutant.store.endsItsProcess {
                    #expect(!result.failures.contains { $0.place == "its process" }, "\(result)")
                }
            }
        }
    }

    @Test func withoutAFaultEveryCheckPasses() async {
        let results = await Self.quickResults(
            of: MutantName(store: Faultless.self), only: Self.checks { _ in true })
        expectPasses(results)
    }

    /// The groups whose outcome can depend on files.
    private static let groupsOnDisk = [
        "fixture", "life", "crud", "val", "tx", "thread", "child", "dur", "err", "mig", "model",
    ]

    @Test func onDiskWithoutAFaultEveryCheckPasses() async {
        let primitives = Self.checks { $0 == "prim" }.filter { $0.hasSuffix("-reopened") }
        let results = await Self.quickResults(
            of: MutantName(store: FaultlessOnDisk.self),
            only: Self.checks(inGroup: Self.groupsOnDisk.contains) + primitives)
        expectPasses(results)
    }

    @Test func aStoreThatPromisesLittleAndKeepsItPasses() async {
        let results = await Self.quickResults(
            of: MutantName(store: ModestStore.self), only: Self.checks { _ in true })
        expectPasses(results)
    }

    private func expectPasses(_ results: [CheckResult]) {
        #expect(!results.isEmpty)
        for result in results {
            // These tests cut no power, and the fixture provides no help.
            let expected: [CheckOutcome] =
                ["dur/power-cut", "dur/synced", "life/backup", "life/damage"].contains(result.id)
                ? [.notApplicable, .unverified] : [.pass, .notApplicable]
            #expect(expected.contains(result.outcome), "\(result)")
        }
    }

    @Test func theFiftyMutantsAreAllThere() {
        #expect(Set(Self.mutants.compactMap { $0.number }) == Set(1...50))
    }

    @Test func everyMandatoryCheckCatchesAMutant() {
        let catching = Set(
            Self.mutants.flatMap { $0.caughtBy } + IndexFaults.all.flatMap { $0.caughtBy }
                + Sabotage.all.map(\.caughtBy))
        #expect(catching.subtracting(Inventory.definitions.map(\.id)) == [])
        let idle = Inventory.definitions.filter { definition in
            switch definition.gate {
            case .mandatory: !catching.contains(definition.id)
            default: definition.group == "prim" && !catching.contains(definition.id)
            }
        }
        #expect(idle.map(\.id) == [])
    }
}

/// A mutant as the argument of a test.
struct MutantName: Sendable, CustomTestStringConvertible {
    let store: SabotagedType

    var testDescription: String { "\(store)" }

    /// The fixture of the store.
    var fixture: any ConformanceFixture.Type {
        func mutant<Store: SabotagedStore & Fault>(
            _: Store.Type
        ) -> any ConformanceFixture.Type {
            Mutant<Store>.self
        }
        return mutant(store)
    }
}
