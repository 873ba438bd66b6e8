import Foundation
import JustPersist

/// Lets threads wait for one another inside their blocks, so that all blocks are open at the same time.
///
/// A store may admit only some threads at a time. If none has arrived for a second, all threads stop waiting.
final class Gathering: Sendable {
    private struct State {
        var arrived = 0
        var lastArrival = ContinuousClock.now
        var isOver = false
    }

    private let count: Int
    private let state = Locked(State())

    /// A gathering of `count` threads.
    init(of count: Int) { self.count = count }

    /// Reports that a thread has arrived, or will not arrive.
    func arrive() {
        state.withLock {
            $0.arrived += 1
            $0.lastArrival = .now
        }
    }

    /// Waits for the others.
    func wait() {
        while true {
            let isOver = state.withLock { state in
                if state.arrived >= count || state.lastArrival.duration(to: .now) > .seconds(1) {
                    state.isOver = true
                }
                return state.isOver
            }
            if isOver { return }
            Thread.sleep(forTimeInterval: 0.005)
        }
    }
}
