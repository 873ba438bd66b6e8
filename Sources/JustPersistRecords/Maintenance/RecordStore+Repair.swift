public import JustPersist

/// Rebuilding data derived from records where it does not agree with them.
extension RecordStore {
    /// Rewrites item counts, index entries and the change log where they are wrong, and then repairs relationships.
    public func performRepair(_ meter: MaintenanceMeter) throws -> RepairReport {
        try gate.refuseInside("repair")
        if engine.traits.isReadOnly { throw DataStoreError.readOnly(in: "repair") }
        let before = try performVerification(meter).problems
        if before.isEmpty { return RepairReport() }
        let structure = try gate.reading { try engine.verify() }
        if let first = structure.first { throw first }
        // Otherwise, missing entries of an unfinished index would count as damage.
        try buildIndexes { _ in }
        try gate.write {
            try writeBlock(ofStep: true) { block in
                for stored in block.known.catalog.types where !stored.unknown.forbidsWriting {
                    try block.repair(stored, meter)
                    try meter.check()
                }
                try block.repairChangeLog()
            }
        }
        try buildIndexes { _ in }
        let violations = try repairRelations(meter).violations
        let remaining = try performVerification(meter).problems + violations
        let texts = Set(remaining.map(\.message))
        return RepairReport(
            repaired: before.filter { !texts.contains($0.message) }, remaining: remaining)
    }
}

extension BlockGate {
    /// Runs `body` as a read block on the calling thread, and returns its value.
    fileprivate func reading<Value>(_ body: () throws -> Value) throws -> Value {
        var value: Value?
        try readHere { value = try body() }
        guard let value else { throw DataStoreError.notSetUp(in: "read") }
        return value
    }
}

extension WriteBlock {
    /// Rewrites the number of items and the index entries of one type where they are wrong.
    fileprivate func repair(
        _ stored: CatalogType, _ meter: MaintenanceMeter
    ) throws(DataStoreError) {
        let table = table(of: stored)
        var found = 0
        var hasDamage = false
        var hasLaterRecords = stored.hasLaterValues
        do throws(DataStoreError) {
            var pass = RecordPass()
            try reader.scan(table.range, reversed: false) { (key, record) throws(DataStoreError) in
                let id = try pass.advance(to: key, stored.number, stored.key)
                found += 1
                if !table.isSound(record, id) { hasDamage = true }
                if table.isLater(record, id) { hasLaterRecords = true }
                return meter.note(items: 1, bytes: record.count) ? .next : .stop
            }
        } catch {
            // Keys that are out of order cannot be repaired from the records.
            guard error.code == .corrupted else { throw error }
            return
        }
        guard meter.note() else { return }
        let counted = try? Counter.read(stored.number, from: reader)
        if counted != found {
            try storing { (writer) throws(DataStoreError) in
                try Counter.write(found, type: stored.number, to: writer)
            }
        }
        var changed = stored
        for index in readyIndexes(of: stored) {
            let problems = try problems(of: index, of: stored, isDamaged: hasDamage, meter)
            // The index entries of records that only a later release can read are left to that release.
            guard !problems.isEmpty, !hasLaterRecords, meter.note(),
                let place = changed.indexes.firstIndex(where: { $0.number == index.number })
            else { continue }
            _ = try storing { (writer) throws(DataStoreError) in
                try writer.deleteAll(in: index.range)
            }
            changed.indexes[place].state = .building(after: nil)
        }
        guard changed.indexes.contains(where: { $0.state != .ready }) else { return }
        known.catalog.put(changed)
        didChange(changed.number)
    }

    /// Begins a new change log if the existing one is damaged.
    fileprivate func repairChangeLog() throws(DataStoreError) {
        var report = VerificationReport()
        try verifyChangeLog(&report)
        guard !report.problems.isEmpty, let log = header.changeLog else { return }
        header.changeLog = ChangeLogState(log.length, behind: header.commit)
        _ = try storing { (writer) throws(DataStoreError) in
            try writer.deleteAll(in: KeyRange(prefix: [KeySpace.changeTag]))
        }
    }
}
