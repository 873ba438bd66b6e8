import Dispatch

/// An observation of what a ``ChangeFeed`` is told.
final class ChangeSubscription: ChangeObservation {
    private let channel: ChangeChannel
    private let number: Int
    private let filter: ChangeFilter
    private let beginning: Handover<ChangeChannel.Beginning>
    private let history: ChangeHistory?
    /// Whether the last set was not complete, so that the state has been read since.
    private let readsAnew = Handover<Bool>()

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
        let isReadAnew = readsAnew.take() ?? false
        var next = await begin()
        if next?.isEmpty ?? true {
            next = await channel.take(number, passedAreDeleted: isReadAnew)
        }
        // What is read until the next call is later than this set, by what is only told then.
        if let next, !next.isKnown { readsAnew.put(true) }
        return next?.told(by: channel.origin)
    }

    /// What is to be told before anything else.
    private func begin() async -> ChangeSegment? {
        switch beginning.take() {
        case nil, .continuous: return nil
        case .anew(let position): return ChangeSegment(end: position, nil)
        case .missing(let start, let end):
            guard let history else { return ChangeSegment(end: end, nil) }
            // Reading takes a thread, which must not be one of the few that run tasks.
            let segments = await withCheckedContinuation { continuation in
                WaitingThreads.run { continuation.resume(returning: history(start, end)) }
            }
            guard let segments else { return ChangeSegment(end: end, nil) }
            var changes = ChangeSegment(segments, filter, end: end)
            changes.settle(passedAreDeleted: false)
            return changes
        }
    }
}

/// What was committed behind a position up to another one, as a store's log has it; `nil` if it does not have all of it.
package typealias ChangeHistory =
    @Sendable (_ start: UInt64, _ end: UInt64) -> [ChangeSegment]?
