import Foundation
import JustPersist
import Workload

/// One thread or task of an activity, with random numbers of its own.
final class Worker {
    let number: Int
    let stage: Stage
    let pulse: Pulse
    var random: SeededGenerator
    private var notes: [String: Int] = [:]

    init(_ number: Int, of activity: String, on stage: Stage, _ pulse: Pulse) {
        self.number = number
        self.stage = stage
        self.pulse = pulse
        random = SeededGenerator(
            seed: stage.seed, stage.round, number, activity.utf8.reduce(0) { $0 &* 31 &+ Int($1) })
    }

    var store: any DataStore { stage.store }

    /// Whether to work on; tells that the worker is alive.
    func goesOn() -> Bool {
        pulse.beat()
        return !stage.isStopping
    }

    /// Sleeps for no longer than that, and often not at all.
    ///
    /// Readers sleep longer than writers: they would leave them no processor.
    func pause(milliseconds: Int) {
        let time = random.int(in: 0..<2 * milliseconds * 1000) - milliseconds * 1000
        if time > 0 { usleep(UInt32(time)) }
    }

    /// The same for tasks.
    func rest(milliseconds: Int) async {
        let time = random.int(in: 0..<2 * milliseconds * 1000) - milliseconds * 1000
        if time > 0 { try? await Task.sleep(for: .microseconds(time)) }
    }

    /// Counts something for the table.
    func note(_ event: String) { notes[event, default: 0] += 1 }

    /// Hands in what was counted.
    func end() {
        pulse.end()
        stage.tally.add(pulse.name, pulse.count, notes)
    }
}
