import JustPersist

/// Applies the changes of a child store to the state of its parent: for a merge, or for the child's own view.
extension WriteBlock {
    /// The purpose of applying the changes.
    enum Purpose {
        /// For the child's view of its parent: the child's changes win, damaged records stay as they are, and unique
        /// indexes are not enforced until the changes are merged.
        case view
        case merge(MergePolicy)
    }

    /// Applies a child's changes to the state that the block sees, and returns the conflicts.
    func apply(
        _ changes: OrderedKeyMap<PendingChange>, for purpose: Purpose
    ) throws(DataStoreError) -> [MergeConflict] {
        var conflicts: [MergeConflict] = []
        try storing { (_) throws(DataStoreError) in
            var current: TypeMerge?
            var currentNumber: UInt32?
            try changes.scan(.all) { (key, change) throws(DataStoreError) in
                guard let (number, id) = RecordKey.parts(of: key) else { return .next }
                if currentNumber != number {
                    if let current { conflicts += try current.end() }
                    current = try TypeMerge(number, purpose, in: self)
                    currentNumber = number
                }
                try current?.apply(change, to: id)
                noteBytes(change.bytes)
                return .next
            }
            if let current { conflicts += try current.end() }
        }
        return conflicts
    }

    /// Makes the relationships of the changed items whole after a merge.
    func reconcile(_ changes: OrderedKeyMap<PendingChange>) throws(DataStoreError) {
        if known.catalog.schemasWithRelationships.isEmpty { return }
        var changed: [ItemReference] = []
        try changes.scan(.all) { (key, _) throws(DataStoreError) in
            if let (number, id) = RecordKey.parts(of: key), let type = known.catalog[number] {
                changed.append(ItemReference(itemTypeKey: type.key, id: id))
            }
            return .next
        }
        try RecordWriteAccessor(self).reconcile(changed)
    }
}

/// The changes of items of one type.
private struct TypeMerge {
    let type: CatalogType
    let table: RecordTable
    let purpose: WriteBlock.Purpose
    /// Whether the store has dropped the type since, and with it the items that the child has changed.
    private let isDropped: Bool
    private var conflicts: [MergeConflict] = []
    private let block: WriteBlock

    /// Returns `nil` if a view lacks the type: the error is reported when the type is used, and the child's other
    /// changes stay visible.
    init?(
        _ number: UInt32, _ purpose: WriteBlock.Purpose, in block: WriteBlock
    ) throws(DataStoreError) {
        self.purpose = purpose
        let names = block.known.catalog.names
        guard let type = block.known.catalog[number],
            type.isDeclared || names.number(of: type.key) == number
        else {
            if case .view = purpose { return nil }
            throw DataStoreError(
                .corrupted, in: "merge",
                """
                The child has changed items of type \(number), which cannot be identified: its catalog entry is \
                damaged, or another type has replaced it. Nothing was merged; verify the store.
                """)
        }
        if case .merge = purpose, type.unknown.forbidsWriting {
            throw type.newerFormat(in: "merge")
        }
        isDropped = !type.isDeclared
        if isDropped, case .view = purpose { return nil }
        self.type = type
        table = block.table(of: type)
        self.block = block
    }

    private var policy: MergePolicy {
        if case .merge(let policy) = purpose { policy } else { .childWins }
    }

    private var isView: Bool { if case .view = purpose { true } else { false } }

    /// Writes the index entries, and returns the conflicts.
    func end() throws(DataStoreError) -> [MergeConflict] {
        try block.writeEntries(of: table, violations: isView ? nil : .refused)
        return conflicts
    }

