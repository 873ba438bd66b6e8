import Foundation

@testable import JustPersist
@testable import JustPersistConformance

/// Stores that merge other changes than those of the child.
enum MergeMutants {
    static let all: [SabotagedType] =
        [
            MergesItemByItem.self, MergesNoDeletions.self, MergesForeignChildren.self,
            MergesClosedChildren.self, MergesEverythingAgain.self, MergesNothingAsDeletions.self,
            MergesUnderNewIDs.self, MergesIntoWhatTheParentWas.self, MergesAThousandAtMost.self,
            MergesIntoTheRoot.self, MergesInMemory.self,
        ] + ConflictMutants.all
}

/// A store whose merges have a wrong outcome.
class MergeMutant: SabotagedStore, @unchecked Sendable {
    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.merged = { overlay, parent, policy in
            let right = ReferenceMerge(overlay, into: parent, policy: policy)
            return merged(overlay, parent, right, memory)
        }
        return rules
    }

    /// The state of a parent after a merge, and the conflicts.
    class func merged(
        _ overlay: ReferenceOverlay, _ parent: ReferenceState, _ right: ReferenceMerge,
        _ memory: Memory
    ) -> (ReferenceState, [MergeConflict]) {
        (right.state, right.conflicts)
    }
}

/// Merges each item in a transaction of its own.
final class MergesItemByItem: SabotagedStore, Fault, @unchecked Sendable {
    override class var number: Int? { 37 }
    override class var caughtBy: [String] { ["child/merge-is-atomic"] }

    override func performMerge(
        _ child: any DataStore, policy: MergePolicy
    ) throws -> MergeReport {
        var items: [DynamicItem] = []
        try child.performRead { db in
            items = try db.dynamicItems(DataStoreRequest(itemTypeKey: Family.type))
        }
        for item in items {
            let copy = DynamicItem(Family.type, id: item.uniqueToken, values: try item.values())
            try performWrite { db in _ = try db.performInsert(copy) }
        }
        return try super.performMerge(child, policy: policy)
    }
}

/// Merges the insertions and changes of a child, and not its deletions.
final class MergesNoDeletions: MergeMutant, Fault, @unchecked Sendable {
    override class var number: Int? { 38 }
    override class var caughtBy: [String] {
        [
            "child/primitives", "child/conflict-child-deleted", "child/ten-thousand-changes",
        ]
    }

    override class func merged(
        _ overlay: ReferenceOverlay, _ parent: ReferenceState, _ right: ReferenceMerge,
        _ memory: Memory
    ) -> (ReferenceState, [MergeConflict]) {
        var state = right.state
        for row in parent.rows where state.row(row.key) == nil { state.put(row) }
        return (state, right.conflicts)
    }
}

/// Keeps the children of all stores in one list, and merges those of other stores.
final class MergesForeignChildren: SabotagedStore, Fault, @unchecked Sendable {
    override class var number: Int? { 39 }
    override class var caughtBy: [String] { ["child/merge-foreign-refused"] }

    private static let first = Locked<(any DataStore)?>(nil)

    override var parent: (any DataStore)? {
        maker == nil ? nil : Self.first.withLock { $0 }
    }

    override func makeChild() throws -> any DataStore {
        Self.first.withLock { $0 = $0 ?? self }
        return try super.makeChild()
    }

    override func open() throws {
        try super.open()
        if maker == nil { Self.first.withLock { $0 = $0 ?? self } }
    }

    override func performMerge(
        _ child: any DataStore, policy: MergePolicy
    ) throws -> MergeReport {
        do {
            return try super.performMerge(child, policy: policy)
        } catch let error as DataStoreError where error.code == .incompatibleChildDataStore {
            return MergeReport()
        }
    }
}

/// Merges a closed child as if it had no changes.
final class MergesClosedChildren: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        ["child/merge-after-child-teardown", "child/parent-torn-down-first"]
    }

    override func performMerge(
        _ child: any DataStore, policy: MergePolicy
    ) throws -> MergeReport {
        do {
            return try super.performMerge(child, policy: policy)
        } catch let error as DataStoreError where error.code == .notSetUp {
            return MergeReport()
        }
    }
}

