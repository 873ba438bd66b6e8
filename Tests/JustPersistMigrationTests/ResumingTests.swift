import Foundation
import JustPersist
import JustPersistConformance
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMemory
import JustPersistMigration
import JustPersistRecords
import Testing

/// Migrations that others get in the way of, or that go on where an earlier one ended.
@Suite struct ResumingTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func lmdb(_ name: String = "lmdb") throws -> LMDBDataStore {
        try LMDBDataStore.open(at: directory.url.appending(path: name))
    }

    private static let attributes = ["n", "v"].map { AttributeSchema($0) }

    private func fill(_ store: any DataStore, count: Int = 25) throws {
        try store.write { db in
            try db.declare(ItemSchema("T", attributes: Self.attributes))
            for number in 0..<count {
                let item = try db.create("T")
                item["n"] = .int(Int64(number))
                item["v"] = .string("\(number)")
            }
        }
    }

    private struct Interruption: Error {}

    /// Copies one batch of ten.
    private func copyAPart(of source: any DataStore, to target: any DataStore) throws {
        #expect(throws: Interruption.self) {
            try Migration(from: source, to: target, batchSize: 10).run { _ in
                throw Interruption()
            }
        }
    }

    /// By records, and through the contract alone.
    @Test(arguments: [true, false])
    func twoMigrationsIntoOneTargetCountEachItemOnce(byRecords: Bool) throws {
        let source = try memoryStore()
        try fill(source, count: 55)
        let seen: any DataStore = byRecords ? source : InterposedStore(source)
        let target = try lmdb()
        var isFirst = true
        try Migration(from: seen, to: target, batchSize: 10).run { _ in
            if !isFirst { return }
            isFirst = false
            try Migration(from: seen, to: target, batchSize: 7).run()
        }
        #expect(try target.read { try $0.count(DataStoreRequest(itemTypeKey: "T")) } == 55)
        #expect(try target.digests() == source.digests())
        #expect(try target.verify().problems.isEmpty)
    }

    /// Both at the same time, in threads of their own.
    @Test func twoMigrationsAtOneTimeCountEachItemOnce() async throws {
        let source = try memoryStore()
        try fill(source, count: 3_000)
        let target = try LevelDBDataStore.open(at: directory.url.appending(path: "leveldb"))
        try await withThrowingTaskGroup { group in
            for size in [13, 17, 19] {
                group.addTask {
                    let migration = Migration(from: source, to: target, batchSize: size)
                    for try await _ in migration.updates() {}
                }
            }
            try await group.waitForAll()
        }
        #expect(try target.digests() == source.digests())
        #expect(try target.verify().problems.isEmpty)
    }

    // MARK: Damaged numbers of items

    /// The key of the number of items of the first type.
    private static let counterKey: [UInt8] = [2, 0, 0, 0, 1]

    private func counter(_ engine: LMDBEngine) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try engine.open()
        defer { engine.close() }
        try engine.read { reader in
            _ = try reader.withValue(forKey: Self.counterKey.span) {
                (value) throws(DataStoreError) in
                for place in value.indices { bytes.append(value[place]) }
            }
        }
        return bytes
    }

    private func setCounter(_ bytes: [UInt8], _ engine: LMDBEngine) throws {
        try engine.open()
        defer { engine.close() }
        try engine.write { writer in
            try writer.put(bytes.span, forKey: Self.counterKey.span)
        }
    }

    @Test(arguments: [true, false])
    func aDamagedNumberOfItemsInTheSourceDoesNotMatter(byRecords: Bool) throws {
        let source = try lmdb("source")
        try fill(source)
        let expected = try source.digests()
        try source.close()
        var bytes = try counter(source.engine)
        #expect(bytes.count == 16)
        bytes[0] ^= 1
        try setCounter(bytes, source.engine)
        try source.open()
        let target = try memoryStore()
        let report = try Migration(
            from: byRecords ? source : InterposedStore(source), to: target
        ).run { #expect($0.totalItems == 25) }
        #expect(report.targetCounts == ["T": 25])
        #expect(try target.digests() == expected)
        #expect(try target.verify().problems.isEmpty)
    }

    /// One that is damaged, and one of another store.
    @Test(arguments: [true, false], [true, false])
    func aWrongNumberOfItemsInTheTargetIsToldAsSuch(byRecords: Bool, isDamaged: Bool) throws {
        let source = try memoryStore()
        try fill(source)
        let other = try lmdb("other")
        try fill(other, count: 24)
        try other.close()
        let target = try lmdb()
        try Migration(from: source, to: target).run()
        try target.close()
        var bytes = try counter(other.engine)
        if isDamaged { bytes[0] ^= 1 }
        try setCounter(bytes, target.engine)
        try target.open()
        let seen: any DataStore = byRecords ? source : InterposedStore(source)
        let failure = #expect(throws: DataStoreError.self) {
            try Migration(from: seen, to: target).run()
        }
        let message = try #require(failure?.message)
        if byRecords || isDamaged {
            #expect(failure?.code == .verificationFailed)
            #expect(message.contains(isDamaged ? "is damaged" : "is 24"), "\(message)")
        } else {
            // Met when the target is read, before anything is written.
            #expect(failure?.code == .corrupted)
        }
        #expect(message.contains("repair"), "\(message)")
        _ = try target.repair()
        #expect(try Migration(from: seen, to: target).run().targetCounts == ["T": 25])
    }

    // MARK: Unfinished copies

    /// An interrupted copy is of no use before it is complete, because its counters are not those of its items.
    @Test(arguments: ["lmdb", "leveldb"])
    func aStoreWithAPartOfACopyIsOnlyCompletedOrDeleted(_ scheme: String) throws {
        let source = try memoryStore()
        try fill(source)
        let place = directory.url.appending(path: "target")
        func target() throws -> any DataStore {
            scheme == "lmdb"
                ? try LMDBDataStore.open(at: place) : try LevelDBDataStore.open(at: place)
        }
        var store = try target()
        try copyAPart(of: source, to: store)
        for isReopened in [false, true] {
            if isReopened {
                try store.close()
                store = try target()
            }
            let calls: [() throws -> Void] = [
                { _ = try store.read { try $0.count(DataStoreRequest(itemTypeKey: "T")) } },
                { try store.write { try $0.declare(ItemSchema("U", attributes: [])) } },
                { _ = try (store as? any MaintainableDataStore)?.verify() },
                {
                    let child = try store.makeChild()
                    try child.open()
                    _ = try child.read { try $0.schemas() }
                },
                { try Migration(from: store, to: try memoryStore()).run() },
            ]
            for (number, call) in calls.enumerated() {
                let failure = #expect(throws: DataStoreError.self, "call \(number)") { try call() }
                #expect(failure?.code == .unfinishedCopy, "call \(number): \(failure as Any)")
                #expect(failure?.message.contains("Run the migration again") == true)
            }
        }
        try Migration(from: source, to: store, batchSize: 10).run()
        #expect(try store.digests() == source.digests())
        try store.close()
        try store.open()
        #expect(try store.read { try $0.count(DataStoreRequest(itemTypeKey: "T")) } == 25)
        try store.write { try $0.create("T")["n"] = .int(1) }
        try store.close()
    }

    /// The source may have changed since in a way that only a copy of items can follow.
    @Test(arguments: [Migration.Policy.intoEmpty, .updateByID], [true, false])
    func anUnfinishedCopyIsCompletedItemByItem(
        _ policy: Migration.Policy, isRenamed: Bool
    ) throws {
        let source = try memoryStore()
        try fill(source)
        let target = try lmdb()
        try copyAPart(of: source, to: target)
        if isRenamed {
            try source.write { db in
                try db.declare(
                    ItemSchema("New", formerTypeKeys: ["T"], attributes: Self.attributes))
            }
        }
        try Migration(from: InterposedStore(source), to: target, policy: policy).run()
        #expect(try target.digests() == source.digests())
        #expect(try (target as any MaintainableDataStore).verify().problems.isEmpty)
    }

    /// LevelDB's engine notes its latest commits, and a gap in them is a loss; those of a copy are noted at its end.
    @Test(arguments: [1, 63, 64, 65, 200])
    func aStoreIsOpenedAfterACopyOfAnyLength(_ batches: Int) throws {
        let source = try memoryStore()
        try fill(source, count: batches)
        let target = try LevelDBDataStore.open(at: directory.url.appending(path: "leveldb"))
        try Migration(from: source, to: target, batchSize: 1).run()
        for number in 0..<3 {
            try target.write { try $0.create("T")["n"] = .int(Int64(number)) }
            try target.close()
            try target.open()
        }
        #expect(try target.verify().problems.isEmpty)
        let count = try target.read { try $0.count(DataStoreRequest(itemTypeKey: "T")) }
        #expect(count == batches + 3)
    }

    // MARK: Parts of other forms

    @Test func nullsThatWereSetAreNoDifferenceInAPart() throws {
        let source = try memoryStore()
        try fill(source)
        try source.write { db in
            for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: "T")) {
                item["v"] = .null
            }
        }
        let target = try lmdb()
        // Through the contract, which hands no nulls on.
        try copyAPart(of: InterposedStore(source), to: target)
        try Migration(from: source, to: target).run()
        #expect(try target.digests() == source.digests())
        #expect(try target.verify().problems.isEmpty)
    }

    @Test(arguments: [true, false])
    func anAttributeRenamedMeanwhileIsTheSame(byRecords: Bool) throws {
        let source = try memoryStore()
        try fill(source)
        let seen: any DataStore = byRecords ? source : InterposedStore(source)
        let target = try lmdb()
        try copyAPart(of: seen, to: target)
        try source.write { db in
            try db.declare(
                ItemSchema(
                    "T",
                    attributes: [
                        AttributeSchema("number", originalName: "n"), AttributeSchema("v"),
                        AttributeSchema("level", default: .int(5)),
                    ]))
        }
        try Migration(from: seen, to: target).run()
        #expect(try target.rows() == source.rows())
        #expect(try target.rows().first?["level"] == .int(5))
        #expect(try target.verify().problems.isEmpty)
    }

    @Test(arguments: [true, false])
    func aTypeRenamedMeanwhileIsTheSame(byRecords: Bool) throws {
        let source = try memoryStore()
        try fill(source)
        try source.write { db in
            let items = try db.dynamicItems(DataStoreRequest(itemTypeKey: "T"))
            for item in items.dropFirst() { item["v"] = .array([.reference(items[0].reference)]) }
        }
        let seen: any DataStore = byRecords ? source : InterposedStore(source)
        let target = try lmdb()
        try copyAPart(of: seen, to: target)
        try source.write { db in
            try db.declare(
                ItemSchema("Thing", formerTypeKeys: ["T"], attributes: Self.attributes))
        }
        let report = try Migration(from: seen, to: target).run()
        #expect(report.targetCounts == ["Thing": 25])
        #expect(try target.rows("Thing") == source.rows("Thing"))
        #expect(try StoreComparison(source, target).run().isSame)
        #expect(try target.verify().problems.isEmpty)
    }

    @Test func aPartOfAnotherSourceIsStillRefused() throws {
        let (source, other) = (try memoryStore(), try memoryStore())
        try fill(source)
        try fill(other)
        let target = try lmdb()
        try copyAPart(of: other, to: target)
        let failure = #expect(throws: DataStoreError.self) {
            try Migration(from: source, to: target).run()
        }
        #expect(failure?.code == .targetNotEmpty)
        // It is as incomplete as before.
        let refusal = #expect(throws: DataStoreError.self) { try target.read { try $0.schemas() } }
        #expect(refusal?.code == .unfinishedCopy)
        try Migration(from: other, to: target).run()
        #expect(try target.rows() == other.rows())
    }

    @Test func aSalvagedPartOfACopyIsReportedAsOne() throws {
        let source = try memoryStore()
        try fill(source)
        let target = try lmdb()
        try copyAPart(of: source, to: target)
        try target.close()
        let report = try target.salvage(into: directory.url.appending(path: "salvaged"))
        #expect(report.types.map(\.saved) == [10])
        #expect(!report.isComplete)
        #expect(report.damages.contains { $0.message.contains("a part of a migration") })
    }

    /// A complete store is never made unusable.
    @Test(arguments: [MigrationProgress.Phase.checking, .copying, .verifying])
    func anInterruptedSecondRunLeavesTheTargetAsItWas(_ phase: MigrationProgress.Phase) throws {
        let source = try memoryStore()
        try fill(source)
        let target = try lmdb()
        try Migration(from: source, to: target).run()
        #expect(throws: Interruption.self) {
            try Migration(from: source, to: target, batchSize: 10).run { progress in
                if progress.phase == phase { throw Interruption() }
            }
        }
        #expect(try target.rows() == source.rows())
        try target.write { try $0.create("T")["n"] = .int(1) }
        #expect(try target.verify().problems.isEmpty)
    }

    /// The change log of a store that is opened with one between two parts of a copy misses nothing.
    @Test func aLogThatBeginsBetweenTwoPartsOfACopyMissesNothing() throws {
        let source = try memoryStore()
        try fill(source)
        let place = directory.url.appending(path: "logged")
        let unlogged = try LMDBDataStore.open(at: place)
        try copyAPart(of: source, to: unlogged)
        try unlogged.close()
        let target = LMDBDataStore(
            at: place, configuration: LMDBConfiguration(changeLog: ChangeLogLength(commits: 100)))
        try target.open()
        let observation = try target.observeChanges(.everything, since: nil)
        try Migration(from: source, to: target, batchSize: 10).run()
        try target.write { try $0.create("T")["n"] = .int(1) }
        var isComplete = true
        while let set = observation.poll() {
            isComplete = isComplete && set.isComplete && set.types.allSatisfy(\.isComplete)
        }
        #expect(!isComplete)
        #expect(try target.verify().problems.isEmpty)
        try target.close()
    }

    // MARK: Progress

    @Test(arguments: [true, false])
    func whatIsThereIsCheckedWithProgressAndCanBeInterrupted(byRecords: Bool) throws {
        let source = try memoryStore()
        try fill(source)
        let seen: any DataStore = byRecords ? source : InterposedStore(source)
        let target = try lmdb()
        try Migration(from: seen, to: target).run()
        var checked: [Int] = []
        try Migration(from: seen, to: target, batchSize: 10).run { progress in
            if progress.phase == .checking { checked.append(progress.items) }
        }
        #expect(checked == (byRecords ? [10, 20, 25] : [10, 20]))
        #expect(throws: Interruption.self) {
            try Migration(from: seen, to: target, batchSize: 10).run { progress in
                #expect(progress.phase == .checking)
                throw Interruption()
            }
        }
    }

    @Test func whatTheTargetCannotHoldIsLookedForWithProgress() throws {
        let source = try memoryStore()
        try fill(source)
        var capabilities = source.capabilities
        capabilities.valueKinds.remove(.uuid)
        let target = InterposedStore(try memoryStore(), declaring: capabilities)
        #expect(throws: Interruption.self) {
            try Migration(from: source, to: target, batchSize: 10).run { progress in
                #expect(progress.phase == .checking && progress.items == 10)
                throw Interruption()
            }
        }
    }

    // MARK: Declarations

    @Test func anIndexOfAClassStaysThatOfTheClass() throws {
        let source = try memoryStore()
        try source.write { db in
            _ = try db.create(IndexedItem.self)
            try db.declare(
                ItemSchema("T", attributes: [], indexes: [IndexSchema(["m"])]))
        }
        let target = try lmdb()
        // Through the items.
        try Migration(from: source, to: target, policy: .updateByID).run()
        func indexes() throws -> [[String]] {
            try target.read { try $0.schemas() }.flatMap { $0.indexes.map(\.attributes) }
        }
        #expect(try indexes() == [["n"], ["m"]])
        try target.write { db in _ = try db.create(UnindexedItem.self) }
        #expect(try indexes() == [["m"]])
    }

    @Test func aDefaultThatOnlyTheTargetHasIsNoneOfTheSourcesValues() throws {
        let source = try memoryStore()
        try source.write { db in
            try db.declare(ItemSchema("T", attributes: Self.attributes))
            _ = try db.create("T")
            try db.create("T")["n"] = .int(1)
        }
        let target = try lmdb()
        try target.write { db in
            try db.declare(
                ItemSchema(
                    "T",
                    attributes: [
                        AttributeSchema("v", default: .int(9), isOptional: true),
                        AttributeSchema("own", default: .int(8), isOptional: true),
                    ]))
        }
        try Migration(from: source, to: target, policy: .updateByID).run()
        #expect(try target.rows() == source.rows())
    }
}
