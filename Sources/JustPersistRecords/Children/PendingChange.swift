import JustPersist

/// A child store's change of one item since its last merge.
struct PendingChange: Sendable {
    /// Whether the parent had the item when the child first changed it.
    let wasThere: Bool
    /// The child's values of the attributes that it changed, all of them if it created the item; `nil` if it deleted
    /// it.
    let mine: PartialRecord?
    /// The parent's values of these attributes when the child first changed them; all if the child deleted the item.
    let base: PartialRecord
    /// The number of the child's commit that changed the item last.
    let commit: UInt64

    /// The size of the change in bytes.
    var bytes: Int { base.bytes.count + (mine?.bytes.count ?? 0) }

    /// Combines an earlier change with the change of a block; `nil` if they cancel out.
    ///
    /// - Parameters:
    ///   - old: The record before the block; `nil` if the child had no such item.
    ///   - new: The record after the block.
    ///   - theirs: The parent's record.
    static func combining(
        _ earlier: PendingChange?, from old: PartialRecord?, to new: PartialRecord?,
        over theirs: PartialRecord?, commit: UInt64
    ) -> PendingChange? {
        switch (old, new) {
        case (nil, nil): return earlier
        case (nil, let new?):
            // An item that the parent does not have is new, whatever existed before. So is an item that the child had
            // neither seen nor deleted: the parent created its own while the block ran, and the two are in conflict.
            guard let theirs, let earlier else {
                return PendingChange(wasThere: false, mine: new, base: .empty, commit: commit)
            }
            return PendingChange(
                wasThere: true, mine: replacing(earlier.base, theirs, by: new),
                base: base(of: earlier, or: theirs), commit: commit)
        case (let old?, nil):
            if let earlier, !earlier.wasThere {
                // If both stores created the item, the child deletes the parent's item.
                return theirs.map {
                    PendingChange(wasThere: true, mine: nil, base: $0, commit: commit)
                }
            }
            return PendingChange(
                wasThere: true, mine: nil, base: base(of: earlier, or: old), commit: commit)
        case (let old?, let new?):
            if let earlier, !earlier.wasThere, theirs == nil {
                return PendingChange(wasThere: false, mine: new, base: .empty, commit: commit)
            }
            return update(earlier, from: old, to: new, commit)
        }
    }

    private static func update(
        _ earlier: PendingChange?, from old: PartialRecord, to new: PartialRecord, _ commit: UInt64
    ) -> PendingChange? {
        var base = RecordBuilder()
        var mine = RecordBuilder()
        var isChanged = false
        for attribute in attributes(of: earlier, old, new) {
            let isSame = old.hasSame(attribute, as: new)
            if !isSame { isChanged = true }
            if let earlier, earlier.tells(attribute) {
                base.append(attribute, of: earlier.base)
            } else if isSame {
                continue
            } else {
                base.append(attribute, of: old)
            }
            mine.append(attribute, of: new)
        }
        if !isChanged { return earlier }
        return PendingChange(
            wasThere: earlier?.wasThere ?? true, mine: mine.record, base: base.record,
            commit: commit)
    }

    /// Whether an attribute was changed.
    ///
    /// A change of an item that the child created has a base only for attributes that the child set after the parent
    /// had changed the item.
    private func tells(_ attribute: UInt16) -> Bool {
        base.tells(attribute) || mine?.tells(attribute) == true
    }

    /// The fields of a record, and absent values for the other attributes of two records that it replaces.
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

    /// The parent's values of all attributes: as of the child's first change of each, or else the present ones.
    private static func base(of earlier: PendingChange?, or old: PartialRecord) -> PartialRecord {
        guard let earlier else { return old }
        var base = RecordBuilder()
        for attribute in attributes(of: earlier, old, old) {
            base.append(attribute, of: earlier.base.tells(attribute) ? earlier.base : old)
        }
        return base.record
    }

    private static func attributes(
        of earlier: PendingChange?, _ old: PartialRecord, _ new: PartialRecord
    ) -> [UInt16] {
        let all = PartialRecord.attributes(of: old, new)
        guard let earlier else { return all }
        let known = PartialRecord.attributes(of: earlier.base, earlier.mine ?? .empty)
        return PartialRecord.union(all, known)
    }

    /// The rest of a change after an earlier state of it was merged; `nil` if nothing is left.
    ///
    /// The merged values are the parent's from then on.
    static func subtracting(_ merged: PendingChange, from later: PendingChange?, commit: UInt64)
        -> PendingChange?
    {
        guard let later else {
            // The item was created before the merge, and deleted after it.
            guard let mine = merged.mine else { return nil }
            return PendingChange(wasThere: true, mine: nil, base: mine, commit: commit)
        }
        if later.commit == merged.commit { return nil }
        guard let known = merged.mine else {
            // The item was deleted, and created again after the merge.
            return later.mine.map {
                PendingChange(
                    wasThere: false, mine: $0.withoutAbsences, base: .empty, commit: later.commit)
            }
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
        if later.mine != nil, mine.isEmpty { return nil }
        return PendingChange(
            wasThere: true, mine: later.mine == nil ? nil : mine.record, base: base.record,
            commit: later.commit)
    }
}
