import Foundation
import GraphTrial
import JustPersist
import Workload

/// Carries out the blocks of a graph trial, and kills its own process while one is committed.
enum GraphWork {
    static func run(_ arguments: Arguments) throws {
        let seed = try arguments.workload.seed
        let file = try AcknowledgementFile(try arguments.text("acks"))
        let attempt = try arguments.number("attempt", or: 0)
        let acknowledged = file.blocks(.acknowledged).max()
        var random = SeededGenerator(seed: seed, attempt)
        let isKilled = try arguments.flag("kill")
        let last = (acknowledged ?? -1) + random.int(in: 1..<80)
        let delay = random.int(in: 0..<400)
        var trial = try GraphTrial(seed: seed, kill: { kill(after: delay) }) {
            let store = try arguments.store
            try store.open()
            return store
        }
        do {
            try trial.run(acknowledged: acknowledged, killAt: isKilled ? last : nil) {
                file[$0] = $1 ? .acknowledged : .begun
            }
        } catch {
            Probe.fail(.wrongAnswer, "\(error)")
        }
        for (name, count) in trial.tallies { Probe.say("\(name)=\(count)") }
    }

    /// Kills the process on another thread, so many microseconds from now.
    private static func kill(after microseconds: Int) {
        let end = ContinuousClock.now + .microseconds(microseconds)
        Thread.detachNewThread {
            while ContinuousClock.now < end {}
            Foundation.kill(getpid(), SIGKILL)
        }
    }
}
