import JustPersist

/// The changes of a type's records in a write block, for the change log and for observers.
///
/// The list may have several changes of one item, which the reader combines.
struct TableChanges {
    /// Whether each change is recorded.
    ///
    /// If not, only ``isAny`` is set.
    var areNoted = false
    /// Whether there was any change.
    private(set) var isAny = false
    private var events: [ItemEvent] = []
    private var isTooLong = false

    /// The maximum number of changes recorded of one type; if there are more, the changes are not known.
    static let mostEvents = 1 << 16

    /// The kinds of the recorded changes.
    private var hasInserted = false
    private var hasDeleted = false

    /// The relationships that changed without a change of their item's record, a bit for each.
    private var related: [ItemID: UInt64] = [:]

    /// The changes; `nil` if they are not known.
    ///
    /// An item that the block both created and deleted is left out.
    var known: [ItemEvent]? {
        guard areNoted, !isTooLong else { return nil }
        guard hasInserted, hasDeleted else { return events }
        return events.coalesced().filter { $0.kind != .passed }
    }

    /// Notes that there may have been any change.
    mutating func noteUnknown() { (isAny, isTooLong) = (true, true) }

    /// Notes a record that was written.
    @inline(__always)
    mutating func notePut(_ id: ItemID, _ attributes: AttributeSet?) {
        isAny = true
        guard areNoted else { return }
        if let attributes {
            append(ItemEvent(.updated, id, attributes: attributes.bits))
        } else {
            hasInserted = true
            append(ItemEvent(.inserted, id))
        }
    }

    /// Records a change of an item.
    mutating func note(_ kind: ItemEvent.Kind, _ id: ItemID) {
        isAny = true
        guard areNoted else { return }
        hasDeleted = hasDeleted || kind == .deleted
        append(ItemEvent(kind, id))
    }

    /// Notes that an item's others in a relationship changed.
    ///
    /// ``settleRelated(_:)`` must follow: the item may not exist, or be deleted later in the block.
    mutating func noteRelated(_ id: ItemID, _ bit: UInt64) {
        guard areNoted, related.count < Self.mostEvents || related[id] != nil else {
            return noteUnknown()
        }
        related[id, default: 0] |= bit
    }

    /// Records the changes of relationships, of the items that exist.
    mutating func settleRelated(
        _ exists: (ItemID) throws(DataStoreError) -> Bool
    ) throws(DataStoreError) {
        if related.isEmpty { return }
        let settled = related
        related = [:]
        for (id, bits) in settled where try exists(id) {
            isAny = true
            append(ItemEvent(.updated, id, attributes: bits))
        }
    }

    @inline(__always)
    private mutating func append(_ event: ItemEvent) {
        guard events.count < Self.mostEvents else {
            isTooLong = true
            return
        }
        events.append(event)
    }

    /// Records that all records are about to be removed.
    mutating func noteAllRemoved(
        in range: KeyRange, _ reader: any KeyValueReader
    ) throws(DataStoreError) {
        isAny = true
        guard areNoted, !isTooLong else { return }
        var ids: [ItemID] = []
        let most = Self.mostEvents - events.count
        try reader.scanKeys(range, reversed: false) { (key) throws(DataStoreError) in
            guard key.count == RecordKey.length else { return .next }
            if ids.count == most {
                isTooLong = true
                return .stop
            }
            ids.append(RecordKey.id(in: key))
            return .next
        }
        if isTooLong { return }
        hasDeleted = true
        for id in ids { events.append(ItemEvent(.deleted, id)) }
    }
}
