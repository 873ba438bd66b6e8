package import JustPersist
import Synchronization

/// A store whose records can be copied byte by byte, with their checksums, into another such store.
///
/// Types keep their numbers and attributes their ids, on which records and checksums depend.
package protocol RecordCopying: DataStore {
    /// Whether the store has its own records. A child shares its parent's records, and a framework's rows are no
    /// records.
    var ownsRecords: Bool { get }

    /// Runs a block that reads records on one snapshot, including the records of a copy that has not ended.
    func readRecords(_ body: (StoredRecords) throws -> Void) throws

    /// How the engine uses its file; `nil` for engines that do not know.
    func engineSpace() throws -> EngineSpace?

    /// Runs a block that takes over types or records, and commits.
    func writeRecords(_ body: (RecordIntake) throws -> Void) throws

    /// Calls `body`. Meanwhile, blocks of this instance may use the store although it holds a part of a copy.
    ///
    /// A migration that completes the copy item by item calls this.
    func whileLoading<Result>(_ body: () throws -> Result) rethrows -> Result
}

extension RecordStore: RecordCopying {
    package var ownsRecords: Bool { child == nil && !engine.storesRows }

    package func readRecords(_ body: (StoredRecords) throws -> Void) throws {
        try gate.readHere { try withBlock(ofLoad: true) { try body(StoredRecords($0)) } }
    }

    package func engineSpace() throws -> EngineSpace? {
        try (engine as? any SpaceReporting)?.space()
    }

    package func writeRecords(_ body: (RecordIntake) throws -> Void) throws {
        try gate.writeHere { try writeBlock(ofLoad: true) { try body(RecordIntake($0)) } }
    }

    package func whileLoading<Result>(_ body: () throws -> Result) rethrows -> Result {
        loaders.add(1, ordering: .sequentiallyConsistent)
        defer { loaders.subtract(1, ordering: .sequentiallyConsistent) }
        return try body()
    }
}
