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
                guard error.code == .corrupted else { throw error }
                // Keys that are out of order are a problem of the type already.
                if !report.problems.contains(where: { $0.message == error.message }) {
                    report.problems.append(error)
                }
            }
            report.problems += found.problems(of: type)
            try meter.check()
        }
    }
}

extension RecordStore {
    /// Repairs relationships of which one side is missing, or does not agree with the other.
    func repairRelations(_ meter: MaintenanceMeter) throws -> MendedRelations {
        var mended = MendedRelations()
        // A later release may have forbidden to write.
        if isSealed { return mended }
        // A link that takes the id that follows from its items may leave another one without its other direction.
        for _ in 0..<3 {
            if try repairAll(&mended, meter) == 0 { break }
        }
        try gate.write {
            try writeBlock(ofStep: true) { block in
                try mended.judgeLimits(RecordWriteAccessor(block))
            }
        }
        return mended
    }

    /// Goes through all items once, and returns the number of faults that were repaired.
    private func repairAll(
        _ mended: inout MendedRelations, _ meter: MaintenanceMeter
    ) throws -> Int {
        var count = 0
        var rest: Block.Rest? = .all
        while let start = rest {
            var found: [Block.FoundFault] = []
            try gate.readHere {
                try withBlock(ofStep: true) { block in
                    rest = try block.faults(from: start, &found, meter)
                }
            }
            count += try repair(found[...], &mended)
            try meter.check()
        }
        return count
    }

    /// Repairs faults in one write block, or in halves if one stands against it, and returns the number of those that were
    /// repaired.
    private func repair(
        _ faults: ArraySlice<Block.FoundFault>, _ mended: inout MendedRelations
    ) throws -> Int {
        if faults.isEmpty { return 0 }
        let before = mended
        do {
            try gate.write {
                try writeBlock(ofStep: true) { block in
                    let db: DataStoreWriter = RecordWriteAccessor(block)
                    for fault in faults { try db.mend(fault.part, of: fault.item, &mended) }
                }
            }
            return faults.count
        } catch let error as DataStoreError
            where error.code == .uniqueViolation || error.isOfOneItem
        {
            mended = before
            if faults.count > 1 {
                let middle = faults.startIndex + faults.count / 2
                return try repair(faults[..<middle], &mended) + repair(faults[middle...], &mended)
            }
            guard error.code == .uniqueViolation, mended.restoresPartners else { return 0 }
            // An item cannot have its partner back if the attribute is unique.
            mended.restoresPartners = false
            let count = try repair(faults, &mended)
            mended.restoresPartners = true
            return count
        }
    }
}

extension Block {
    /// The items whose relationships are not examined yet.
    fileprivate struct Rest {
        /// The number of the first type.
        let type: UInt32
        /// The pass over its items so far.
        let pass: RecordPass

        static let all = Rest(type: 0, pass: RecordPass())
    }

    /// A fault of an item's relationship, or of a link.
    fileprivate struct FoundFault {
        let part: RelatingPart
        let item: ItemReference
    }

    /// The most faults that one write block repairs, apart from those of one batch of items.
    private static var portion: Int { 10_000 }

    /// Finds a portion of the faults of one type, and returns the rest; `nil` if there is none.
    fileprivate func faults(
        from start: Rest, _ found: inout [FoundFault], _ meter: MaintenanceMeter
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
            isComplete = try examination.run(&pass, until: { faults.count >= Self.portion }) {
                faults.append($0)
            }
        } catch {
            // The verification after the repair reports it.
            guard error.code == .corrupted else { throw error }
        }
        found = faults.map {
            FoundFault(
                part: type.parts[$0.part].part,
                item: ItemReference(itemTypeKey: type.stored.key, id: $0.id))
        }
        return isComplete
            ? Rest(type: number + 1, pass: RecordPass()) : Rest(type: number, pass: pass)
    }
}
