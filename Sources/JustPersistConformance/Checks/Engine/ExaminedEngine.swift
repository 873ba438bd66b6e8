import JustPersist
import JustPersistRecords

/// An open engine under examination, and its expected contents.
struct ExaminedEngine: Sendable {
    typealias Entry = EngineModel.Entry

    let check: CheckContext
    let engine: any KeyValueEngine
    var model = EngineModel()

    /// An open engine with only these entries.
    init(_ check: CheckContext, _ entries: [Entry] = []) throws {
        self.check = check
        engine = try check.makeEngine(named: "engine")
        try engine.open()
        try put(entries)
    }

    /// Writes entries in a separate transaction.
    mutating func put(_ entries: [Entry]) throws {
        try engine.write { writer in
            for entry in entries { try writer.put(entry.value, forKey: entry.key) }
        }
        for entry in entries { model.put(entry.value, forKey: entry.key) }
    }

    /// Expects that a snapshot and a transaction agree with the model in every kind of read.
    func expect(_ when: String, file: String = #fileID, line: Int = #line) throws {
        try engine.read { reader in try expect(model, when, reader, file: file, line: line) }
        try engine.write { writer in
            try expect(model, "in a transaction, \(when)", writer, file: file, line: line)
        }
    }

    /// Expects that an open snapshot or transaction agrees with a model in every kind of read.
    func expect(
        _ model: EngineModel, _ when: String, _ reader: any KeyValueReader, file: String = #fileID,
        line: Int = #line
    ) throws {
        let entries = model.entries
        try expect(entries, in: .all, when, reader, file: file, line: line)
        let wrong = try entries.filter { try reader.value(forKey: $0.key) != $0.value }
        check.expectEqual(
            wrong, [], "the keys whose values withValue does not give \(when)", file: file,
            line: line)
        // For some of the keys, also looks up a longer key that does not exist.
        for entry in entries.prefix(20) {
            let missing = entry.key + [0]
            check.expectEqual(
                try reader.value(forKey: missing), model.values[missing],
                "the value of a key that is longer by a byte \(when)", file: file, line: line)
        }
    }

    /// Expects that scans of a range, in both directions, return these entries.
    func expect(
        _ entries: [Entry], in range: KeyRange, _ when: String, _ reader: any KeyValueReader,
        file: String = #fileID, line: Int = #line
    ) throws {
        check.expectEqual(
            try reader.entries(in: range), entries, "a scan \(when)", file: file, line: line)
        check.expectEqual(
            try reader.entries(in: range, reversed: true), entries.reversed(),
            "a reversed scan \(when)", file: file, line: line)
    }
}

extension CheckContext {
    /// The closed engine below a store that keeps its files in a directory of that name.
    func makeEngine(named name: String) throws -> any KeyValueEngine {
        // The context retains the store, because the engine would be closed when the store is released.
        let watched = try makeStore(named: name) as? WatchedStore
        guard let store = watched?.store as? any EngineStore else {
            try notApplicable("the store is no RecordStore with an engine below it")
        }
        return store.engineBelow
    }
}

extension KeyValueReader {
    /// A copy of the value of a key, nil if there is none.
    func value(forKey key: [UInt8]) throws(DataStoreError) -> [UInt8]? {
        var found: [UInt8]?
        let isThere = try withValue(forKey: key.span) { (value) throws(DataStoreError) in
            found = [UInt8](copying: value)
        }
        return isThere ? found ?? [0xEE, 0xEE] : found
    }

    /// Copies of the keys in a range and their values, the first ones up to a limit.
    func entries(
        in range: KeyRange, reversed: Bool = false, limit: Int = .max
    ) throws(DataStoreError) -> [EngineModel.Entry] {
        var found: [EngineModel.Entry] = []
        try scan(range, reversed: reversed) { (key, value) throws(DataStoreError) in
            found.append(
                EngineModel.Entry(key: [UInt8](copying: key), value: [UInt8](copying: value)))
            return found.count < limit ? .next : .stop
        }
        return found
    }
}

extension KeyValueWriter {
    func put(_ value: [UInt8], forKey key: [UInt8]) throws(DataStoreError) {
        try put(value.span, forKey: key.span)
    }

    func delete(_ key: [UInt8]) throws(DataStoreError) -> Bool { try delete(key.span) }
}
