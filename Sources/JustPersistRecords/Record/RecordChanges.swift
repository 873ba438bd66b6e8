import JustPersist

/// What was set on an item beside its record: fields in the record's own encoding, ascending by attribute.
///
/// Values are encoded when they are set, so that writing the record is a copy of bytes.
struct RecordChanges {
    struct Entry {
        let attribute: UInt16
        var tag: UInt8
        /// Whether the payload lies in the record that the changes are beside, and not in ``payload``: only
        /// while both are put together.
        var isStored = false
        /// The place of the payload.
        ///
        /// One that was replaced stays where it was, unused.
        var start: UInt32
        var end: UInt32

        var length: Int { Int(end - start) }
        var range: Range<Int> { Int(start)..<Int(end) }
    }

    private(set) var entries: [Entry] = []
    private(set) var payload: [UInt8] = []
    /// Whether ``payload`` is the payloads of ``entries``, in order and without gaps.
    private(set) var isContiguous = true
    /// The bytes of ``payload`` that belong to no entry.
    private var unused = 0

    var isEmpty: Bool { entries.isEmpty }

    /// The bytes of the payloads that are in use.
    var usedBytes: Int { payload.count - unused }

    /// Sets an attribute; null is kept too, as it is not the same as no value where there is a default.
    ///
    /// The payloads together must stay below 4 GiB. The first time there is made room for as many
    /// attributes as are `expected`.
    mutating func set(
        _ value: DataStoreValue, of attribute: UInt16, _ types: BlockCatalog,
        expecting expected: Int
    ) {
        let start = begin(expected)
        let tag = payload.append(payloadOf: value, types)
        finish(attribute, tag, start)
    }

    /// The same for a text.
    mutating func set(_ text: String, of attribute: UInt16, expecting expected: Int) {
        let start = begin(expected)
        finish(attribute, payload.append(text), start)
    }

    /// The same for a value of 8 bytes.
    mutating func set(
        _ word: UInt64, tag: UInt8, of attribute: UInt16, expecting expected: Int
    ) {
        let start = begin(expected)
        payload.append(littleEndian: word)
        finish(attribute, tag, start)
    }

    /// The same for a truth value.
    mutating func set(_ value: Bool, of attribute: UInt16, expecting expected: Int) {
        let start = begin(expected)
        finish(attribute, value ? ValueTag.yes : ValueTag.no, start)
    }

    @inline(__always)
    private mutating func begin(_ expected: Int) -> UInt32 {
        if entries.isEmpty {
            entries.reserveCapacity(expected)
            payload.reserveCapacity(expected * 16)
        }
        return UInt32(payload.count)
    }

    @inline(__always)
    private mutating func finish(_ attribute: UInt16, _ tag: UInt8, _ start: UInt32) {
        let end = UInt32(payload.count)
        let place = place(of: attribute)
        if place == entries.count {
            entries.append(Entry(attribute: attribute, tag: tag, start: start, end: end))
            return
        }
        if entries[place].attribute == attribute {
            replace(place, tag: tag, start: start, end: end)
        } else {
            isContiguous = false
            entries.insert(
                Entry(attribute: attribute, tag: tag, start: start, end: end), at: place)
        }
    }

    private mutating func replace(_ place: Int, tag: UInt8, start: UInt32, end: UInt32) {
        let old = entries[place].range
        let new = Int(start)..<Int(end)
        entries[place].tag = tag
        if old.count == new.count, old.count <= 16 {
            for offset in 0..<old.count {
                payload[old.lowerBound + offset] = payload[new.lowerBound + offset]
            }
            payload.removeSubrange(new)
            return
        }
        entries[place].start = start
        entries[place].end = end
        isContiguous = false
        unused += old.count
        // One attribute may be set over and over in a block.
        if unused > 1 << 16, unused > payload.count / 2 { dropUnused() }
    }

    private mutating func dropUnused() {
        var kept: [UInt8] = []
        kept.reserveCapacity(payload.count - unused)
        for index in entries.indices {
            let start = UInt32(kept.count)
            kept.append(contentsOf: payload[entries[index].range])
            entries[index].start = start
            entries[index].end = UInt32(kept.count)
        }
        payload = kept
        unused = 0
        isContiguous = true
    }

    /// The entry of an attribute, if it was set.
    @inline(__always)
    func entry(_ attribute: UInt16) -> Entry? {
        let place = place(of: attribute)
        guard place < entries.count, entries[place].attribute == attribute else { return nil }
        return entries[place]
    }

    /// Where the entry of an attribute stands, or would stand.
    ///
    /// Attributes are mostly set in their order.
    @inline(__always)
    private func place(of attribute: UInt16) -> Int {
        guard let last = entries.last, last.attribute >= attribute else { return entries.count }
        var lower = 0
        var upper = entries.count
        while lower < upper {
            let middle = (lower + upper) / 2
            if entries[middle].attribute < attribute { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}
