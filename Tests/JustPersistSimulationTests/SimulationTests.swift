import Foundation
import JustPersist
import JustPersistMigration
import JustPersistRecords
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

    /// The expressions that are kept for the whole process belonged to the first simulation that matched one.
    @Test func theSecondSimulationMatchesRegularExpressionsToo() async throws {
        await #expect(processExitsWith: .success) {
            for seed in 1...2 as ClosedRange<UInt64> {
                let run = SimulatedRun(seed: seed, decisions: []) { simulation in
                    let store = simulation.disk().store()
                    try store.open()
                    try store.write { try $0.set("abc", 1) }
                    let request = DataStoreRequest(itemType: Entry.self)
                    request.predicate = try DataStorePredicate("name MATCHES 'a.*'")
                    let count = try store.read { try $0.performCount(request) }
                    try simulation.require(count == 1, "\(count) entries match")
                    try store.close()
                }
                if let failure = run.failure { fatalError("\(failure)") }
            }
        }
    }

    /// It is also one run in each process of the system, though Swift's dictionaries have another order in each.
    @Test func aSeedIsOneRunInEachProcess() async throws {
        var accounts: Set<String> = []
        for _ in 0..<3 {
            let result = await #expect(
                processExitsWith: .success, observing: [\.standardErrorContent]
            ) {
                for call in 1...12 { FileHandle.standardError.write(Data(Self.account(call).utf8)) }
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            let lines = text.split(separator: "\n").filter { $0.hasPrefix("JustPersist: ") }
            #expect(lines.count == 12)
            accounts.insert(lines.joined(separator: "\n"))
        }
        #expect(accounts.count == 1, "\(accounts)")
        // One type after the other, by their names.
        #expect(accounts.first?.contains("[1, 1, 0, 0]") == true)
    }

    /// The items that have reached the new store of a migration when its process died before a commit.
    private static func account(_ call: Int) -> String {
        let types = ["Account", "Book", "City", "Dog"]
        let counts = Shared<[Int]>([])
        let death = SimulationDecision.fault(.deathBeforeCommit, on: "new.commit", call: call)
        let run = SimulatedRun(seed: 3, decisions: [death]) { simulation in
            let file = try simulation.directory().appending(path: "migration.json")
            try simulation.process {
                let store = MigratingDataStore(
                    from: simulation.disk("old").store(), to: simulation.disk("new").store(),
                    recordedIn: file, errorHandler: { _ in })
                try store.open()
                defer { try? store.close() }
                try store.write { db in
                    for type in types { try db.declare(ItemSchema(type, attributes: [])) }
                }
                try store.waitUntilInStep()
                for _ in 0..<3 {
                    try store.write { db in
                        for type in types { _ = try db.create(type) }
                    }
                }
            }
            let new = simulation.disk("new").store()
            try new.open()
            counts.value = try new.read { db in
                let known = Set(try db.schemas().map(\.itemTypeKey))
                return try types.map { type in
                    guard known.contains(type) else { return -1 }
                    return try db.performCount(DataStoreRequest(itemTypeKey: type))
                }
            }
            try new.close()
        }
        let failure = run.failure.map { "\($0)" } ?? "no failure"
        return "JustPersist: \(call), \(run.course), \(counts.value), \(failure)\n"
    }
}
