/// A running observation of a store's changes, on which the change streams are built.
///
/// Authors of stores return one from ``DataStore/observeChanges(_:since:)``; a ``ChangeFeed`` makes them. Programs use
/// the streams: ``ChangeStream`` and ``ResultStream``. The observation ends when its last reference is released.
public protocol ChangeObservation: AnyObject, Sendable {
    /// The changes since the last call, once there are any; `nil` if the store was closed or the task is cancelled.
    ///
    /// Call this and ``poll()`` from one task at a time. The changes are committed, visible to every block that begins
    /// from now on, and as durable as the store makes them. Sets arrive in the order of the commits, and each commit is
    /// in one of them. Commits between two calls are joined into one set. If more was committed than is kept for an
    /// observer that does not call, the set is not complete (``ChangeSet/isComplete``, ``ItemChanges/isComplete``).
    ///
    /// The first call of an observation without a token returns immediately, with a set that is not complete: the
    /// observer reads the state first, and every change after that state is reported. With a token, the first call
    /// returns the changes since the token. If these are no longer known, it returns immediately with a set that is not
    /// complete.
    ///
    /// The state that is read after an incomplete set may be later than the set, by all commits up to the next call. An
    /// item that was created and deleted since the set is reported as deleted if it may have been in that state, or if
    /// the observation is one of ``ChangeScope/withEveryDeletion(in:)``; otherwise it is not reported.
    func next() async -> ChangeSet?

    /// The result of ``next()`` without waiting; `nil` if there are no changes yet, or the store was closed.
    ///
    /// A write call has published its changes by the time it returns, so the writer finds them here. This may read the
    /// store's log on the calling thread.
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

    /// The place in the store's history of the state that this block reads, without the block's own changes.
    ///
    /// Read the data that you want to keep up to date, take the token in the same block, and begin a stream with it.
    /// The stream returns everything that is committed after that state, and nothing that the block has read. A store
    /// without a change log keeps later commits for a minute after this call, so that the stream can begin after the
    /// block.
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
            This store does not report its changes; capabilities.changeStreams states which stores do. Read again \
            after each write instead.
            """)
    }
}
