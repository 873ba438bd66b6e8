package import JustPersist

/// A store whose records another such store can take over byte by byte, with their checksums.
///
/// Types keep their numbers and attributes their ids, from which records and checksums are made.
package protocol RecordCopying: DataStore {
    /// Whether its records are its own: a child's are partly its parent's, and a framework's rows are none.
    var ownsRecords: Bool { get }

    /// Runs a block that reads records on one snapshot.
    func readRecords(_ body: (StoredRecords) throws -> Void) throws

    /// Runs a block that takes records in, and commits.
    func writeRecords(_ body: (RecordIntake) throws -> Void) throws
}

extension RecordStore: RecordCopying {
    package var ownsRecords: Bool { !(engine is ChildEngine || engine is any RowEngine) }

    package func readRecords(_ body: (StoredRecords) throws -> Void) throws {
        try gate.readHere { try withBlock { try body(StoredRecords($0)) } }
    }

    package func writeRecords(_ body: (RecordIntake) throws -> Void) throws {
        try gate.writeHere { try writeBlock { try body(RecordIntake($0)) } }
    }
}
