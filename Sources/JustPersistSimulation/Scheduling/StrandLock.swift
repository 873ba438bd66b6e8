import Foundation
import JustPersist

/// The lock of a value that threads of a simulation share. A thread that waits for it passes the baton on.
///
/// Threads of the system may also use it for a short time, as when a test examines the state that a simulation has
/// left.
// Sendable because only the thread with the baton uses `owner` and the lists.
final class StrandLock: SimulatedLock, @unchecked Sendable {
    private let scheduler: SimulatedScheduler
    private let condition: NSCondition
    private var owner: Strand?
    private var entering: [Strand] = []
    private var waiting: [Strand] = []

    init(_ scheduler: SimulatedScheduler, _ condition: NSCondition) {
        self.scheduler = scheduler
        self.condition = condition
    }

    func lock() {
        guard let me = scheduler.caller else {
            (Surroundings.scheduler as? SimulatedScheduler)?.stopAtUseOfAnother()
            return condition.lock()
        }
        scheduler.point()
        enter(me)
    }

    private func enter(_ me: Strand) {
        while let owner {
            entering.append(me)
            _ = scheduler.block(me, for: "a lock that “\(owner.name)” has", upTo: nil)
        }
        condition.lock()
        owner = me
    }

    func unlock() {
        if scheduler.caller != nil { leave() }
        condition.unlock()
    }

    private func leave() {
        owner = nil
        for strand in entering { scheduler.wake(strand) }
        entering = []
    }

    func wait(upTo deadline: Double?) -> Bool {
        guard let me = scheduler.caller else {
            if Surroundings.scheduler != nil {
                // This is a thread of another simulation, which is ended.
                condition.unlock()
                Surroundings.sleep(seconds: 0)
                condition.lock()
                return false
            }
            if let deadline {
                return condition.wait(until: Date(timeIntervalSinceReferenceDate: deadline))
            }
            condition.wait()
            return true
        }
        leave()
        condition.unlock()
        waiting.append(me)
        let limit = deadline.map { Duration.seconds($0) }
        let isWoken = scheduler.block(me, for: "a change", upTo: limit)
        waiting.removeAll { $0 === me }
        enter(me)
        return isWoken
    }

    func broadcast() {
        scheduler.point()
        condition.broadcast()
        guard scheduler.caller != nil else { return }
        for strand in waiting { scheduler.wake(strand) }
        waiting = []
    }
}
