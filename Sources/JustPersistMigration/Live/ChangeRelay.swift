import JustPersist

/// Tells those who observe a migrating store what the store in charge tells, whichever of the two that is.
final class ChangeRelay: Sendable {
    private let feed = ChangeFeed()
    private let state = Locked(State())

    private struct State {
        /// Tells what is told since the last opening from all else.
        var origin = ItemID()
        /// The last places in the history of a store in charge, and up to which commit of the feed each was told.
        var places: [(token: ChangeToken, position: UInt64)] = []
    }

    private static let mostPlaces = 4096

    /// Opens with the migrating store.
    ///
    /// - Parameter token: The place in the history of the store in charge from which on it is observed.
    func open(at token: ChangeToken) {
        let opened = State()
        feed.open(origin: opened.origin)
        state.withLock { $0 = opened }
        feed.retain()
        follow(from: token)
    }

    /// Goes on with another store in charge.
    func follow(from token: ChangeToken) { note(token) }

    /// Closes with the migrating store.
    func close() { feed.close() }

    /// Tells what the store in charge has told.
    func publish(_ set: ChangeSet) {
        feed.publish(CommittedChanges(set))
        note(set.token)
        // Also where nobody works in the background any more.
        feed.retain()
    }

    /// Keeps what is told from now on for a while, for one who has taken a token in a block.
    func retain() { feed.retain() }

    private func note(_ token: ChangeToken) {
        state.withLock { state in
            state.places.append((token, feed.position))
            if state.places.count > 2 * Self.mostPlaces {
                state.places.removeFirst(Self.mostPlaces)
            }
        }
    }

    /// Begins an observation; the token may be one of a store in charge, that a block has taken.
    ///
    /// Two commits can be told at once. A token of the first of them is not known, rather than one before it taken for it:
    /// nothing that a block has seen is told as new.
    ///
    /// - Parameter now: A place up to which the store in charge has been told of.
    func observe(
        _ scope: ChangeScope, since token: ChangeToken?, now: ChangeToken?
    ) throws(DataStoreError) -> any ChangeObservation {
        let own = state.withLock { state -> ChangeToken? in
            guard let token,
                let place = state.places.lastIndex(where: {
                    $0.token.origin == token.origin && $0.token.position <= token.position
                }),
                // Between the last place and now there are only commits without changes, as declarations.
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
    /// The same changes, as another store tells them.
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
