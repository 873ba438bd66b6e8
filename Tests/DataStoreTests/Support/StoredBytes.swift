import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistRecords
import Testing

/// The keys and values of a closed store, for tests that damage them.
struct StoredBytes {
    let engine: any KeyValueEngine

    /// The bytes of a persistent backend's store.
    init(_ backend: Backend, at directory: URL) {
        engine =
            backend == .levelDB ? LevelDBEngine(at: directory) : LMDBEngine(at: directory)
    }

    init(_ engine: any KeyValueEngine) { self.engine = engine }

    /// All entries whose keys begin with a tag.
    func entries(tag: UInt8) throws -> [(key: [UInt8], value: [UInt8])] {
        try engine.open()
        defer { engine.close() }
        var entries: [(key: [UInt8], value: [UInt8])] = []
        try engine.read { reader in
            try reader.scan(KeyRange(prefix: [tag]), reversed: false) {
                (key, value) throws(DataStoreError) in
                entries.append(([UInt8](copying: key), [UInt8](copying: value)))
                return .next
            }
        }
        return entries
    }

    /// Changes a bit of an item's record.
    func damageRecord(of id: ItemID) throws {
        let hex = id.uuid.uuidString.replacing("-", with: "")
        var damaged = try entries(tag: Self.recordTag).filter { entry in
            entry.key.suffix(16).map { String(format: "%02X", $0) }.joined() == hex
        }
        #expect(damaged.count == 1)
        for place in damaged.indices { damaged[place].value[damaged[place].value.count - 1] ^= 1 }
        try put(damaged)
    }

    /// Writes values unchanged.
    func put(_ entries: [(key: [UInt8], value: [UInt8])]) throws {
        try engine.open()
        defer { engine.close() }
        try engine.write { writer in
            for (key, value) in entries { try writer.put(value.span, forKey: key.span) }
        }
    }

    /// Replaces some entries with others.
    func replace(
        _ old: [(key: [UInt8], value: [UInt8])], with new: [(key: [UInt8], value: [UInt8])]
    ) throws {
        try engine.open()
        defer { engine.close() }
        try engine.write { writer in
            for (key, _) in old { _ = try writer.delete(key.span) }
            for (key, value) in new { try writer.put(value.span, forKey: key.span) }
        }
    }

    static let headerTag: UInt8 = 0
    static let catalogTag: UInt8 = 1
    static let counterTag: UInt8 = 2
    static let recordTag: UInt8 = 3
    static let indexTag: UInt8 = 4
    static let changeTag: UInt8 = 5
    static let linkTag: UInt8 = 6
    static let workTag: UInt8 = 7
}
