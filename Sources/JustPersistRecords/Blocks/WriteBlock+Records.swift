import JustPersist

/// The only way of records into a store and out of it: for the items of a block, the changes of a child, and copies.
///
/// Whatever follows from a change of a record is done here or in its ``RecordTable``: the number of items, the kinds of
/// their values, index entries, uniqueness, and the changes for the log and for observers.
extension WriteBlock {
    /// Writes a record; ``writeEntries(of:violations:)`` must follow, after the last record of a table.
    ///
    /// - Parameter changes: The attributes in which the record differs from the stored one; `nil` if there is none yet.
    func put(
        _ record: Span<UInt8>, id: ItemID, changes: AttributeSet?, in table: RecordTable
    ) throws(DataStoreError) {
        hasWritten = true
        refusal = nil
        // The types of a load are adopted with the kinds of all their values.
        if !isOfLoad { noteTags(of: record, in: table) }
        if isObserved { try noteRelated(record, id, changes: changes, in: table) }
        try storage { () throws(DataStoreError) in
            try table.put(record, id: id, changes: changes, to: writer)
        }
    }

    /// Removes the record of an id with its entries, and returns whether it existed.
    func remove(_ id: ItemID, in table: RecordTable) throws(DataStoreError) -> Bool {
        if isObserved { try noteRelated(nil, id, changes: .all, in: table) }
        let existed = try storage { () throws(DataStoreError) in
            try table.remove(id, from: writer)
        }
        if existed {
            hasWritten = true
            refusal = nil
        }
        return existed
    }

    /// Writes the index entries of the records of a table that were put.
    ///
    /// - Parameter violations: The consequence of violated uniqueness, which is checked before the next query and the
    ///   commit if it fails the block, and else now; `nil` if uniqueness does not matter.
    func writeEntries(
        of table: RecordTable, violations: UniqueViolationOutcome? = .refused
    ) throws(DataStoreError) {
        try storage { () throws(DataStoreError) in
            if writer.isRemote { try prepareEntries(of: [table]) }
            try table.writeEntries(to: writer)
            switch violations {
            case .refused: if !table.uniqueEntries.entries.isEmpty { unjudged.append(table) }
            case .kept:
                if let violation = try table.judgeUniqueness(.kept, in: writer) {
                    context.report(violation)
                }
            case nil: table.uniqueEntries.removeAll()
            }
        }
    }

    /// Fails the block if items that were written since the last check violate uniqueness.
    func checkUniqueness() throws(DataStoreError) {
        if unjudged.isEmpty { return }
        try storage { () throws(DataStoreError) in
            for table in unjudged { try table.checkUniqueness(in: writer) }
        }
        unjudged = []
    }

    /// Adds the kinds of a record's values to the catalog, and notes values that do not convert exactly.
    // A separate function, because the optimizer of Swift 6.3 crashes over this loop after that of the checksum.
    @inline(never)
    private func noteTags(of record: Span<UInt8>, in table: RecordTable) {
        guard let fields = RecordFormat.Table(record) else { return }
        for index in 0..<fields.count {
            let field = fields.entry(at: index, in: record)
            // A damaged record may have any tag.
            if field.tag == ValueTag.null || field.tag > ValueTag.dictionary
                || table.hasNoted(tag: field.tag, ofAttribute: field.attribute)
            {
                continue
            }
            var isExact = false
            if let field = fields.field(at: index, in: record),
                let value = ValueDecoding.value(tag: field.tag, in: record, field.range, known)
            {
                isExact = value.exactly(as: field.tag == ValueTag.int ? .double : .int) != nil
            }
            if known.catalog.note(
                tag: field.tag, isExact: isExact, ofAttribute: field.attribute, type: table.number)
            {
                didChange(table.number)
            }
        }
    }
}
