@testable import JustPersist
@testable import JustPersistConformance

/// Stores that merge wrongly what a child and its parent have both done to one item.
enum MergeSabotages {
    static let all: [Sabotage] = [
        merging("takes equal changes for a conflict", "same-value") { overlay, parent, right, _ in
            let equal = overlay.changes.flatMap { change in
                change.attributes.filter {
                    $0.value.mine == parent.row(change.key)?[$0.key]
                        && $0.value.mine != $0.value.base
                }.map { name, attribute in
                    MergeConflict(
                        kind: .bothChanged, itemType: change.key.itemType, id: change.key.id,
                        attribute: name, base: attribute.base, child: attribute.mine,
                        parent: attribute.mine)
                }
            }
            return (right.state, right.conflicts + equal)
        },
        merging("gives the whole item to a parent that wins", "one-of-two") {
            overlay, parent, right, policy in
            var state = right.state
            for conflict in right.conflicts where policy == .parentWins {
                let key = ReferenceKey(conflict.itemType, conflict.id)
                if let row = parent.row(key) { state.put(row) }
            }
            return (state, right.conflicts)
        },
        merging("reports one attribute of an item", "both-of-two") { _, _, right, _ in
            (right.state, Array(right.conflicts.prefix(1)))
        },
        merging("merges conflicts that it should refuse", "both-of-two") { _, _, right, policy in
            (right.state, policy == .fail ? [] : right.conflicts)
        },
        merging("reports no value before", "same-attribute") { _, _, right, _ in
            let conflicts = right.conflicts.map {
                MergeConflict(
                    kind: $0.kind, itemType: $0.itemType, id: $0.id, attribute: $0.attribute,
                    base: nil, child: $0.child, parent: $0.parent)
            }
            return (right.state, conflicts)
        },
        merging("exchanges the sides in a report", "same-attribute") { _, _, right, _ in
            let conflicts = right.conflicts.map {
                MergeConflict(
                    kind: $0.kind, itemType: $0.itemType, id: $0.id, attribute: $0.attribute,
                    base: $0.base, child: $0.parent, parent: $0.child)
            }
            return (right.state, conflicts)
        },
        merging("does not merge what a child cleared", "cleared-in-child") {
            overlay, parent, right, _ in
            var state = right.state
            for change in overlay.changes {
                for (name, attribute) in change.attributes where attribute.mine.isNull {
                    let value = parent.row(change.key)?[name] ?? .null
                    state.set(value, ofAttribute: name, of: change.key)
                }
            }
            return (state, right.conflicts)
        },
        merging("takes what the parent cleared for untouched", "cleared-in-parent") {
            overlay, parent, right, _ in
            var state = right.state
            for change in overlay.changes {
                for (name, attribute) in change.attributes
                where parent.row(change.key)?[name].isNull == true {
                    state.set(attribute.mine, ofAttribute: name, of: change.key)
                }
            }
            return (state, right.conflicts.filter { $0.parent?.isNull != true })
        },
        merging("empties the attributes that a child left alone", "different-attributes") {
            overlay, _, right, _ in
            var state = right.state
            for change in overlay.changes where state.row(change.key) != nil {
                state.set(.null, ofAttribute: "other", of: change.key)
            }
            return (state, right.conflicts)
        },
        merging("keeps what only a child deleted", "child-deleted-alone") {
            overlay, parent, right, _ in
            var state = right.state
            for change in overlay.changes where !change.isThere {
                if let row = parent.row(change.key) { state.put(row) }
            }
            return (state, right.conflicts)
        },
        merging("keeps what a child deleted and its parent changed", "child-deleted") {
            overlay, parent, right, _ in
            var state = right.state
            for conflict in right.conflicts where conflict.kind == .deletedInChild {
                let key = ReferenceKey(conflict.itemType, conflict.id)
                if let row = parent.row(key) { state.put(row) }
            }
            return (state, right.conflicts)
        },
        merging("takes two deletions for a conflict", "both-deleted") { overlay, parent, right, _ in
            let both = overlay.changes.filter { !$0.isThere && parent.row($0.key) == nil }
            return (
                right.state,
                right.conflicts
                    + both.map {
                        MergeConflict(
                            kind: .deletedInParent, itemType: $0.key.itemType, id: $0.key.id)
                    }
            )
        },
        merging("says nothing of what the parent deleted", "parent-deleted") { _, _, right, _ in
            (right.state, right.conflicts.filter { $0.kind != .deletedInParent })
        },
    ]

    private static func merging(
        _ name: String, _ clash: String,
        _ merged:
            @escaping @Sendable (
                ReferenceOverlay, _ parent: ReferenceState, _ right: ReferenceMerge, MergePolicy
            ) -> (ReferenceState, [MergeConflict])
    ) -> Sabotage {
        Sabotage("merge \(name)", caughtBy: "child/conflict-\(clash)") { faults in
            faults.rules = { rules, _ in
                rules.merged = { overlay, parent, policy in
                    merged(
                        overlay, parent, ReferenceMerge(overlay, into: parent, policy: policy),
                        policy)
                }
            }
        }
    }
}
