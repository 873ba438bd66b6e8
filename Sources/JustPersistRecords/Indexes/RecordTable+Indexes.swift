import JustPersist

/// The entries of indexes, which follow the records.
extension RecordTable {
    /// Notes which entries change with a record that is about to be written.
    ///
    /// - Parameter changes: The attributes that differ from those of the stored record, whose entries go; `nil` if there
    ///   is none.
    func noteEntries(
        of record: Span<UInt8>, _ id: ItemID, changes: AttributeSet?, in reader: any KeyValueReader
    ) throws(DataStoreError) {
        for index in indexes {
            if let changes, !changes.intersects(index.attributes) { continue }
            scratch.new.removeAll()
            guard index.addEntries(of: record, id: id, to: &scratch.new) else {
                throw .damagedRecord(id, ofType: typeKey)
            }
            scratch.old.removeAll()
            if changes != nil { try addStoredEntries(of: index, id, in: reader) }
            for entry in scratch.old.entries
            where !scratch.new.contains(entry, of: scratch.old) {
                entryChanges.removed.append(entry, of: scratch.old)
            }
            for entry in scratch.new.entries
            where !scratch.old.contains(entry, of: scratch.new) {
                entryChanges.added.append(entry, of: scratch.new)
            }
        }
    }

    /// Notes that the entries of an item go, whose record is about to be removed.
    func noteEntriesRemoved(_ id: ItemID, in reader: any KeyValueReader) throws(DataStoreError) {
        for index in indexes {
            scratch.old.removeAll()
            try addStoredEntries(of: index, id, in: reader)
            for entry in scratch.old.entries {
                entryChanges.removed.append(entry, of: scratch.old)
            }
        }
    }

    /// Adds the entries of an item's stored record to the scratch list of old ones.
    private func addStoredEntries(
        of index: TypeIndex, _ id: ItemID, in reader: any KeyValueReader
    ) throws(DataStoreError) {
        var isReadable = true
        _ = try withStoredBytes(id, in: reader) { (record) throws(DataStoreError) in
            isReadable =
                isSound(record, id) && index.addEntries(of: record, id: id, to: &scratch.old)
        }
        if isReadable { return }
        // What the damaged record said is not known, so its entries are looked for.
        scratch.old.removeAll()
        try reader.scanKeys(index.range, reversed: false) { (key) throws(DataStoreError) in
            if key.count >= index.prefix.count + IndexKey.idLength, IndexKey.id(in: key) == id {
                scratch.old.begin(key.copied(0..<(key.count - IndexKey.idLength)))
                scratch.old.end(id, isUnique: false, isCut: false)
            }
            return .next
        }
    }

    /// Writes the noted changes of entries, and sees that no two items agree where none may.
    ///
    /// - Throws: `.uniqueViolation`; the transaction must be rolled back then.
    func writeEntries(to writer: any KeyValueWriter) throws(DataStoreError) {
        if entryChanges.isEmpty { return }
        var changes = IndexChanges()
        swap(&changes, &entryChanges)
        for entry in changes.removed.sorted {
            _ = try writer.delete(changes.removed.bytes.span.extracting(entry.range))
        }
        let added = changes.added.sorted
        for entry in added {
            try writer.put(
                [UInt8]().span, forKey: changes.added.bytes.span.extracting(entry.range))
        }
        // Last, for two items may have exchanged their values.
        for entry in added where entry.isUnique {
            let key = changes.added.bytes.span.extracting(entry.range)
            if let index = index(of: key),
                let other = try otherItem(with: key, of: index, isCut: entry.isCut, in: writer)
            {
                throw .uniqueViolation(
                    IndexKey.id(in: key), other, ofType: typeKey, attributes: index.names)
            }
        }
        changes.removeAll()
        // The room is used again.
        swap(&changes, &entryChanges)
    }

    /// Removes all entries.
    func removeAllEntries(from writer: any KeyValueWriter) throws(DataStoreError) {
        if !indexes.isEmpty { _ = try writer.deleteAll(in: IndexKey.range(type: number)) }
    }

    /// Another item with the same values as those of an entry, if there is one.
    func otherItem(
        with entry: Span<UInt8>, of index: TypeIndex, isCut: Bool, in reader: any KeyValueReader
    ) throws(DataStoreError) -> ItemID? {
        let id = IndexKey.id(in: entry)
        let values = entry.copied(0..<(entry.count - IndexKey.idLength))
        var others: [ItemID] = []
        try reader.scanKeys(KeyRange(prefix: values), reversed: false) {
            (key) throws(DataStoreError) in
            let other = IndexKey.id(in: key)
            if key.count == entry.count, other != id { others.append(other) }
            return others.isEmpty || isCut ? .next : .stop
        }
        if !isCut { return others.first }
        let own = try storedValues(of: index, id, in: reader)
        for other in others {
            let theirs = try storedValues(of: index, other, in: reader)
            if zip(own, theirs).allSatisfy({ $0.isEqual(to: $1) }) { return other }
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
                    values.append(value)
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

/// Entries that were added and removed since the last time that they were written.
struct IndexChanges {
    var added = IndexEntries()
    var removed = IndexEntries()

    var isEmpty: Bool { added.entries.isEmpty && removed.entries.isEmpty }

    mutating func removeAll() {
        added.removeAll()
        removed.removeAll()
    }
}

extension DataStoreError {
    /// Two items with the same values where no two may have them.
    static func uniqueViolation(
        _ first: ItemID, _ second: ItemID, ofType itemType: String, attributes: [String]
    ) -> DataStoreError {
        let names = attributes.map { "“\($0)”" }.joined(separator: " and ")
        let (first, second) = first < second ? (first, second) : (second, first)
        return DataStoreError(
            .uniqueViolation, in: "write",
            """
            The items \(first) and \(second) of “\(itemType)” have the same \(names), which is declared unique. Nothing \
            of this block is stored. Find the item first, or use upsert.
            """, itemType: itemType, attribute: attributes.first)
    }
}
