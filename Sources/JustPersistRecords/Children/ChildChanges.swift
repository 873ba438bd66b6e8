import JustPersist

/// The changes of a child store since its last merge, item by item, independent of the parent's state.
///
/// Copies are snapshots, and take constant time.
struct ChildChanges: Sendable {
    /// The changes by the keys of the records, and therefore in the order of types and ids.
    private(set) var items = OrderedKeyMap<PendingChange>()
    /// Counts the commits and the merges.
    private(set) var number: UInt64 = 0
    /// The size of all changes in bytes.
    private(set) var bytes = 0
    /// The number of steps of schema plans that the parent had applied before the first of the changes.
    private(set) var steps = 0
    /// Identifies one opening of the child.
    let opening = ItemID()

    /// The record of an item before and after a block of the child.
    struct Difference {
        let key: [UInt8]
        let old: PartialRecord?
        let new: PartialRecord?
        /// The parent's record when the block is committed.
        var theirs: PartialRecord?
    }

    /// Adds the changes of a block of the child, which began when the parent had applied a number of steps.
    mutating func note(_ differences: [Difference], afterSteps steps: Int) {
        number += 1
        if items.isEmpty { self.steps = steps }
        for difference in differences {
            let change = PendingChange.combining(
                items.value(forKey: difference.key.span), from: difference.old,
                to: difference.new, over: difference.theirs, commit: number)
            set(change, forKey: difference.key.span)
        }
    }

    /// Removes the merged changes.
    ///
    /// They are an earlier copy of this value.
    mutating func remove(merged: ChildChanges) {
        number += 1
        // Usually nothing was changed since.
        if number == merged.number + 1 {
            bytes = 0
            return items = OrderedKeyMap()
        }
        merged.items.scanAll { key, change in
            let left = PendingChange.subtracting(
                change, from: items.value(forKey: key), commit: number)
            set(left, forKey: key)
        }
    }

    private mutating func set(_ change: PendingChange?, forKey key: Span<UInt8>) {
        bytes += (change?.bytes ?? 0) - (items.value(forKey: key)?.bytes ?? 0)
        if let change {
            items.setValue(change, forKey: key)
        } else {
            items.removeValue(forKey: key)
        }
    }
}
