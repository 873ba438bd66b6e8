public import JustPersist

extension RecordStore {
    /// Checks a whole snapshot: the engine's own structure; the checksum, layout and values of every record; the order
    /// of the records, and that each is found by its id; the stored numbers of items; every entry of the indexes; both
    /// sides of each relationship; the catalog; the change log; and that there are no other keys.
    ///
    /// Each damaged record is a problem in the report, and the check continues after it. If the structure of the files
    /// is damaged, the records are not read: some engines end the process over such files.
    public func verify() throws -> VerificationReport {
        try performVerification(MaintenanceMeter { _ in })
    }

    /// Verifies the store and reports progress.
    public func performVerification(_ meter: MaintenanceMeter) throws -> VerificationReport {
        var report = VerificationReport()
        try gate.readHere {
            try meter.begin(.structure)
            report.problems = try engine.verify(meter)
            guard report.problems.isEmpty else { return }
            try withBlock(ofStep: true) { block in
                report.problems = block.known.catalog.damages.map(\.problem)
                for stored in block.known.catalog.types {
                    let count = try? block.table(of: stored).count(in: block.reader)
                    try meter.begin(.items, itemType: stored.key, totalItems: count)
                    try block.verify(stored, &report, meter)
                    try meter.check()
                }
                try block.verifyRelations(&report, meter)
                try block.verifyChangeLog(&report)
                try block.verifyLaterEntries(&report, meter)
                // The keys of a type that cannot be read are not known.
                if block.known.catalog.damages.isEmpty {
                    try block.verifyThereIsNothingElse(&report)
                }
            }
        }
        return report
    }
}

extension Block {
    /// Checks all records of one type.
    fileprivate func verify(
        _ stored: CatalogType, _ report: inout VerificationReport, _ meter: MaintenanceMeter
    ) throws(DataStoreError) {
        let table = table(of: stored)
        var problems: [DataStoreError] = []
        var pass = RecordPass()
        var found = 0
        var sound = 0
        // If a later release does not allow this one to read the items, their encoding is unknown.
        if stored.unknown.forbidsReading {
            try reader.scanKeys(table.range, reversed: false) { (_) throws(DataStoreError) in
                found += 1
                return meter.note(items: 1) ? .next : .stop
            }
            if stored.isDeclared { report.itemCounts[stored.key] = found }
            return
        }
        do throws(DataStoreError) {
            try reader.scan(table.range, reversed: false) {
                (key, record) throws(DataStoreError) in
                found += 1
                do throws(DataStoreError) {
                    try check(record, key: key, of: stored, table, &pass)
                    sound += 1
                } catch {
                    problems.append(error)
                }
                return meter.note(items: 1, bytes: record.count) ? .next : .stop
            }
            guard meter.note() else { return }
            let counted = try table.count(in: reader)
            if counted != found {
                problems.append(.wrongCount(counted, found: found, itemType: stored.key))
            }
            for index in readyIndexes(of: stored) {
                problems += try self.problems(
                    of: index, of: stored, isDamaged: sound < found, meter)
            }
        } catch {
            problems.append(error)
        }
        if stored.isDeclared { report.itemCounts[stored.key] = sound }
        report.problems += problems
    }

    /// Verifies the checksums of the entries of later releases, whose contents are unknown.
    fileprivate func verifyLaterEntries(
        _ report: inout VerificationReport, _ meter: MaintenanceMeter
    ) throws(DataStoreError) {
        var damaged = 0
        try reader.scan(KeySpace.laterRange, reversed: false) {
            (key, value) throws(DataStoreError) in
            if !KeySpace.isSoundLater(key, value) { damaged += 1 }
            return meter.note(bytes: key.count + value.count) ? .next : .stop
        }
        if damaged == 0 { return }
        report.problems.append(
            DataStoreError(
                .corrupted, in: "verify",
                """
                \(damaged.counted("entry", "entries")) of a later release, such as links between items, have a wrong \
                checksum. Repair the store with that release, or restore it from a backup.
                """))
    }

    /// Looks for keys that the catalog does not account for, such as those of a type whose catalog entry was lost.
    fileprivate func verifyThereIsNothingElse(
        _ report: inout VerificationReport
    ) throws(DataStoreError) {
        let numbers = known.catalog.types.map(\.number).sorted()
        let single =
            [KeySpace.header]
            + [KeySpace.catalogTag, KeySpace.counterTag].flatMap { tag in
                numbers.map { KeySpace.key(tag, type: $0) }
            }
        var ranges = single.map { KeyRange(from: $0, upTo: $0 + [0]) }
        ranges += numbers.map { RecordKey.range(type: $0) }
        for type in known.catalog.types.sorted(by: { $0.number < $1.number }) {
            ranges += type.indexes.map(\.number).sorted().map { index in
                KeyRange(prefix: IndexKey.prefix(type: type.number, index: index))
            }
        }
        // ``verifyChangeLog(_:)`` has checked the keys of the change log.
        ranges.append(try changeLogRange())
        ranges.append(KeySpace.laterRange)
        ranges.append(KeyRange(prefix: [KeySpace.engineTag]))
        var found = 0
        var end: [UInt8] = []
        for range in ranges {
            if end.span.isOrdered(before: range.lower.span) {
                try reader.scan(KeyRange(from: end, upTo: range.lower), reversed: false) {
                    (_, _) throws(DataStoreError) in
                    found += 1
                    return .next
                }
            }
            end = range.upper ?? []
        }
        if found == 0 { return }
        report.problems.append(
            DataStoreError(
                .corrupted, in: "verify",
                """
                The store holds \(found) \(found == 1 ? "entry" : "entries") that belong to no type it knows: the \
                catalog or the order of the keys is damaged. Restore the store from a backup.
                """))
    }

    /// Throws if a record cannot be read completely, or if it is not found by its key.
    private func check(
        _ record: Span<UInt8>, key: Span<UInt8>, of stored: CatalogType, _ table: RecordTable,
        _ pass: inout RecordPass
    ) throws(DataStoreError) {
        let id = try pass.advance(to: key, stored.number, stored.key)
        try table.check(record, id)
        guard let fields = RecordFormat.Table(record) else {
            throw .damagedRecord(id, ofType: stored.key)
        }
        for index in 0..<fields.count {
            guard let field = fields.field(at: index, in: record) else {
                throw .damagedRecord(id, ofType: stored.key)
            }
            if field.tag > ValueTag.lastPossible { throw .laterRecord(id, ofType: stored.key) }
            guard stored.attributes.indices.contains(Int(field.attribute)),
                ValueDecoding.value(tag: field.tag, in: record, field.range, known) != nil
            else { throw .damagedRecord(id, ofType: stored.key) }
        }
        if try !table.contains(id, in: reader) { throw .misplacedKey(key, ofType: stored.key) }
    }
}
