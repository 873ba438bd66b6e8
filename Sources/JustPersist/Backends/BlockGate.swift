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

    private let phase = Locked(Phase.closed)
    private let visitors = Visitors()
    private let turns: WriteTurns
    private let queue: WriteQueue

    /// A gate that is closed.
    ///
    /// With a `transaction`, write blocks that wait for each other share it: see ``SharedTransaction``. The `name` of
    /// the store appears in the message about queued blocks that were lost when the program ended.
    public init(
        threading: DataStoreThreading = .callingThread,
        transaction: (any SharedTransaction)? = nil,
        name: @escaping @autoclosure @Sendable () -> String = "a store"
    ) {
        self.threading = threading
        turns = WriteTurns(transaction)
        queue = WriteQueue(turns, visitors, storeName: name)
    }

    private enum Phase {
        case closed, open
        case opening(by: UInt)
        case closing(by: UInt)

        /// Throws if the calling thread is opening or closing the store, and would wait for itself.
        ///
        /// While the main thread waits, it runs blocks of other stores, which may call this one.
        func refuseWait(_ operation: String) throws(DataStoreError) {
            switch self {
            case .opening(by: BlockThread.current), .closing(by: BlockThread.current):
                throw DataStoreError(
                    .insideBlock, in: operation,
                    """
                    This thread is opening or closing the store, and runs a block of another store while it waits. Call it \
                    after that has returned.
                    """)
            default: break
            }
        }
    }

    // MARK: Life

    /// Runs `body` to go from closed to open, unless the store is open.
    ///
    /// One caller runs it, others wait. If it throws, the store stays closed.
    public func open(_ body: () throws -> Void) throws {
        let isMine = try phase.wait { phase throws(DataStoreError) -> Bool? in
            switch phase {
            case .open: return false
            case .closed:
                phase = .opening(by: BlockThread.current)
                return true
            case .opening, .closing:
                try refuseInside("open")
                try phase.refuseWait("open")
                return nil
            }
        }
        guard isMine else { return }
        var isOpen = false
        defer {
            phase.change { phase in
                phase = isOpen ? .open : .closed
                if isOpen { visitors.admit() }
            }
        }
        try body()
        isOpen = true
    }

    /// Waits for all running and queued blocks to end, and then runs `body` to close the store.
    ///
    /// Streams of the store's items (``ItemStream``) end with an error, so closing does not wait for their readers.
    /// Meanwhile, new blocks are refused, except those that start inside a running block. If the store is already
    /// closed, `body` runs only if `evenIfClosed` is true. Afterwards, the store is closed even if `body` throws.
    ///
    /// Throws ``DataStoreError/Code/insideBlock`` on a thread that is inside a block of the store.
    public func close(
        _ operation: String, evenIfClosed: Bool = false, _ body: () throws -> Void
    ) throws {
        let isMine = try phase.wait { phase throws(DataStoreError) -> Bool? in
            try refuseInside(operation)
            switch phase {
            case .closed where !evenIfClosed: return false
            case .open, .closed:
                phase = .closing(by: BlockThread.current)
                return true
            case .opening, .closing:
                try phase.refuseWait(operation)
                return nil
            }
        }
        guard isMine else { return }
        visitors.refuse()
        StreamThread.endStreams(onThreads: visitors.threads)
        // In this order, because a thread inside may still queue blocks.
        visitors.waitUntilAllHaveLeft()
        queue.waitUntilAllHaveEnded()
        defer { phase.change { $0 = .closed } }
        try body()
    }

    // MARK: Blocks

    /// Whether the calling thread is inside a block of the store.
    ///
    /// Use this if your engine does not allow nested calls where the contract allows nested blocks.
    public var isInsideBlock: Bool { visitors.isInside(BlockThread.current) }

    /// Runs a read block.
    ///
    /// Throws ``DataStoreError/Code/notSetUp`` on a closed store, or the error of the block.
    public func read(_ body: () throws -> Void) throws {
        guard threading.readsOnMainThread else { return try readHere(body) }
        // Also inside on this thread: the store is not closed before the block has run.
        try visit("read") {
            try MainQueue.run { try visit("read", isQueued: true, body) }
        }
    }

    /// Runs a read block of the library on the calling thread, regardless of ``threading``.
    package func readHere(_ body: () throws -> Void) throws { try visit("read", body) }

    /// Runs `body` inside the store, which is not closed meanwhile.
    ///
    /// - Parameter isQueued: Whether it may begin while the store is closing, which waits for it in another way.
    package func visit(
        _ operation: String, isQueued: Bool = false, _ body: () throws -> Void
    ) throws {
        let thread = BlockThread.current
        guard visitors.enter(thread, isQueued: isQueued) else {
            throw DataStoreError.notSetUp(in: operation)
        }
        defer { visitors.leave(thread) }
        try body()
    }

    /// Runs a write block once no other runs, and returns when it is committed.
    ///
    /// Throws ``DataStoreError/Code/notSetUp`` on a closed store, ``DataStoreError/Code/nestedWrite`` inside a write
    /// block, or the error of the block. In a gate with a ``SharedTransaction`` that can be the error of the commit.
    public func write(_ body: () throws -> Void) throws {
        guard threading.writesOnMainThread else { return try writeHere(body) }
        // Before the caller waits for the main thread, which would wait for the caller's block.
        try turns.refuseNested()
        try visit("write") {
            let turns = turns
            try MainQueue.run(unless: { turns.isMine }) { try writeHere(isQueued: true, body) }
        }
    }

    /// Throws ``DataStoreError/Code/nestedWrite`` inside a write block, as ``write(_:)`` would.
    package func refuseNestedWrite() throws(DataStoreError) { try turns.refuseNested() }

    /// Queues a write block, and returns immediately.
    ///
    /// Queued blocks run in the order of the calls, and never on the main thread. After the block, `completion` is
    /// called once: with `nil` if the block was committed, or with the error. It may wait for blocks queued after its own.
    ///
    /// If the program ends with `exit` or returns from `main`, it waits for the blocks queued by then and their
    /// completions, as long as none takes ten seconds, and writes the number of lost blocks to standard error. Inside a
    /// write block, `exit` does not wait.
    public func enqueueWrite(
        _ body: @escaping @Sendable () throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        queue.append(body, completion)
    }

    /// Runs a write block of the library on the calling thread, regardless of ``threading``.
    package func writeHere(_ body: () throws -> Void) throws {
        try writeHere(isQueued: false, body)
    }

    private func writeHere(isQueued: Bool, _ body: () throws -> Void) throws {
        // Before the wait, so a store is not closed under a waiting writer.
        try visit("write", isQueued: isQueued) {
            try turns.take { turn in try turn.run(body) }
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
