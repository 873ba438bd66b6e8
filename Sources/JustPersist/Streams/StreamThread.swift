import Foundation

/// The threads on which streams read from stores, one for each running iteration.
///
/// A closing store ends the streams that are inside its blocks: such a stream may wait for a task that takes no values,
/// and the store waits for the stream's block.
package enum StreamThread {
    private struct Running {
        let id: UInt
        let thread: ObjectIdentifier
        let storeIsClosing: @Sendable () -> Void
    }

    private static let running = Locked<[Running]>([], isProcessWide: true)

    /// The number of running threads.
    package static var count: Int { running.withLock { $0.count } }

    /// Runs `body` on a new thread; `storeIsClosing` is called on another one if a store closes while the thread is in
    /// its block.
    static func start(
        storeIsClosing: @escaping @Sendable () -> Void, _ body: @escaping @Sendable () -> Void
    ) {
        let work: @Sendable () -> Void = {
            let id = BlockThread.current
            running.withLock { running in
                running.append(
                    Running(
                        id: id, thread: ObjectIdentifier(Thread.current),
                        storeIsClosing: storeIsClosing))
            }
            body()
            running.withLock { $0.removeAll { $0.id == id } }
        }
        if let scheduler = Surroundings.scheduler {
            return scheduler.start("JustPersist.stream", work)
        }
        let thread = Thread(block: work)
        thread.name = "JustPersist.stream"
        // A predicate may be a hundred levels deep.
        thread.stackSize = 2 << 20
        thread.start()
    }

    /// Ends the streams on these threads, for a store that is closing.
    static func endStreams(onThreads ids: [UInt]) {
        if ids.isEmpty { return }
        end { ids.contains($0.id) }
    }

    /// Ends the streams on these threads, identified by their objects.
    package static func endStreams(onThreads threads: [ObjectIdentifier]) {
        if threads.isEmpty { return }
        end { threads.contains($0.thread) }
    }

    private static func end(where isMeant: (Running) -> Bool) {
        for stream in running.withLock({ $0.filter(isMeant) }) { stream.storeIsClosing() }
    }
}
