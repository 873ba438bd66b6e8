public import JustPersist

extension ReferenceDataStore {
    /// Begins to observe the commits of this store, including merges of its children.
    public func observeChanges(
        _ scope: ChangeScope, since token: ChangeToken?
    ) throws -> any ChangeObservation {
        try feed.observe(scope, since: token)
    }

    /// Reports the changes of a commit: the difference between the states before and after it.
    func announce(from before: ReferenceState, to after: ReferenceState) {
        feed.publish(feed.isObserved ? CommittedChanges(from: before, to: after) : .unknown)
    }
}

extension CommittedChanges {
    /// The difference between two states.
    package init(from before: ReferenceState, to after: ReferenceState) {
        self.init()
        var before = before
        for rename in after.renames.dropFirst(before.renames.count) { before.rename(rename) }
        for row in after.rows {
            guard let old = before.row(row.key) else {
                insert(row.key.id, ofType: row.key.itemType)
                continue
            }
            let changed = Set(old.values.keys).union(row.values.keys).filter { name in
                old.values[name] != row.values[name]
            }
            if !changed.isEmpty {
                update(row.key.id, ofType: row.key.itemType, attributes: changed)
            }
        }
        for row in before.rows where after.row(row.key) == nil {
            delete(row.key.id, ofType: row.key.itemType)
        }
        for type in after.types where !type.schema.formerTypeKeys.isEmpty {
            setFormerKeys(type.schema.formerTypeKeys, ofType: type.key)
        }
    }
}
