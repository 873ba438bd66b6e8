import Synchronization

/// An observation of a ``ChangeFeed``.
final class ChangeSubscription: ChangeObservation {
    private let channel: ChangeChannel
    private let number: Int
    private let filter: ChangeFilter
    private let beginning: Handover<ChangeChannel.Beginning>
    private let history: ChangeHistory?
    /// Whether the last set was not complete, after which the observer reads the state.
    private let readsStateAgain = Atomic(false)
    /// The last commit that existed when the state had been read.
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
        if readsStateAgain.exchange(false, ordering: .relaxed) {
            let commit = await WaitingThreads.value { [history] in history?.lastCommit() }
            lastRead.store(commit ?? channel.position + 1, ordering: .relaxed)
        }
        var next: ChangeSegment?
        switch beginning.take() {
        case .missing(let start, let end):
            next = await WaitingThreads.value { self.missing(start, end) }
        case let other: next = other?.first
        }
        if next?.isEmpty ?? true {
            next = await channel.take(number, lastRead: lastRead.load(ordering: .relaxed))
        }
        return changeSet(next)
    }

    func poll() -> ChangeSet? {
        if readsStateAgain.exchange(false, ordering: .relaxed) {
            lastRead.store(history?.lastCommit() ?? channel.position + 1, ordering: .relaxed)
        }
        var next: ChangeSegment?
        switch beginning.take() {
        case .missing(let start, let end): next = missing(start, end)
        case let other: next = other?.first
        }
        if next?.isEmpty ?? true {
            next = channel.poll(number, lastRead: lastRead.load(ordering: .relaxed))
        }
        return changeSet(next)
    }

    /// The commits between the token and the beginning of the observation.
    private func missing(_ start: UInt64, _ end: UInt64) -> ChangeSegment {
        guard let segments = history?.segments(start, end) else {
            return ChangeSegment(end: end, nil)
        }
        var changes = ChangeSegment(segments, filter, end: end)
        changes.settle(passedAreDeleted: filter.namesEveryDeletion)
        return changes
    }

    private func changeSet(_ changes: ChangeSegment?) -> ChangeSet? {
        if let changes, !changes.isKnown { readsStateAgain.store(true, ordering: .relaxed) }
        return changes?.changeSet(origin: channel.origin)
    }
}

extension ChangeChannel.Beginning {
    /// The first set, if it does not depend on the log; otherwise `nil`.
    fileprivate var first: ChangeSegment? {
        if case .reset(let position) = self { return ChangeSegment(end: position, nil) }
        return nil
    }
}

/// The store's own knowledge of its commits; both closures are called on a thread that may wait.
package struct ChangeHistory: Sendable {
    /// The number of the last commit; `nil` if the store is closed.
    let lastCommit: @Sendable () -> UInt64?
    /// The commits after a position up to another one; `nil` if the log does not have all of them.
    let segments: @Sendable (_ start: UInt64, _ end: UInt64) -> [ChangeSegment]?

    package init(
        lastCommit: @escaping @Sendable () -> UInt64?,
        segments: @escaping @Sendable (_ start: UInt64, _ end: UInt64) -> [ChangeSegment]?
    ) {
        self.lastCommit = lastCommit
        self.segments = segments
    }
}
