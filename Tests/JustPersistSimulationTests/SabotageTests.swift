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

    @Test(arguments: Sabotage.allCases) func isFound(_ sabotage: Sabotage) throws {
        let start = ContinuousClock.now
        let maker = sabotage.maker
        // A store that is wrapped makes no children.
        let scenarios = sabotage.isInEngine ? Self.scenarios : Array(Self.scenarios[..<4])
        for seed in 1...400 as ClosedRange<UInt64> {
            for scenario in scenarios {
                let run = SimulatedRun(seed: seed) { try scenario.run($0, maker) }
                guard let failure = run.failure else { continue }
                let time = start.duration(to: .now)
                print("\(sabotage): \(scenario.name), seed \(seed), \(time): \(failure)")
                return
            }
        }
        Issue.record("\(sabotage) was not found")
    }
}
