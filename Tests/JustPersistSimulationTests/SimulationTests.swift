import Foundation
import JustPersist
import JustPersistSimulation
import Testing

/// The repeatability of simulations.
@Suite struct SimulationTests {
    /// One seed is one run, however often: a thousand times with JP_RUNS=1000.
    @Test func oneSeedIsOneRun() throws {
        let count = ProcessInfo.processInfo.environment["JP_RUNS"].flatMap { Int($0) } ?? 20
        let bodies: [@Sendable (Simulation) throws -> Void] = [
            { try StoreSimulationTests.streams($0) },
            { try ChildSimulationTests.merges($0) },
            { try MigrationSimulationTests.scenario($0, log: ChangeLogLength(commits: 1000)) },
        ]
        for body in bodies {
            let first = SimulatedRun(seed: 7, body)
            for _ in 0..<count {
                let run = SimulatedRun(seed: 7, body)
                #expect(run.course == first.course)
                #expect(run.decisions == first.decisions)
            }
            let replayed = SimulatedRun(seed: 7, decisions: first.decisions, body)
            #expect(replayed.course == first.course)
            #expect(SimulatedRun(seed: 8, body).course != first.course)
        }
    }
}
