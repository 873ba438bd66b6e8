import Foundation
import Synchronization

/// A queue of write blocks that run when the program ends with `exit` or returns from `main`.
package protocol QueueAtExit: AnyObject, Sendable {
    /// The name of the store in messages.
    var nameAtExit: String { get }

    /// Calls the completions of the blocks.
    var completions: CompletionQueue { get }

    /// Waits until the blocks that are queued now, and their completions, have ended, and returns the number of blocks
    /// that have not.
    ///
    /// Gives up after `patience` seconds in which nothing has ended. Does not wait for blocks that wait for the calling
    /// thread.
    func finish(patience: Double) -> Int
}

/// The write queues of this process, which run their blocks when the program ends.
package enum WriteQueuesAtExit {
    private struct Entry {
        weak var queue: (any QueueAtExit)?
        let forks: Int
    }

    /// The maximum time of one block or completion while the program ends, in seconds.
    private static let patience = 10.0
    private static let entries = Locked<[Entry]>([], isProcessWide: true)
    /// The process of the newest entry: a forked process has none of the threads of the others.
    private static let forks = Atomic(0)
    private static let handler = atexit { WriteQueuesAtExit.finish() }

    /// Adds a queue, which is not retained, unless it belongs to a simulation.
    package static func add(_ queue: any QueueAtExit) {
        if queue.completions.isSimulated { return }
        _ = handler
        let current = ForkCount.current
        forks.store(current, ordering: .relaxed)
        entries.withLock { entries in
            entries.removeAll { $0.queue == nil }
            entries.append(Entry(queue: queue, forks: current))
        }
    }

    private static func finish() {
        let current = ForkCount.current
        // Before the lock, which a thread that does not exist in this process may have held.
        guard forks.load(ordering: .relaxed) == current else { return }
        let queues = entries.withLock { $0.filter { $0.forks == current }.compactMap(\.queue) }
        // The newest first: a store over another one passes its blocks on to that store.
        for queue in queues.reversed() {
            let lost = queue.finish(patience: patience)
            if lost > 0 { report(lost, of: queue.nameAtExit) }
        }
    }

    private static func report(_ lost: Int, of store: String) {
        let message = """
            JustPersist: the program has ended before \(lost.counted("queued write block")) of the store \
            “\(store)” could be committed. Their changes are lost. Close the store before the program ends, and do not \
            call exit in its write blocks.\n
            """
        try? FileHandle.standardError.write(contentsOf: Data(message.utf8))
    }
}
