import JustPersist

/// A record whose fields can be set: the values of an item in memory, in their stored form.
///
/// Values are encoded when they are set, so writing the record only copies bytes. A new record begins with an entry for
/// each attribute of its class. Most of them are then set in ascending order; ``close(seed:)`` drops the entries of
/// those that were not set. Recorded defaults are encoded late, because a program usually replaces the defaults of a
/// new item.
struct EditableRecord {
    /// The record, closed or not; empty while nothing was set on a new item.
    private(set) var bytes: [UInt8]
    /// The number of entries of a new record, each placed at its attribute's id; 0 for a closed record.
    private var reserved = 0
    /// The number of reserved entries that are in their final place; those that follow are not set.
    private var settled = 0
    /// Whether the fields are known to lie one after the other, up to the end of the record.
    private var isSound: Bool
    /// The attributes that are set to their recorded defaults but have no field yet, a bit for each.
    private var deferred: UInt64 = 0
    private var defaults: RecordedDefaults?

    /// A stored record.
    init(_ record: [UInt8] = []) {
        bytes = record
        isSound = record.isEmpty
    }

    /// Whether the record belongs to a new item on which nothing was set.
    var isEmpty: Bool { bytes.isEmpty }

    /// The field of an attribute; `nil` if it is not set, or damaged.
    @inline(__always)
    func field(_ attribute: UInt16) -> RecordFormat.Field? {
        guard let field = RecordFormat.field(attribute, in: bytes.span),
            field.tag != RecordFormat.absentTag || isClosed
        else { return nil }
        return field
    }

    private var isClosed: Bool { reserved == 0 }

    /// The size of the record in bytes, without the entries of a new one.
    var length: Int {
        max(bytes.count - reserved * 4, RecordFormat.headerLength)
    }

    // MARK: Setting

    /// Sets an attribute.
    ///
    /// Null is stored too: if the attribute has a default, null differs from a missing value.
    mutating func set(
        _ value: DataStoreValue, of attribute: UInt16, _ types: BlockCatalog
    ) {
        prepare(attribute)
        let tail = bytes.count
        let tag = bytes.append(payloadOf: value, types)
        finish(attribute, tag, tail)
    }

    /// Sets an attribute to a text.
    mutating func set(_ text: String, of attribute: UInt16) {
        prepare(attribute)
        let tail = bytes.count
        let tag = bytes.append(text)
        finish(attribute, tag, tail)
    }

    /// Sets an attribute to a value of 8 bytes.
    mutating func set(_ word: UInt64, tag: UInt8, of attribute: UInt16) {
        prepare(attribute)
        if attribute < settled || isClosed, let table = RecordFormat.Table(bytes.span),
            let field = table.field(attribute, in: bytes.span), field.range.count == 8
        {
            bytes.store(littleEndian: word, at: field.start)
            if field.tag != tag {
                store(tag: tag, at: table.place(of: attribute, in: bytes.span), table)
            }
            return
        }
        let tail = bytes.count
        bytes.append(littleEndian: word)
        finish(attribute, tag, tail)
    }

    /// Sets an attribute to a truth value.
    mutating func set(_ value: Bool, of attribute: UInt16) {
        prepare(attribute)
        finish(attribute, value ? ValueTag.yes : ValueTag.no, bytes.count)
    }

    /// Starts the record of a new item before its first attribute is set.
    mutating func start(from template: Template) {
        bytes.reserveCapacity(template.capacity)
        bytes.append(contentsOf: template.bytes)
        reserved = template.entryCount
    }

    /// Whether ``setDefault(_:_:)`` may be called: the record is a new one, in which the attribute has no place yet.
    @inline(__always)
    func canDefer(_ attribute: UInt16) -> Bool {
        Int(attribute) >= settled && Int(attribute) < reserved
    }

    /// Sets an attribute to its recorded default.
    ///
    /// Until another value replaces it, the attribute has no field and reads as its default. The field is added before
    /// that of a later attribute, or when the record is closed.
    @inline(__always)
    mutating func setDefault(_ attribute: UInt16, _ defaults: RecordedDefaults) {
        if deferred == 0 { self.defaults = defaults }
        deferred |= 1 << UInt64(attribute)
    }

    @inline(__always)
    private mutating func prepare(_ attribute: UInt16) {
        if !isSound { repair() }
        if deferred != 0 {
            deferred &= ~(1 << UInt64(attribute))
            addDeferred(before: Int(attribute))
        }
    }

