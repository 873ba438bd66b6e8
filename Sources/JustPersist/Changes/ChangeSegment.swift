/// A run of commits and their changes, shared by all subscribers.
package struct ChangeSegment: Sendable {
    /// The position after the last commit of the run.
    package let end: UInt64
    /// The changes by type.
    package private(set) var changes: [ChangedItems]
    /// Whether all changes are known.
    package let isComplete: Bool
    /// Whether the run was joined from several.
    private(set) var isJoined = false

    /// A run of commits; if `changes` is `nil`, they may have changed anything in the store.
    package init(end: UInt64, _ changes: [ChangedItems]?) {
        self.end = end
        self.changes = changes ?? []
        isComplete = changes != nil
    }

    /// The number of events.
    var count: Int { changes.reduce(0) { $0 + $1.events.count } }

    /// The events of the type that has most of them.
    var largest: Int { changes.map(\.events.count).max() ?? 0 }

    /// Forgets the items of the type that has most events.
    mutating func forgetLargest() {
        let most = largest
        guard let place = changes.firstIndex(where: { $0.events.count == most }) else { return }
        changes[place].forget()
    }

    /// Several runs as one, with one event for each item.
    ///
    /// - Parameter filter: Which changes are wanted.
    init(_ segments: some Collection<ChangeSegment>, _ filter: ChangeFilter, end: UInt64) {
        self.init(end: end, segments.allSatisfy(\.isComplete) ? [] : nil)
        isJoined = true
        guard isComplete else { return }
        for segment in segments {
            for part in segment.changes where filter.includes(part.type) {
                let wanted = filter.wanted(part)
                if let place = changes.firstIndex(where: { $0.type.number == part.type.number }) {
                    changes[place].append(wanted)
                } else {
                    changes.append(wanted)
                }
            }
        }
        for place in changes.indices { changes[place].coalesce() }
    }

    /// Prepares the changes for reporting.
    ///
    /// - Parameter passedAreDeleted: Whether an item that was created and deleted is reported as deleted, because the
    ///   observer may know it.
    mutating func settle(passedAreDeleted: Bool) {
        for place in changes.indices {
            changes[place].settlePassed(asDeleted: passedAreDeleted)
        }
        changes.removeAll { $0.isComplete && $0.events.isEmpty }
    }

    /// Whether there is nothing to report.
    var isEmpty: Bool { isComplete && changes.isEmpty }

    /// Whether all changes and all items are known.
    var isKnown: Bool { isComplete && changes.allSatisfy(\.isComplete) }

    /// The changes as observers receive them.
    func changeSet(origin: ItemID) -> ChangeSet {
        let token = ChangeToken(origin: origin, position: end)
        return ChangeSet(
            types: changes.map { $0.itemChanges(at: token) }, isComplete: isComplete, token: token)
    }
}