    mutating func apply(_ change: PendingChange, to id: ItemID) throws(DataStoreError) {
        if isDropped {
            if change.mine != nil { note(.deletedInParent, id) }
            return
        }
        let stored: (bytes: [UInt8], isSound: Bool)?
        do throws(DataStoreError) {
            stored = try table.storedRecord(id, in: block.writer)
        } catch {
            // Reading the item throws the error.
            if isView, error.code == .corrupted || error.code == .newerFormat { return }
            throw error
        }
        let theirs = stored.map { PartialRecord($0.bytes) }
        let isSound = stored?.isSound != false
        switch (change.mine, theirs) {
        case (nil, nil): break
        case (nil, let theirs?):
            try applyDeletion(change, id, isSound ? theirs : change.base)
        case (_?, nil) where change.wasThere: note(.deletedInParent, id)
        case (let mine?, nil):
            // Both stores created the item, and the parent has deleted it since.
            let whole = change.base.attributes.isEmpty ? mine : mine.withoutAbsences
            try put(whole.bytes, id, changes: nil)
        case (let mine?, let theirs?):
            if isSound {
                try applyUpdate(change, mine, id, theirs)
            } else if !isView {
                throw .damagedRecord(id, ofType: type.key)
            }
        }
    }

    private mutating func applyDeletion(
        _ change: PendingChange, _ id: ItemID, _ theirs: PartialRecord
    ) throws(DataStoreError) {
        let isConflict = PartialRecord.attributes(of: change.base, theirs).contains {
            !isRetired($0) && !isSame($0, theirs, change.base)
        }
        if isConflict {
            note(.deletedInChild, id)
            if policy == .parentWins { return }
        }
        _ = try block.remove(id, in: table)
    }

    private mutating func applyUpdate(
        _ change: PendingChange, _ mine: PartialRecord, _ id: ItemID, _ theirs: PartialRecord
    ) throws(DataStoreError) {
        var merged = RecordBuilder()
        var changed = AttributeSet()
        var isChanged = false
        for attribute in PartialRecord.attributes(of: theirs, mine) {
            var takesMine =
                mine.tells(attribute) && !mine.hasSame(attribute, as: theirs)
                && !isRetired(attribute)
            if takesMine, !isSame(attribute, theirs, change.base),
                !isSame(attribute, theirs, mine)
            {
                noteBothChanged(attribute, id, change.base, mine, theirs)
                if policy == .parentWins { takesMine = false }
            }
            merged.append(attribute, of: takesMine ? mine : theirs, keepsAbsence: false)
            if takesMine {
                changed.insert(attribute)
                isChanged = true
            }
        }
        guard isChanged else { return }
        try put(merged.record.bytes, id, changes: changed)
    }

    private func put(
        _ record: [UInt8], _ id: ItemID, changes: AttributeSet?
    ) throws(DataStoreError) {
        let record = RecordFormat.sealed(record, type: table.number, id: id)
        try block.put(record.span, id: id, changes: changes, in: table)
    }

    /// Whether the store has dropped an attribute since.
    private func isRetired(_ attribute: UInt16) -> Bool {
        Int(attribute) < type.attributes.count && type.attributes[Int(attribute)].isRetired
    }

    /// Whether an attribute has the same value in both; no value equals null if there is no default.
    private func isSame(_ attribute: UInt16, _ one: PartialRecord, _ other: PartialRecord) -> Bool {
        if one.hasSame(attribute, as: other) { return true }
        guard Int(attribute) < type.attributes.count,
            type.attributes[Int(attribute)].defaultValue == nil
        else { return false }
        return (one.field(attribute)?.tag ?? ValueTag.null) == ValueTag.null
            && (other.field(attribute)?.tag ?? ValueTag.null) == ValueTag.null
    }

    private mutating func note(_ kind: MergeConflict.Kind, _ id: ItemID) {
        conflicts.append(MergeConflict(kind: kind, itemType: type.key, id: id))
    }

    private mutating func noteBothChanged(
        _ attribute: UInt16, _ id: ItemID, _ base: PartialRecord, _ mine: PartialRecord,
        _ theirs: PartialRecord
    ) {
        if isView { return }
        conflicts.append(
            MergeConflict(
                kind: .bothChanged, itemType: type.key, id: id,
                attribute: type.attributes[Int(attribute)].name,
                base: value(attribute, in: base), child: value(attribute, in: mine),
                parent: value(attribute, in: theirs)))
    }

    private func value(_ attribute: UInt16, in record: PartialRecord) -> DataStoreValue {
        guard let field = record.field(attribute) else {
            return type.attributes[Int(attribute)].defaultValue ?? .null
        }
        return ValueDecoding.value(
            tag: field.tag, in: record.bytes.span, field.range, block.known) ?? .null
    }
}
