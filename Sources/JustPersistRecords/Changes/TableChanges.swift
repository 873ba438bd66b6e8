import JustPersist

/// What a write block has done to the records of a type, for the change log and for those who observe the store.
///
/// A list to which each change is added: several may be of one item. Whoever reads it joins them.
struct TableChanges {
    /// Whether each change is noted, or only that there was one.
    var areNoted = false
    /// Whether there was any.
    private(set) var isAny = false
    private var events: [ItemEvent] = []
    private var isTooLong = false

    /// The changes that are noted of one type; of more, it is only noted that there were any.
    static let mostEvents = 1 << 16

    /// The kinds of changes that were noted.
    private var hasInserted = false
    private var hasDeleted = false

    /// The changes; `nil` if they are not known.
    ///
    /// Of an item that the block has created and deleted, nobody can know.
    var known: [ItemEvent]? {
        guard areNoted, !isTooLong else { return nil }
        guard hasInserted, hasDeleted else { return events }
        return events.coalesced().filter { $0.kind != .passed }
    }

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

    /// Notes something that happened to an item.
    mutating func note(_ kind: ItemEvent.Kind, _ id: ItemID) {
        isAny = true
        guard areNoted else { return }
        hasDeleted = hasDeleted || kind == .deleted
        append(ItemEvent(kind, id))
    }

    @inline(__always)
    private mutating func append(_ event: ItemEvent) {
        guard events.count < Self.mostEvents else {
            isTooLong = true
            return
        }
        events.append(event)
    }

    /// Notes that all records are about to be removed.
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
