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
        return told(next)
    }

    func poll() -> ChangeSet? {
        if readsAnew.exchange(false, ordering: .relaxed) {
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
        return told(next)
    }

    /// What was committed before the observation began, behind its token.
    private func missing(_ start: UInt64, _ end: UInt64) -> ChangeSegment {
        guard let segments = history?.segments(start, end) else {
            return ChangeSegment(end: end, nil)
        }
        var changes = ChangeSegment(segments, filter, end: end)
        changes.settle(passedAreDeleted: filter.namesEveryDeletion)
        return changes
    }

    private func told(_ changes: ChangeSegment?) -> ChangeSet? {
        if let changes, !changes.isKnown { readsAnew.store(true, ordering: .relaxed) }
        return changes?.told(by: channel.origin)
    }
}

extension ChangeChannel.Beginning {
    /// What is told first, where nothing has to be read for it.
    fileprivate var first: ChangeSegment? {
        if case .anew(let position) = self { return ChangeSegment(end: position, nil) }
        return nil
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
