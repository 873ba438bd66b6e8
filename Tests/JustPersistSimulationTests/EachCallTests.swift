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

        /// The event at a call by number, once for each disk.
        fileprivate func decisions(_ number: Int) -> [[SimulationDecision]] {
            let fault: SimulationFault
            switch self {
            case .refusedRead: fault = .refusedRead
            case .refusedCommit: fault = .refusedCommit
            case .fullDisk: fault = .fullDisk
            case .deathBeforeCommit: fault = .deathBeforeCommit
            case .deathAfterCommit: fault = .deathAfterCommit
            case .deathAnywhere: return [[.crash(process: "user", at: number)]]
            case .failedCallOfTheEngine: return [[]]
            }
            let call = fault == .refusedRead ? "read" : "commit"
            return ["source", "target"].map { [.fault(fault, on: "\($0).\(call)", call: number)] }
        }
    }

    @Test(arguments: StoreUser.allCases, Event.allCases)
    func nothingIsLostOrHalfDone(_ user: StoreUser, _ event: Event) throws {
        let usual = SimulatedRun(seed: 1, decisions: []) { try Self.scenario($0, user, nil) }
        if let failure = usual.failure { throw failure }
        var runs = 0
        for disk in event.decisions(1).indices {
            // All of them take most of a minute: JP_ALL_CALLS=1.
            let isThorough = ProcessInfo.processInfo.environment["JP_ALL_CALLS"] == "1"
            let first = isThorough ? 1 : Int.random(in: 1...4)
            for number in stride(from: first, to: .max, by: isThorough ? 1 : 4) {
                let decisions = event.decisions(number)[disk]
                let isOfEngine = event == .failedCallOfTheEngine
                let counter = isOfEngine ? FailingCounter(failing: number) : nil
                let run = SimulatedRun(seed: 1, decisions: decisions) {
                    try Self.scenario($0, user, counter)
                }
                if let failure = run.failure {
                    Issue.record("\(isOfEngine ? "call \(number)" : "\(decisions)"): \(failure)")
                    return
                }
                // A call that is not made changes nothing.
                if isOfEngine ? counter?.hasFailed == false : run.course == usual.course { break }
                runs += 1
            }
        }
        print("\(user), \(event): \(runs) runs")
        if event == .deathAnywhere || event == .failedCallOfTheEngine { #expect(runs > 0) }
    }

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
