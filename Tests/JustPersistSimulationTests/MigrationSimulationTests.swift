import Foundation
import JustPersist
import JustPersistMigration
import JustPersistSimulation
import Testing

/// A live migration, whose processes die and whose stores refuse calls: nothing is lost, nothing comes back from the dead.
@Suite struct MigrationSimulationTests {
    @Test(.simulated(seeds: 120)) func withAChangeLog() throws {
        try simulate { try Self.scenario($0, log: ChangeLogLength(commits: 1000)) }
    }

    @Test(.simulated(seeds: 60)) func withoutAChangeLog() throws {
        try simulate { try Self.scenario($0, log: nil) }
    }

    @Test(.simulated(seeds: 60)) func withAShortChangeLog() throws {
        try simulate { try Self.scenario($0, log: ChangeLogLength(commits: 4)) }
    }

    static func scenario(
        _ simulation: Simulation, log: ChangeLogLength?,
        _ make: @escaping StoreMaker = soundStore
    ) throws {
        let ledger = Ledger(simulation)
        let file = try simulation.directory().appending(path: "migration.json")
        @Sendable func makeStore() -> MigratingDataStore {
            MigratingDataStore(
                from: make(simulation.disk("old"), log), to: make(simulation.disk("new"), log),
                recordedIn: file, errorHandler: { _ in })
        }
        for round in 0..<3 {
            try simulation.process("app") {
                let store = makeStore()
                try simulation.passingRefusals {
                    try store.open()
                    defer { try? store.close() }
                    let writer = simulation.start("writer") {
                        try write(simulation, store, "w\(round)", ledger)
                    }
                    defer { writer.join() }
                    try move(simulation, store, "mover \(round)")
                }
            }
            try examine(simulation, makeStore(), ledger, "after round \(round)")
        }
    }

    private static func write(
        _ simulation: Simulation, _ store: MigratingDataStore, _ name: String, _ ledger: Ledger
    ) throws {
        try simulation.steps(name, upTo: 12) { number, random in
            let name = "\(name).\(random.below(4))"
            let value = random.below(3) == 0 ? nil : number
            simulation.note("\(name) = \(value.map { "\($0)" } ?? "nothing")")
            if random.below(4) > 0 {
                try ledger.write(name, value) { try store.write { try $0.set(name, value) } }
            } else {
                let before = ledger.begin(name, value)
                let hasEnded = Shared(false)
                store.enqueueWrite({ try $0.set(name, value) }) { error in
                    ledger.end(name, value, before, error: error)
                    hasEnded.value = true
                }
                try simulation.wait { hasEnded.value }
            }
            if random.below(3) == 0 { simulation.sleep(for: .milliseconds(random.below(1500))) }
        }
    }

    /// Takes the migration on, and back.
    private static func move(
        _ simulation: Simulation, _ store: MigratingDataStore, _ name: String
    ) throws {
        try simulation.steps(name, upTo: 5) { _, random in
            simulation.sleep(for: .milliseconds(random.below(1200)))
            do {
                try store.waitUntilInStep()
                switch random.below(4) {
                case 0: try store.cutOver()
                case 1: try store.goBack()
                default: _ = store.status
                }
            } catch let error as DataStoreError where error.code == .invalidRequest {
                simulation.note("not now: \(error.description.prefix(60))")
            } catch {
                try simulation.passingRefusals { throw error }
            }
        }
    }

    /// Both stores hold what was acknowledged, once they are in step.
    private static func examine(
        _ simulation: Simulation, _ store: MigratingDataStore, _ ledger: Ledger, _ place: String
    ) throws {
        try store.open()
        try store.waitUntilInStep()
        let status = store.status
        try simulation.require(status.isInStep, "\(place): not in step")
        var found = try store.read { try $0.entries() }
        try ledger.check(found, "\(place), in charge")
        try store.close()
        for (name, store) in [("old", store.old), ("new", store.new)] {
            try store.open()
            found = try store.read { try $0.entries() }
            try ledger.check(found, "\(place), \(status.phase), \(name)")
            let problems = try store.verify().problems
            try simulation.require(problems.isEmpty, "\(place), \(name): \(problems)")
            try store.close()
        }
    }
}
