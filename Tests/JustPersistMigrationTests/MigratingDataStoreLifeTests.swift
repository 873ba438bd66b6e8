import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMemory
import JustPersistMigration
import Testing

/// How a store that moves to another one is opened, looked after and destroyed.
@Suite struct MigratingDataStoreLifeTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var record: URL { directory.url.appending(path: "migration.json") }
    private var old: LMDBDataStore { LMDBDataStore(at: directory.url.appending(path: "old")) }
    private var new: LevelDBDataStore { LevelDBDataStore(at: directory.url.appending(path: "new")) }

    private func migrating(
        from old: (any DataStore)? = nil, to new: (any DataStore)? = nil
    ) -> MigratingDataStore {
        MigratingDataStore(from: old ?? self.old, to: new ?? self.new, recordedIn: record)
    }

    private func expectRefusal(
        _ code: DataStoreError.Code, _ text: String, _ store: MigratingDataStore
    ) {
        let error = #expect(throws: DataStoreError.self) { try store.open() }
        #expect(error?.code == code)
        #expect(error?.message.contains(text) ?? false, "\(error?.message ?? "")")
    }

    @Test func storesThatCannotTakePartAreRefused() throws {
        let same = old
        expectRefusal(.unsupported, "the same", migrating(from: same, to: same))
        expectRefusal(.unsupported, "does not keep its data", migrating(to: InMemoryDataStore()))
        let onMain = LevelDBDataStore(
            at: directory.url.appending(path: "new"), threading: .mainThread)
        expectRefusal(.unsupported, "on the main thread", migrating(to: onMain))
        let filled = old
        try filled.open()
        try filled.close()
        let readOnly = LMDBDataStore(
            at: directory.url.appending(path: "old"),
            configuration: LMDBConfiguration(isReadOnly: true))
        expectRefusal(.unsupported, "read-only", migrating(from: readOnly))
    }

    @Test(arguments: ["", "{}", "[1]", #"{"format": 99}"#])
    func aFileThatIsNotAMigrationsIsRefused(_ text: String) throws {
        try Data(text.utf8).write(to: record)
        expectRefusal(.invalidInput, record.path, migrating())
        #expect(try String(contentsOf: record, encoding: .utf8) == text)
    }

    @Test func theStoreInChargeIsVerifiedAndIndexed() throws {
        let store = migrating()
        let reported = Locked<[DataStoreError]>([])
        store.errorHandler = { error in reported.withLock { $0.append(error) } }
        try store.open()
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "T", attributes: [AttributeSchema("n")], indexes: [IndexSchema(["n"])]))
            for number in 0..<5 { try db.create("T")["n"] = .int(Int64(number)) }
        }
        try store.buildIndexes()
        for isNew in [false, true] {
            let report = try store.verify()
            #expect(report.itemCounts == ["T": 5])
            #expect(report.problems.isEmpty)
            try store.waitUntilInStep()
            if !isNew { try store.cutOver() }
        }
        try store.close()
        store.writeSync { _ in }
        #expect(reported.withLock { $0.map(\.code) } == [.notSetUp])
    }

    @Test(arguments: [true, false])
    func destroyingLeavesNothing(_ isOpen: Bool) throws {
        let store = migrating()
        try store.open()
        try store.write { db in
            try db.declare(ItemSchema("T", attributes: [AttributeSchema("n")]))
            try db.create("T")["n"] = .int(1)
        }
        try store.waitUntilInStep()
        try store.cutOver()
        if !isOpen { try store.close() }
        try store.destroy()
        #expect(!FileManager.default.fileExists(atPath: record.path))
        // Again, where nothing is left.
        try store.destroy()
        // Begins as a new migration does.
        try store.open()
        #expect(store.status.phase == .copying || store.status.phase == .mirroring)
        #expect(try store.read { try $0.schemas() }.isEmpty)
        try store.close()
    }

    @Test func progressHasARateAndATimeThatIsLeft() throws {
        let source = InMemoryDataStore()
        let target = InMemoryDataStore()
        try source.open()
        try target.open()
        try source.write { db in
            try db.declare(ItemSchema("T", attributes: [AttributeSchema("n")]))
            for number in 0..<500 { try db.create("T")["n"] = .int(Int64(number)) }
        }
        var rates: [Double] = []
        try Migration(from: source, to: target, batchSize: 100).run { progress in
            rates.append(progress.itemsPerSecond)
            #expect(progress.itemsPerSecond >= 0)
            if let left = progress.timeLeft {
                #expect(left >= .zero)
                #expect(progress.items < progress.totalItems || left == .zero)
            } else {
                #expect(progress.items == 0 || progress.elapsed == .zero)
            }
        }
        #expect(rates.contains { $0 > 0 })
    }
}
