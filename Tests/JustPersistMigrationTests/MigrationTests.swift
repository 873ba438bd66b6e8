import Foundation
import JustPersist
import JustPersistConformance
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMemory
import JustPersistMigration
import JustPersistRecords
import Testing

/// Stores copied into others.
@Suite struct MigrationTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func lmdb(_ name: String = "lmdb") throws -> LMDBDataStore {
        try LMDBDataStore.open(at: directory.url.appending(path: name))
    }

    private func levelDB(_ name: String = "leveldb") throws -> LevelDBDataStore {
        try LevelDBDataStore.open(at: directory.url.appending(path: name))
    }

    /// A store with two types of every kind of value, and one without items.
    private func filledStore(count: Int = 25) throws -> any DataStore {
        let store = try memoryStore()
        try store.write { db in
            let names = ["n", "v", "é"].map { AttributeSchema($0) }
            let indexes = [IndexSchema(["v", "n"]), IndexSchema(["n"], isUnique: true)]
            try db.declare(ItemSchema("A", attributes: names, indexes: indexes))
            try db.declare(ItemSchema("B", attributes: [AttributeSchema("v")]))
            try db.declare(ItemSchema("Empty", attributes: [AttributeSchema("x")]))
            let values = Self.values
            for number in 0..<count {
                let a = try db.create("A")
                a["n"] = .int(Int64(number))
                a["v"] = values[number % values.count]
                if number % 3 == 0 { a["é"] = .string("e\u{301}") }
                try db.create("B")["v"] = .array([values[number % values.count], .null])
            }
        }
        return store
    }

    private static let values: [DataStoreValue] = [
        .null, .bool(true), .int(.max), .double(-0.0), .double(.nan), .string("é\0"), .string(""),
        .date(Date(timeIntervalSinceReferenceDate: 0.1)), .data(Data([0, 255])),
        .uuid(ItemID(high: 1, low: 2).uuid), .decimal(Decimal(1) / 3),
        URL(string: "a?b").map { .url($0) } ?? .null,
        .reference(ItemReference(itemTypeKey: "B", id: ItemID(high: 3, low: 4))),
        .dictionary(["a": .dictionary(["": .null]), "b": .array([])]),
    ]

    @Test func declarationsComeOverWithTheValuesThatTheyGive() throws {
        let source = try memoryStore()
        func declare(_ attributes: [AttributeSchema]) throws {
            try source.write { db in try db.declare(ItemSchema("T", attributes: attributes)) }
        }
        try declare([AttributeSchema("title"), AttributeSchema("level", kinds: [.int])])
        try source.write { db in
            try db.create("T")["title"] = .string("missing")
            let item = try db.create("T")
            item["title"] = .string("nil")
            item["level"] = .null
            // Of a kind that is declared no more, and cannot be converted.
            try db.create("T")["title"] = .int(7)
        }
        try declare([
            AttributeSchema("name", kinds: [.string], originalName: "title"),
            AttributeSchema("level", kinds: [.double], default: .double(3), isOptional: true),
        ])
        let rows: [[String: DataStoreValue]] = [
            ["name": .string("missing"), "level": .double(3)], ["name": .string("nil")],
            ["name": .int(7), "level": .double(3)],
        ]
        #expect(try source.rows() == rows)
        let target = try lmdb()
        for policy in [Migration.Policy.intoEmpty, .updateByID] {
            try Migration(from: source, to: target, policy: policy).run()
            #expect(try target.rows() == rows)
            let attributes = try #require(try target.read { try $0.schemas() }.first).attributes
            #expect(attributes.map(\.name) == ["name", "level"])
            #expect(attributes.map(\.formerNames) == [["title"], []])
            #expect(attributes.map(\.kinds) == [[.string], [.double]])
            #expect(attributes.map(\.defaultValue) == [nil, .double(3)])
            #expect(attributes.map(\.isOptional) == [true, true])
        }
    }

    @Test func everythingComesOverFromBackendToBackend() throws {
        let start = try filledStore()
        let stores: [any DataStore] = [start, try lmdb(), try levelDB(), try memoryStore()]
        let expected = try start.digests()
        #expect(expected["A"]?.count == 25)
        for (source, target) in zip(stores, stores.dropFirst()) {
            var seen: [Int] = []
            let report = try Migration(from: source, to: target, batchSize: 10).run {
                #expect($0.totalItems == 50)
                seen.append($0.items)
            }
            // Copied, compared, and the end.
            #expect(seen == [10, 20, 25, 35, 45, 50, 10, 20, 25, 35, 45, 50, 50])
            #expect(report.types.mapValues(\.count) == expected.mapValues(\.count))
            #expect(report.targetCounts == ["A": 25, "B": 25, "Empty": 0])
            #expect(try target.digests() == expected)
            #expect(try target.rows("A") == start.rows("A"))
            #expect(try target.verify().problems.isEmpty)
        }
        let schemas = try stores.map { store in
            try store.read { db in
                try db.schemas().map {
                    "\($0.itemTypeKey) \($0.attributes.map(\.name)) \($0.indexes)"
                }
            }
        }
        #expect(Set(schemas).count == 1)
    }

    @Test func aTargetWithItemsIsRefusedUntouched() throws {
        let source = try filledStore()
        let target = try lmdb()
        try target.write { db in
            try db.declare(ItemSchema("Other", attributes: []))
            _ = try db.create("Other")
        }
        let before = try target.digests()
        let failure = #expect(throws: DataStoreError.self) {
            try Migration(from: source, to: target).run()
        }
        #expect(failure?.code == .targetNotEmpty)
        #expect(try target.digests() == before)
        let report = try Migration(from: source, to: target, policy: .updateByID).run()
        #expect(report.types == (try source.digests()))
        #expect(try target.digests()["Other"] == before["Other"])
    }

    @Test func updateGivesExactlyTheSourcesValues() throws {
        let source = try filledStore()
        let target = try levelDB()
        try Migration(from: source, to: target).run()
        try target.write { db in
            try db.declare(ItemSchema("A", attributes: [AttributeSchema("extra")]))
            let items = try db.dynamicItems(DataStoreRequest(itemTypeKey: "A"))
            for item in items.prefix(5) {
                item["extra"] = .int(1)
                item["n"] = .string("changed \(item.id)")
            }
            try db.delete(items[6])
            try db.create("A")["n"] = .string("own")
        }
        let report = try Migration(from: source, to: target, policy: .updateByID).run()
        #expect(report.types == (try source.digests()))
        #expect(report.targetCounts["A"] == 26)
        let rows = try target.rows("A")
        #expect(Array(rows.dropLast()) == (try source.rows("A")))
        #expect(rows.last == ["n": .string("own")])
    }

    /// By records, and through the contract alone.
    @Test(arguments: [true, false])
    func anInterruptedMigrationIsRunAgain(byRecords: Bool) throws {
        struct Interruption: Error {}
        let source = try filledStore()
        let seen: any DataStore = byRecords ? source : InterposedStore(source)
        for stop in 1...6 {
            let target = try lmdb("lmdb\(stop)")
            var batches = 0
            #expect(throws: Interruption.self) {
                try Migration(from: seen, to: target, batchSize: 10).run { _ in
                    batches += 1
                    if batches == stop { throw Interruption() }
                }
            }
            try Migration(from: seen, to: target).run()
            #expect(try target.digests() == source.digests())
            #expect(try target.verify().problems.isEmpty)
            // Once more, and nothing is doubled.
            try Migration(from: seen, to: target).run()
            #expect(try target.digests() == source.digests())
            try target.close()
        }
    }

    /// What was copied is the source's no more: that it is not overwritten is what a user expects of a target.
    @Test(arguments: [true, false])
    func aCopyThatWasChangedIsNoPartOfTheSource(byRecords: Bool) throws {
        let source = try filledStore()
        let seen: any DataStore = byRecords ? source : InterposedStore(source)
        let target = try levelDB()
        try Migration(from: seen, to: target).run()
        var changed: ItemID?
        try target.write { db in
            let item = try db.dynamicItems(DataStoreRequest(itemTypeKey: "A"))[3]
            item["n"] = .int(-5)
            changed = item.id
        }
        let before = try target.digests()
        let failure = #expect(throws: DataStoreError.self) {
            try Migration(from: seen, to: target).run()
        }
        #expect(failure?.code == .targetNotEmpty)
        #expect(failure?.message.contains("\(try #require(changed))") == true)
        #expect(try target.digests() == before)
    }

    @Test func progressIsGivenAsASequence() async throws {
        let source = try filledStore()
        let target = try memoryStore()
        var last: MigrationProgress?
        for try await progress in Migration(from: source, to: target, batchSize: 7).updates() {
            #expect(progress.totalItems == 50)
            last = progress
        }
        #expect(last?.phase == .finished)
        #expect(last?.report?.targetCounts == ["A": 25, "B": 25, "Empty": 0])
        #expect(try target.digests() == source.digests())
    }

    @Test func aSequenceThatNobodyReadsAnyMoreEndsTheMigration() async throws {
        let source = try filledStore(count: 2_000)
        let target = try memoryStore()
        for try await _ in Migration(from: source, to: target, batchSize: 1).updates() { break }
        // It ends after a batch: the copied batches are complete, and the next run copies the rest.
        try Migration(from: source, to: target).run()
        #expect(try target.digests() == source.digests())
    }

    @Test func aSequenceThrowsWhatEndsTheMigration() async throws {
        let store = try filledStore()
        let failure = await #expect(throws: DataStoreError.self) {
            for try await _ in Migration(from: store, to: store).updates() {}
        }
        #expect(failure?.code == .invalidRequest)
    }

    @Test func theCopyIsOneSnapshotOfTheSource() throws {
        let source = try filledStore()
        let expected = try source.digests()
        let target = try memoryStore()
        let report = try Migration(from: source, to: target, batchSize: 10).run { _ in
            try source.write { db in
                _ = try db.create("B")
                try db.performDeleteAll([ItemType(dynamic: "A")])
            }
        }
        #expect(report.types.mapValues(\.count) == expected.mapValues(\.count))
        #expect(try target.digests() == expected)
    }

    /// By records, where the target refuses other blocks until it is complete, and through the contract.
    @Test(arguments: [true, false])
    func aTargetThatChangesMeanwhileFailsTheMigration(byRecords: Bool) throws {
        let source = try filledStore()
        let target = try memoryStore()
        let failure = #expect(throws: DataStoreError.self) {
            try Migration(from: byRecords ? source : InterposedStore(source), to: target).run { _ in
                try target.write { db in
                    let item = try db.dynamicItems(DataStoreRequest(itemTypeKey: "A")).first
                    item?["n"] = .int(-1)
                }
            }
        }
        #expect(failure?.code == (byRecords ? .unfinishedCopy : .verificationFailed))
        if !byRecords { #expect(failure?.itemType == "A") }
    }

    @Test func aStoreIsNotCopiedOntoItself() throws {
        let store = try filledStore()
        for policy in [Migration.Policy.intoEmpty, .updateByID] {
            let failure = #expect(throws: DataStoreError.self) {
                try Migration(from: store, to: store, policy: policy).run()
            }
            #expect(failure?.code == .invalidRequest)
        }
    }

    @Test func whatTheTargetCannotHoldIsListedAndNothingIsWritten() throws {
        let source = try filledStore()
        try source.write { db in
            try db.declare(ItemSchema("LongName", attributes: [AttributeSchema("longer")]))
        }
        let target = InterposedStore(
            try memoryStore(),
            declaring: DataStoreCapabilities(
                valueKinds: Set(DataStoreValue.Kind.allCases).subtracting([.uuid, .decimal]),
                limits: DataStoreLimits(nameBytes: 7, valueBytes: 1 << 20, writeBlockBytes: 1 << 20)
            ))
        let failure = #expect(throws: DataStoreError.self) {
            try Migration(from: source, to: target).run()
        }
        #expect(failure?.code == .unsupported)
        let message = try #require(failure?.message)
        for finding in [
            "the name “LongName” has more than 7 bytes", "“A.v” has values of kind decimal, uuid",
            "“B.v” has values of kind decimal, uuid",
        ] {
            #expect(message.contains(finding), "\(message)")
        }
        #expect(!message.contains("longer"))
        #expect(try target.read { try $0.schemas().count } == 0)
    }

    @Test func whatExceedsTheLimitsOfTheTargetIsListedAndNothingIsWritten() throws {
        let source = try memoryStore()
        try source.write { db in
            try db.declare(
                ItemSchema(
                    "Type", formerTypeKeys: ["FormerType"],
                    attributes: [
                        AttributeSchema("large", originalName: "formerName"),
                        AttributeSchema("list"), AttributeSchema("ref"),
                        AttributeSchema("uuid", default: .uuid(ItemID(high: 1, low: 2).uuid)),
                        AttributeSchema(
                            "text", default: .string(String(repeating: "x", count: 70))),
                    ]))
            let large = DataStoreValue.data(Data(repeating: 1, count: 60))
            let item = try db.create("Type")
            item["large"] = .data(Data(repeating: 1, count: 65))
            item["ref"] = .reference(
                ItemReference(itemTypeKey: "Referred-to", id: ItemID(high: 1, low: 2)))
            for _ in 0..<2 {
                let item = try db.create("Type")
                item["list"] = .array([large, large])
                item["large"] = large
                item["text"] = .string("")
            }
            let other = try db.create("Type")
            other["text"] = .string("")
        }
        let target = InterposedStore(
            try memoryStore(),
            declaring: DataStoreCapabilities(
                valueKinds: Set(DataStoreValue.Kind.allCases).subtracting([.uuid]),
                limits: DataStoreLimits(nameBytes: 8, valueBytes: 64, writeBlockBytes: 110)))
        let failure = #expect(throws: DataStoreError.self) {
            try Migration(from: source, to: target).run()
        }
        #expect(failure?.code == .unsupported)
        let message = try #require(failure?.message)
        for finding in [
            "the name “FormerType” has more than 8 bytes",
            "the name “formerName” has more than 8 bytes",
            "the default of “Type.uuid” has values of kind uuid",
            "the default of “Type.text” has values (1) of more than 64 bytes",
            "“Type.large” has values (1) of more than 64 bytes",
            "“Type.list” has values (2) of more than 64 bytes",
            "“Type.ref” refers to items of “Referred-to”, a name of more than 8 bytes",
            "“Type.text” has values (1) of more than 64 bytes",
            "“Type” has items (3) of more than the 110 bytes of a write block",
        ] {
            #expect(message.contains(finding), "\(finding): \(message)")
        }
        #expect(try target.read { try $0.schemas().count } == 0)
    }

    /// Batches end before the limit, not after it.
    @Test func itemsOfMoreThanHalfAWriteBlockAreCopied() throws {
        let limits = DataStoreLimits(nameBytes: 255, valueBytes: 1 << 20, writeBlockBytes: 100_000)
        let source = try memoryStore()
        try source.write { db in
            try db.declare(ItemSchema("T", attributes: [AttributeSchema("v")]))
            for size in [10, 40_000, 70_000, 10, 70_000, 70_000, 40_000] {
                try db.create("T")["v"] = .data(Data(repeating: 7, count: size))
            }
        }
        let target = RecordStore(engine: InMemoryEngine(), limits: limits)
        try target.open()
        try Migration(from: source, to: target).run()
        #expect(try target.rows() == source.rows())
    }

    @Test func aReadOnlyTargetIsRefused() throws {
        let target = InterposedStore(
            try memoryStore(), declaring: DataStoreCapabilities(isReadOnly: true))
        let failure = #expect(throws: DataStoreError.self) {
            try Migration(from: try filledStore(), to: target).run()
        }
        #expect(failure?.code == .readOnly)
    }
}
