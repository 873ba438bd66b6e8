import Foundation
import JustPersist
import JustPersistRecords
import JustPersistSimulation
import Testing

/// Everything that takes a store, over stores one of whose calls fails, or is the last of its process: the first call, the
/// second one, and so on.
@Suite struct EachCallTests {
    /// An event at one call.
    enum Event: CaseIterable {
        case refusedRead, refusedCommit, fullDisk, deathBeforeCommit, deathAfterCommit
        case deathAnywhere, failedCallOfTheEngine

        /// The call of a disk that it befalls.
        fileprivate var call: String {
            switch self {
            case .refusedRead: "read"
            case .deathAnywhere, .failedCallOfTheEngine: ""
            default: "commit"
            }
        }

        /// How far the second call that fails is from the first one: other calls fail for others.
        fileprivate func offset(for user: StoreUser) -> Int {
            let places = (
                Self.allCases.firstIndex(of: self), StoreUser.allCases.firstIndex(of: user)
            )
            return ((places.0 ?? 0) + (places.1 ?? 0)) % 4 + 1
        }

        /// The event at a call of a disk, by number.
        fileprivate func decisions(_ disk: String, _ number: Int) -> [SimulationDecision] {
            let fault: SimulationFault
            switch self {
            case .refusedRead: fault = .refusedRead
            case .refusedCommit: fault = .refusedCommit
            case .fullDisk: fault = .fullDisk
            case .deathBeforeCommit: fault = .deathBeforeCommit
            case .deathAfterCommit: fault = .deathAfterCommit
            case .deathAnywhere: return [.crash(process: "user", at: number)]
            case .failedCallOfTheEngine: return []
            }
            return [.fault(fault, on: "\(disk).\(call)", call: number)]
        }
    }

    @Test(arguments: StoreUser.allCases, Event.allCases)
    func nothingIsLostOrHalfDone(_ user: StoreUser, _ event: Event) throws {
        let usual = SimulatedRun(seed: 1, decisions: []) { try Self.scenario($0, user, nil) }
        if let failure = usual.failure { throw failure }
        let disks = event.call.isEmpty ? ["any"] : ["source", "target"]
        for disk in disks {
            var runs = 0
            var number = 1
            while true {
                let decisions = event.decisions(disk, number)
                let isOfEngine = event == .failedCallOfTheEngine
                let counter = isOfEngine ? FailingCounter(failing: number) : nil
                let run = SimulatedRun(seed: 1, decisions: decisions) {
                    try Self.scenario($0, user, counter)
                }
                if let failure = run.failure {
                    Issue.record("\(isOfEngine ? "call \(number)" : "\(decisions)"): \(failure)")
                    return
                }
                if !(counter?.hasFailed ?? run.unused.isEmpty) { break }
                runs += 1
                number += Self.isThorough ? 1 : runs == 1 ? event.offset(for: user) : 4
            }
            print("\(user), \(event), \(disk): \(runs) runs")
            if event.call.isEmpty || user.calls(event.call, disk) { #expect(runs > 0) }
        }
    }

    /// Whether all calls fail and not a quarter of them, which takes most of a minute: JP_ALL_CALLS=1.
    private static let isThorough = ProcessInfo.processInfo.environment["JP_ALL_CALLS"] == "1"

    /// Uses stores in a process that may fail, and then once more where nothing fails.
    private static func scenario(
        _ simulation: Simulation, _ user: StoreUser, _ counter: FailingCounter?
    ) throws {
        let use = try StoreUse(user, simulation)
        try use.prepare()
        let isDone = Shared(false)
        try simulation.process("user") {
            do {
                try use.run { disk in
                    guard let counter else { return disk.store() }
                    let engine = FailingEngine(disk.engine(), counter)
                    return RecordStore(engine: engine, errorHandler: { _ in })
                }
                isDone.value = simulation.isAlive
            } catch  where counter != nil && FailingCounter.isToBlame(for: error) {
            }
        }
        try use.check(isDone: isDone.value)
        try use.run { $0.store() }
        try use.check(isDone: true)
    }
}
