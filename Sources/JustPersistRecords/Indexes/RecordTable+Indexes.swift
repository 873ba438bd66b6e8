import JustPersist

/// Updates of index entries when records change.
extension RecordTable {
    /// Notes which entries change with a record that is about to be written.
    ///
    /// - Parameter changes: The attributes that differ from those of the stored record; `nil` if there is no stored
    ///   record. Their old entries are removed.
    func noteEntries(
        of record: Span<UInt8>, _ id: ItemID, changes: AttributeSet?, in reader: any KeyValueReader
    ) throws(DataStoreError) {
        if let changes {
            guard indexes.contains(where: { changes.intersects($0.attributes) }) else { return }
            let isThere = try withStoredBytes(id, in: reader) { (stored) throws(DataStoreError) in
                let isSound = isSound(stored, id)
                for index in indexes where changes.intersects(index.attributes) {
                    try noteEntries(
                        of: index, record, id, replacing: (stored, isSound), in: reader)
                }
            }
            if isThere { return }
        }
        for index in indexes where changes?.intersects(index.attributes) ?? true {
            try noteEntries(of: index, record, id, replacing: nil, in: reader)
        }
    }

    private func noteEntries(
        of index: TypeIndex, _ record: Span<UInt8>, _ id: ItemID,
        replacing old: (record: Span<UInt8>, isSound: Bool)?,
        in reader: any KeyValueReader
    ) throws(DataStoreError) {
        scratch.new.removeAll()
        guard index.addEntries(of: record, id: id, to: &scratch.new) else {
            throw RecordFormat.hasLaterKinds(record)
                ? .laterRecord(id, ofType: typeKey) : .damagedRecord(id, ofType: typeKey)
        }
        scratch.old.removeAll()
        if let old {
            try addEntries(of: old.record, id, isSound: old.isSound, to: index, in: reader)
        }
        entryChanges.note(scratch.old, replacedBy: scratch.new)
        // A value may have changed after the position at which its key is truncated.
        for entry in scratch.new.entries where entry.isUnique {
            uniqueEntries.append(entry, of: scratch.new)
        }
    }

    /// Notes the removal of the entries of an item whose record is about to be removed.
    func noteEntriesRemoved(_ id: ItemID, in reader: any KeyValueReader) throws(DataStoreError) {
        _ = try withStoredBytes(id, in: reader) { (stored) throws(DataStoreError) in
            let isSound = isSound(stored, id)
            for index in indexes {
                scratch.old.removeAll()
                try addEntries(of: stored, id, isSound: isSound, to: index, in: reader)
                for entry in scratch.old.entries {
                    entryChanges.removed.append(entry, of: scratch.old)
                }
            }
        }
    }

    /// Adds the entries of an item's stored record to the scratch list of old ones.
    private func addEntries(
        of stored: Span<UInt8>, _ id: ItemID, isSound: Bool, to index: TypeIndex,
        in reader: any KeyValueReader
    ) throws(DataStoreError) {
        if isSound, index.addEntries(of: stored, id: id, to: &scratch.old) { return }
        // The values of a record that is damaged or from a later release are not known, so the index is searched for
        // its entries.
        scratch.old.removeAll()
        try reader.scanKeys(index.range, reversed: false) { (key) throws(DataStoreError) in
            if key.count >= index.prefix.count + IndexKey.idLength, IndexKey.id(in: key) == id {
                scratch.old.begin(key.copied(0..<(key.count - IndexKey.idLength)))
                scratch.old.end(id, isUnique: false, isCut: false)
            }
            return .next
        }
    }

    /// Adds the keys and ranges that ``checkUniqueness(in:)`` and ``writeCount(to:)`` will read.
    func addPreparations(_ keys: inout [[UInt8]], _ ranges: inout [KeyRange]) {
        if countChange != 0 { keys.append(Counter.key(number)) }
        let entries = uniqueEntries
        var values: Set<[UInt8]> = []
        for entry in entries.entries {
            values.insert(Array(entries.bytes[entry.start..<(entry.end - IndexKey.idLength)]))
        }
        ranges += values.map { KeyRange(prefix: $0) }
    }

    /// Writes the noted changes of entries.
    func writeEntries(to writer: any KeyValueWriter) throws(DataStoreError) {
        if entryChanges.isEmpty { return }
        var changes = IndexChanges()
        swap(&changes, &entryChanges)
        for entry in changes.removed.sorted {
            try writer.remove(changes.removed.bytes.span.extracting(entry.range))
        }
        try changes.added.write(to: writer)
        changes.removeAll()
        // The storage is reused.
        swap(&changes, &entryChanges)
    }

    /// Checks the unique attributes of the items that were written since the last check.
    ///
    /// They are not checked when they are written, because items may exchange their values or pass them on.
    ///
    /// - Throws: `.uniqueViolation`; the transaction must be rolled back then.
    func checkUniqueness(in reader: any KeyValueReader) throws(DataStoreError) {
        if let violation = try judgeUniqueness(.refused, in: reader) { throw violation }
    }

    /// Checks uniqueness and returns the first violation, without an effect on the items.
    func judgeUniqueness(
        _ outcome: UniqueViolationOutcome, in reader: any KeyValueReader
    ) throws(DataStoreError) -> DataStoreError? {
        if uniqueEntries.entries.isEmpty { return nil }
        let entries = uniqueEntries
        for entry in entries.sorted {
            let isThere = try reader.withValue(
                forKey: entries.bytes.span.extracting(entry.range)
            ) { (_) throws(DataStoreError) in }
            guard isThere, let violation = try violation(of: entry, in: entries, outcome, reader)
            else { continue }
            if outcome == .kept { uniqueEntries.removeAll() }
            return violation
        }
        uniqueEntries.removeAll()
        return nil
    }

