import Dispatch
import Foundation

/// Enforces the contract's rules about opening and closing, threads, order and nesting of blocks.
///
/// These rules do not depend on what a store contains. A wrapper creates one gate and runs each of its
/// blocks through it. You can call every member from any thread.
///
/// ```swift
/// func performRead(
///     _ block: (borrowing DataStoreReader) throws -> Void
/// ) throws {
///     try gate.read { try block(MyReadAccessor(database.snapshot())) }
/// }
/// ```
public final class BlockGate: Sendable {
    /// On which thread the blocks of ``read(_:)`` and ``write(_:)`` run.
    public let threading: DataStoreThreading

    private let state = Locked(State())
    private let visitors = Visitors()
    private let queue = DispatchQueue(label: "JustPersist.write")
    private let completions = DispatchQueue(label: "JustPersist.completion")

    /// A gate that is closed.
    public init(threading: DataStoreThreading = .callingThread) { self.threading = threading }

    private enum Phase {
        case closed, opening, open, closing
    }

    private struct State {
        var phase = Phase.closed
        /// The thread of the write block that runs.
        var writer: UInt?
        /// Blocks that were queued and have not ended.
        var queued = 0
    }

    // MARK: Life

    /// Runs `body` to go from closed to open, unless the store is open.
    ///
    /// One caller runs it, others wait. If it throws, the store stays closed.
    public func open(_ body: () throws -> Void) throws {
        let isMine = try state.wait { state throws(DataStoreError) -> Bool? in
            switch state.phase {
            case .open: return false
            case .closed:
                state.phase = .opening
                return true
            case .opening, .closing:
                try refuseInside("open")
                return nil
            }
        }
        guard isMine else { return }
        var next = Phase.closed
        defer {
            state.change { state in
                state.phase = next
                if next == .open { visitors.admit() }
            }
        }
        try body()
        next = .open
    }

    /// Waits for all running and queued blocks to end, and then runs `body` to close the store.
    ///
    /// Streams of the store's items (``ItemStream``) end with an error, so that it need not wait for whoever reads them.
    /// Meanwhile, new blocks are refused, except those that start inside a running block. If the store is already
    /// closed, `body` runs only if `evenIfClosed` is true. Afterwards, the store is closed even if `body` throws.
    ///
    /// Throws ``DataStoreError/Code/insideBlock`` on a thread that is inside a block of the store.
    public func close(
        _ operation: String, evenIfClosed: Bool = false, _ body: () throws -> Void
    ) throws {
        let isMine = try state.wait { state throws(DataStoreError) -> Bool? in
            try refuseInside(operation)
            switch state.phase {
            case .closed where !evenIfClosed: return false
            case .open, .closed:
                state.phase = .closing
                return true
            case .opening, .closing: return nil
            }
        }
        guard isMine else { return }
        visitors.refuse()
        StreamThread.endStreams(onThreads: visitors.threads)
        // In this order: whoever is inside may still queue blocks.
        visitors.waitUntilAllHaveLeft()
        state.wait { $0.queued == 0 ? () : nil }
        defer { state.change { $0.phase = .closed } }
        try body()
    }

    // MARK: Blocks

    /// Whether the calling thread is inside a block of the store.
    ///
    /// Use this if your engine does not allow nested calls where the contract allows nested blocks.
    public var isInsideBlock: Bool { visitors.isInside(BlockThread.current) }

    /// Runs a read block.
    ///
    /// Throws ``DataStoreError/Code/notSetUp`` on a closed store, or what the block throws.
    public func read(_ body: () throws -> Void) throws {
        try onBlockThread { try readHere(body) }
    }

    /// The same on the calling thread, whatever ``threading`` says: for work that is nobody's block.
    package func readHere(_ body: () throws -> Void) throws {
        let thread = BlockThread.current
        guard visitors.enter(thread) else { throw DataStoreError.notSetUp(in: "read") }
        defer { visitors.leave(thread) }
        try body()
    }

