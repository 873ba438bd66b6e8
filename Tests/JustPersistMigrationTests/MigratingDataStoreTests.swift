import Foundation
import JustPersist
import JustPersistConformance
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMemory
import JustPersistMigration
import Testing

/// A store that moves to another one while it is used.
@Suite struct MigratingDataStoreTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var record: URL { directory.url.appending(path: "migration.json") }

    enum Pair: String, CaseIterable {
        case lmdbToLevelDB, levelDBToLMDB, withLogs
    }

    private func stores(_ pair: Pair) -> (old: any DataStore, new: any DataStore) {
        let log = pair == .withLogs ? ChangeLogLength(commits: 1000) : .off
        let lmdb = LMDBDataStore(
            at: directory.url.appending(path: "lmdb"),
            configuration: LMDBConfiguration(changeLog: log))
        let levelDB = LevelDBDataStore(
            at: directory.url.appending(path: "leveldb"),
            configuration: LevelDBConfiguration(changeLog: log))
        return pair == .levelDBToLMDB ? (levelDB, lmdb) : (lmdb, levelDB)
    }

    private func migrating(_ pair: Pair = .lmdbToLevelDB) -> MigratingDataStore {
        let (old, new) = stores(pair)
        return MigratingDataStore(from: old, to: new, recordedIn: record)
    }

    private func fill(_ store: any DataStore, _ count: Int) throws {
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "T",
                    attributes: [
                        AttributeSchema("n"), AttributeSchema("key"),
                        AttributeSchema("level", default: .int(3), isOptional: true),
                    ], indexes: [IndexSchema(["key"], isUnique: true)]))
            for number in 0..<count {
                let item = try db.create("T")
                item["n"] = .int(Int64(number))
                item["key"] = .string("key \(number)")
                if number % 3 == 0 { item["level"] = .null }
            }
        }
    }

    /// Both stores hold the same; the store that has them open is closed.
    private func expectSame(_ pair: Pair, count: Int) throws {
        let (old, new) = stores(pair)
        try old.open()
        try new.open()
        let summary = try StoreComparison(old, new).run()
        #expect(summary.isSame, "\(summary)")
        #expect(summary.same == count)
        for store in [old, new] { #expect(try store.verify().problems.isEmpty) }
        try old.close()
        try new.close()
    }

    @Test(arguments: Pair.allCases) func movesWhileItIsUsed(_ pair: Pair) throws {
        let (old, _) = stores(pair)
        try old.open()
        try fill(old, 2500)
        try old.close()
        let store = migrating(pair)
        try store.open()
        func change(_ number: Int) throws {
            try store.write { db in
                let items = try db.dynamicItems(DataStoreRequest(itemTypeKey: "T"))
                items[number]["n"] = .int(-1)
                _ = try db.performDelete(items[number + 1])
                try db.create("T")["key"] = .string("new \(number)")
            }
        }
        try change(0)
        try store.waitUntilInStep()
        #expect(store.status.phase == .mirroring)
        try change(10)
        #expect(store.status.isInStep)
        try store.cutOver()
        #expect(store.status.phase == .switched)
        try change(20)
        #expect(store.status.isInStep)
        #expect(try store.read { try $0.count(DataStoreRequest(itemTypeKey: "T")) } == 2500)
        try store.goBack()
        try change(30)
        #expect(store.status.isInStep)
        try store.cutOver()
        try store.close()
        try expectSame(pair, count: 2500)
        try store.open()
        try store.finish()
        try change(40)
        try store.close()
        let (oldStore, newStore) = stores(pair)
        try oldStore.open()
        try newStore.open()
        #expect(try StoreComparison(oldStore, newStore).run().different == 1)
    }

    @Test(arguments: Pair.allCases) func whatIsWrittenWhileItCopiesIsCopied(_ pair: Pair) throws {
        let (old, _) = stores(pair)
        try old.open()
        try fill(old, 5000)
        try old.close()
        let store = migrating(pair)
        try store.open()
        let isDone = Locked(false)
        let ended = Locked(0)
        for thread in 0..<3 {
            Thread.detachNewThread {
                var generator = SeededGenerator(seed: UInt64(thread))
                while !isDone.withLock({ $0 }) {
                    _ = try? store.write { db in
                        let all = DataStoreRequest(itemTypeKey: "T")
                        all.offset = generator.int(in: 0..<4000)
                        all.limit = 2
                        let items = try db.dynamicItems(all)
                        // They pass the unique value on.
                        let key = items[0]["key"]
                        items[0]["key"] = items[1]["key"]
                        items[1]["key"] = key
                        items[1]["n"] = .int(-7)
                    }
                }
                ended.change { $0 += 1 }
            }
        }
        try store.waitUntilInStep()
        try store.cutOver()
        isDone.withLock { $0 = true }
        ended.wait { $0 == 3 ? () : nil }
        #expect(store.status.isInStep)
        try store.close()
        try expectSame(pair, count: 5000)
    }

    /// The code of the error that a call throws.
    private func code(_ body: () throws -> Void) -> DataStoreError.Code? {
        do { try body() } catch { return (error as? DataStoreError)?.code }
        return nil
    }

    @Test func aStoreWithItemsIsNoTarget() throws {
        let (_, new) = stores(.lmdbToLevelDB)
        try new.open()
        try fill(new, 1)
        try new.close()
        let store = migrating()
        #expect(code { try store.open() } == .targetNotEmpty)
        #expect(!FileManager.default.fileExists(atPath: record.path))
    }

    @Test func oneOpeningAtATime() throws {
        let store = migrating()
        try store.open()
        #expect(code { try migrating().open() } == .alreadyOpen)
        try store.close()
        try store.open()
    }

    @Test func queuedBlocksAreNeitherLostNorReorderedByACutOver() throws {
        let store = migrating()
        try store.open()
        try fill(store, 1)
        try store.waitUntilInStep()
        let completed = Locked<[Int]>([])
        for number in 0..<200 {
            store.enqueueWrite { db in
                try db.create("T")["n"] = .int(Int64(number))
            } completion: { error in
                #expect(error == nil)
                completed.change { $0.append(number) }
            }
            if number % 50 == 20 {
                try store.waitUntilInStep()
                if store.status.phase == .mirroring {
                    try store.cutOver()
                } else {
                    try store.goBack()
                }
            }
        }
        completed.wait { $0.count == 200 ? () : nil }
        #expect(completed.withLock { $0 } == Array(0..<200))
        let numbers = try store.rows().compactMap { $0["n"] }
        #expect(numbers.dropFirst() == (0..<200).map { .int(Int64($0)) }[...])
        try store.close()
        try expectSame(.lmdbToLevelDB, count: 201)
    }

    @Test func phasesThatDoNotFollowAreRefused() throws {
        let store = migrating()
        #expect(code { try store.cutOver() } == .notSetUp)
        try store.open()
        #expect(code { try store.goBack() } == .invalidRequest)
        #expect(code { try store.finish() } == .invalidRequest)
        try store.waitUntilInStep()
        store.read { _ in
            #expect(code { try store.cutOver() } == .insideBlock)
        }
        try store.cutOver()
        #expect(code { try store.cutOver() } == .invalidRequest)
    }

    @Test func streamsGoOnAcrossTheCutOver() async throws {
        let store = migrating()
        try store.open()
        try fill(store, 1)
        try store.waitUntilInStep()
        var changes = store.changes().makeAsyncIterator()
        _ = await changes.next()
        try store.cutOver()
        try await store.write { try $0.create("T")["n"] = .int(5) }
        let set = try #require(await changes.next())
        #expect(set["T"]?.inserted.count == 1)
        try store.close()
        #expect(await changes.next() == nil)
    }

    // MARK: Cut-overs beside other calls

    @Test func aCompletionMayCutOverBeforeOtherBlocks() throws {
        let store = migrating()
        try store.open()
        try fill(store, 10)
        try store.waitUntilInStep()
        let outcomes = Locked<[String]>([])
        func queue(_ name: String, _ then: @escaping @Sendable () throws -> Void) {
            store.enqueueWrite({ try $0.create("T")["key"] = .string(name) }) { error in
                let outcome = error.map { "\($0)" } ?? "committed"
                let next = (try? then()) != nil
                outcomes.change { $0.append("\(name) \(outcome) \(next)") }
            }
        }
        queue("a") { [weak store] in try store?.cutOver() }
        queue("b") { [weak store] in
            try store?.write { try $0.create("T")["key"] = .string("inside") }
        }
        queue("c") { [weak store] in try store?.goBack() }
        queue("d") {}
        let all = outcomes.wait { $0.count == 4 ? $0 : nil }
        #expect(all == ["a", "b", "c", "d"].map { "\($0) committed true" })
        #expect(store.status.phase == .mirroring)
        try store.close()
        try expectSame(.lmdbToLevelDB, count: 15)
    }

    @Test func aNestedWriteOfAQueuedBlockIsRefusedWithBlocksOnTheMainThread() throws {
        let (old, new) = stores(.lmdbToLevelDB)
        let store = MigratingDataStore(
            from: old, to: new, recordedIn: record, threading: .mainThread)
        try store.open()
        let outcome = Locked<DataStoreError.Code??>(nil)
        store.enqueueWrite({ [weak store] _ in
            do {
                try store?.performWrite { _ in }
                outcome.change { $0 = .some(nil) }
            } catch {
                outcome.change { $0 = (error as? DataStoreError)?.code }
            }
        }) { _ in }
        #expect(outcome.wait { $0 } == .nestedWrite)
        try store.close()
    }

    /// It waited for itself: it ran the write of another thread inside of its wait for a queued block.
    @Test func theMainThreadCutOverWhileAnotherThreadWroteThere() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let store = MigratingDataStore(
                from: LMDBDataStore(at: directory.url.appending(path: "lmdb")),
                to: LevelDBDataStore(at: directory.url.appending(path: "leveldb")),
                recordedIn: directory.url.appending(path: "migration.json"),
                threading: .mainThread)
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                DispatchQueue.main.async {
                    continuation.resume(
                        with: Result {
                            try store.open()
                            try store.waitUntilInStep()
                            for round in 0..<10 {
                                let isInside = DispatchSemaphore(value: 0)
                                store.enqueueWrite({ _ in
                                    isInside.signal()
                                    Thread.sleep(forTimeInterval: 0.05)
                                }) { _ in }
                                isInside.wait()
                                let writer = Thread {
                                    try? store.write { _ in }
                                    try? store.read { _ in try store.write { _ in } }
                                }
                                writer.start()
                                if round % 2 == 0 {
                                    try store.cutOver()
                                } else {
                                    try store.goBack()
                                }
                            }
                            try store.close()
                        })
                }
            }
        }
    }

    /// Two counters that each block changes together, read while the stores change places.
    @Test func readersSeeWholeBlocksAcrossCutOvers() throws {
        let store = migrating()
        try store.open()
        try store.write { db in
            for type in ["A", "B"] {
                try db.declare(ItemSchema(type, attributes: [AttributeSchema("n")]))
                try db.create(type)["n"] = .int(0)
            }
        }
        try store.waitUntilInStep()
        let isOver = Locked(false)
        let seen = Locked((reads: 0, halves: 0, writes: 0))
        let ended = Locked(0)
        @Sendable func number(_ item: DynamicItem?) -> Int64? {
            guard case .int(let number)? = item?["n"] else { return nil }
            return number
        }
        func start(_ body: @escaping @Sendable () throws -> Void) {
            Thread.detachNewThread {
                while !isOver.withLock({ $0 }) {
                    do { try body() } catch { seen.withLock { $0.halves += 1_000 } }
                }
                ended.change { $0 += 1 }
            }
        }
        for _ in 0..<2 {
            start { [weak store] in
                try store?.read { db in
                    let isWhole =
                        try number(db.dynamicItems(DataStoreRequest(itemTypeKey: "A")).first)
                        == number(db.dynamicItems(DataStoreRequest(itemTypeKey: "B")).first)
                    seen.withLock { seen in
                        seen.reads += 1
                        if !isWhole { seen.halves += 1 }
                    }
                }
            }
        }
        start { [weak store] in
            try store?.write { db in
                for type in ["A", "B"] {
                    let item = try db.dynamicItems(DataStoreRequest(itemTypeKey: type)).first
                    item?["n"] = .int((number(item) ?? 0) + 1)
                }
            }
            seen.withLock { $0.writes += 1 }
        }
        for _ in 0..<20 {
            try store.waitUntilInStep()
            try store.cutOver()
            try store.goBack()
        }
        isOver.change { $0 = true }
        ended.wait { $0 == 3 ? () : nil }
        let counts = seen.withLock { $0 }
        #expect(counts.reads > 0 && counts.writes > 0 && counts.halves == 0, "\(counts)")
        let last = try store.read { db in
            number(try db.dynamicItems(DataStoreRequest(itemTypeKey: "A")).first)
        }
        #expect(last == Int64(counts.writes))
        try store.close()
        try expectSame(.lmdbToLevelDB, count: 2)
    }

    // MARK: Tokens

    /// A declaration is a commit without reported changes.
    @Test func aTokenBehindADeclarationIsKnown() throws {
        let store = migrating()
        try store.open()
        try fill(store, 1)
        try store.write { try $0.declare(ItemSchema("U", attributes: [AttributeSchema("n")])) }
        let token = try store.read { db in try db.changeToken }
        let known = try store.observeChanges(.everything, since: token)
        let later = ChangeToken(origin: token.origin, position: token.position + 1000)
        let unknown = try store.observeChanges(.everything, since: later)
        try store.write { try $0.create("U")["n"] = .int(1) }
        let first = known.poll()
        #expect(first?.isComplete == true && first?.types.map(\.itemTypeKey) == ["U"])
        #expect(unknown.poll()?.isComplete == false)
        try store.close()
    }

    // MARK: Declarations

    private func declare(
        _ store: any DataStore, _ key: String = "T", isOptional: Bool
    ) throws {
        try store.write { db in
            try db.declare(
                ItemSchema(
                    key, formerTypeKeys: key == "T" ? [] : ["T"],
                    attributes: [
                        AttributeSchema("n", default: .int(7), isOptional: isOptional)
                    ]))
        }
    }

    /// A stored null reads as the default while the attribute is not optional, and as null again when it is.
    @Test(arguments: ["T", "New"]) func whatADefaultStandsForIsFollowed(key: String) throws {
        let (old, _) = stores(.lmdbToLevelDB)
        try old.open()
        try declare(old, isOptional: true)
        try old.write { try $0.create("T")["n"] = .null }
        try declare(old, isOptional: false)
        try old.close()
        let store = migrating()
        try store.open()
        try store.waitUntilInStep()
        try declare(store, key, isOptional: true)
        // Declarations without items are copied later; until then it refuses.
        while store.status.phase != .switched {
            try store.waitUntilInStep()
            try? store.cutOver()
        }
        let value = try store.read { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: key)).first?["n"]
        }
        #expect(value == .null)
        try store.close()
        try expectSame(.lmdbToLevelDB, count: 1)
    }

    /// Also while its items are being compared.
    @Test func aTypeThatIsRenamedIsFollowed() throws {
        let (old, _) = stores(.lmdbToLevelDB)
        try old.open()
        try fill(old, 3_000)
        try old.close()
        let store = migrating()
        try store.open()
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "New", formerTypeKeys: ["T"],
                    attributes: [
                        AttributeSchema("n"), AttributeSchema("key"),
                        AttributeSchema("level", default: .int(3), isOptional: true),
                        AttributeSchema("more", default: .string("x")),
                    ]))
        }
        try store.waitUntilInStep()
        try store.cutOver()
        try store.close()
        try expectSame(.lmdbToLevelDB, count: 3_000)
    }
}
