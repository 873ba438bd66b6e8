import JustPersist

/// Passes the changes of the primary store to the observers of a migrating store, even if the primary changes.
final class ChangeRelay: Sendable {
    private let feed = ChangeFeed()
    private let state = Locked(State())

    private struct State {
        /// Identifies the changes reported since the last opening.
        var origin = ItemID()
        /// The latest tokens of a primary, and the position of the feed after each was reported.
        var places: [(token: ChangeToken, position: UInt64)] = []
    }

    private static let mostPlaces = 4096

    /// Opens with the migrating store.
    ///
    /// - Parameter token: The place in the primary's history from which on it is observed.
    func open(at token: ChangeToken) {
        let opened = State()
        feed.open(origin: opened.origin)
        state.withLock { $0 = opened }
        feed.retain()
        follow(from: token)
    }

    /// Continues with another primary.
    func follow(from token: ChangeToken) { note(token) }

    /// Closes with the migrating store.
    func close() { feed.close() }

    /// Reports changes of the primary.
    func publish(_ set: ChangeSet) {
        feed.publish(CommittedChanges(set))
        note(set.token)
        // This is needed here too, because there may be no background work any more.
        feed.retain()
    }

    /// Retains the changes from now on for a while, so that a block can use the token that it has taken.
    func retain() { feed.retain() }

    private func note(_ token: ChangeToken) {
        state.withLock { state in
            state.places.append((token, feed.position))
            if state.places.count > 2 * Self.mostPlaces {
                state.places.removeFirst(Self.mostPlaces)
            }
        }
    }

    /// Begins an observation; the token may be that of a primary, taken in a block.
    ///
    /// Two commits can be reported together. The token of the first of them is then unknown, and not replaced by an
    /// earlier one, which would report changes that the block has seen as new.
    ///
    /// - Parameter now: A place up to which the primary's changes have been reported.
    func observe(
        _ scope: ChangeScope, since token: ChangeToken?, now: ChangeToken?
    ) throws(DataStoreError) -> any ChangeObservation {
        let own = state.withLock { state -> ChangeToken? in
            guard let token,
                let place = state.places.lastIndex(where: {
                    $0.token.origin == token.origin && $0.token.position <= token.position
                }),
                // Between the last place and `now` there are only commits without changes of items, such as
                // declarations.
                state.places[place].token == token
                    || place + 1 == state.places.count
                        && token.position <= now?.position ?? 0
            else { return nil }
            return ChangeToken(origin: state.origin, position: state.places[place].position)
        }
        return try feed.observe(scope, since: own ?? token)
    }
}

extension CommittedChanges {
    /// The changes of a set, for another feed.
    fileprivate init(_ set: ChangeSet) {
        self = set.isComplete ? CommittedChanges() : .unknown
        for changes in set.types {
            let key = changes.itemTypeKey
            if !changes.isComplete { changeAll(ofType: key) }
            for id in changes.inserted { insert(id, ofType: key) }
            for update in changes.updated {
                self.update(update.id, ofType: key, attributes: update.attributes)
            }
            for id in changes.deleted { delete(id, ofType: key) }
        }
    }
}
