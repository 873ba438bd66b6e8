import JustPersist

/// The threads that use an engine's environment: each has its transactions noted, apart from the other threads' for speed.
struct EnvironmentUsers: Sendable {
    /// Some of the threads.
    struct Part {
        /// The open environment; `nil` if the engine has to be asked.
        var environment: Environment? {
            didSet { if environment != nil { isAwaited = false } }
        }
        /// Whether the engine wants to know when a transaction ends.
        fileprivate(set) var isAwaited = false
        /// The threads of the transactions that were begun here and have not ended.
        private(set) var threads: [UInt] = []
        /// How many of them may write.
        private(set) var writing = 0

        mutating func begin(_ thread: UInt, isWriting: Bool) {
            threads.append(thread)
            if isWriting { writing += 1 }
        }

        mutating func end(_ thread: UInt, isWriting: Bool) {
            if let place = threads.lastIndex(of: thread) { threads.remove(at: place) }
            if isWriting { writing -= 1 }
        }
    }

    private let parts = ThreadParts { Part() }

    /// The part of the calling thread.
    var mine: Locked<Part> { parts.all[ThreadPart.mine] }

    /// The transactions that are open; those that begin from now on ask the engine.
    ///
    /// - Parameter isAwaited: Whether the engine wants to know when they end.
    func count(isAwaited: Bool = false) -> Int {
        parts.all.reduce(0) { count, part in
            count
                + part.withLock { part in
                    part.environment = nil
                    part.isAwaited = part.isAwaited || isAwaited
                    return part.threads.count
                }
        }
    }

    /// Whether an open transaction may need one that the calling thread begins now.
    ///
    /// It may be one of the thread's own blocks. Blocks of several threads may share a transaction that writes, and read.
    func mayNeed(_ thread: UInt, isWriting: Bool) -> Bool {
        mine.withLock { $0.threads.contains(thread) }
            || !isWriting && parts.all.contains { $0.withLock { $0.writing > 0 } }
    }
}
