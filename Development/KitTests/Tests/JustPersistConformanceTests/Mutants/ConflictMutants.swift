import Foundation

@testable import JustPersist
@testable import JustPersistConformance

/// Stores that resolve conflicts between a child and its parent wrongly.
enum ConflictMutants {
    static let all: [SabotagedType] = [
        MergesWholeItems.self, MergesTheDeletedToo.self, MergesTheChildsAlways.self,
        EmptiesRefusedChildren.self, LooksForConflictsTooEarly.self,
        MergesOverWhatTheParentMade.self,
    ]
}

/// Replaces the parent's version of a whole item by the child's.
final class MergesWholeItems: MergeMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["child/conflict-different-attributes"] }

    override class func merged(
        _ overlay: ReferenceOverlay, _ parent: ReferenceState, _ right: ReferenceMerge,
        _ memory: Memory
    ) -> (ReferenceState, [MergeConflict]) {
        var state = right.state
        for change in overlay.changes where state.row(change.key) != nil {
            state.put(ReferenceRow(change.key, values: change.attributes.mapValues(\.mine)))
        }
        return (state, right.conflicts)
    }
}

/// Restores an item that its parent has deleted and a child has changed.
final class MergesTheDeletedToo: MergeMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["child/conflict-parent-deleted"] }

    override class func merged(
        _ overlay: ReferenceOverlay, _ parent: ReferenceState, _ right: ReferenceMerge,
        _ memory: Memory
    ) -> (ReferenceState, [MergeConflict]) {
        var state = right.state
        for change in overlay.changes where change.isThere && state.row(change.key) == nil {
            state.put(ReferenceRow(change.key, values: change.attributes.mapValues(\.mine)))
        }
        return (state, right.conflicts)
    }
}

/// Ignores the policy.
final class MergesTheChildsAlways: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        [
            "child/conflict-same-attribute", "child/conflict-child-deleted",
            "iso/elle-through-children",
        ]
    }

    override func performMerge(
        _ child: any DataStore, policy: MergePolicy
    ) throws -> MergeReport {
        try super.performMerge(child, policy: .childWins)
    }
}

/// Discards a child's changes when their merge was refused for its conflicts.
final class EmptiesRefusedChildren: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["child/conflict-same-attribute"] }

    override func performMerge(
        _ child: any DataStore, policy: MergePolicy
    ) throws -> MergeReport {
        do {
            return try super.performMerge(child, policy: policy)
        } catch let error as DataStoreError where error.code == .mergeConflict {
            try child.close()
            try child.open()
            throw error
        }
    }
}

/// Looks for conflicts when the merge is requested, and not again when it gets the write lock.
final class LooksForConflictsTooEarly: MergeMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["iso/elle-through-children"] }
    /// The parent's earlier state, by the thread that merges.
    private static let seen = Locked<[ObjectIdentifier: ReferenceState]>([:])

    override func performMerge(
        _ child: any DataStore, policy: MergePolicy
    ) throws -> MergeReport {
        let thread = ObjectIdentifier(Thread.current)
        let state = reference.tree.withLock { [reference] in $0.state(of: reference.number) }
        Self.seen.withLock { $0[thread] = state }
        defer { Self.seen.withLock { $0[thread] = nil } }
        return try super.performMerge(child, policy: policy)
    }

    override class func merged(
        _ overlay: ReferenceOverlay, _ parent: ReferenceState, _ right: ReferenceMerge,
        _ memory: Memory
    ) -> (ReferenceState, [MergeConflict]) {
        let thread = ObjectIdentifier(Thread.current)
        guard let state = seen.withLock({ $0[thread] }),
            ReferenceMerge(overlay, into: state, policy: .fail).conflicts.isEmpty
        else { return (right.state, right.conflicts) }
        return (overlay.applied(to: parent), [])
    }
}

/// Mistakes an item that the parent made meanwhile for the child's new item with its id.
final class MergesOverWhatTheParentMade: MergeMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["child/conflict-both-made", "iso/elle-through-children"]
    }

    override class func merged(
        _ overlay: ReferenceOverlay, _ parent: ReferenceState, _ right: ReferenceMerge,
        _ memory: Memory
    ) -> (ReferenceState, [MergeConflict]) {
        let made = Set(overlay.changes.filter { !$0.wasThere }.map(\.key.id))
        return (right.state, right.conflicts.filter { !made.contains($0.id) })
    }
}
