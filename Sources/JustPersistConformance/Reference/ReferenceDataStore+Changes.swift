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
        let entries = RelationshipEntry.all(in: after.schemasWithRelationships)
        for row in after.rows {
            let old = before.row(row.key)
            noteRelated(entries[row.key.itemType], from: old, to: row, before, after)
            guard let old else {
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
            noteRelated(entries[row.key.itemType], from: row, to: nil, before, after)
            delete(row.key.id, ofType: row.key.itemType)
        }
        for type in after.types where !type.schema.formerTypeKeys.isEmpty {
            setFormerKeys(type.schema.formerTypeKeys, ofType: type.key)
        }
    }

    /// Notes the items whose relationships change with a row, if they are in both states.
    private mutating func noteRelated(
        _ entries: [RelationshipEntry]?, from old: ReferenceRow?, to new: ReferenceRow?,
        _ before: ReferenceState, _ after: ReferenceState
    ) {
        for entry in entries ?? [] {
            let (was, now) = (old?.values[entry.attribute], new?.values[entry.attribute])
            let hasMoved = entry.position.map { old?.values[$0] != new?.values[$0] } ?? false
            if was == now, !hasMoved { continue }
            for case .reference(let owner)? in [was, now] {
                let key = ReferenceKey(entry.owner, owner.id)
                if before.row(key) != nil, after.row(key) != nil {
                    update(owner.id, ofType: entry.owner, attributes: [entry.relationship])
                }
            }
        }
    }
}
