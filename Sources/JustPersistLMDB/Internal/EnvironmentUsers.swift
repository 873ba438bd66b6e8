import JustPersist

/// The open transactions of each thread that uses an engine's environment, in separate parts for speed.
struct EnvironmentUsers: Sendable {
    /// The part of some threads.
    struct Part {
        /// The open environment; `nil` if the engine must be asked for it.
        var environment: Environment? {
            didSet { if environment != nil { isAwaited = false } }
        }
        /// Whether the engine must be notified of the end of a transaction.
        fileprivate(set) var isAwaited = false
        /// The threads of the transactions that began here and have not ended.
        private(set) var threads: [UInt] = []
        /// The number of these transactions that write.
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

    /// The number of open transactions; new ones must ask the engine from now on.
    ///
    /// - Parameter isAwaited: Whether the engine must be notified of their ends.
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

    /// Whether an open transaction may depend on one that the calling thread begins now.
    ///
    /// The open one may be a block of the same thread. Blocks of several threads may share a write transaction, and
    /// read.
    func mayNeed(_ thread: UInt, isWriting: Bool) -> Bool {
        mine.withLock { $0.threads.contains(thread) }
            || !isWriting && parts.all.contains { $0.withLock { $0.writing > 0 } }
    }
}