    /// Adds the fields of deferred defaults that precede an attribute's, as far as there is room.
    private mutating func addDeferred(before end: Int) {
        let payload = RecordFormat.headerLength + reserved * 4
        while settled < min(end, reserved), deferred >> UInt64(settled) != 0 {
            var tag = RecordFormat.absentTag
            if deferred & 1 << UInt64(settled) != 0, let field = defaults?.fields[settled] {
                if bytes.count + field.payload.count - payload > Int(UInt16.max) { return }
                bytes.append(contentsOf: field.payload)
                tag = field.tag
                deferred &= ~(1 << UInt64(settled))
            }
            storeReserved(settled, tag, end: bytes.count - payload)
            settled += 1
        }
    }

    /// Adds the fields of all deferred defaults.
    private mutating func addDeferred() {
        addDeferred(before: reserved)
        while deferred != 0 {
            let attribute = deferred.trailingZeroBitCount
            deferred &= deferred - 1
            guard let field = defaults?.fields[attribute] else { continue }
            let tail = bytes.count
            bytes.append(contentsOf: field.payload)
            move(tail, UInt16(attribute), field.tag)
        }
        defaults = nil
    }

    /// Repairs the fields of a damaged record: drops fields that lie outside of it, and bytes that belong to no field.
    private mutating func repair() {
        isSound = true
        guard let table = RecordFormat.Table(bytes.span) else {
            bytes = Template(attributes: 0).bytes
            return
        }
        var end = 0
        var next = 0
        var isIntact = true
        for index in 0..<table.count {
            let entry = table.entry(at: index, in: bytes.span)
            isIntact = isIntact && entry.end >= end && Int(entry.attribute) >= next
            end = entry.end
            next = Int(entry.attribute) + 1
        }
        if isIntact, table.payload + end == bytes.count { return }
        let damaged = bytes
        bytes = Template(attributes: 0).bytes
        end = 0
        for index in 0..<table.count {
            // The first of several overlapping fields is kept, so that the record does not grow.
            guard let field = table.field(at: index, in: damaged.span), field.start >= end
            else { continue }
            end = field.end
            let tail = bytes.count
            bytes.append(contentsOf: damaged[field.range])
            move(tail, field.attribute, field.tag)
        }
    }

    /// Sets the value of an attribute to the bytes from `tail` on.
    @inline(__always)
    private mutating func finish(_ attribute: UInt16, _ tag: UInt8, _ tail: Int) {
        let payload = RecordFormat.headerLength + reserved * 4
        let index = Int(attribute)
        if index >= settled, index < reserved, bytes.count - payload <= Int(UInt16.max) {
            while settled < index {
                storeReserved(settled, RecordFormat.absentTag, end: tail - payload)
                settled += 1
            }
            storeReserved(index, tag, end: bytes.count - payload)
            settled += 1
            return
        }
        move(tail, attribute, tag)
    }

    @inline(__always)
    private mutating func storeReserved(_ index: Int, _ tag: UInt8, end: Int) {
        let entry = RecordFormat.Entry(
            attribute: UInt16(truncatingIfNeeded: index), tag: tag, end: end)
        bytes.store(littleEndian: entry.narrow, at: RecordFormat.headerLength + index * 4)
    }

    /// Sets the value of an attribute, which is not the last one or has no entry yet, to the bytes from `tail` on.
    private mutating func move(_ tail: Int, _ attribute: UInt16, _ tag: UInt8) {
        var tail = tail
        // The attribute has no reserved entry, or is too large for one.
        let isNarrow = bytes[9] & RecordFormat.wideFlag == 0
        let needsWide =
            isNarrow
            && (bytes.count - RecordFormat.headerLength > Int(UInt16.max) || attribute > 0xFFF
                || tag > 0xF)
        if !isClosed, Int(attribute) >= reserved || needsWide { tail -= dropUnset() }
        if needsWide { tail += widen() }

        guard var table = RecordFormat.Table(bytes.span) else { return }
        let place = table.place(of: attribute, in: bytes.span)
        if place == table.count || table.entry(at: place, in: bytes.span).attribute != attribute {
            insertEntry(attribute, at: place, table)
            tail += table.entryLength
            guard let grown = RecordFormat.Table(bytes.span) else { return }
            table = grown
        }
        let entries = isClosed ? table.count : settled
        let start = table.payload + table.start(at: place, in: bytes.span)
        let end = table.payload + table.entry(at: place, in: bytes.span).end
        let growth = (bytes.count - tail) - (end - start)
        bytes.moveTail(from: tail, over: start..<end)
        store(tag: tag, at: place, table)
        if growth == 0 { return }
        for index in place..<entries {
            var entry = table.entry(at: index, in: bytes.span)
            entry.end += growth
            store(entry, at: index, table)
        }
    }

