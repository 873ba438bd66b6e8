package import JustPersist

/// The records of a store's committed state, for copying.
///
/// Valid only inside the block that receives it.
package struct StoredRecords {
    let block: Block

    init(_ block: Block) { self.block = block }

    /// A type by its number in this store.
    package struct StoredType: Sendable {
        package let number: UInt32
        package let key: String
    }

    var catalog: Catalog { block.known.catalog }

    /// The declared types, in the order of their numbers.
    package var types: [StoredType] {
        catalog.types.filter(\.isDeclared).map { StoredType(number: $0.number, key: $0.key) }
    }

    /// An attribute, as the records of a type keep it.
    package struct StoredField: Sendable {
        package let name: String
        package let number: UInt16
        /// The kinds that the latest declaration allows; empty for all.
        package let kinds: Set<DataStoreValue.Kind>
        /// The tag and the payload of the value of records without the field, if that is not null.
        package let absent: [UInt8]?
    }

    /// The attributes of a type, in the order of their numbers.
    package func fields(of type: StoredType) -> [StoredField] {
        let attributes = catalog[type.number]?.attributes ?? []
        return attributes.enumerated().filter { !$0.element.isRetired }.map { number, attribute in
            let absent = attribute.defaultValue.map { value in
                var bytes: [UInt8] = []
                let tag = bytes.append(payloadOf: value, block.known)
                return [tag] + bytes
            }
            return StoredField(
                name: attribute.name, number: UInt16(number), kinds: attribute.kinds, absent: absent
            )
        }
    }

    /// Throws `.newerFormat` if a copy by this release would lose some of the store's data, and `.unfinishedCopy` if
    /// the store itself holds a part of a copy.
    package func checkCopying() throws(DataStoreError) {
        let header = try StoreHeader(reading: block.reader)
        try header?.checkWriting()
        try header?.checkWhole(in: "migrate")
        for type in catalog.types where type.unknown.forbidsWriting {
            throw type.newerFormat(in: "migrate")
        }
        guard try block.holdsKeys(in: KeySpace.laterRange) else { return }
        throw DataStoreError(
            .newerFormat, in: "migrate",
            """
            The store has entries of a later release, such as links between items, which a copy by this release would lose. \
            Migrate it with that release, or copy its files with a backup; nothing was written.
            """)
    }

    /// Whether a store in this state can take over the records of another: all types, attributes and indexes that both
    /// know have the same numbers.
    package func suits(_ other: StoredRecords) -> Bool { catalog.suits(other.catalog) }

    /// The stored number of a type's items.
    ///
    /// Throws `.corrupted` if the number is damaged.
    package func count(_ type: StoredType) throws(DataStoreError) -> Int {
        guard let stored = catalog[type.number] else { return 0 }
        return try block.table(of: stored).count(in: block.reader)
    }

    /// The number of records to expect of a type: the stored number, or if it is damaged, a count of the records.
    package func expectedCount(_ type: StoredType) throws(DataStoreError) -> Int {
        try Counter.count(after: 0, type: type.number, in: block.reader)
    }

    /// The indexes of a type that were declared without a class.
    package func indexesByHand(ofType key: String) -> Set<IndexSchema> {
        guard let type = catalog.type(key) else { return [] }
        return Set(type.indexes.filter(\.isByHand).map(type.schema(of:)))
    }

    /// The records of a type that follow an id, each verified; empty at the end.
    ///
    /// Throws `.corrupted` for a damaged record, with its id.
    package func next(
        _ type: StoredType, after id: ItemID?, items: Int, bytes: Int
    ) throws(DataStoreError) -> RecordBatch {
        var batch = RecordBatch(type: type)
        guard let stored = catalog[type.number] else { return batch }
        let table = block.table(of: stored)
        var pass = RecordPass(after: id)
        _ = try table.scan(&pass, in: block.reader) { (id, record) throws(DataStoreError) in
            // The record's checksum was not compared when it was read, if the engine has checksums of its own.
            if !table.isProven(record, id) { throw .damagedRecord(id, ofType: type.key) }
            batch.append(id, record)
            return batch.count >= items || batch.bytes.count >= bytes ? .stop : .next
        }
        return batch
    }

    /// The first id of a batch whose record is missing here or has other bytes.
    package func firstMissing(_ batch: RecordBatch) throws(DataStoreError) -> ItemID? {
        guard let type = catalog[batch.type.number] else { return batch.ids.first }
        let table = block.table(of: type)
        if block.reader.isRemote {
            try block.reader.prepare(keys: batch.ids.map(table.recordKey), ranges: [])
        }
        for place in batch.ids.indices {
            var isSame = false
            _ = try table.withStoredBytes(batch.ids[place], in: block.reader) {
                (bytes) throws(DataStoreError) in
                isSame = batch.withRecord(at: place) { bytes.order(against: $0) == .same }
            }
            if !isSame { return batch.ids[place] }
        }
        return nil
    }
}

extension Catalog {
    /// Whether a store with this catalog can take over the records and the catalog of another store.
    func suits(_ other: Catalog) -> Bool {
        guard damages.isEmpty, other.damages.isEmpty,
            other.types.allSatisfy({ !$0.unknown.forbidsWriting })
        else { return false }
        return types.allSatisfy { mine in
            guard let type = other[mine.number] else { return false }
            return !mine.unknown.forbidsWriting && mine.key == type.key
                && mine.isDeclared == type.isDeclared && mine.formerKeys == type.formerKeys
                && mine.attributes.elementsEqual(type.attributes) {
                    $0.name == $1.name && $0.hasSameValues(as: $1)
                }
                // The indexes must match too, because the entries of existing items are not written again.
                && mine.indexes.elementsEqual(type.indexes) {
                    $0.number == $1.number && $0.components == $1.components
                        && $0.isUnique == $1.isUnique && $0.ignoresCase == $1.ignoresCase
                        && $0.isUsable
                }
        }
    }
}
