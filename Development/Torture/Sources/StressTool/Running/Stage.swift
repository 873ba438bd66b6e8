import Foundation
import JustPersist
import Synchronization

/// An open store and the workers that use it at once, from its opening to its closing.
final class Stage: Sendable {
    let store: any DataStore
    let name: String
    let seed: UInt64
    let round: Int
    let ledger: Ledger
    let tally: Tally
    /// The item that is created when all others have stopped.
    let marker = ItemID()
    private let watchdog: Watchdog
    private let stopping = Atomic(false)
    private let running = Guarded<[String: Int]>([:])
    private let cancellable = Guarded<[Task<Void, Never>]>([])

    init(
        _ store: any DataStore, _ name: String, seed: UInt64, round: Int, ledger: Ledger,
        tally: Tally, watchdog: Watchdog
    ) {
        self.store = store
        self.name = name
        self.seed = seed
        self.round = round
        self.ledger = ledger
        self.tally = tally
        self.watchdog = watchdog
    }

    var isStopping: Bool { stopping.load(ordering: .relaxed) }

    func start(_ activity: Activity) {
        for number in 0..<activity.workers {
            let pulse = Pulse(activity.name)
            watchdog.watch(pulse)
            running.with { $0["\(activity.end)", default: 0] += 1 }
            switch activity.body {
            case .thread(let body):
                let thread = Thread { [self] in
                    let worker = Worker(number, of: activity.name, on: self, pulse)
                    do { try body(worker) } catch { fail(activity.name, error) }
                    end(worker, activity)
                }
                thread.name = activity.name
                thread.stackSize = 4 << 20
                thread.start()
            case .task(let body):
                let task = Task.detached { [self] in
                    let worker = Worker(number, of: activity.name, on: self, pulse)
                    do { try await body(worker) } catch { fail(activity.name, error) }
                    end(worker, activity)
                }
                if activity.end == .whenCancelled { cancellable.with { $0.append(task) } }
            }
        }
    }

    private func end(_ worker: Worker, _ activity: Activity) {
        worker.end()
        running.with { $0["\(activity.end)", default: 0] -= 1 }
    }

    /// Ends the program because of what an activity has met.
    func fail(_ activity: String, _ error: any Error) -> Never {
        Outcome.fail("\(name), seed \(seed), round \(round): \(activity): \(error)")
    }

    /// Stops all that stop when they are told to, and waits for them.
    func stop() {
        stopping.store(true, ordering: .relaxed)
        wait(for: .whenStopped)
    }

    /// Makes the change behind which nothing comes.
    ///
    /// It is queued, as some have queued blocks that they did not wait for.
    func makeLastChange() throws {
        let outcome = Guarded<Result<Void, any Error>?>(nil)
        store.writeAsync { [marker] db in
            try db.declare(ItemSchema("Marker", attributes: []))
            let isNew = try db.performInsert(DynamicItem("Marker", id: marker))
            try require(isNew, "the marker of a round is there already")
        } completion: { (result: Result<Void, any Error>) in
            outcome.with { $0 = result }
        }
        outcome.wait { $0 != nil }
        try outcome.with { $0 }?.get()
    }

    /// Waits for those that end behind the last change.
    func waitForObservers() { wait(for: .behindTheLastChange) }

    /// Cancels what is left, and waits for it.
    func cancel() {
        for task in cancellable.with({ $0 }) { task.cancel() }
        wait(for: .whenCancelled)
    }

    private func wait(for end: Activity.End) {
        running.wait { $0["\(end)", default: 0] == 0 }
    }
}
