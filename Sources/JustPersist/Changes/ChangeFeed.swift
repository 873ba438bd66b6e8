import Synchronization

/// Tells those who observe a store what is committed in it, for authors of stores.
///
/// Create one feed for a store. Open and close it with the store, and publish the changes of each commit, in the order of
/// the commits, once they are visible and durable:
///
/// ```swift
/// func observeChanges(
///     _ scope: ChangeScope, since token: ChangeToken?
/// ) throws -> any ChangeObservation {
///     try feed.observe(scope, since: token)
/// }
/// ```
///
/// Publishing never waits for an observer. A feed keeps what was committed lately once, for all observers: up to 65,536
/// changed items. Of what is older than the last thousand commits, the changes of one item are joined. If that is still too
/// much for an observer that takes nothing, the feed forgets which items it was of the types with most changes.
/// You can call every member from any thread.
public final class ChangeFeed: Sendable {
    private let channel = Locked<ChangeChannel?>(nil)
    /// The types by key, for changes that name attributes.
    private let types = Locked<[String: ChangedType]>([:])
    private let observed = Atomic(false)

    /// A feed that is closed.
    public init() {}

    // The observers do not hold the store.
    deinit { close() }

    // MARK: Life

    /// Opens the feed with the store.
    ///
    /// - Parameters:
    ///   - origin: Tells the store's history from every other. Pass another id if the store does not go on where it was.
    ///   - position: The number of commits so far.
    public func open(origin: ItemID = ItemID(), position: UInt64 = 0) {
        channel.withLock { $0 = $0 ?? ChangeChannel(origin: origin, position: position) }
    }

    /// Closes the feed with the store: observations end once they have told what was published.
    public func close() {
        let channel = channel.withLock { $0.take() }
        observed.store(false, ordering: .releasing)
        channel?.close()
    }

    // MARK: Publishing

    /// Whether anybody wants to know: if not, a write block need not note what it changes.
    ///
    /// Ask when the block begins. Costs next to nothing.
    public var isObserved: Bool { observed.load(ordering: .acquiring) }

    /// Tells the changes of the next commit.
    ///
    /// If a block has not noted its changes because nobody wanted to know when it began, pass changes that are not complete.
    public func publish(_ changes: CommittedChanges) {
        guard let channel = channel.withLock({ $0 }) else { return }
        let named = isObserved ? changes.changes(types) : nil
        publish([ChangeSegment(end: channel.position + 1, named)])
    }

    /// Tells the changes of commits that have numbers; those that were told already are left out.
    package func publish(_ segments: [ChangeSegment]) {
        guard let channel = channel.withLock({ $0 }) else { return }
        if !channel.publish(segments), isObserved { settle(channel) }
    }

    /// Notes a commit of which nobody wanted to know when its block began.
    package func skip(to position: UInt64) {
        guard let channel = channel.withLock({ $0 }) else { return }
        if !channel.skip(to: position) { publish([ChangeSegment(end: position, nil)]) }
    }

    /// The place behind the last commit that was published; `nil` if the feed is closed.
    ///
    /// Whoever asks is taken for one who wants to know what comes behind it.
    public var token: ChangeToken? {
        guard let channel = channel.withLock({ $0 }) else { return nil }
        retain()
        return ChangeToken(origin: channel.origin, position: channel.position)
    }

    /// The number of the last commit that was published.
    package var position: UInt64 { channel.withLock { $0 }?.position ?? 0 }

    /// Whether there are observers now.
    package var hasObservers: Bool { channel.withLock { $0 }?.hasSubscribers ?? false }

    /// Keeps what is committed from now on for a while, for one who has taken a token.
    package func retain() {
        guard let channel = channel.withLock({ $0 }) else { return }
        // In this order: another thread may be finding that nobody listens.
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

    /// The same with a log for what is not known here any more.
    ///
    /// - Parameter latest: The last commit of the store, which may not be published yet.
    package func observe(
        _ scope: ChangeScope, since token: ChangeToken?, latest: UInt64?, history: ChangeHistory?
    ) throws(DataStoreError) -> any ChangeObservation {
        guard let channel = channel.withLock({ $0 }) else {
            throw .notSetUp(in: "observeChanges")
        }
        let filter = ChangeFilter(scope)
        // First, so that every block that begins from now on notes what it changes.
        observed.store(true, ordering: .releasing)
        guard
            let (number, beginning) = channel.subscribe(
                filter, since: token, latest: latest ?? 0)
        else {
            throw .notSetUp(in: "observeChanges")
        }
        // Another thread may have found just before that nobody listens.
        observed.store(true, ordering: .releasing)
        return ChangeSubscription(channel, number, filter, beginning, history)
    }

    /// Notes that nobody listens any more, unless somebody has begun meanwhile.
    private func settle(_ channel: ChangeChannel) {
        observed.store(false, ordering: .releasing)
        if channel.isWanted { observed.store(true, ordering: .releasing) }
    }
}
