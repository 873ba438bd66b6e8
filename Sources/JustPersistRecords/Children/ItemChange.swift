import JustPersist

/// What a child store did to one item since its last merge.
struct ItemChange: Sendable {
    /// Whether the parent had the item when the child first changed it.
    let wasThere: Bool
    /// What the child has for the attributes that it changed, all of them if it made the item; `nil` if it deleted it.
    let mine: PartialRecord?
    /// What the parent had for these attributes when the child first changed them; all if the child deleted the item.
    let base: PartialRecord
    /// The number of the child's commit that changed the item last.
    let commit: UInt64

    /// What an earlier change and what a block did behind it come to; `nil` if nothing is left of them.
    ///
    /// - Parameters:
    ///   - old: The record that the block found; `nil` if the child had no such item.
    ///   - new: The record that the block left.
    ///   - theirs: The parent's record.
    static func combining(
        _ earlier: ItemChange?, from old: PartialRecord?, to new: PartialRecord?,
        over theirs: PartialRecord?, commit: UInt64
    ) -> ItemChange? {
        switch (old, new) {
        case (nil, nil): return earlier
        case (nil, let new?):
            // An item that the parent does not have is a new one, whatever was there before.
            guard let theirs else {
                return ItemChange(wasThere: false, mine: new, base: .empty, commit: commit)
            }
            return ItemChange(
                wasThere: true, mine: replacing(earlier?.base ?? theirs, theirs, by: new),
                base: base(of: earlier, or: theirs), commit: commit)
        case (let old?, nil):
            if let earlier, !earlier.wasThere {
                // If both have made it, it is the parent's that the child deletes.
                return theirs.map {
                    ItemChange(wasThere: true, mine: nil, base: $0, commit: commit)
                }
            }
            return ItemChange(
                wasThere: true, mine: nil, base: base(of: earlier, or: old), commit: commit)
        case (let old?, let new?):
            if let known = earlier?.mine, earlier?.wasThere == false {
                // If both have made it, what the child has not set is the parent's.
                let mine = theirs == nil ? new : updating(known, from: old, to: new)
                return ItemChange(wasThere: false, mine: mine, base: .empty, commit: commit)
            }
            return update(earlier, from: old, to: new, commit)
        }
    }

    /// What was set before, and what differs between two records, as it is in the second one.
    private static func updating(
        _ known: PartialRecord, from old: PartialRecord, to new: PartialRecord
    ) -> PartialRecord {
        var mine = RecordBuilder()
        for attribute in PartialRecord.attributes(of: known, new)
        where known.tells(attribute) || !old.hasSame(attribute, as: new) {
            mine.append(attribute, of: new)
        }
        return mine.record
    }

    private static func update(
        _ earlier: ItemChange?, from old: PartialRecord, to new: PartialRecord, _ commit: UInt64
    ) -> ItemChange? {
        var base = RecordBuilder()
        var mine = RecordBuilder()
        var isChanged = false
        for attribute in attributes(of: earlier, old, new) {
            let isSame = old.hasSame(attribute, as: new)
            if !isSame { isChanged = true }
            if let earlier, earlier.base.tells(attribute) {
                base.append(attribute, of: earlier.base)
            } else if isSame {
                continue
            } else {
                base.append(attribute, of: old)
            }
            mine.append(attribute, of: new)
        }
        if !isChanged { return earlier }
        return ItemChange(wasThere: true, mine: mine.record, base: base.record, commit: commit)
    }

    /// The fields of a record, and that it has no value for the other attributes of two records that it replaces.
    private static func replacing(
        _ one: PartialRecord, _ other: PartialRecord, by new: PartialRecord
    ) -> PartialRecord {
        var mine = RecordBuilder()
        let replaced = PartialRecord.attributes(of: one, other)
        for attribute in PartialRecord.union(replaced, new.attributes) {
            mine.append(attribute, of: new)
        }
        return mine.record
    }

    /// What the parent had for all attributes: as it was when each was first changed, or as it is now.
    private static func base(of earlier: ItemChange?, or old: PartialRecord) -> PartialRecord {
        guard let earlier else { return old }
        var base = RecordBuilder()
        for attribute in attributes(of: earlier, old, old) {
            base.append(attribute, of: earlier.base.tells(attribute) ? earlier.base : old)
        }
        return base.record
    }

    private static func attributes(
        of earlier: ItemChange?, _ old: PartialRecord, _ new: PartialRecord
    ) -> [UInt16] {
        let all = PartialRecord.attributes(of: old, new)
        guard let earlier else { return all }
        return PartialRecord.union(all, earlier.base.attributes)
    }

    /// What is left of a change when an earlier state of it was merged; `nil` if nothing is.
    ///
    /// What was merged is the parent's from then on.
    static func subtracting(_ merged: ItemChange, from later: ItemChange?, commit: UInt64)
        -> ItemChange?
    {
        guard let later else {
            // It was made before the merge, and deleted behind it.
            guard let mine = merged.mine else { return nil }
            return ItemChange(wasThere: true, mine: nil, base: mine, commit: commit)
        }
        if later.commit == merged.commit { return nil }
        guard let known = merged.mine else {
            // Deleted, and made anew behind the merge.
            guard let mine = later.mine else { return nil }
            var whole = RecordBuilder()
            for attribute in mine.attributes {
                whole.append(attribute, of: mine, keepsAbsence: false)
            }
            return ItemChange(
                wasThere: false, mine: whole.record, base: .empty, commit: later.commit)
        }
        var base = RecordBuilder()
        var mine = RecordBuilder()
        for attribute in PartialRecord.attributes(of: later.mine ?? later.base, known) {
            if let later = later.mine {
                if later.hasSame(attribute, as: known) { continue }
                mine.append(attribute, of: later)
            }
            base.append(attribute, of: known.tells(attribute) ? known : later.base)
        }
        return ItemChange(
            wasThere: true, mine: later.mine == nil ? nil : mine.record, base: base.record,
            commit: later.commit)
    }
}