    private mutating func insertEntry(
        _ attribute: UInt16, at place: Int, _ table: RecordFormat.Table
    ) {
        let offset = RecordFormat.headerLength + place * table.entryLength
        let entry = RecordFormat.Entry(
            attribute: attribute, tag: ValueTag.null, end: table.start(at: place, in: bytes.span))
        bytes.insert(contentsOf: repeatElement(0, count: table.entryLength), at: offset)
        bytes.store(littleEndian: UInt16(truncatingIfNeeded: table.count + 1), at: 10)
        store(entry, at: place, table)
    }

    private mutating func store(tag: UInt8, at index: Int, _ table: RecordFormat.Table) {
        var entry = table.entry(at: index, in: bytes.span)
        entry.tag = tag
        store(entry, at: index, table)
    }

    private mutating func store(
        _ entry: RecordFormat.Entry, at index: Int, _ table: RecordFormat.Table
    ) {
        let offset = RecordFormat.headerLength + index * table.entryLength
        if table.isWide {
            bytes.store(littleEndian: entry.wide, at: offset)
        } else {
            bytes.store(littleEndian: entry.narrow, at: offset)
        }
    }

    // MARK: Closing

    /// Makes the record ready to be stored: drops entries that are not set, and sets the checksum.
    mutating func close(seed: UInt64) {
        if bytes.isEmpty { bytes = Template(attributes: 0).bytes }
        if deferred != 0 { addDeferred() }
        if !isClosed { _ = dropUnset() }
        if bytes[9] & RecordFormat.wideFlag != 0 { narrow() }
        bytes.store(littleEndian: bytes.span.wyhash(8..<bytes.count, seed: seed), at: 0)
    }

    /// Drops the reserved entries that are not set, and returns their size in bytes.
    private mutating func dropUnset() -> Int {
        let from = reserved
        var kept = 0
        for index in 0..<settled {
            let offset = RecordFormat.headerLength + index * 4
            let word = bytes.span.word32(at: offset)
            if RecordFormat.Entry(narrow: word).tag == RecordFormat.absentTag { continue }
            if kept < index {
                bytes.store(littleEndian: word, at: RecordFormat.headerLength + kept * 4)
            }
            kept += 1
        }
        reserved = 0
        settled = 0
        if kept == from { return 0 }
        bytes.removeSubrange(
            RecordFormat.headerLength + kept * 4..<RecordFormat.headerLength + from * 4)
        bytes.store(littleEndian: UInt16(truncatingIfNeeded: kept), at: 10)
        return (from - kept) * 4
    }

    /// Widens the entries of the table, and returns the number of bytes added.
    private mutating func widen() -> Int {
        guard let table = RecordFormat.Table(bytes.span) else { return 0 }
        rebuildTable(table, flags: bytes[9] | RecordFormat.wideFlag)
        return table.count * 4
    }

    /// Narrows the entries of the table if all fit.
    private mutating func narrow() {
        guard let table = RecordFormat.Table(bytes.span),
            bytes.count - table.payload <= Int(UInt16.max),
            table.count == 0
                || table.entry(at: table.count - 1, in: bytes.span).attribute <= 0xFFF
        else { return }
        // A later release may know more tags.
        for index in 0..<table.count
        where table.entry(at: index, in: bytes.span).tag > 0xF { return }
        rebuildTable(table, flags: bytes[9] & ~RecordFormat.wideFlag)
    }

    private mutating func rebuildTable(_ table: RecordFormat.Table, flags: UInt8) {
        var rebuilt = Array(bytes[..<RecordFormat.headerLength])
        rebuilt.reserveCapacity(bytes.count + (table.isWide ? 0 : table.count * 4))
        rebuilt[9] = flags
        for index in 0..<table.count {
            let entry = table.entry(at: index, in: bytes.span)
            if table.isWide {
                rebuilt.append(littleEndian: entry.narrow)
            } else {
                rebuilt.append(littleEndian: entry.wide)
            }
        }
        rebuilt.append(contentsOf: bytes[table.payload...])
        bytes = rebuilt
    }
}

extension EditableRecord {
    /// The start of a new item's record: an entry for each attribute, none of them set.
    struct Template {
        let bytes: [UInt8]
        /// The bytes to reserve for the record.
        var capacity: Int

        /// A template for a type with that number of attributes; without entries if most would stay unset.
        init(attributes count: Int, capacity: Int = 0) {
            var bytes = [UInt8](repeating: 0, count: RecordFormat.headerLength)
            let count = count <= 64 ? count : 0
            bytes[8] = RecordFormat.version
            bytes.store(littleEndian: UInt16(count), at: 10)
            for attribute in 0..<count {
                let entry = RecordFormat.Entry(
                    attribute: UInt16(attribute), tag: RecordFormat.absentTag, end: 0)
                bytes.append(littleEndian: entry.narrow)
            }
            self.bytes = bytes
            self.capacity = capacity
        }

        var entryCount: Int { (bytes.count - RecordFormat.headerLength) / 4 }
    }
}
