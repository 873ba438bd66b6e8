import Foundation
import Synchronization

/// A queue of write blocks that run when the program ends with `exit` or returns from `main`.
package protocol QueueAtExit: AnyObject, Sendable {
    /// The name of the store in messages.
    var nameAtExit: String { get }

    /// Calls the completions of the blocks.
    var completions: CompletionQueue { get }

    /// Waits until the blocks have ended that are queued now, and their completions, and returns how many blocks have not
    /// ended then.
    ///
    /// Does not wait for what waits for the calling thread, nor where nothing ends for so many seconds.
    func finish(patience: Double) -> Int
}

/// The write queues of this process, which run their blocks when the program ends.
package enum WriteQueuesAtExit {
    private struct Entry {
        weak var queue: (any QueueAtExit)?
        let forks: Int
    }

    /// How long one block, or one completion, may take while the program ends, in seconds.
    private static let patience = 10.0
    private static let entries = Locked<[Entry]>([], isProcessWide: true)
    /// The process of the newest entry: a forked one has none of the threads of the others.
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
        // Before the lock, which a thread may have held that is not in this process.
        guard forks.load(ordering: .relaxed) == current else { return }
        let queues = entries.withLock { $0.filter { $0.forks == current }.compactMap(\.queue) }
        // The newest first: a store over another one passes its blocks on to that.
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
