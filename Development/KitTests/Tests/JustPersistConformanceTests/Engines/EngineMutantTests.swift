import Foundation
import JustPersist
import Testing

@testable import JustPersistConformance

/// Each check of engines detects a fault that is planted in one.
struct EngineMutantTests {
    /// Examines an engine in this process: the store above it may not even open.
    static func results(
        of engine: SabotagedEngineType, only ids: [String]
    ) async -> [CheckResult] {
        func fixture<Engine: SabotagedEngine & EngineFault>(
            _: Engine.Type
        ) -> any ConformanceFixture.Type {
            EngineMutant<Engine>.self
        }
        var results: [CheckResult] = []
        for id in ids {
            guard let definition = Inventory.definition(id) else { continue }
            results.append(
                await CheckExecution(
                    fixture: fixture(engine), definition: definition, variant: .plain,
                    options: ConformanceOptions(seed: 1), launcher: nil
                ).result())
        }
        return results
    }

    @Test(arguments: EngineMutants.all.map(EngineName.init))
    func isCaught(_ engine: EngineName) async {
        let results = await Self.results(of: engine.type, only: engine.type.caughtBy)
        #expect(results.count == engine.type.caughtBy.count)
        for result in results {
            #expect(result.outcome == .fail, "\(engine) is not caught by \(result)")
        }
    }

    @Test func withoutAFaultEveryCheckPasses() async {
        let results = await Self.results(of: FaultlessEngine.self, only: Self.checks)
        for result in results {
            #expect(result.outcome == .pass, "\(result)")
        }
    }

    @Test func everyCheckOfEnginesCatchesAMutant() {
        let catching = Set(EngineMutants.all.flatMap { $0.caughtBy })
        #expect(Set(Self.checks).subtracting(catching) == [])
        #expect(catching.subtracting(Self.checks) == [])
    }

    @Test func aStoreWithoutAnEngineIsNotConcerned() async {
        let report = await Conformance.report(
            on: EnginelessFixture.self, options: ConformanceOptions(only: ["engine/*"], seed: 1),
            children: nil)
        #expect(report.count(.notApplicable) == Self.checks.count)
    }

    private static let checks = Inventory.definitions.filter { $0.group == "engine" }.map(\.id)
}

/// A store that is no `RecordStore`.
enum EnginelessFixture: ConformanceFixture {
    static func makeStore(in directory: URL) -> ReferenceDataStore { ReferenceDataStore() }
}

/// An engine as the argument of a test.
struct EngineName: Sendable, CustomTestStringConvertible {
    let type: SabotagedEngineType

    var testDescription: String { "\(type)" }
}
