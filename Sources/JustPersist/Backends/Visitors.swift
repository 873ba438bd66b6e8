/// The threads that are inside a store's blocks.
struct Visitors: Sendable {
    private struct Part {
        /// Whether threads that are not inside may enter.
        var isOpen = false
        var inside: [(thread: UInt, blocks: Int)] = []
    }

    private let parts = ThreadParts { Part() }

    /// Enters one more block, and returns whether that was allowed.
    ///
    /// A thread that is inside may enter more while the store waits for it to leave, and a queued block may enter while
    /// the store waits for the queue.
    func enter(_ thread: UInt, isQueued: Bool = false) -> Bool {
        parts.part(of: thread).withLock { part in
            if let place = part.inside.firstIndex(where: { $0.thread == thread }) {
                part.inside[place].blocks += 1
                return true
            }
            guard part.isOpen || isQueued else { return false }
            part.inside.append((thread, 1))
            return true
        }
    }

    func leave(_ thread: UInt) {
        let part = parts.part(of: thread)
        let isAwaited = part.withLock { part in
            guard let place = part.inside.firstIndex(where: { $0.thread == thread }) else {
                return false
            }
            part.inside[place].blocks -= 1
            if part.inside[place].blocks == 0 { part.inside.remove(at: place) }
            return !part.isOpen && part.inside.isEmpty
        }
        if isAwaited { part.signal() }
    }

    func isInside(_ thread: UInt) -> Bool {
        parts.part(of: thread).withLock { $0.inside.contains { $0.thread == thread } }
    }

    /// Lets new threads enter.
    func admit() {
        for part in parts.all { part.withLock { $0.isOpen = true } }
    }

    /// Stops new threads from entering.
    func refuse() {
        for part in parts.all { part.withLock { $0.isOpen = false } }
    }

    /// The threads that are inside.
    var threads: [UInt] { parts.all.flatMap { $0.withLock { $0.inside.map(\.thread) } } }

    /// Waits until no thread is inside; no new thread may enter meanwhile.
    func waitUntilAllHaveLeft() {
        for part in parts.all { part.wait { $0.inside.isEmpty ? () : nil } }
    }
}
