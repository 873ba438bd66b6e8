import Foundation
import JustPersist

/// A thread of a simulation.
// Sendable because only the thread with the baton uses it; `hasBaton` and `isDismissed` have a lock.
final class Strand: @unchecked Sendable {
    enum State {
        case ready, waiting
    }

    let name: String
    let hash: UInt64
    let process: SimulatedProcess?
    private var body: (@Sendable () -> Void)?
    var state = State.ready
    /// The time at which it continues although no thread has woken it.
    var deadline: Duration?
    /// Whether it continues because of the deadline.
    var isLate = false
    var reason = ""
    var points = 0
    /// The number of its last turn; 0 before the first.
    var turn = 0
    var isStarted = false
    var thread: UInt = 0
    private let baton = NSCondition()
    private var hasBaton = false
    private var isDismissed = false

    init(_ name: String, _ process: SimulatedProcess?, _ body: @escaping @Sendable () -> Void) {
        self.name = name
        hash = Choices.hash(name)
        self.process = process
        self.body = body
    }

    func run() { body.take()?() }

    func giveBaton() {
        baton.lock()
        hasBaton = true
        baton.unlock()
        baton.signal()
    }

    func awaitBaton() {
        baton.lock()
        while !hasBaton, !isDismissed { baton.wait() }
        hasBaton = false
        baton.unlock()
        if isDismissed { Thread.exit() }
    }

    /// Ends the system's thread where it waits for the baton, without unwinding it.
    func dismiss() {
        body = nil
        baton.lock()
        isDismissed = true
        baton.unlock()
        baton.signal()
    }
}
