import Dispatch
import Foundation

/// Runs the blocks of a store by the contract's rules for life, threads, order and nesting.
///
/// That half of a store has nothing to do with what it stores: a wrapper makes one gate and runs each of
/// its calls through it. Every member may be called from any thread.
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
    private let queue = DispatchQueue(label: "JustPersist.write")
    private let completions = DispatchQueue(label: "JustPersist.completion")

    /// A gate that is closed.
    public init(threading: DataStoreThreading = .callingThread) { self.threading = threading }

    fileprivate enum Phase {
        case closed, opening, open, closing
    }

    fileprivate struct State {
        var phase = Phase.closed
        /// The blocks that run, by thread.
        var inside: [ObjectIdentifier: Int] = [:]
        var writer: ObjectIdentifier?
        /// Blocks that were queued and have not ended.
        var queued = 0
    }

    // By its `Thread` object, which lives as long as the thread does.
    private static var currentThread: ObjectIdentifier { ObjectIdentifier(Thread.current) }

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
                try state.refuseInside("open")
                return nil
            }
        }
        guard isMine else { return }
        var next = Phase.closed
        defer { state.change { $0.phase = next } }
        try body()
        next = .open
    }

    /// Lets no new block in, but those that begin inside a block, waits for those inside and those queued, and
    /// runs `body`.
    ///
    /// On a closed store `body` runs only if it is to run in any case. The store is closed afterwards,
    /// whatever `body` does.
    ///
    /// Throws ``DataStoreError/Code/insideBlock`` on a thread that is inside a block of the store.
    public func close(
        _ operation: String, evenIfClosed: Bool = false, _ body: () throws -> Void
    ) throws {
        let isMine = try state.wait { state throws(DataStoreError) -> Bool? in
            try state.refuseInside(operation)
            switch state.phase {
            case .closed where !evenIfClosed: return false
            case .open, .closed:
                state.phase = .closing
                return true
            case .opening, .closing: return nil
            }
        }
        guard isMine else { return }
        state.wait { $0.inside.isEmpty && $0.queued == 0 ? () : nil }
        defer { state.change { $0.phase = .closed } }
        try body()
    }

    // MARK: Blocks

    /// Whether the calling thread is inside a block of the store.
    ///
    /// For engines that do not allow a call inside a call as the store's own blocks are allowed.
    public var isInsideBlock: Bool {
        let thread = Self.currentThread
        return state.withLock { $0.inside[thread] != nil }
    }

    /// Runs a read block.
    ///
    /// Throws ``DataStoreError/Code/notSetUp`` on a closed store, or what the block throws.
    public func read(_ body: () throws -> Void) throws {
        try onBlockThread { try readHere(body) }
    }

    /// The same on the calling thread, whatever ``threading`` says: for work that is nobody's block.
    package func readHere(_ body: () throws -> Void) throws {
        let thread = Self.currentThread
        try state.withLock { state throws(DataStoreError) -> Void in
            guard state.admits(thread) else { throw .notSetUp(in: "read") }
            state.inside[thread, default: 0] += 1
        }
        defer { state.change { $0.leave(thread) } }
        try body()
    }

    /// Runs a write block once no other runs.
    ///
    /// Throws ``DataStoreError/Code/notSetUp`` on a closed store, ``DataStoreError/Code/nestedWrite`` inside a
    /// write block, or what the block throws.
    public func write(_ body: () throws -> Void) throws {
        // Before the caller waits for another thread, which would wait for the caller's block.
        let thread = Self.currentThread
        if state.withLock({ $0.writer == thread }) { throw DataStoreError.nestedWrite(in: "write") }
        try onBlockThread { try writeHere(isQueued: false, body) }
    }

    /// Queues a write block, and returns: blocks run in the order of the calls, never on the main thread.
    ///
    /// Then `completion` is called, once, with the error that kept the block from being committed. It may
    /// wait for blocks queued after its own.
    public func enqueueWrite(
        _ body: @escaping @Sendable () throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let thread = Self.currentThread
        let isQueued = state.withLock { state in
            guard state.admits(thread) else { return false }
            state.queued += 1
            return true
        }
        guard isQueued else {
            return completions.async { completion(DataStoreError.notSetUp(in: "writeAsync")) }
        }
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
        let thread = Self.currentThread
        try state.withLock { state throws(DataStoreError) -> Void in
            guard isQueued || state.admits(thread) else { throw .notSetUp(in: "write") }
            // Counted before the wait, so that a store is not closed under a writer that waits.
            state.inside[thread, default: 0] += 1
        }
        state.wait { state -> Void? in
            guard state.writer == nil else { return nil }
            state.writer = thread
            return ()
        }
        defer {
            state.change { state in
                state.writer = nil
                state.leave(thread)
            }
        }
        try body()
    }

    private func onBlockThread(_ body: () throws -> Void) throws {
        switch threading {
        case .callingThread: try body()
        case .mainThread: try MainQueue.run(body)
        }
    }
}

extension BlockGate.State {
    /// Whether a thread may begin a block.
    ///
    /// One that is inside a block may open more while the store waits for it to leave.
    func admits(_ thread: ObjectIdentifier) -> Bool {
        phase == .open || phase == .closing && inside[thread] != nil
    }

    mutating func leave(_ thread: ObjectIdentifier) {
        let left = (inside[thread] ?? 1) - 1
        inside[thread] = left == 0 ? nil : left
    }

    /// Throws if the calling thread is inside a block, for which `operation` would have to wait.
    func refuseInside(_ operation: String) throws(DataStoreError) {
        guard inside[ObjectIdentifier(Thread.current)] != nil else { return }
        throw DataStoreError(
            .insideBlock, in: operation,
            """
            This thread is inside a block of the store, and the call would have to wait for that block. \
            Call it after the block has returned.
            """)
    }
}
