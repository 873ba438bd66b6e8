package import JustPersist

/// A store whose records can be copied byte by byte, with their checksums, into another such store.
///
/// Types keep their numbers and attributes their ids, on which records and checksums depend.
package protocol RecordCopying: DataStore {
    /// Whether the store has records of its own: a child shares its parent's, and a framework's rows are not records.
    var ownsRecords: Bool { get }

    /// Runs a block that reads records on one snapshot, also those of a copy that has not ended.
    func readRecords(_ body: (StoredRecords) throws -> Void) throws

    /// Runs a block that takes over types or records, and commits.
    func writeRecords(_ body: (RecordIntake) throws -> Void) throws
}

extension RecordStore: RecordCopying {
    package var ownsRecords: Bool { child == nil && !engine.storesRows }

    package func readRecords(_ body: (StoredRecords) throws -> Void) throws {
        try gate.readHere { try withBlock(ofLoad: true) { try body(StoredRecords($0)) } }
    }

    package func writeRecords(_ body: (RecordIntake) throws -> Void) throws {
        try gate.writeHere { try writeBlock(ofLoad: true) { try body(RecordIntake($0)) } }
    }
}
