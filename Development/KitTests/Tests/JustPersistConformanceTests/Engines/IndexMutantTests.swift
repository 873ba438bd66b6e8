import JustPersist
import Testing

@testable import JustPersistConformance

/// Each check of indexes detects a fault of an index, or of uniqueness.
///
/// Faults of indexes are planted in the engine below a store that uses them; those of uniqueness, and of stores that
/// use the result of an index wrongly, are among the mutants of the reference store.
struct IndexMutantTests {
    /// The checks of indexes and uniqueness.
    static let checks = Inventory.definitions.filter { $0.group == "idx" }.map(\.id)

    @Test(arguments: IndexFaults.all.map(EngineName.init))
    func isCaught(_ engine: EngineName) async {
        let results = await EngineMutantTests.results(of: engine.type, only: engine.type.caughtBy)
        #expect(results.count == engine.type.caughtBy.count)
        for result in results {
            #expect(result.outcome == .fail, "\(engine) is not caught by \(result)")
        }
    }

    @Test func withoutAFaultEveryCheckPasses() async {
        let results = await EngineMutantTests.results(of: FaultlessEngine.self, only: Self.checks)
        #expect(results.count == Self.checks.count)
        for result in results {
            #expect(result.outcome == .pass, "\(result)")
        }
    }

    @Test func everyCheckOfIndexesCatchesAMutant() {
        let catching = Set(
            IndexFaults.all.flatMap { $0.caughtBy } + MutantTests.mutants.flatMap { $0.caughtBy }
                + Sabotage.all.map(\.caughtBy))
        #expect(Set(Self.checks).subtracting(catching) == [])
        #expect(Set(IndexFaults.all.flatMap { $0.caughtBy }).subtracting(Self.checks) == [])
    }

    @Test func uniquenessThatIsNotDeclaredIsNotAskedFor() async {
        let report = await Conformance.report(
            on: Mutant<EnforcesNothingAndSaysSo>.self,
            options: ConformanceOptions(only: ["idx/*"], seed: 1), children: nil)
        let unique = Self.checks.filter { $0.hasPrefix("idx/unique") }
        #expect(report.count(.notApplicable) == unique.count)
        #expect(report.count(.pass) == Self.checks.count - unique.count, "\(report)")
    }
}
