import Dispatch
import Foundation

/// The main queue, which represents the main thread.
///
/// A program may serve it from other threads: with an asynchronous `main` on Linux the main thread itself
/// only waits.
package enum MainQueue {
    private static let mark = {
        let mark = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: mark, value: true)
        return mark
    }()
    private static let insideKey = "JustPersist.isOnMainQueue"

    /// Whether the caller runs on the main queue, and would wait for itself if it waited for the queue.
    package static var isCurrent: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: mark) == true
            || Thread.current.threadDictionary[insideKey] != nil
    }

    /// Runs `body` on the main queue, immediately if the caller is on it, and returns when `body` has run.
    ///
    /// If the queue's thread is waiting in a store, it runs `body` during its wait: see ``MainQueueWait``.
    ///
    /// - Parameter isForbidden: Whether that thread must not run `body` during its wait; called on that thread.
    package static func run(
        unless isForbidden: @escaping @Sendable () -> Bool = { false }, _ body: () throws -> Void
    ) throws {
        if isCurrent { return try runHere(body) }
        try withoutActuallyEscaping(body) { body in
            let carried = WorkLimit.carried
            // A block that cannot throw them passes them on to the enclosing block.
            let failures = Locked<[DataStoreError]>([])
            defer { PropertyFailures.receive(failures) }
            let job = MainQueueJob(unless: isForbidden) {
                try PropertyFailures.handingOver(to: failures) {
                    try carried.run { try runHere(body) }
                }
            }
            MainQueueWait.post(job)
            DispatchQueue.main.async { job.run() }
            try job.wait(carried)
        }
    }

    /// Marks the thread on which `body` runs as on the main queue: an engine may run `body` on a queue of its own while
    /// the main queue waits for it.
    private static func runHere(_ body: () throws -> Void) throws {
        let dictionary = Thread.current.threadDictionary
        let outer = dictionary[insideKey]
        dictionary[insideKey] = true
        defer { dictionary[insideKey] = outer }
        try body()
    }
}
