import Foundation

@testable import JustPersist
@testable import JustPersistConformance

/// The reference store with a log: each commit is a line of its file, written before any block sees
/// the commit.
///
/// The kernel has received the line by then, so it survives the process, but not a loss of power.
class PersistentStore: SabotagedStore, @unchecked Sendable {
    override class func rules(_ memory: Memory) -> ReferenceRules {
        var rules = super.rules(memory)
        rules.opened = { () throws(DataStoreError) in
            guard let directory = memory.directory.withLock({ $0 }) else {
                throw DataStoreError.notSetUp(in: "open")
            }
            return try DataStoreError.storageFailure(in: "open") {
                let log = try makeLog(in: directory)
                let state = try log.read()
                memory.log.withLock { $0 = log }
                return state
            }
        }
        rules.closed = {
            closing(memory)
            memory.log.withLock { $0 = nil }
        }
        rules.published = { before, after in
            memory.log.withLock { $0 }.map { publish(CommitRecord(before, after), to: $0, memory) }
        }
        return rules
    }

    /// Opens the log.
    class func makeLog(in directory: URL) throws -> CommitLog { try CommitLog(in: directory) }

    /// Writes a commit to the log.
    class func publish(_ commit: CommitRecord, to log: CommitLog, _ memory: Memory) {
        log.append(commit)
    }

    /// Runs before the log is closed.
    class func closing(_ memory: Memory) {}

    override var capabilities: DataStoreCapabilities {
        var capabilities = super.capabilities
        capabilities.persistence = .processCrash
        return capabilities
    }

    override func destroy() throws {
        try super.destroy()
        try CommitLog.remove(from: directory)
    }
}

/// A persistent store without a fault.
final class FaultlessOnDisk: PersistentStore, Fault, @unchecked Sendable {
    // Processes start slowly while hundreds of others run, and that is no fault.
    override class var timeout: Double { 60 }
}

/// The changes of one commit.
struct CommitRecord: Codable, Sendable {
    struct TypeEntry: Codable, Hashable {
        var key: String
        var formerKeys: [String]
        var attributes: [ReferenceType.Attribute]
        var indexes: [Index]
    }
    struct Index: Codable, Hashable {
        var attributes: [String]
        var isUnique: Bool
        var ignoresCase: Bool
    }
    struct Key: Codable {
        var type: String
        var id: String
    }
    struct Row: Codable {
        var key: Key
        var values: [String: DataStoreValue]
    }

    var types: [TypeEntry] = []
    var rows: [Row] = []
    var removed: [Key] = []

    /// The difference between two states.
    init(_ before: ReferenceState, _ after: ReferenceState) {
        for type in after.types {
            let entry = TypeEntry(type)
            if before.type(type.key).map(TypeEntry.init) != entry { types.append(entry) }
        }
        for row in after.rows {
            if let old = before.row(row.key), old.isIdentical(to: row) { continue }
            rows.append(Row(key: Key(row.key), values: row.values))
        }
        removed = before.rows.filter { after.row($0.key) == nil }.map { Key($0.key) }
    }

    /// These changes, each in a commit of its own.
    var singly: [CommitRecord] {
        func one(_ body: (inout CommitRecord) -> Void) -> CommitRecord {
            var record = CommitRecord(ReferenceState(), ReferenceState())
            body(&record)
            return record
        }
        return types.map { type in one { $0.types = [type] } }
            + rows.map { row in one { $0.rows = [row] } }
            + removed.map { key in one { $0.removed = [key] } }
    }

    /// Applies the commit to a state.
    func apply(to state: inout ReferenceState) throws {
        for entry in types {
            var type = ReferenceType(key: entry.key)
            for key in entry.formerKeys { type.addFormerKey(key) }
            for attribute in entry.attributes { type.add(attribute) }
            for index in entry.indexes {
                type.add(
                    IndexSchema(
                        index.attributes, isUnique: index.isUnique, ignoresCase: index.ignoresCase))
            }
            state.put(type)
        }
        for row in rows { state.put(ReferenceRow(try row.key.key, values: row.values)) }
        for key in removed { _ = state.remove(try key.key) }
    }
}

extension CommitRecord.TypeEntry {
    init(_ type: ReferenceType) {
        key = type.key
        formerKeys = type.formerKeys
        attributes = type.attributes
        indexes = type.indexes.map {
            CommitRecord.Index(
                attributes: $0.attributes, isUnique: $0.isUnique, ignoresCase: $0.ignoresCase)
        }
    }
}

extension CommitRecord.Key {
    init(_ key: ReferenceKey) {
        type = key.itemType
        id = key.id.description
    }

    var key: ReferenceKey {
        get throws {
            guard let id = ItemID(id) else {
                throw DataStoreError(.corrupted, in: "open", "“\(id)” is not an id.")
            }
            return ReferenceKey(type, id)
        }
    }
}

extension ReferenceRow {
    /// Whether the values of both have the same bits.
    fileprivate func isIdentical(to other: ReferenceRow) -> Bool {
        values.count == other.values.count
            && values.allSatisfy { other.values[$0.key]?.isIdentical(to: $0.value) == true }
    }
}

extension DataStoreError {
    /// Runs `body`, and converts every error to a `DataStoreError`.
    static func storageFailure<Result>(
        in operation: String, _ body: () throws -> Result
    ) throws(DataStoreError) -> Result {
        do {
            return try body()
        } catch let error as DataStoreError {
            throw error
        } catch {
            throw DataStoreError(
                .storageFailure, in: operation, "The files of the store cannot be used: \(error)")
        }
    }
}
