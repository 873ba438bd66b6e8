package import JustPersist

/// Takes the records of another store into this one, in a write block.
package struct RecordIntake {
    private let block: WriteBlock

    init(_ block: WriteBlock) { self.block = block }

    /// Takes over what another store knows of its types: see ``StoredRecords/suits(_:)``.
    ///
    /// The entries of indexes follow the records as they come.
    package func adoptTypes(of source: StoredRecords) throws(DataStoreError) {
        guard block.known.catalog.suits(source.catalog) else {
            throw DataStoreError(
                .targetNotEmpty, in: "migrate",
                "The target was written to when the migration began. Let nobody else write to it, and run again."
            )
        }
        for type in source.catalog.types {
            var type = type
            for place in type.indexes.indices { type.indexes[place].state = .ready }
            block.adopt(type)
        }
    }

    /// Takes records in.
    ///
    /// - Parameter mayBeThere: Whether there may be records of these ids, which are left as they are.
    package func put(
        _ batch: RecordBatch, mayBeThere: Bool
    ) throws(DataStoreError) {
        guard let type = block.known.catalog[batch.type.number] else {
            throw .undeclaredType(batch.type.key, in: "migrate")
        }
        let table = block.table(of: type)
        try block.storing { (writer) throws(DataStoreError) in
            for place in batch.ids.indices {
                let id = batch.ids[place]
                if mayBeThere, try table.contains(id, in: writer) { continue }
                table.noteNew()
                try batch.withRecord(at: place) { (record) throws(DataStoreError) in
                    try table.put(record, id: id, changes: nil, to: writer)
                    block.noteBytes(record.count)
                }
                if table.entryChanges.isMany { try table.writeEntries(to: writer) }
            }
            try table.writeEntries(to: writer)
            block.noteUnjudged(table)
        }
    }
}
