import Foundation

/// Values of the items in a store, one after the other, from one snapshot, without all of them in memory.
///
/// ```swift
/// for try await name in store.values(of: Restaurant.self, where: \.stars > 3, { $0.name }) {
///     print(name)
/// }
/// ```
///
/// Each iteration reads in a read block of its own, which begins with the first value that is asked for, and so sees one
/// snapshot, whatever is written meanwhile. It holds that snapshot and a thread until it ends: after the last value, after
/// an error, when the task is cancelled while it waits for a value, or when the iterator is let go, as by leaving the loop.
/// So take values without long pauses: a store keeps everything that was deleted or replaced since the snapshot. The
/// thread is at most two batches ahead of the loop, of 256 values each, and then waits for it.
///
/// The sequence throws what the transform throws, what the store throws, and `CancellationError` if the task is cancelled.
/// If the store is closed meanwhile, the iteration ends with ``DataStoreError/Code/notSetUp``, and the store does not wait
/// for the loop. (So it is for stores that use a ``BlockGate``.) A store whose read blocks run on the main thread
/// (``DataStoreThreading/mainThread``, ``DataStoreThreading/originals``) has no streams, for they would hold that thread: ``DataStoreError/Code/unsupported``.
public struct ItemStream<Value: Sendable>: AsyncSequence, Sendable {
    /// A value.
    public typealias Element = Value
    /// Any error.
    public typealias Failure = any Error

    private let store: any DataStore
    /// Walks over the items in a read block, and calls the function with each value.
    private let walk: @Sendable (_ body: (Value) throws -> Void) throws -> Void

    init(
        of store: any DataStore,
        _ walk: @escaping @Sendable (_ body: (Value) throws -> Void) throws -> Void
    ) {
        self.store = store
        self.walk = walk
    }

    /// A new iteration, which begins with its first call of `next()`.
    public func makeAsyncIterator() -> Iterator {
        Iterator(iteration: Iteration(store, walk))
    }

    /// An iteration, with a snapshot of its own.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let iteration: Iteration
        private var batch: [Value] = []
        private var place = 0
        private var hasEnded = false

        fileprivate init(iteration: Iteration) { self.iteration = iteration }

        /// The next value; `nil` behind the last one, and after an error.
        public mutating func next() async throws -> Value? {
            try await next(isolation: #isolation)
        }

        /// The next value; `nil` behind the last one, and after an error.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(any Error) -> Value? {
            if place == batch.count {
                if hasEnded { return nil }
                hasEnded = true
                batch = []
                place = 0
                guard let next = try await iteration.take() else { return nil }
                batch = next
                hasEnded = false
            }
            defer { place += 1 }
            return batch[place]
        }
    }

    /// What ends the thread when nobody has the iterator any more.
    fileprivate final class Iteration {
        private let channel = ValueChannel<Value>()
        private let store: any DataStore
        private let walk: @Sendable (_ body: (Value) throws -> Void) throws -> Void
        private var hasBegun = false

        init(
            _ store: any DataStore,
            _ walk: @escaping @Sendable (_ body: (Value) throws -> Void) throws -> Void
        ) {
            self.store = store
            self.walk = walk
        }

        deinit { channel.stop(CancellationError()) }

        func take() async throws -> [Value]? {
            if !hasBegun {
                try Task.checkCancellation()
                try begin()
            }
            return try await channel.take()
        }

        private func begin() throws(DataStoreError) {
            if store.capabilities.threading.readsOnMainThread {
                throw DataStoreError(
                    .unsupported, in: "values",
                    "The store's read blocks run on the main thread, which a stream would hold. Read batches with items(_:where:), or open the store with the threading callingThread."
                )
            }
            hasBegun = true
            StreamThread.start { [store, channel] in
                // It may be another store that is closing, in a block of which the thread is for the moment.
                do {
                    try store.performRead { _ in }
                } catch let error as DataStoreError where error.code == .notSetUp {
                    channel.stop(Self.closed)
                } catch {
                    // It is open.
                }
            } _: { [walk, channel] in
                var batches = ValueBatches(channel)
                let result = Result {
                    try WorkLimit.withCancellation(channel.cancellation) {
                        try walk { value in try batches.add(value) }
                    }
                }
                // The values before an error, too; it throws only if nobody takes them.
                try? batches.flush()
                channel.end(result)
            }
        }

        private static var closed: DataStoreError {
            DataStoreError(
                .notSetUp, in: "values",
                "The store was closed before all of its items were streamed. Open it, and begin anew."
            )
        }
    }
}

/// Collects values in batches, which are the larger the faster they are made and taken, so that a slow loop and a slow
/// search for items get each value at once, and fast ones seldom wait for each other.
private struct ValueBatches<Value: Sendable> {
    private static var largest: Int { 256 }

    private let channel: ValueChannel<Value>
    private var batch: [Value] = []
    private var size = 1
    private var start = ContinuousClock.now

    init(_ channel: ValueChannel<Value>) { self.channel = channel }

    mutating func add(_ value: Value) throws {
        batch.append(value)
        let now = ContinuousClock.now
        // What is there already does not wait for items that are found seldom.
        guard batch.count >= size || now - start > .milliseconds(10) else { return }
        try flush()
        size = now - start > .milliseconds(1) ? max(1, size / 2) : min(Self.largest, size * 2)
        start = ContinuousClock.now
    }

    mutating func flush() throws {
        if batch.isEmpty { return }
        defer { batch = [] }
        try channel.put(batch)
    }
}
