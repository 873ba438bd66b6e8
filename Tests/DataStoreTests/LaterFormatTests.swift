import Foundation
import JustPersist
import JustPersistMigration
import JustPersistRecords
import Testing

/// What later releases may write in forms that this one does not know: none of it is taken for damage, or lost.
@Suite struct LaterFormatTests {
    private typealias Store = RecordStore<SortedArrayEngine>

    /// A store with three things, of which each has an `n` and a `text`.
    private func makeStore(
        _ indexes: [IndexSchema] = [], changeLog: ChangeLogLength? = nil
    ) throws -> (engine: SortedArrayEngine, store: Store) {
        let engine = SortedArrayEngine()
        let store = RecordStore(engine: engine, changeLog: changeLog)
        try store.open()
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "Thing",
                    attributes: [
                        AttributeSchema("n"), AttributeSchema("text", kinds: [.string]),
                        AttributeSchema("note"),
                    ], indexes: indexes))
        }
        try store.write { db in
            for number in 1...3 {
                let item = try db.create("Thing")
                item["n"] = .int(Int64(number))
                item["text"] = .string("Text \(number)")
                item["note"] = .int(Int64(number))
            }
        }
        return (engine, store)
    }

    /// Closes the store, changes the first entry with a tag, and opens the store again.
    private func change(
        _ engine: SortedArrayEngine, _ store: Store, tag: UInt8, reopens: Bool = true,
        _ body: (inout [UInt8]) throws -> Void
    ) throws {
        try store.close()
        var entries = engine.entries
        let index = try #require(entries.firstIndex { $0.key[0] == tag })
        try body(&entries[index].value)
        Checksum.correct(&entries[index])
        engine.entries = entries
        if reopens { try store.open() }
    }

    private func things(where format: String? = nil) throws -> DataStoreRequest {
        let request = DataStoreRequest(itemTypeKey: "Thing")
        request.predicate = try format.map { try DataStorePredicate($0) }
        return request
    }

    /// Replaces a part of bytes that is there once.
    private func replace(
        _ old: [UInt8], by new: [UInt8], in bytes: inout [UInt8]
    ) throws {
        let range = try #require(Data(bytes).range(of: Data(old)))
        bytes.replaceSubrange(range, with: new)
    }

    private func attribute(_ name: String, _ fields: [UInt8]) -> [UInt8] {
        let contents = [1, UInt8(name.utf8.count)] + Array(name.utf8) + fields
        return [1, UInt8(contents.count)] + contents
    }

    /// The stored form of `note`: all kinds are allowed, Ints were stored, null is a value.
    private var note: [UInt8] { attribute("note", [2, 0, 3, 1, 8, 4, 0]) }

    // MARK: Kinds

    /// Gives the first thing a note of kind 20, which the catalog knows as one of the stored ones.
    private func addLaterNote(_ engine: SortedArrayEngine, _ store: Store) throws {
        try change(engine, store, tag: StoredBytes.catalogTag, reopens: false) { value in
            try replace(note, by: attribute("note", [2, 0, 3, 3, 8, 0, 16, 4, 0]), in: &value)
        }
        var entries = engine.entries
        let index = try #require(entries.firstIndex { $0.key[0] == StoredBytes.recordTag })
        var record: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 0]
        record += [0, 0, 3, 0, 8, 0, 0, 0]
        record += [2, 0, 20, 0, 10, 0, 0, 0]
        record += [1, 0, 0, 0, 0, 0, 0, 0] + [0xAB, 0xCD]
        entries[index].value = record
        Checksum.correct(&entries[index])
        engine.entries = entries
        try store.open()
    }

    @Test func valuesOfLaterKindsAreKept() throws {
        let (engine, store) = try makeStore([IndexSchema(["n"])])
        try addLaterNote(engine, store)
        try store.read { db in
            try #expect(db.performCount(things(where: "n > 0")) == 3)
            let first = try #require(try db.dynamicItems(things()).first)
            try #expect(first.storedValue(forKeyPath: "n") == .int(1))
            expectError(.newerFormat) { _ = try first.storedValue(forKeyPath: "note") }
            expectError(.newerFormat) { _ = try db.performCount(things(where: "note == 2")) }
        }
        try store.write { db in
            try #require(try db.dynamicItems(things()).first)["n"] = .int(10)
            // The set of stored kinds is written again.
            try #require(try db.dynamicItems(things()).last)["note"] = .bool(true)
        }
        let records = engine.entries.filter { $0.key[0] == StoredBytes.recordTag }
        #expect(records[0].value.suffix(2) == [0xAB, 0xCD])
        let entry = try #require(engine.entries.first { $0.key[0] == StoredBytes.catalogTag })
        let changed = attribute("note", [2, 0, 3, 3, 12, 0, 16, 4, 0])
        #expect(Data(entry.value).range(of: Data(changed)) != nil)
        try #expect(store.verify().problems.map(\.code) == [.newerFormat])
        try store.close()
    }

    @Test func anIndexOverValuesOfLaterKindsIsNotUsed() throws {
        let (engine, store) = try makeStore([IndexSchema(["note", "n"])])
        try addLaterNote(engine, store)
        store.read { db in
            expectError(.newerFormat) { _ = try db.performCount(things(where: "note == 2")) }
            expectError(.newerFormat) { _ = try db.performCount(things(where: "note != 2")) }
        }
        try #expect(store.verify().problems.map(\.code) == [.newerFormat])
        try #expect(store.repair().repaired.isEmpty)
        // Its entry would be made of the note.
        expectError(.newerFormat) {
            try store.write { db in
                try #require(try db.dynamicItems(things()).first)["n"] = .int(5)
            }
        }
        try store.write { db in
            try #require(try db.dynamicItems(things()).first)["note"] = .int(5)
        }
        try #expect(store.read { db in try db.performCount(things(where: "note == 5")) } == 1)
        try #expect(store.verify().problems.isEmpty)
        try store.close()
    }

    @Test func anAttributeOfLaterKindsTakesNoOthers() throws {
        let (engine, store) = try makeStore()
        let later = attribute("note", [2, 3, 0, 0, 16, 3, 1, 8, 4, 0])
        try change(engine, store, tag: StoredBytes.catalogTag) { value in
            try replace(note, by: later, in: &value)
        }
        expectError(.newerFormat) {
            try store.write { db in
                try #require(try db.dynamicItems(things()).first)["note"] = .int(5)
            }
        }
        try store.write { db in
            try #require(try db.dynamicItems(things()).first)["n"] = .bool(true)
        }
        let entry = try #require(engine.entries.first { $0.key[0] == StoredBytes.catalogTag })
        #expect(Data(entry.value).range(of: Data(later)) != nil)
        try store.close()
    }

    @Test func aDefaultOfALaterKindKeepsTheTypeFromBeingRead() throws {
        let (engine, store) = try makeStore()
        try change(engine, store, tag: StoredBytes.catalogTag) { value in
            try replace(
                note, by: attribute("note", [2, 0, 3, 1, 8, 4, 0, 5, 3, 20, 1, 2]), in: &value)
        }
        store.read { db in
            expectError(.newerFormat) { _ = try db.performCount(things()) }
            return
        }
        try #expect(store.verify().problems.isEmpty)
        try store.close()
    }

    // MARK: Records

    @Test(arguments: [(8, UInt8(2)), (9, UInt8(2)), (9, UInt8(0x81))])
    func recordsOfLaterVersionsAreNewer(_ offset: Int, _ byte: UInt8) throws {
        let (engine, store) = try makeStore([IndexSchema(["n"])])
        try change(engine, store, tag: StoredBytes.recordTag) { $0[offset] = byte }
        let before = engine.entries.first { $0.key[0] == StoredBytes.recordTag }?.value
        let id = try #require(
            engine.entries.first { $0.key[0] == StoredBytes.recordTag }?.key.suffix(16))
        let bytes = id.reduce(into: (high: UInt64(0), low: UInt64(0), count: 0)) {
            if $0.count < 8 {
                $0.high = $0.high << 8 | UInt64($1)
            } else {
                $0.low = $0.low << 8 | UInt64($1)
            }
            $0.count += 1
        }
        let item = ItemID(high: bytes.high, low: bytes.low)
        try store.read { db in
            try #expect(db.performCount(things()) == 3)
            expectError(.newerFormat) { _ = try db.dynamicItems(things()) }
            expectError(.newerFormat) {
                _ = try db.performFetchItem(ItemType(dynamic: "Thing"), id: item)
            }
        }
        expectError(.newerFormat) {
            try store.write { db in
                _ = try db.performFetchItem(ItemType(dynamic: "Thing"), id: item)
            }
        }
        try #expect(store.verify().problems.map(\.code) == [.newerFormat])
        try #expect(store.repair().repaired.isEmpty)
        expectError(.newerFormat) { try Migration(from: store, to: emptyStore()).run() }
        #expect(engine.entries.first { $0.key[0] == StoredBytes.recordTag }?.value == before)
        try store.close()
    }

    private func emptyStore() throws -> Store {
        let store = RecordStore(engine: SortedArrayEngine())
        try store.open()
        return store
    }

    // MARK: Fields and the header

    /// Fields that are empty or of one length, one byte longer.
    @Test(
        arguments: [
            ([4, 0], [4, 1, 0]), ([1, 4, 0, 0, 1, 0], [1, 5, 0, 0, 1, 0, 0]),
            ([3, 2, 1, 0], [3, 3, 1, 0, 0]), ([2, 0, 3, 2], [2, 1, 0, 3, 2]),
            ([7, 0, 8, 8], [7, 1, 0, 8, 8]),
        ] as [([UInt8], [UInt8])])
    func knownFieldsOfAnotherLengthAreDamage(_ old: [UInt8], _ new: [UInt8]) throws {
        let (engine, store) = try makeStore([
            IndexSchema(["n", "text"], isUnique: true, ignoresCase: true)
        ])
        try change(engine, store, tag: StoredBytes.catalogTag) { value in
            // The fields of the type: attributes and indexes, each shorter than 128 bytes.
            var start = 18 + "Thing".utf8.count
            while start < value.count {
                let end = start + 2 + Int(value[start + 1])
                if let range = Data(value).range(of: Data(old), in: start + 2..<end) {
                    value.replaceSubrange(range, with: new)
                    value[start + 1] += UInt8(new.count - old.count)
                    return
                }
                start = end
            }
            Issue.record("There is no such field: \(old)")
        }
        store.read { db in
            expectError(.corrupted) { _ = try db.dynamicItems(things()) }
            return
        }
        try store.close()
    }

    @Test func otherBytesInTheHeaderAreNewer() throws {
        for offset in 12..<16 {
            let (engine, store) = try makeStore()
            try change(engine, store, tag: StoredBytes.headerTag, reopens: false) {
                $0[offset] = 1
            }
            expectError(.newerFormat) { try store.open() }
        }
    }

    // MARK: Reserved keys

    private static let laterEntries: [SortedArrayEngine.Entry] = {
        var entries: [SortedArrayEngine.Entry] = [
            (
                key: [StoredBytes.linkTag, 0, 0, 0, 1, 0] + [UInt8](repeating: 7, count: 32),
                value: [UInt8](repeating: 0, count: 8)
            ),
            (
                key: [StoredBytes.workTag],
                value: Array("steps".utf8) + [UInt8](repeating: 0, count: 8)
            ),
        ]
        for index in entries.indices { Checksum.correct(&entries[index]) }
        return entries
    }()

    @Test func reservedKeysAreNoDamage() throws {
        let (engine, store) = try makeStore()
        try store.close()
        engine.entries += Self.laterEntries
        try store.open()
        try #expect(store.verify().problems.isEmpty)
        let target = try emptyStore()
        expectError(.newerFormat) { try Migration(from: store, to: target).run() }
        try #expect(target.read { db in try db.schemas().isEmpty })
        try change(engine, store, tag: StoredBytes.linkTag) { $0[0] ^= 1 }
        try #expect(store.verify().problems.isEmpty)
        try store.close()
        let last = engine.entries.count - 1
        engine.entries[last].value[0] ^= 1
        try store.open()
        try #expect(store.verify().problems.map(\.code) == [.corrupted])
        try store.close()
    }

    @Test func aTypeThatMustNotBeWrittenIsNotMigrated() throws {
        let (engine, store) = try makeStore()
        try change(engine, store, tag: StoredBytes.catalogTag) { $0 += [0x7F, 1, 1] }
        expectError(.newerFormat) { try Migration(from: store, to: emptyStore()).run() }
        try store.close()
    }

    @Test(arguments: Backend.persistent)
    func salvageKeepsWhatLaterReleasesWrote(_ backend: Backend) throws {
        try withTemporaryDirectory { home in
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            let place = home.appending(path: "store")
            let new = home.appending(path: "new")
            let store = backend.make(at: place)
            try store.open()
            try store.fill(["a", "b", "c"])
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "Restaurant", attributes: Restaurant.schema.attributes,
                        indexes: [IndexSchema(["name"])]))
            }
            try store.close()
            let stored = StoredBytes(backend, at: place)
            var changed = try stored.entries(tag: StoredBytes.catalogTag)
            changed[0].value += [0x7F, 1, 1]
            changed.append(try #require(try stored.entries(tag: StoredBytes.recordTag).first))
            changed[changed.count - 1].value[8] = 2
            for index in changed.indices { Checksum.correct(&changed[index]) }
            changed += Self.laterEntries
            try stored.put(changed)

            let report = try backend.make(at: place).salvage(into: new)
            #expect(report.types.first?.saved == 3, "\(report)")
            #expect(report.remaining.map(\.code) == [.newerFormat], "\(report)")
            let kept = StoredBytes(backend, at: new)
            for (key, value) in Self.laterEntries {
                let found = try kept.entries(tag: key[0])
                #expect(found.map { Data($0.key) } == [Data(key)])
                #expect(found.map { Data($0.value) } == [Data(value)])
            }
            let record = try #require(try kept.entries(tag: StoredBytes.recordTag).first)
            #expect(Data(record.value) == Data(changed[changed.count - 3].value))
            let type = try #require(try kept.entries(tag: StoredBytes.catalogTag).first)
            #expect(type.value.suffix(3) == [0x7F, 1, 1])
        }
    }

    // MARK: Indexes

    @Test(arguments: [false, true])
    func anIndexThatWasFoldedOtherwiseIsWrittenAnew(_ isUnique: Bool) throws {
        let (engine, store) = try makeStore([
            IndexSchema(["text"], isUnique: isUnique, ignoresCase: true)
        ])
        try store.write { db in
            for number in 0..<300 { try db.create("Thing")["text"] = .string("Other \(number)") }
        }
        let entry = try #require(engine.entries.first { $0.key[0] == StoredBytes.catalogTag })
        try store.close()
        // The later release has other entries.
        engine.entries.removeAll { $0.key[0] == StoredBytes.indexTag }
        try store.open()
        try change(engine, store, tag: StoredBytes.catalogTag) { value in
            let start = try #require(Data(value).range(of: Data([7, 0, 8, 8]))?.upperBound)
            value[start] ^= 1
        }
        let request = try things(where: "text ==[c] 'TEXT 2'")
        try #expect(store.read { db in try db.performCount(request) } == 1)
        try store.write { db in
            try db.create("Thing")["text"] = .string("tEXT 9")
            try #expect(db.performCount(things(where: "text ==[c] 'text 9'")) == 1)
        }
        try store.read { db in
            let plan = try db.explain(request)
            guard case .indexes = plan.access else {
                Issue.record("The index is not used: \(plan)")
                return
            }
            try #expect(db.performCount(request) == 1)
        }
        try #expect(store.verify().problems.isEmpty)
        let now = try #require(engine.entries.first { $0.key[0] == StoredBytes.catalogTag })
        let start = try #require(Data(now.value).range(of: Data([7, 0, 8, 8]))?.upperBound)
        let before = try #require(Data(entry.value).range(of: Data([7, 0, 8, 8]))?.upperBound)
        #expect(now.value[start..<(start + 8)] == entry.value[before..<(before + 8)])
        try store.close()
    }

    @Test func aDamagedEntryIsAnErrorAndRepaired() throws {
        let (engine, store) = try makeStore([IndexSchema(["n"])])
        try store.write { db in
            for number in 10..<300 { try db.create("Thing")["n"] = .int(Int64(number)) }
        }
        try store.close()
        let places = engine.entries.indices.filter {
            engine.entries[$0].key[0] == StoredBytes.indexTag
        }
        // Another number in the same place of the order.
        engine.entries[places[1]].key[15] ^= 1
        try store.open()
        try store.read { db in
            for format in ["n > 0", "n < 100"] {
                expectError(.corrupted) { _ = try db.performCount(things(where: format)) }
            }
            try #expect(db.performCount(things(where: "n > 100")) == 199)
        }
        #expect(try !store.verify().problems.isEmpty)
        let report = try store.repair()
        #expect(!report.repaired.isEmpty && report.remaining.isEmpty, "\(report)")
        try #expect(store.read { db in try db.performCount(things(where: "n > 0")) } == 293)
        try #expect(store.verify().problems.isEmpty)
        try store.close()
    }

    // MARK: The change log

    /// A field in the entry, and one among those of the type, each with and without the rule that it must be understood.
    @Test(arguments: [UInt8(0x3F), 0xBF], [false, true])
    func fieldsInTheChangeLogAreSkippedOrMakeItIncomplete(
        _ head: UInt8, _ isInType: Bool
    ) async throws {
        let (engine, store) = try makeStore(changeLog: ChangeLogLength(commits: 100))
        let token = try await store.read { db in try db.changeToken }
        try await store.write { db in try db.create("Thing")["n"] = .int(7) }
        try store.close()
        let last = try #require(engine.entries.lastIndex { $0.key[0] == StoredBytes.changeTag })
        let field = [head, 2, 1, 1]
        engine.entries[last].value += field
        if isInType { engine.entries[last].value[9] += UInt8(field.count) }
        Checksum.correct(&engine.entries[last])
        try store.open()
        try #expect(store.verify().problems.isEmpty)
        var sets = store.changes(since: token).makeAsyncIterator()
        let set = try #require(await sets.next())
        let isComplete = set.isComplete && set.types.allSatisfy(\.isComplete)
        #expect(isComplete == (head == 0x3F), "\(set)")
        try store.close()
    }
}
