package import JustPersist

/// Merges a child's changes into its parent's state.
///
/// For each attribute it compares three values: the parent's value when the child first changed it, the child's value,
/// and the parent's current value. If both stores have changed the first value, the policy decides.
package struct ReferenceMerge {
    /// The parent's state, which becomes the merged state.
    package private(set) var state: ReferenceState
    /// The conflicting changes of both stores to one item or attribute.
    package private(set) var conflicts: [MergeConflict] = []
    private let policy: MergePolicy

    /// Merges a child's changes into a state.
    ///
    /// If there are conflicts and the policy is `fail`, the merged state must not be used.
    package init(
        _ overlay: ReferenceOverlay, into parent: ReferenceState, policy: MergePolicy
    ) {
        state = parent
        self.policy = policy
        let overlay = overlay.without(parent.drops)
        overlay.addTypes(to: &state)
        for change in overlay.changes { merge(change) }
        ReferenceRelations.reconcile(&state, Set(overlay.changes.map(\.key)))
    }

    private mutating func merge(_ change: ReferenceOverlay.Change) {
        switch (change.isThere, state.row(change.key)) {
        case (true, .some(let theirs)): mergeAttributes(of: change, theirs)
        case (true, nil) where change.wasThere || state.type(change.key.itemType) == nil:
            note(.deletedInParent, change)
        case (true, nil):
            state.put(ReferenceRow(change.key, values: change.attributes.mapValues(\.mine)))
        case (false, .some(let theirs)): mergeDeletion(change, theirs)
        case (false, nil): break
        }
    }

    private mutating func mergeAttributes(
        of change: ReferenceOverlay.Change, _ theirs: ReferenceRow
    ) {
        for (name, attribute) in change.attributes.sorted(by: { $0.key < $1.key }) {
            let isConflict = theirs[name] != attribute.base && theirs[name] != attribute.mine
            if isConflict {
                conflicts.append(
                    MergeConflict(
                        kind: .bothChanged, itemType: change.key.itemType, id: change.key.id,
                        attribute: name, base: attribute.base, child: attribute.mine,
                        parent: theirs[name]))
                if policy == .parentWins { continue }
            }
            state.set(attribute.mine, ofAttribute: name, of: change.key)
        }
    }

    private mutating func mergeDeletion(
        _ change: ReferenceOverlay.Change, _ theirs: ReferenceRow
    ) {
        let isConflict = Set(theirs.values.keys).union(change.attributes.keys).contains {
            theirs[$0] != change.attributes[$0]?.base ?? .null
        }
        if isConflict {
            note(.deletedInChild, change)
            if policy == .parentWins { return }
        }
        _ = state.remove(change.key)
    }

    private mutating func note(_ kind: MergeConflict.Kind, _ change: ReferenceOverlay.Change) {
        conflicts.append(
            MergeConflict(kind: kind, itemType: change.key.itemType, id: change.key.id))
    }
}
