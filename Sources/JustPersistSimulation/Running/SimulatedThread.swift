// Sendable because only one thread of a simulation runs at a time.
/// A thread of a simulation.
public final class SimulatedThread: @unchecked Sendable {
    private let name: String
    private let scheduler: SimulatedScheduler
    private var hasEnded = false
    private var waiting: [Strand] = []

    init(_ name: String, _ scheduler: SimulatedScheduler) {
        (self.name, self.scheduler) = (name, scheduler)
    }

    /// Waits until the thread has ended.
    public func join() {
        guard let me = scheduler.caller else { return }
        scheduler.point()
        while !hasEnded, !scheduler.isStopped {
            waiting.append(me)
            _ = scheduler.block(me, for: "“\(name)” to end", upTo: nil)
        }
    }

    func end() {
        hasEnded = true
        for strand in waiting { scheduler.wake(strand) }
        waiting = []
    }
}
