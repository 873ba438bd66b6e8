import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMigration
import Testing

/// The place up to which a migration is saved may lag behind the store that is written to.
@Suite struct LaggingPlaceTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var record: URL { directory.url.appending(path: "migration.json") }

    /// Both stores keep a log.
    private func stores(fromLevelDB: Bool) -> (old: any DataStore, new: any DataStore) {
        let log = ChangeLogLength(commits: 1000)
        let lmdb = LMDBDataStore(
            at: directory.url.appending(path: "lmdb"),
            configuration: LMDBConfiguration(changeLog: log))
        let levelDB = LevelDBDataStore(
            at: directory.url.appending(path: "leveldb"),
            configuration: LevelDBConfiguration(changeLog: log))
        return fromLevelDB ? (levelDB, lmdb) : (lmdb, levelDB)
    }

    private func expectSame(fromLevelDB: Bool, count: Int) throws {
        let (old, new) = stores(fromLevelDB: fromLevelDB)
        try old.open()
        try new.open()
        let summary = try StoreComparison(old, new).run()
        #expect(summary.isSame, "\(summary)")
        #expect(summary.same == count)
        try old.close()
        try new.close()
    }

    /// The process died after a deletion was committed, and before that was copied; the place was saved before the creation.
    @Test(arguments: [false, true], [false, true])
    func anItemThatWasDeletedIsNotResurrectedByARestart(
        fromLevelDB: Bool, isSwitched: Bool
    ) throws {
        let (old, new) = stores(fromLevelDB: fromLevelDB)
        let store = MigratingDataStore(from: old, to: new, recordedIn: record)
        try store.open()
        _ = try create(store, 1)
        try store.waitUntilInStep()
        if isSwitched { try store.cutOver() }
        try store.close()
        let saved = try Data(contentsOf: record)
        try store.open()
        let passing = try create(store, 2)
        try store.close()
        // What the file said when the process died, and what it had committed by then.
        try saved.write(to: record)
        let inCharge = isSwitched ? new : old
        try inCharge.open()
        try delete(inCharge, passing)
        try inCharge.close()
        try store.open()
        try store.waitUntilInStep()
        #expect(store.status.phase == (isSwitched ? .switched : .mirroring))
        try store.close()
        try expectSame(fromLevelDB: fromLevelDB, count: 1)
    }

    @Test(arguments: [false, true])
    func anItemThatWasDeletedWhileTheOtherStoreFailedIsNotResurrectedByARestart(
        fromLevelDB: Bool
    ) throws {
        let (old, new) = stores(fromLevelDB: fromLevelDB)
        let faulty = FailingStore(new)
        let store = MigratingDataStore(from: old, to: faulty, recordedIn: record)
        try store.open()
        _ = try create(store, 1)
        try store.waitUntilInStep()
        try store.close()
        let saved = try Data(contentsOf: record)
        try store.open()
        let passing = try create(store, 2)
        faulty.failsWrites = true
        try delete(store, passing)
        #expect(!store.status.isInStep)
        try store.close()
        // Where it was not saved in between.
        try saved.write(to: record)
        faulty.failsWrites = false
        try store.open()
        try store.waitUntilInStep()
        try store.close()
        try expectSame(fromLevelDB: fromLevelDB, count: 1)
    }

    /// The other store declared what a null stands for, and failed before the values of items were compared.
    @Test(arguments: [false, true])
    func aDefaultThatWasChangedBeforeARestartIsFollowed(fromLevelDB: Bool) throws {
        func declare(
            _ store: any DataStore, isOptional: Bool, creating level: DataStoreValue? = nil
        )
            throws
        {
            try store.write { db in
                let attribute = AttributeSchema("level", default: .int(7), isOptional: isOptional)
                try db.declare(ItemSchema("T", attributes: [attribute]))
                if let level { try db.create("T")["level"] = level }
            }
        }
        let (old, new) = stores(fromLevelDB: fromLevelDB)
        try old.open()
        try declare(old, isOptional: true, creating: .null)
        // Now it reads as 7, and is copied so.
        try declare(old, isOptional: false)
        try old.close()
        let faulty = FailingStore(new)
        let store = MigratingDataStore(from: old, to: faulty, recordedIn: record)
        try store.open()
        try store.waitUntilInStep()
        try store.close()
        try store.open()
        // One for the declaration.
        faulty.failWrites(after: 1)
        try declare(store, isOptional: true, creating: .int(1))
        #expect(!store.status.isInStep)
        try store.close()
        faulty.failsWrites = false
        try store.open()
        try store.waitUntilInStep()
        try store.close()
        try expectSame(fromLevelDB: fromLevelDB, count: 2)
    }

    // MARK: No lock is held while a store is asked

    @Test func aStoreThatRefusesQueuedBlocksAtOnceDoesNotLockTheOthersOut() async throws {
        let (old, new) = stores(fromLevelDB: false)
        let faulty = FailingStore(old)
        let store = MigratingDataStore(from: faulty, to: new, recordedIn: record)
        try store.open()
        try store.waitUntilInStep()
        faulty.refuseQueuedBlocks()
        for _ in 0..<3 {
            let failure = await withCheckedContinuation { continuation in
                store.enqueueWrite({ _ in }) { continuation.resume(returning: $0) }
            }
            #expect(failure is InjectedFailure)
        }
        try store.cutOver()
        _ = try create(store, 1)
        try store.close()
        try expectSame(fromLevelDB: false, count: 1)
    }

    @Test func theStatusDoesNotWaitForAStoreThatIsStalled() throws {
        let (old, new) = stores(fromLevelDB: false)
        let faulty = FailingStore(new)
        let store = MigratingDataStore(from: old, to: faulty, recordedIn: record)
        try store.open()
        _ = try create(store, 1)
        try store.waitUntilInStep()
        let goesOn = DispatchSemaphore(value: 0)
        let hasWritten = DispatchSemaphore(value: 0)
        faulty.stall(on: goesOn)
        Thread.detachNewThread {
            _ = try? create(store, 2)
            hasWritten.signal()
        }
        while !faulty.isStalled { Thread.sleep(forTimeInterval: 0.001) }
        for _ in 0..<10 { #expect(store.status.phase == .mirroring) }
        goesOn.signal()
        hasWritten.wait()
        try store.waitUntilInStep()
        try store.close()
        try expectSame(fromLevelDB: false, count: 2)
    }
}

private func create(_ store: any DataStore, _ number: Int) throws -> ItemID {
    try store.write { db in
        if try db.schemas().isEmpty {
            try db.declare(ItemSchema("T", attributes: [AttributeSchema("n")]))
        }
        let item = try db.create("T")
        item["n"] = .int(Int64(number))
        return item.uniqueToken
    }
}

private func delete(_ store: any DataStore, _ id: ItemID) throws {
    try store.write { db in
        let item = try db.performFetchItem(ItemType(dynamic: "T"), id: id)
        _ = try db.performDelete(#require(item))
    }
}
