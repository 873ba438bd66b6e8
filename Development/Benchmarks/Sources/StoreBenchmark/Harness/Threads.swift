import Foundation
import Synchronization

/// Runs `body` on separate threads concurrently, with the number of each; throws the first error.
///
/// Not with `concurrentPerform`, which uses no more threads than there are processors.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
    let failure = Mutex<(any Error)?>(nil)
    let group = DispatchGroup()
    for number in 0..<count {
        group.enter()
        Thread {
            defer { group.leave() }
            do {
                try body(number)
            } catch {
                failure.withLock { $0 = $0 ?? error }
            }
        }.start()
    }
    group.wait()
    if let failure = failure.withLock(\.self) { throw failure }
}
