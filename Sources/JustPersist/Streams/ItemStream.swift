import Foundation

/// Values of the items in a store, one after the other, from one snapshot, without loading all of them at once.
///
/// ```swift
/// for try await name in store.values(of: Restaurant.self, where: \.stars > 3, { $0.name }) {
///     print(name)
/// }
/// ```
///
/// Each iteration has its own read block, which begins when the first value is requested, and so reads one snapshot,
/// independent of later writes. It holds that snapshot and a thread until it ends: after the last value, after an
/// error, when the task is cancelled while it waits for a value, or when the iterator is released, as by leaving the
/// loop. Take values without long pauses, because a store keeps everything that was deleted or replaced since the
/// snapshot. The thread is at most two batches of 256 values ahead of the loop, and then waits for it.
///
/// The sequence throws the errors of the transform and of the store, and `CancellationError` if the task is cancelled.
/// If a store that uses a ``BlockGate`` is closed meanwhile, the iteration ends with ``DataStoreError/Code/notSetUp``,
/// and the store does not wait for the loop. A store whose read blocks run on the main thread
/// (``DataStoreThreading/mainThread``, ``DataStoreThreading/originals``) has no such streams, because they would block
/// that thread: it throws ``DataStoreError/Code/unsupported``.
public struct ItemStream<Value: Sendable>: AsyncSequence, Sendable {
    /// A value.
    public typealias Element = Value
    /// Any error.
    public typealias Failure = any Error

    private let store: any DataStore
    /// Visits the items in a read block, and calls the function with each value.
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

    /// An iteration, with its own snapshot.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let iteration: Iteration
        private var batch: [Value] = []
        private var place = 0
        private var hasEnded = false

        fileprivate init(iteration: Iteration) { self.iteration = iteration }

        /// The next value; `nil` after the last one, and after an error.
        public mutating func next() async throws -> Value? {
            try await next(isolation: #isolation)
        }

        /// The next value; `nil` after the last one, and after an error.
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

    /// Ends the thread when the iterator is released.
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
                // The closing store may be another one: the thread may be inside a block of that store.
                do {
                    try store.performRead { _ in }
                } catch let error as DataStoreError where error.code == .notSetUp {
                    channel.stop(Self.closed)
                } catch {
                    // The store is open.
                }
            } _: { [walk, channel] in
                var batches = ValueBatches(channel)
                let result = Result {
                    try WorkLimit.withCancellation(channel.cancellation) {
                        try walk { value in try batches.add(value) }
                    }
                }
                // Passes on the values before an error, too; `flush` throws only if they are not wanted.
                try? batches.flush()
                channel.end(result)
            }
        }

        private static var closed: DataStoreError {
            DataStoreError(
                .notSetUp, in: "values",
                "The store was closed before all of its items were streamed. Open it, and begin again."
            )
        }
    }
}

/// Collects values in batches, which grow if values are made and taken quickly: a slow loop and a slow search receive
/// each value immediately, and fast ones seldom wait for each other.
private struct ValueBatches<Value: Sendable> {
    private static var largest: Int { 256 }

    private let channel: ValueChannel<Value>
    private var batch: [Value] = []
    private var size = 1
    private var start = Surroundings.now

    init(_ channel: ValueChannel<Value>) { self.channel = channel }

    mutating func add(_ value: Value) throws {
        batch.append(value)
        let now = Surroundings.now
        // Available values do not wait for items that are found rarely.
        guard batch.count >= size || now - start > .milliseconds(10) else { return }
        try flush()
        size = now - start > .milliseconds(1) ? max(1, size / 2) : min(Self.largest, size * 2)
        start = Surroundings.now
    }

    mutating func flush() throws {
        if batch.isEmpty { return }
        defer { batch = [] }
        try channel.put(batch)
    }
}
