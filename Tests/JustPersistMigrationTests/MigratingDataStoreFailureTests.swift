import Foundation
import JustPersist
import JustPersistConformance
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMigration
import Testing

/// What a store that moves to another one answers when one of the two fails, or the program ends.
@Suite struct MigratingDataStoreFailureTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var record: URL { directory.url.appending(path: "migration.json") }

    private func old() -> LMDBDataStore { LMDBDataStore(at: directory.url.appending(path: "old")) }

    private func new() -> LevelDBDataStore {
        LevelDBDataStore(at: directory.url.appending(path: "new"))
    }

    private func create(_ store: any DataStore, _ number: Int) throws {
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "T", attributes: [AttributeSchema("n")],
                    indexes: [IndexSchema(["n"], isUnique: true)]))
            try db.create("T")["n"] = .int(Int64(number))
        }
    }

    private func numbers(_ store: any DataStore) throws -> Set<Int> {
        try store.read { db in
            Set(
                try db.dynamicItems(DataStoreRequest(itemTypeKey: "T")).compactMap { item in
                    if case .int(let number) = item["n"] { Int(number) } else { nil }
                })
        }
    }

    /// The same migration whenever a call of one of its stores fails: the first, the second and so on.
    ///
    /// What was written is there whatever fails, and the migration can be ended once nothing does.
    @Test(arguments: [true, false])
    func whicheverCallFailsNothingIsLost(_ failsInOld: Bool) throws {
        var failures = 0
        // All of them take a minute: JP_ALL_CALLS=1.
        let isThorough = ProcessInfo.processInfo.environment["JP_ALL_CALLS"] == "1"
        let first = isThorough ? 0 : Int.random(in: 0..<8)
        for call in stride(from: first, to: 80, by: isThorough ? 1 : 8) {
            try? FileManager.default.removeItem(at: directory.url)
            try FileManager.default.createDirectory(
                at: directory.url, withIntermediateDirectories: true)
            let faulty = FailingStore(failsInOld ? old() : new(), failing: call)
            let store = MigratingDataStore(
                from: failsInOld ? faulty : old(), to: failsInOld ? new() : faulty,
                recordedIn: record
            ) { _ in }
            var acknowledged: Set<Int> = []
            var refused: Set<Int> = []
            func tryToWrite(_ number: Int) {
                do {
                    try create(store, number)
                    acknowledged.insert(number)
                } catch {
                    refused.insert(number)
                    #expect(error is InjectedFailure, "\(error)")
                }
            }
            func again<Result>(_ body: () throws -> Result) throws -> Result {
                for _ in 0..<500 {
                    if let result = try? body() { return result }
                    Thread.sleep(forTimeInterval: 0.01)
                }
                return try body()
            }
            try again { try store.open() }
            for number in 0..<3 { tryToWrite(number) }
            try again { try store.waitUntilInStep() }
            tryToWrite(3)
            try again {
                try store.waitUntilInStep()
                try store.cutOver()
            }
            tryToWrite(4)
            try again {
                try store.waitUntilInStep()
                try store.goBack()
            }
            tryToWrite(5)
            try again {
                try store.waitUntilInStep()
                try store.cutOver()
            }
            tryToWrite(6)
            try again { try store.waitUntilInStep() }
            #expect(try again { try numbers(store) } == acknowledged, "call \(call)")
            try again { try store.close() }
            for store in [old(), new()] as [any DataStore] {
                try store.open()
                #expect(try numbers(store) == acknowledged, "call \(call)")
                #expect(try store.verify().problems.isEmpty)
                try store.close()
            }
            #expect(refused.count <= 1)
            // The migration itself may try again, so that no caller notices.
            if faulty.hasFailed { failures += 1 }
        }
        #expect(failures > 0)
    }

    @Test func aStoreThatIsNotInChargeMayFailForAWhile() throws {
        let faulty = FailingStore(new(), failing: nil)
        let reported = Locked<[DataStoreError]>([])
        let store = MigratingDataStore(from: old(), to: faulty, recordedIn: record) { error in
            reported.change { $0.append(error) }
        }
        try store.open()
        try store.waitUntilInStep()
        faulty.failsAlways = true
        for number in 0..<5 { try create(store, number) }
        #expect(!store.status.isInStep)
        #expect(store.status.failure?.code == .storageFailure)
        #expect(throws: DataStoreError.self) { try store.cutOver() }
        #expect(store.status.phase == .mirroring)
        #expect(try numbers(store) == [0, 1, 2, 3, 4])
        // Once, however often it is tried.
        Thread.sleep(forTimeInterval: 1.2)
        #expect(reported.withLock { $0.count } == 1)
        faulty.failsAlways = false
        while !store.status.isInStep { Thread.sleep(forTimeInterval: 0.05) }
        try store.cutOver()
        #expect(try numbers(store) == [0, 1, 2, 3, 4])
    }

    @Test func aStoreInThePlaceOfALostOneIsRefused() throws {
        let store = MigratingDataStore(from: old(), to: new(), recordedIn: record)
        try store.open()
        try create(store, 1)
        try store.waitUntilInStep()
        try store.cutOver()
        try store.close()
        try FileManager.default.moveItem(
            at: directory.url.appending(path: "new"), to: directory.url.appending(path: "moved"))
        #expect(throws: DataStoreError.self) { try store.open() }
        let left = old()
        try left.open()
        #expect(try numbers(left) == [1])
        try left.close()
        try FileManager.default.removeItem(at: directory.url.appending(path: "new"))
        try FileManager.default.moveItem(
            at: directory.url.appending(path: "moved"), to: directory.url.appending(path: "new"))
        try store.open()
        #expect(try numbers(store) == [1])
    }

    /// Without a log nobody knows what was written last: all is compared before another store is put in charge.
    @Test func nothingIsLostIfTheStoreInChargeWasWrittenToAlone() throws {
        let store = MigratingDataStore(from: old(), to: new(), recordedIn: record)
        try store.open()
        for number in 0..<10 { try create(store, number) }
        try store.waitUntilInStep()
        try store.close()
        // As if the program had been killed between the two commits.
        let alone = old()
        try alone.open()
        try alone.write { db in
            // The unique value goes from one item to another.
            let items = try db.dynamicItems(DataStoreRequest(itemTypeKey: "T"))
            _ = try db.performDelete(items[9])
            try db.create("T")["n"] = .int(9)
            items[0]["n"] = .int(77)
            items[1]["n"] = .int(0)
        }
        try create(alone, 10)
        try alone.close()
        let expected: Set = [77, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10]
        try store.open()
        while (try? store.cutOver()) == nil { Thread.sleep(forTimeInterval: 0.01) }
        #expect(try numbers(store) == expected)
        try store.close()
        try alone.open()
        let other = new()
        try other.open()
        #expect(try StoreComparison(alone, other).run().isSame)
    }

    @Test func aTypeThatIsCreatedWhileItCopiesIsCopied() throws {
        for number in 0..<20 {
            let place = directory.url.appending(path: "\(number)")
            let new = LevelDBDataStore(at: place.appending(path: "new"))
            let store = MigratingDataStore(
                from: LMDBDataStore(at: place.appending(path: "old")), to: new,
                recordedIn: place.appending(path: "migration.json"))
            try store.open()
            try create(store, number)
            try store.waitUntilInStep()
            try store.cutOver()
            #expect(try numbers(store) == [number])
            try store.close()
        }
    }

    @Test func updatesEndWithTheStore() async throws {
        let store = MigratingDataStore(from: old(), to: new(), recordedIn: record)
        try store.open()
        let updates = store.updates()
        let phases = Task {
            var phases: [MigratingDataStore.Phase] = []
            for await status in updates { phases.append(status.phase) }
            return phases
        }
        try store.waitUntilInStep()
        try store.cutOver()
        while store.status.phase != .switched {}
        try store.close()
        #expect(await phases.value.last == .switched)
    }

    @Test func theNewStoreOfAFinishedMigrationIsKnownAgain() throws {
        let store = MigratingDataStore(from: old(), to: new(), recordedIn: record)
        try store.open()
        try create(store, 1)
        try store.waitUntilInStep()
        try store.cutOver()
        try store.finish()
        try store.close()
        let place = directory.url.appending(path: "new")
        let away = directory.url.appending(path: "away")
        try FileManager.default.moveItem(at: place, to: away)
        let error = #expect(throws: DataStoreError.self) { try store.open() }
        #expect(error?.code == .invalidInput && error?.message.contains("is finished") == true)
        try FileManager.default.removeItem(at: place)
        try FileManager.default.moveItem(at: away, to: place)
        try store.open()
        #expect(try numbers(store) == [1])
        try store.close()
    }

    @Test func aFileThatCannotBeWrittenIsToldOnce() throws {
        let source = old()
        try source.open()
        try create(source, 1)
        try source.close()
        let faulty = FailingStore(new(), failing: nil)
        faulty.failsWrites = true
        let reported = Locked<[DataStoreError]>([])
        let store = MigratingDataStore(from: old(), to: faulty, recordedIn: record) { error in
            if error.operation == "migrate" { reported.change { $0.append(error) } }
        }
        try store.open()
        // Where the next version of the file is written.
        let draft = record.appendingPathExtension("new")
        try FileManager.default.createDirectory(at: draft, withIntermediateDirectories: false)
        faulty.failsWrites = false
        func isAboutTheFile(_ error: DataStoreError?) -> Bool {
            error?.message.contains(record.lastPathComponent) == true
        }
        while !isAboutTheFile(store.status.failure) { Thread.sleep(forTimeInterval: 0.02) }
        #expect(throws: DataStoreError.self) { try store.waitUntilInStep() }
        #expect(store.status.phase == .copying)
        Thread.sleep(forTimeInterval: 1.2)
        #expect(reported.withLock { $0.filter { isAboutTheFile($0) }.count } == 1)
        try FileManager.default.removeItem(at: draft)
        while store.status.failure != nil { Thread.sleep(forTimeInterval: 0.02) }
        try store.waitUntilInStep()
        #expect(store.status.phase == .mirroring)
        try store.close()
    }

    /// What was written before a declaration and could not be copied then is of a kind that is not declared any more.
    @Test func valuesOfKindsThatWereDeclaredBeforeAreCopied() throws {
        func declare(_ store: any DataStore, _ kind: DataStoreValue.Kind) throws {
            try store.write { db in
                try db.declare(
                    ItemSchema("T", attributes: [AttributeSchema("n", kinds: [kind])]))
                try db.create("T")["n"] = kind == .int ? .int(1) : .string("a")
            }
        }
        let faulty = FailingStore(new(), failing: nil)
        let store = MigratingDataStore(from: old(), to: faulty, recordedIn: record) { _ in }
        try store.open()
        try store.waitUntilInStep()
        faulty.failsWrites = true
        try declare(store, .string)
        try declare(store, .int)
        faulty.failsWrites = false
        while !store.status.isInStep { Thread.sleep(forTimeInterval: 0.02) }
        try store.cutOver()
        try store.close()
        let stores = (old(), new())
        try stores.0.open()
        try stores.1.open()
        #expect(try StoreComparison(stores.0, stores.1).run().same == 2)
    }

    @Test func whoWasRefusedDoesNotUnlock() throws {
        let store = MigratingDataStore(from: old(), to: new(), recordedIn: record)
        try store.open()
        for _ in 0..<3 {
            let other = MigratingDataStore(from: old(), to: new(), recordedIn: record)
            let error = #expect(throws: DataStoreError.self) { try other.open() }
            #expect(error?.code == .alreadyOpen)
        }
        try store.close()
    }

    @Test func aLinkToTheFileIsTheSameMigration() throws {
        let link = directory.url.appending(path: "link.json")
        let store = MigratingDataStore(from: old(), to: new(), recordedIn: record)
        try store.open()
        try create(store, 1)
        try store.waitUntilInStep()
        try store.close()
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: record)
        let linked = MigratingDataStore(from: old(), to: new(), recordedIn: link)
        try linked.open()
        try linked.waitUntilInStep()
        try linked.cutOver()
        try linked.close()
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == record.path)
        try store.open()
        #expect(store.status.phase == .switched)
        try store.close()
    }

    @Test func aHandlerMayCloseTheStore() throws {
        let faulty = FailingStore(new(), failing: nil)
        let isClosed = Locked(false)
        let shared = Locked<MigratingDataStore?>(nil)
        let store = MigratingDataStore(from: old(), to: faulty, recordedIn: record) { _ in
            try? shared.withLock { $0 }?.close()
            isClosed.change { $0 = true }
        }
        shared.withLock { $0 = store }
        try store.open()
        try store.waitUntilInStep()
        faulty.failsAlways = true
        try create(store, 1)
        isClosed.wait { $0 ? () : nil }
        shared.withLock { $0 = nil }
    }
}
