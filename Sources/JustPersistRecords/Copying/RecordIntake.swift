package import JustPersist

/// Copies the records of another store into this one, in a write block.
package struct RecordIntake {
    private let block: WriteBlock

    init(_ block: WriteBlock) { self.block = block }

    /// Begins a copy, and copies the types of another store, which must suit this one: see ``StoredRecords/suits(_:)``.
    ///
    /// Until ``end()`` a store that was empty can be used for the copy only, unless its changes are logged or observed.
    /// Index entries are written with the records.
    package func adoptTypes(of source: StoredRecords) throws(DataStoreError) {
        guard block.known.catalog.suits(source.catalog) else {
            throw DataStoreError(
                .targetNotEmpty, in: "migrate",
                "Another program wrote to the target when the migration began. Stop it, and run the migration again."
            )
        }
        for type in source.catalog.types {
            var type = type
            for place in type.indexes.indices { type.indexes[place].noteWritten() }
            // Another program may have written other values since the comparison of the two stores.
            if let mine = block.known.catalog[type.number] { type.addTags(of: mine) }
            block.adopt(type)
        }
        try block.beginLoad()
    }

    /// Counts the records of an interrupted copy, for a migration that continues item by item.
    package func count() throws(DataStoreError) { try block.countLoaded(isWhole: false) }

    /// Ends a copy, so that the store can be used.
    package func end() throws(DataStoreError) { try block.countLoaded(isWhole: true) }

    /// Declares a type as it is in another store.
    ///
    /// A new index is declared without a class if it is in `indexesByHand`.
    ///
    /// The public interface would mark every index as declared without a class, and the index would then remain after
    /// its class drops it.
    package func declare(
        _ schema: ItemSchema, indexesByHand: Set<IndexSchema>
    ) throws(DataStoreError) {
        let before = block.known.catalog.candidates(for: ItemType(schema)).first
        let known = Set(before.map { type in type.indexes.map(type.schema(of:)) } ?? [])
        try block.declare(schema)
        // A child's types are its parent's.
        guard block.context.root == nil, var type = block.known.catalog.type(schema.itemTypeKey)
        else { return }
        var isChanged = false
        for place in type.indexes.indices {
            let index = type.schema(of: type.indexes[place])
            if known.contains(index) || indexesByHand.contains(index) { continue }
            type.indexes[place].isByHand = false
            isChanged = true
        }
        if isChanged { block.adopt(type) }
    }

    /// Adds records, except those whose ids exist already.
    ///
    /// Items that violate a unique index are added nevertheless, and reported to the error handler.
    package func put(_ batch: RecordBatch) throws(DataStoreError) {
        guard let type = block.known.catalog[batch.type.number] else {
            throw .undeclaredType(batch.type.key, in: "migrate")
        }
        guard let first = batch.ids.first, let last = batch.ids.last else { return }
        block.noteLoad()
        let table = block.table(of: type)
        // Checked for each batch, because another migration into this store may be running.
        let mayBeThere = try block.holdsKeys(in: RecordKey.range(type: type.number, first...last))
        if mayBeThere, block.reader.isRemote {
            try block.reader.prepare(keys: batch.ids.map(table.recordKey), ranges: [])
        }
        for place in batch.ids.indices {
            let id = batch.ids[place]
            if mayBeThere, try table.contains(id, in: block.reader) { continue }
            try batch.withRecord(at: place) { (record) throws(DataStoreError) in
                try block.put(record, id: id, changes: nil, in: table)
                block.noteBytes(record.count)
            }
        }
        try block.writeEntries(of: table, violations: .kept)
    }
}
