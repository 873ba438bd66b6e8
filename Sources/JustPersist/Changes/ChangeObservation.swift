/// A running observation of a store's changes: what the streams of changes are made of.
///
/// Authors of stores give one from ``DataStore/observeChanges(_:since:)``; a ``ChangeFeed`` makes them. Programs use the
/// streams: ``ChangeStream`` and ``ResultStream``. The observation ends when nobody holds it any more.
public protocol ChangeObservation: AnyObject, Sendable {
    /// The changes since the last call, once there are any; `nil` when the store was closed or the task is cancelled.
    ///
    /// To be called by one task at a time, as ``poll()``. The changes are committed, visible to every block that begins from now on, and
    /// as durable as the store makes them. Sets come in the order of the commits, and each commit is in one of them. What is
    /// committed between two calls is told as one set. If it was more than is kept for those who do not ask, the set says so
    /// (``ChangeSet/isComplete``, ``ItemChanges/isComplete``).
    ///
    /// The first call of an observation without a token returns at once, with a set that is not complete: whoever has
    /// just begun to observe reads the state first, and every change after that state is told. With a token the first call
    /// gives what has changed since. If that is not known any more, it returns at once with a set that is not complete.
    ///
    /// The state that is read behind a set that is not complete may be later than the set, by all commits that there are
    /// at the next call. An item that was created and deleted since the set is told as deleted if it may have been in that
    /// state; otherwise it is not told at all, unless the observation is one of ``ChangeScope/withEveryDeletion(in:)``.
    func next() async -> ChangeSet?

    /// What ``next()`` would give without waiting; `nil` if there is nothing to tell yet, or the store was closed.
    ///
    /// A write call has told what it committed by the time it returns, so whoever writes finds its changes here. It may read
    /// the store's log on the calling thread.
    func poll() -> ChangeSet?
}

extension DataStore {
    /// Refuses, with ``DataStoreError/Code/unsupported``.
    public func observeChanges(
        _ scope: ChangeScope, since token: ChangeToken?
    ) throws -> any ChangeObservation {
        throw DataStoreError.changeStreamsUnsupported(in: "observeChanges")
    }
}

extension DataStoreReadAccessor where Self: ~Copyable {
    /// Refuses, with ``DataStoreError/Code/unsupported``.
    public func performChangeToken() throws(DataStoreError) -> ChangeToken {
        throw .changeStreamsUnsupported(in: "changeToken")
    }

    /// The place in the store's history of the state that this block sees, without the block's own changes.
    ///
    /// Read what you want to keep up to date, take the token in the same block, and begin a stream with it: the stream
    /// gives everything that is committed after that state, and nothing that the block has seen. A store without a change
    /// log keeps what is committed for a minute after this call, so that the stream can begin behind the block.
    ///
    /// - Throws: `.unsupported` if the store has no change streams.
    public var changeToken: ChangeToken {
        get throws(DataStoreError) { try performChangeToken() }
    }
}

extension DataStoreError {
    /// The refusal of change streams by a store that has none.
    public static func changeStreamsUnsupported(in operation: String) -> DataStoreError {
        DataStoreError(
            .unsupported, in: operation,
            """
            This store does not tell what changes in it; capabilities.changeStreams says which stores do. Read \
            again after each write instead.
            """)
    }
}