    /// Runs a write block once no other runs.
    ///
    /// Throws ``DataStoreError/Code/notSetUp`` on a closed store, ``DataStoreError/Code/nestedWrite`` inside a
    /// write block, or what the block throws.
    public func write(_ body: () throws -> Void) throws {
        // Before the caller waits for another thread, which would wait for the caller's block.
        let thread = BlockThread.current
        if state.withLock({ $0.writer == thread }) { throw DataStoreError.nestedWrite(in: "write") }
        try onBlockThread { try writeHere(isQueued: false, body) }
    }

    /// The same on the calling thread, whatever ``threading`` says: for work that is nobody's block.
    package func writeHere(_ body: () throws -> Void) throws {
        let thread = BlockThread.current
        if state.withLock({ $0.writer == thread }) { throw DataStoreError.nestedWrite(in: "write") }
        try writeHere(isQueued: false, body)
    }

    /// Queues a write block, and returns at once.
    ///
    /// Queued blocks run in the order of the calls, and never on the main thread. After the block, `completion` is
    /// called once: with `nil` if the block was committed, or with the error. It may wait for blocks queued after its own.
    public func enqueueWrite(
        _ body: @escaping @Sendable () throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let thread = BlockThread.current
        // Inside, so that the store is not closed in between.
        guard visitors.enter(thread) else {
            return completions.async { completion(DataStoreError.notSetUp(in: "writeAsync")) }
        }
        state.withLock { $0.queued += 1 }
        visitors.leave(thread)
        queue.async { [self] in
            var failure: (any Error)?
            do { try writeHere(isQueued: true, body) } catch { failure = error }
            state.change { $0.queued -= 1 }
            // Behind the queue, so that a completion may wait for blocks queued after its own.
            completions.async { [failure] in completion(failure) }
        }
    }

    /// Runs a write block on the calling thread; a queued one also while the store is closing.
    private func writeHere(isQueued: Bool, _ body: () throws -> Void) throws {
        let thread = BlockThread.current
        // Before the wait, so that a store is not closed under a writer that waits.
        guard visitors.enter(thread, isQueued: isQueued) else {
            throw DataStoreError.notSetUp(in: "write")
        }
        defer { visitors.leave(thread) }
        state.wait { state -> Void? in
            guard state.writer == nil else { return nil }
            state.writer = thread
            return ()
        }
        defer { state.change { $0.writer = nil } }
        try body()
    }

    private func onBlockThread(_ body: () throws -> Void) throws {
        switch threading {
        case .callingThread: try body()
        case .mainThread: try MainQueue.run(body)
        }
    }
}

extension BlockGate {
    /// Throws if the calling thread is inside a block, for which `operation` would have to wait.
    package func refuseInside(_ operation: String) throws(DataStoreError) {
        guard visitors.isInside(BlockThread.current) else { return }
        throw DataStoreError(
            .insideBlock, in: operation,
            """
            This thread is inside a block of the store, and the call would have to wait for that block. \
            Call it after the block has returned.
            """)
    }
}

/// The threads that are inside a store's blocks.
private struct Visitors: Sendable {
    private struct Part {
        /// Whether threads may enter that are not inside yet.
        var isOpen = false
        var inside: [(thread: UInt, blocks: Int)] = []
    }

    private let parts = ThreadParts { Part() }

    /// Enters one more block, and tells whether that was allowed; a thread that is inside may enter more while the
    /// store waits for it to leave, and a queued block may while the store waits for the queue.
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

    /// Lets threads in.
    func admit() {
        for part in parts.all { part.withLock { $0.isOpen = true } }
    }

    /// Lets no thread in that is not inside.
    func refuse() {
        for part in parts.all { part.withLock { $0.isOpen = false } }
    }

    /// The threads that are inside.
    var threads: [UInt] { parts.all.flatMap { $0.withLock { $0.inside.map(\.thread) } } }

    /// Waits until no thread is inside; none may enter meanwhile.
    func waitUntilAllHaveLeft() {
        for part in parts.all { part.wait { $0.inside.isEmpty ? () : nil } }
    }
}
