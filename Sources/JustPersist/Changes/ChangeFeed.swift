import Synchronization

/// Reports the commits of a store to its observers; for authors of stores.
///
/// Create one feed for each store. Open and close it with the store, and publish the changes of each commit, in the
/// order of the commits, once they are visible and durable:
///
/// ```swift
/// func observeChanges(
///     _ scope: ChangeScope, since token: ChangeToken?
/// ) throws -> any ChangeObservation {
///     try feed.observe(scope, since: token)
/// }
/// ```
///
/// Publishing never waits for an observer. A feed keeps recent commits once for all observers: up to 65,536 changed
/// items. For commits older than the last thousand, the changes of one item are joined. If an observer that does not
/// read still needs more than that, the feed forgets which items were changed, beginning with the type that has most
/// changes. You can call every member from any thread.
public final class ChangeFeed: Sendable {
    private let channel = Locked<ChangeChannel?>(nil)
    /// The types by key, for changes that name attributes.
    private let types = Locked<[String: ChangedType]>([:])
    private let observed = Atomic(false)

    /// A feed that is closed.
    public init() {}

    // Observers do not keep the store alive.
    deinit { close() }

    // MARK: Life

    /// Opens the feed with the store.
    ///
    /// - Parameters:
    ///   - origin: Identifies the store's history. Pass another id if the store does not continue from its last state.
    ///   - position: The number of commits so far.
    public func open(origin: ItemID = ItemID(), position: UInt64 = 0) {
        channel.withLock { $0 = $0 ?? ChangeChannel(origin: origin, position: position) }
    }

    /// Closes the feed with the store: each observation ends after it has reported what was published.
    public func close() {
        let channel = channel.withLock { $0.take() }
        observed.store(false, ordering: .releasing)
        channel?.close()
    }

    // MARK: Publishing

    /// Whether there may be observers.
    ///
    /// If not, a write block need not note its changes.
    ///
    /// Read it when the block begins. The cost is negligible.
    public var isObserved: Bool { observed.load(ordering: .acquiring) }

    /// Publishes the changes of the next commit.
    ///
    /// If a block did not note its changes because there were no observers when it began, pass
    /// ``CommittedChanges/unknown``.
    public func publish(_ changes: CommittedChanges) {
        guard let channel = channel.withLock({ $0 }) else { return }
        let named = isObserved ? changes.changes(types) : nil
        publish([ChangeSegment(end: channel.position + 1, named)])
    }

    /// Publishes the changes of numbered commits; those that were published before are left out.
    package func publish(_ segments: [ChangeSegment]) {
        guard let channel = channel.withLock({ $0 }) else { return }
        if !channel.publish(segments), isObserved { settle(channel) }
    }

    /// Records a commit that had no observers when its block began.
    package func skip(to position: UInt64) {
        guard let channel = channel.withLock({ $0 }) else { return }
        if !channel.skip(to: position) { publish([ChangeSegment(end: position, nil)]) }
    }

    /// The position after the last published commit; `nil` if the feed is closed.
    ///
    /// Reading it counts as interest: the commits after it are kept for a while.
    public var token: ChangeToken? {
        guard let channel = channel.withLock({ $0 }) else { return nil }
        retain()
        return ChangeToken(origin: channel.origin, position: channel.position)
    }

    /// The number of the last commit that was published.
    package var position: UInt64 { channel.withLock { $0 }?.position ?? 0 }

    /// Whether there are observers now.
    package var hasObservers: Bool { channel.withLock { $0 }?.hasSubscribers ?? false }

    /// Keeps commits from now on for a while, for a caller that has taken a token.
    package func retain() {
        guard let channel = channel.withLock({ $0 }) else { return }
        // The order matters: another thread may be about to record that there are no subscribers.
        channel.retain()
        observed.store(true, ordering: .releasing)
    }

    // MARK: Observing

    /// Begins an observation.
    ///
    /// - Throws: ``DataStoreError/Code/notSetUp`` if the feed is closed.
    public func observe(
        _ scope: ChangeScope, since token: ChangeToken? = nil
    ) throws(DataStoreError) -> any ChangeObservation {
        try observe(scope, since: token, latest: nil, history: nil)
    }

    /// Begins an observation, with a log for commits that are not kept here.
    ///
    /// - Parameter latest: The last commit of the store, which might not be published yet.
    package func observe(
        _ scope: ChangeScope, since token: ChangeToken?, latest: UInt64?, history: ChangeHistory?
    ) throws(DataStoreError) -> any ChangeObservation {
        guard let channel = channel.withLock({ $0 }) else {
            throw .notSetUp(in: "observeChanges")
        }
        let filter = ChangeFilter(scope)
        // Set first, so that every block that begins from now on notes its changes.
        observed.store(true, ordering: .releasing)
        guard
            let (number, beginning) = channel.subscribe(
                filter, since: token, latest: latest ?? 0)
        else {
            throw .notSetUp(in: "observeChanges")
        }
        // Set again, because another thread may have found that there were no subscribers yet.
        observed.store(true, ordering: .releasing)
        return ChangeSubscription(channel, number, filter, beginning, history)
    }

    /// Records that there are no subscribers, unless one has begun meanwhile.
    private func settle(_ channel: ChangeChannel) {
        observed.store(false, ordering: .releasing)
        if channel.isWanted { observed.store(true, ordering: .releasing) }
    }
}
