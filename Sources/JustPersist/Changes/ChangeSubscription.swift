import Synchronization

/// An observation of what a ``ChangeFeed`` is told.
final class ChangeSubscription: ChangeObservation {
    private let channel: ChangeChannel
    private let number: Int
    private let filter: ChangeFilter
    private let beginning: Handover<ChangeChannel.Beginning>
    private let history: ChangeHistory?
    /// Whether the last set was not complete, so that the state is read behind it.
    private let readsAnew = Atomic(false)
    /// The last commit that was there when the state had been read.
    private let lastRead = Atomic<UInt64>(0)

    init(
        _ channel: ChangeChannel, _ number: Int, _ filter: ChangeFilter,
        _ beginning: ChangeChannel.Beginning, _ history: ChangeHistory?
    ) {
        self.channel = channel
        self.number = number
        self.filter = filter
        self.history = history
        self.beginning = Handover()
        self.beginning.put(beginning)
    }

    deinit { channel.unsubscribe(number) }

    func next() async -> ChangeSet? {
        if readsAnew.exchange(false, ordering: .relaxed) {
            lastRead.store(await lastCommit(), ordering: .relaxed)
        }
        var next = await begin()
        if next?.isEmpty ?? true {
            next = await channel.take(number, lastRead: lastRead.load(ordering: .relaxed))
        }
        if let next, !next.isKnown { readsAnew.store(true, ordering: .relaxed) }
        return next?.told(by: channel.origin)
    }

    /// The last commit that anybody can have seen by now; it may not be announced yet.
    private func lastCommit() async -> UInt64 {
        guard let history else { return channel.position + 1 }
        return await WaitingThreads.value { history.lastCommit() } ?? channel.position + 1
    }

    /// What is to be told before anything else.
    private func begin() async -> ChangeSegment? {
        switch beginning.take() {
        case nil, .continuous: return nil
        case .anew(let position): return ChangeSegment(end: position, nil)
        case .missing(let start, let end):
            guard let history else { return ChangeSegment(end: end, nil) }
            guard let segments = await WaitingThreads.value({ history.segments(start, end) })
            else { return ChangeSegment(end: end, nil) }
            var changes = ChangeSegment(segments, filter, end: end)
            changes.settle(passedAreDeleted: false)
            return changes
        }
    }
}

/// What a store knows of its commits beside what is announced; both are asked on a thread that may wait.
package struct ChangeHistory: Sendable {
    /// The number of the last commit; `nil` if the store is closed.
    let lastCommit: @Sendable () -> UInt64?
    /// What was committed behind a position up to another one; `nil` if the log does not have all of it.
    let segments: @Sendable (_ start: UInt64, _ end: UInt64) -> [ChangeSegment]?

    package init(
        lastCommit: @escaping @Sendable () -> UInt64?,
        segments: @escaping @Sendable (_ start: UInt64, _ end: UInt64) -> [ChangeSegment]?
    ) {
        self.lastCommit = lastCommit
        self.segments = segments
    }
}
