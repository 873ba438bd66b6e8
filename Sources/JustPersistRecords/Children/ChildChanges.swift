import JustPersist

/// What a child store has changed since its last merge, item by item, whatever its parent holds.
///
/// Its copies are snapshots, which cost nothing to make.
struct ChildChanges: Sendable {
    /// By the keys of the records, and so in the order of types and ids.
    private(set) var items = OrderedKeyMap<PendingChange>()
    /// Counts the commits and the merges.
    private(set) var number: UInt64 = 0
    /// The bytes of all changes.
    private(set) var bytes = 0
    /// Tells them from those of another time that the child was open.
    let opening = ItemID()

    /// A record that a block of the child found, and what it left.
    struct Difference {
        let key: [UInt8]
        let old: PartialRecord?
        let new: PartialRecord?
        /// The parent's record when the block is committed.
        var theirs: PartialRecord?
    }

    /// Notes what a block of the child did.
    mutating func note(_ differences: [Difference]) {
        number += 1
        for difference in differences {
            let change = PendingChange.combining(
                items.value(forKey: difference.key.span), from: difference.old,
                to: difference.new, over: difference.theirs, commit: number)
            set(change, forKey: difference.key.span)
        }
    }

    /// Takes off what was merged: an earlier copy of these changes.
    mutating func remove(merged: ChildChanges) {
        number += 1
        // Mostly nothing was changed since.
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
