public import Synchronization

#if canImport(Glibc)
    public import Glibc
#else
    import Foundation
#endif

/// The thread of a running block, to which its accessor and its live items belong.
///
/// The compiler prevents an accessor from leaving its block, but code in Swift 5 mode can still pass it to another
/// thread. A wrapper creates a `BlockThread` when a block starts and checks it in each call, so that calls on
/// other threads are refused. If another thread tried to change an item of a write block, the block must not be
/// committed: a property cannot throw, so the block's code cannot know that the change is missing.
///
/// ```swift
/// func performCount(_ request: DataStoreRequest) throws(DataStoreError) -> Int {
///     try thread.check("count")
///     …
/// ```
public final class BlockThread: Sendable {
    /// The thread while the block runs, then 0.
    @usableFromInline let running: Atomic<UInt>
    /// Whether a change was refused on another thread, and whether an error was reported.
    private let hasLostChange = Atomic(false)
    private let hasReportedLoss = Atomic(false)

    /// Begins a block on the calling thread.
    public init() { running = Atomic(Self.current) }

    // The number of the thread, where it is cheap to get. No two running threads share one.
    #if canImport(Glibc)
        @inlinable package static var current: UInt { pthread_self() }
    #else
        @usableFromInline package static var current: UInt {
            UInt(bitPattern: ObjectIdentifier(Thread.current))
        }
    #endif

    /// Whether the block still runs, and on the calling thread.
    @inlinable public var isCurrent: Bool { running.load(ordering: .acquiring) == Self.current }

    /// Whether the block has ended.
    @inlinable public var hasEnded: Bool { running.load(ordering: .acquiring) == 0 }

    /// Whether the caller may read the block's items: on its thread, and on any once it has ended.
    @inlinable public var permitsReading: Bool {
        let running = running.load(ordering: .acquiring)
        return running == 0 || running == Self.current
    }

    /// Throws unless the block still runs, and on the calling thread.
    ///
    /// With ``DataStoreError/Code/blockEnded`` or ``DataStoreError/Code/wrongThread``.
    public func check(_ operation: String) throws(DataStoreError) {
        if isCurrent { return }
        guard !hasEnded else {
            throw DataStoreError(
                .blockEnded, in: operation,
                "The accessor was used after its block had ended. Open a new block.")
        }
        throw Self.refusal(in: operation)
    }

    /// The error for a call on another thread than the block's.
    public static func refusal(
        in operation: String, itemType: String? = nil, attribute: String? = nil
    ) -> DataStoreError {
        DataStoreError(
            .wrongThread, in: operation,
            """
            The accessor or a live item of a block was used on another thread than the block's. Open a block on \
            each thread, or pass copies of the values.
            """, itemType: itemType, attribute: attribute)
    }

    /// Returns the error for a change on the wrong thread, and records that this block must be rolled back.
    public func refusedChange(itemType: String, attribute: String) -> DataStoreError {
        hasLostChange.store(true, ordering: .releasing)
        return Self.refusal(in: "setValue", itemType: itemType, attribute: attribute)
    }

    /// Records that an error was reported, so that the end of the block does not report it again.
    public func noteReported(_ error: DataStoreError) {
        if error.code == .wrongThread { hasReportedLoss.store(true, ordering: .releasing) }
    }

    /// Throws if a change was refused on another thread; called before a commit.
    public func checkNoChangeWasLost() throws(DataStoreError) {
        guard hasLostChange.load(ordering: .acquiring) else { return }
        var error = DataStoreError(
            .wrongThread, in: "write",
            """
            Another thread than the block's was refused a change of one of its items, so the block was rolled \
            back. Change the items of a block on its thread.
            """)
        error.isReported = hasReportedLoss.load(ordering: .acquiring)
        throw error
    }

    /// Begins another block on the calling thread, for a block whose items and accessor are no longer in use.
    package func begin() { running.store(Self.current, ordering: .releasing) }

    /// Ends the block: from now on its items may be read on any thread.
    public func end() { running.store(0, ordering: .releasing) }
}
