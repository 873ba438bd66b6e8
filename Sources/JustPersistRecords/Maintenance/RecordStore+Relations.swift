import JustPersist

extension Block {
    /// Compares both sides of all relationships; does nothing in a store without relationships.
    func verifyRelations(
        _ report: inout VerificationReport, _ meter: MaintenanceMeter
    ) throws {
        for type in relatingTypes {
            try meter.begin(
                .relationships, itemType: type.stored.key,
                totalItems: try? table(of: type.stored).count(in: reader))
            var pass = RecordPass()
            var found = RelationProblems()
            var examination = RelationExamination(type, in: self, meter)
            do throws(DataStoreError) {
                _ = try examination.run(&pass) { found.add($0) }
            } catch {
                // Keys that are out of order are a problem of the type.
                guard error.code == .corrupted else { throw error }
            }
            report.problems += found.problems(of: type)
            try meter.check()
        }
    }
}

extension RecordStore {
    /// The most faults that one write block repairs.
    private var portion: Int { 10_000 }

    /// Repairs relationships of which one side is missing, or does not agree with the other.
    func repairRelations(_ meter: MaintenanceMeter) throws -> MendedRelations {
        var mended = MendedRelations()
        // A later release may have forbidden to write.
        if isSealed { return mended }
        // A link that takes the id that follows from its items may leave another one without its other direction.
        for _ in 0..<3 {
            if try repairRelations(&mended, meter) == 0 { break }
        }
        return mended
    }

    /// Goes through all items once, and returns the number of faults that were found.
    private func repairRelations(
        _ mended: inout MendedRelations, _ meter: MaintenanceMeter
    ) throws -> Int {
        var count = 0
        var rest: WriteBlock.Rest? = .all
        while let start = rest {
            let before = mended
            do {
                rest = try repairRelations(start, &count, &mended, meter)
            } catch let error as DataStoreError where error.code == .uniqueViolation {
                // An item cannot have its partner back if the attribute is unique.
                mended = before
                mended.restoresPartners = false
                rest = try repairRelations(start, &count, &mended, meter)
                mended.restoresPartners = true
            }
        }
        return count
    }

    private func repairRelations(
        _ start: WriteBlock.Rest, _ count: inout Int, _ mended: inout MendedRelations,
        _ meter: MaintenanceMeter
    ) throws -> WriteBlock.Rest? {
        var rest: WriteBlock.Rest?
        try gate.write {
            try writeBlock { block in
                rest = try block.repairRelations(start, portion, &count, &mended, meter)
            }
        }
        return rest
    }
}

extension WriteBlock {
    /// The items whose relationships are not repaired yet.
    fileprivate struct Rest {
        /// The number of the first type.
        let type: UInt32
        /// The pass over its items so far.
        let pass: RecordPass

        static let all = Rest(type: 0, pass: RecordPass())
    }

    /// Repairs up to about `most` faults of one type, and returns the rest; `nil` if there is none.
    fileprivate func repairRelations(
        _ start: Rest, _ most: Int, _ count: inout Int, _ mended: inout MendedRelations,
        _ meter: MaintenanceMeter
    ) throws -> Rest? {
        guard let type = relatingTypes.first(where: { $0.stored.number >= start.type }) else {
            return nil
        }
        let number = type.stored.number
        try meter.begin(.relationships, itemType: type.stored.key)
        var pass = number == start.type ? start.pass : RecordPass()
        var faults: [RelationFault] = []
        var isComplete = true
        var examination = RelationExamination(type, in: self, meter)
        do throws(DataStoreError) {
            isComplete = try examination.run(&pass, until: { faults.count >= most }) {
                faults.append($0)
            }
        } catch {
            // Keys that are out of order cannot be repaired from the records.
            guard error.code == .corrupted else { throw error }
        }
        try meter.check()
        count += faults.count
        let db: DataStoreWriter = RecordWriteAccessor(self)
        for fault in faults {
            let item = ItemReference(itemTypeKey: type.stored.key, id: fault.id)
            try db.mend(type.parts[fault.part].part, of: item, &mended)
        }
        try mended.judgeLimits(db)
        return isComplete
            ? Rest(type: number + 1, pass: RecordPass()) : Rest(type: number, pass: pass)
    }
}