/// Merges earlier merged changes again.
final class MergesEverythingAgain: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["child/merge-twice"] }

    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        let merged = Locked<[ReferenceOverlay]>([])
        rules.merged = { overlay, parent, policy in
            let all = merged.withLock { merged in
                merged.append(overlay)
                return merged
            }
            let state = all.reduce(parent) {
                ReferenceMerge($1, into: $0, policy: .childWins).state
            }
            return (state, [])
        }
        return rules
    }
}

/// Treats a child without changes as if it had deleted everything.
final class MergesNothingAsDeletions: MergeMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["child/merge-twice"] }

    override class func merged(
        _ overlay: ReferenceOverlay, _ parent: ReferenceState, _ right: ReferenceMerge,
        _ memory: Memory
    ) -> (ReferenceState, [MergeConflict]) {
        (overlay.changes.isEmpty ? ReferenceState() : right.state, right.conflicts)
    }
}

/// Gives new items new ids when they are merged into the parent.
final class MergesUnderNewIDs: MergeMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["child/primitives", "child/merge-twice"] }

    override class func merged(
        _ overlay: ReferenceOverlay, _ parent: ReferenceState, _ right: ReferenceMerge,
        _ memory: Memory
    ) -> (ReferenceState, [MergeConflict]) {
        var state = right.state
        for row in right.state.rows where parent.row(row.key) == nil {
            _ = state.remove(row.key)
            state.put(ReferenceRow(ReferenceKey(row.key.itemType, ItemID()), values: row.values))
        }
        return (state, right.conflicts)
    }
}

/// Merges into the parent as it was when its last child was made.
final class MergesIntoWhatTheParentWas: MergeMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] {
        [
            "child/merge-while-parent-writes",
            "child/conflict-different-attributes",
        ]
    }

    override func makeChild() throws -> any DataStore {
        let state = memory.committed
        memory.state.withLock { $0 = state }
        return try super.makeChild()
    }

    override class func merged(
        _ overlay: ReferenceOverlay, _ parent: ReferenceState, _ right: ReferenceMerge,
        _ memory: Memory
    ) -> (ReferenceState, [MergeConflict]) {
        (overlay.applied(to: memory.state.withLock { $0 } ?? parent), right.conflicts)
    }
}

/// Drops the changes that follow the first few hundred.
final class MergesAThousandAtMost: MergeMutant, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["child/ten-thousand-changes"] }

    override class func merged(
        _ overlay: ReferenceOverlay, _ parent: ReferenceState, _ right: ReferenceMerge,
        _ memory: Memory
    ) -> (ReferenceState, [MergeConflict]) {
        var state = right.state
        for change in overlay.changes.dropFirst(999) {
            if let row = parent.row(change.key) { state.put(row) }
        }
        return (state, right.conflicts)
    }
}

/// Merges a grandchild into the root at once.
final class MergesIntoTheRoot: SabotagedStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["child/grandchild"] }

    override func performMerge(
        _ child: any DataStore, policy: MergePolicy
    ) throws -> MergeReport {
        let report = try super.performMerge(child, policy: policy)
        guard let maker else { return report }
        return try maker.performMerge(self, policy: policy)
    }
}

/// Writes blocks to its file, and forgets merges there.
final class MergesInMemory: PersistentStore, Fault, @unchecked Sendable {
    override class var caughtBy: [String] { ["child/merge-is-durable"] }

    override class func publish(
        _ commit: CommitRecord, to log: CommitLog, _ memory: Memory
    ) {
        if memory.count.withLock({ $0 == 0 }) { super.publish(commit, to: log, memory) }
    }

    override func performMerge(
        _ child: any DataStore, policy: MergePolicy
    ) throws -> MergeReport {
        _ = memory.next()
        defer { memory.count.withLock { $0 -= 1 } }
        return try super.performMerge(child, policy: policy)
    }
}
