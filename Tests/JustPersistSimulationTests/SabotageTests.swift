import Foundation
import JustPersist
import JustPersistRecords
import JustPersistSimulation
import Testing

/// Each planted fault is found by one of the scenarios.
@Suite struct SabotageTests {
    private static let scenarios:
        [(name: String, run: @Sendable (Simulation, @escaping StoreMaker) throws -> Void)] = [
            ("groups", { try StoreSimulationTests.groups($0, $1) }),
            ("streams", { try StoreSimulationTests.streams($0, $1) }),
            ("closings", { try StoreSimulationTests.closings($0, $1) }),
            (
                "migration",
                {
                    try MigrationSimulationTests.scenario(
                        $0, log: ChangeLogLength(commits: 1000), $1)
                }
            ),
            ("merges", { try ChildSimulationTests.merges($0, $1) }),
            ("one state", { try ChildSimulationTests.oneState($0, $1) }),
        ]

    @Test(arguments: Sabotage.allCases.filter { !$0.isNone }) func isFound(_ sabotage: Sabotage)
        throws
    {
        let start = ContinuousClock.now
        guard let finding = Self.find(sabotage, 2000) else {
            Issue.record("\(sabotage) was not found")
            return
        }
        print("\(sabotage): \(finding), \(start.duration(to: .now))")
    }

    @Test(arguments: [Sabotage.noneInEngine, .noneInStore])
    func nothingIsFoundWithoutASabotage(_ sabotage: Sabotage) throws {
        #expect(Self.find(sabotage, 40) == nil)
    }

    /// The scenario and the seed that find a fault.
    private static func find(_ sabotage: Sabotage, _ seeds: UInt64) -> String? {
        let maker = sabotage.maker
        // A store that is wrapped makes no children.
        let scenarios = sabotage.isInEngine ? Self.scenarios : Array(Self.scenarios[..<4])
        for seed in 1...seeds {
            for scenario in scenarios {
                let run = SimulatedRun(seed: seed) { try scenario.run($0, maker) }
                guard let failure = run.failure else { continue }
                // A run that stands still shows no broken promise, unless there should be no fault at all.
                let isStill = (failure as? SimulationFailure)?.standstill != nil
                if isStill, !sabotage.isNone { continue }
                return "\(scenario.name), seed \(seed): \(failure)"
            }
        }
        return nil
    }
}
