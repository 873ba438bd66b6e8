public import JustPersist

extension RecordStore {
    /// Checks the checksum, the layout and every value of every record of one snapshot, and compares the
    /// stored numbers of items.
    ///
    /// A damaged record is one problem in the report, and the check goes on behind it.
    public func verify() throws -> VerificationReport {
        var report = VerificationReport()
        try gate.readHere {
            try withBlock { block in
                for stored in block.catalog.types {
                    let type = block.blockType(ItemType(dynamic: stored.key))
                    var sound = 0
                    var damaged = 0
                    try block.reader.scan(RecordKey.range(type: stored.number), reversed: false) {
                        (key, record) throws(DataStoreError) in
                        do throws(DataStoreError) {
                            try type.check(record, key: key, number: stored.number)
                            sound += 1
                        } catch {
                            report.problems.append(error)
                            damaged += 1
                        }
                        return .next
                    }
                    report.itemCounts[stored.key] = sound
                    do throws(DataStoreError) {
                        let counted = try block.storedCount(type)
                        if counted != sound + damaged {
                            report.problems.append(
                                .wrongCount(counted, found: sound + damaged, itemType: stored.key))
                        }
                    } catch {
                        report.problems.append(error)
                    }
                }
            }
        }
        return report
    }
}

extension BlockType {
    /// Throws if a record cannot be read whole.
    fileprivate func check(
        _ record: Span<UInt8>, key: Span<UInt8>, number: UInt32
    ) throws(DataStoreError) {
        guard key.count == RecordKey.length else {
            throw DataStoreError(
                .corrupted, in: "verify",
                "A key among the records of “\(itemType.key)” has \(key.count) bytes, not 21.",
                itemType: itemType.key)
        }
        let id = RecordKey.id(in: key)
        try RecordFormat.verify(record, type: self, number: number, id: id)
        guard let table = RecordFormat.Table(record) else { throw corrupted(id) }
        for index in 0..<table.count {
            guard let field = table.field(at: index, in: record),
                stored?.attributes.indices.contains(Int(field.attribute)) == true,
                ValueDecoding.value(tag: field.tag, in: record, field.range) != nil
            else { throw corrupted(id) }
        }
    }
}