    /// Removes all entries.
    func removeAllEntries(from writer: any KeyValueWriter) throws(DataStoreError) {
        if !indexes.isEmpty { _ = try writer.deleteAll(in: IndexKey.range(type: number)) }
    }

    /// The error for a stored entry with unique values, if another item has the same ones.
    func violation(
        of entry: IndexEntries.Entry, in entries: IndexEntries,
        _ outcome: UniqueViolationOutcome, _ reader: any KeyValueReader
    ) throws(DataStoreError) -> DataStoreError? {
        let key = entries.bytes.span.extracting(entry.range)
        guard let index = index(of: key),
            let other = try otherItem(with: key, of: index, isCut: entry.isCut, in: reader)
        else { return nil }
        return .uniqueViolation(
            IndexKey.id(in: key), other, ofType: typeKey, attributes: index.names, outcome)
    }

    /// Another item with the same values as those of an entry, if there is one.
    private func otherItem(
        with entry: Span<UInt8>, of index: TypeIndex, isCut: Bool, in reader: any KeyValueReader
    ) throws(DataStoreError) -> ItemID? {
        let id = IndexKey.id(in: entry)
        let values = entry.copied(0..<(entry.count - IndexKey.idLength))
        var others: [ItemID] = []
        try reader.scan(KeyRange(prefix: values), reversed: false) {
            (key, value) throws(DataStoreError) in
            if !IndexKey.isSound(key, value) { throw .damagedEntry(ofType: typeKey) }
            let other = IndexKey.id(in: key)
            if key.count == entry.count, other != id { others.append(other) }
            return others.isEmpty || isCut ? .next : .stop
        }
        if !isCut { return others.first }
        let own = try storedValues(of: index, id, in: reader)
        for other in others {
            let theirs = try storedValues(of: index, other, in: reader)
            if own.count == theirs.count, !own.isEmpty,
                zip(own, theirs).allSatisfy({ $0.isEqual(to: $1) })
            {
                return other
            }
        }
        return nil
    }

    private func storedValues(
        of index: TypeIndex, _ id: ItemID, in reader: any KeyValueReader
    ) throws(DataStoreError) -> [DataStoreValue] {
        var values: [DataStoreValue] = []
        _ = try withRecord(id, in: reader) { (record) throws(DataStoreError) in
            guard let table = RecordFormat.Table(record) else { return }
            for component in index.components {
                if case .known(let value) = index.value(of: component, record, table) {
                    values.append(index.compared(value))
                }
            }
        }
        return values
    }

    private func index(of entry: Span<UInt8>) -> TypeIndex? {
        for index in indexes {
            let prefix = index.prefix
            if entry.compare(0..<prefix.count, prefix.span) == 0 { return index }
        }
        return nil
    }
}

/// Changes of entries that are not written yet.
struct IndexChanges {
    var added = IndexEntries()
    var removed = IndexEntries()

    var isEmpty: Bool { added.entries.isEmpty && removed.entries.isEmpty }

    /// Whether the pending changes take much memory.
    var isMany: Bool { added.entries.count + removed.entries.count >= 1 << 14 }

    mutating func removeAll() {
        added.removeAll()
        removed.removeAll()
    }

    /// Notes the entries that an item no longer has, and those that it has now.
    mutating func note(_ old: IndexEntries, replacedBy new: IndexEntries) {
        // The entries are merged in the order of their keys, because an array may have many.
        let (before, after) = (old.sorted, new.sorted)
        var (place, other) = (0, 0)
        while place < before.count || other < after.count {
            let order =
                place == before.count
                ? 1 : other == after.count ? -1 : old.compare(before[place], new, after[other])
            if order < 0 { removed.append(before[place], of: old) }
            if order > 0 { added.append(after[other], of: new) }
            if order <= 0 { place += 1 }
            if order >= 0 { other += 1 }
        }
    }
}

extension Catalog {
    /// The error for an index entry with a wrong checksum.
    func damagedEntry(_ key: Span<UInt8>) -> DataStoreError {
        let number = key.word32(at: 1).byteSwapped
        return .damagedEntry(ofType: self[number]?.key ?? "type \(number)")
    }
}

/// The consequence for two items that violate uniqueness.
enum UniqueViolationOutcome {
    /// The block that wrote them fails.
    case refused
    /// They stay, because they existed before the declaration or were copied from another store.
    case kept
}

extension DataStoreError {
    /// An index entry has a wrong checksum.
    static func damagedEntry(ofType itemType: String) -> DataStoreError {
        DataStoreError(
            .corrupted, in: "read",
            """
            An entry of an index of “\(itemType)” is damaged: its checksum is wrong. The items are not concerned. A repair \
            of the store writes the index anew.
            """, itemType: itemType)
    }

    /// Two items have the same values for unique attributes.
    static func uniqueViolation(
        _ first: ItemID, _ second: ItemID, ofType itemType: String, attributes: [String],
        _ outcome: UniqueViolationOutcome
    ) -> DataStoreError {
        let names = attributes.map { "“\($0)”" }.joined(separator: " and ")
        let (first, second) = first < second ? (first, second) : (second, first)
        let advice =
            switch outcome {
            case .refused: "Nothing of this block is stored. Find the item first, or use upsert."
            case .kept: "Both are kept. Change or delete one of them."
            }
        return DataStoreError(
            .uniqueViolation, in: "write",
            """
            The items \(first) and \(second) of “\(itemType)” have the same \(names), which is declared unique. \
            \(advice)
            """, itemType: itemType, attribute: attributes.first)
    }
}
