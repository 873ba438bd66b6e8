import Dispatch

/// An observation of what a ``ChangeFeed`` is told.
final class ChangeSubscription: ChangeObservation {
    private let channel: ChangeChannel
    private let number: Int
    private let filter: ChangeFilter
    private let beginning: Handover<ChangeChannel.Beginning>
    private let history: ChangeHistory?

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
        if let begun = await begin() { return begun }
        return await channel.take(number)?.told(by: channel.origin)
    }

    /// What is to be told before anything else.
    private func begin() async -> ChangeSet? {
        switch beginning.take() {
        case nil, .continuous: return nil
        case .anew(let position):
            return ChangeSegment(end: position, nil).told(by: channel.origin)
        case .missing(let start, let end):
            guard let history else {
                return ChangeSegment(end: end, nil).told(by: channel.origin)
            }
            // Reading takes a thread, which must not be one of the few that run tasks.
            let segments = await withCheckedContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(returning: history(start, end)) }
            }
            let changes =
                segments.map { ChangeSegment($0, filter, end: end) }
                ?? ChangeSegment(end: end, nil)
            let isEmpty = changes.isComplete && changes.changes.isEmpty
            return isEmpty ? nil : changes.told(by: channel.origin)
        }
    }
}

/// What was committed behind a position up to another one, as a store's log has it; `nil` if it does not have all of it.
package typealias ChangeHistory =
    @Sendable (_ start: UInt64, _ end: UInt64) -> [ChangeSegment]?
