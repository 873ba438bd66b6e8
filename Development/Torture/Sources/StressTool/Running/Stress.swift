import Foundation
import JustPersist

/// Everything at once on one store, which is closed and opened again at intervals.
struct Stress {
    let subject: Subject
    let seconds: Int
    let seed: UInt64
    let directory: URL

    /// About so many seconds lie between an opening and a closing.
    private static let roundLength = 20.0

    func run() {
        let store = subject.store(in: directory)
        let watchdog = Watchdog("\(subject), seed \(seed)")
        let ledger = Ledger()
        let tally = Tally()
        let start = Date()
        let length = min(Self.roundLength, Double(seconds) / 2)
        var round = 0
        while -start.timeIntervalSinceNow < Double(seconds) || round < 2 {
            let stage = Stage(
                store, subject.rawValue, seed: seed, round: round, ledger: ledger, tally: tally,
                watchdog: watchdog)
            let pulse = Pulse("open, end and close")
            watchdog.watch(pulse)
            do {
                try self.round(stage, pulse, seconds: length)
            } catch {
                Outcome.fail("\(subject), seed \(seed), round \(round): \(error)")
            }
            pulse.end()
            round += 1
        }
        Outcome.say(
            "\(subject): \(Int(-start.timeIntervalSinceNow)) s in \(round) rounds\n\(tally.text)")
    }

    private func round(_ stage: Stage, _ pulse: Pulse, seconds: Double) throws {
        let start = Date()
        try stage.store.open()
        try stage.ledger.fill(stage.store)
        pulse.beat()
        for activity in Activity.all { stage.start(activity) }
        while -start.timeIntervalSinceNow < seconds {
            usleep(100_000)
            pulse.beat()
        }
        stage.stop()
        pulse.beat()
        // Behind what is queued still.
        try stage.makeLastChange()
        stage.waitForObservers()
        stage.cancel()
        pulse.beat()
        try stage.ledger.check(stage.store)
        pulse.beat()
        try stage.store.close()
        do {
            try stage.store.read { db in _ = try db.count(Account.self) }
            throw Violation("a store that is closed has run a block")
        } catch let error as DataStoreError where error.code == .notSetUp {}
        Outcome.say(
            "\(stage.name), round \(stage.round): \(Int(-start.timeIntervalSinceNow)) s")
    }
}
