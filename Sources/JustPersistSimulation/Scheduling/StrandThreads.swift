import Foundation
import JustPersist

/// A pool of the system's threads on which the threads of simulations run.
enum StrandThreads {
    private typealias Job = (name: String, body: @Sendable () -> Void)
    private typealias Place = Locked<Job?>

    /// The threads without a job.
    private static let idle = Locked<[Place]>([], isProcessWide: true)

    /// Runs `body` on a thread with a name, which the system shows if the program crashes there.
    static func run(_ name: String, _ body: @escaping @Sendable () -> Void) {
        if let place = idle.withLock({ $0.popLast() }) {
            return place.change { $0 = (name, body) }
        }
        let place = Place((name, body), isProcessWide: true)
        let thread = Thread {
            while true { work(place) }
        }
        // A predicate may be a hundred levels deep.
        thread.stackSize = 2 << 20
        thread.start()
    }

    private static func work(_ place: Place) {
        let job = place.wait { $0.take() }
        Thread.current.name = job.name
        job.body()
        idle.withLock { $0.append(place) }
    }
}
