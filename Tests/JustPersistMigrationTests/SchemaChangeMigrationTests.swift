import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMigration
import Testing

/// Stores that are migrated while they are in use, and whose schema changes meanwhile.
@Suite struct SchemaChangeMigrationTests {
    @Test(arguments: [false, true])
    func aDroppedAttributeIsDroppedInTheCopyToo(isDeclaredAgain: Bool) throws {
        let directory = try TemporaryDirectory()
        let old = LMDBDataStore(at: directory.url.appending(path: "lmdb"))
        let new = LevelDBDataStore(at: directory.url.appending(path: "leveldb"))
        let store = MigratingDataStore(
            from: old, to: new, recordedIn: directory.url.appending(path: "migration.json"))
        let schema = ItemSchema("T", attributes: [AttributeSchema("a"), AttributeSchema("b")])
        try store.open()
        try store.write { db in
            try db.declare(schema)
            let item = try db.create("T")
            item["a"] = .int(1)
            item["b"] = .string("secret")
        }
        try store.waitUntilInStep()
        try store.write { db in
            try db.renameAttribute("a", to: "c", of: "T")
            try db.dropAttribute("b", of: "T")
            if isDeclaredAgain {
                try db.declare(ItemSchema("T", attributes: [AttributeSchema("b")]))
            }
        }
        #expect {
            try store.apply(SchemaPlan("app") { SchemaStep("x") { _ in } })
        } throws: {
            ($0 as? DataStoreError)?.code == .unsupported
        }
        try store.waitUntilInStep()
        try store.cutOver()
        try store.waitUntilInStep()
        try store.close()
        for store in [old, new] as [any DataStore] {
            try store.open()
            let found = try store.read { db in
                try db.dynamicItems(DataStoreRequest(itemTypeKey: "T")).map { try $0.values() }
            }
            #expect(found == [["c": .int(1)]])
            let names = try store.read { db in try db.schemas()[0].attributes.map(\.name) }
            #expect(names == (isDeclaredAgain ? ["c", "b"] : ["c"]))
        }
        let summary = try StoreComparison(old, new).run()
        #expect(summary.isSame, "\(summary)")
        try old.close()
        try new.close()
    }

    @Test func replacedDefaultsAndDroppedTypesReachTheCopy() throws {
        let directory = try TemporaryDirectory()
        let old = LMDBDataStore(at: directory.url.appending(path: "lmdb"))
        let new = LevelDBDataStore(at: directory.url.appending(path: "leveldb"))
        let store = MigratingDataStore(
            from: old, to: new, recordedIn: directory.url.appending(path: "migration.json"))
        try store.open()
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "T",
                    attributes: [AttributeSchema("a", kinds: [.string], default: .string("5"))]))
            try db.declare(ItemSchema("U", attributes: [AttributeSchema("a")]))
            try db.create("T")["a"] = .string("7")
            _ = try db.create("T")
            try db.create("U")["a"] = .int(1)
        }
        try store.waitUntilInStep()
        try store.write { db in
            try db.convert("a", of: "T", to: .int)
            try db.dropType("U")
        }
        try store.waitUntilInStep()
        try store.cutOver()
        try store.waitUntilInStep()
        try store.close()
        for store in [old, new] as [any DataStore] {
            try store.open()
            try store.read { db in
                let values = try db.dynamicItems(DataStoreRequest(itemTypeKey: "T"))
                    .map { $0["a"] }
                #expect(values == [.int(7), .int(5)])
                let schemas = try db.schemas()
                #expect(schemas.map(\.itemTypeKey) == ["T"])
                #expect(schemas.first?.attributes.map(\.defaultValue) == [.int(5)])
            }
            try store.close()
        }
    }
}

/// Stores with an unfinished step of a schema plan.
@Suite struct UnfinishedStepMigrationTests {
    struct Killed: Error {}

    private static let plan = SchemaPlan("app") {
        SchemaStep.batched("add one", of: "T", batchSize: 10) { item in
            guard case .int(let number) = item["n"] else { return }
            item["n"] = .int(number + 1)
        }
    }

    private static func begin(_ store: any DataStore) throws {
        try store.write { db in
            try db.declare(ItemSchema("T", attributes: [AttributeSchema("n", kinds: [.int])]))
            for number in 0..<25 { try db.create("T")["n"] = .int(Int64(number)) }
        }
        #expect(throws: Killed.self) {
            try store.apply(plan) { if $0.items == 10 { throw Killed() } }
        }
    }

    private static func expectRunning(_ body: () throws -> Void) {
        #expect {
            try body()
        } throws: {
            ($0 as? DataStoreError)?.code == .migrationRunning
        }
    }

    private static func numbers(_ store: any DataStore) throws -> [DataStoreValue] {
        try store.read { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: "T")).map { $0["n"] }
        }
    }

    /// By records into LMDB and LevelDB.
    @Test(arguments: [true, false])
    func aHalfConvertedStoreIsNotCopied(isLMDB: Bool) throws {
        let directory = try TemporaryDirectory()
        let old = LMDBDataStore(at: directory.url.appending(path: "old"))
        let place = directory.url.appending(path: "new")
        let new: any DataStore = isLMDB ? LMDBDataStore(at: place) : LevelDBDataStore(at: place)
        try old.open()
        try new.open()
        try Self.begin(old)
        Self.expectRunning { try Migration(from: old, to: new).run() }
        try old.apply(Self.plan)
        try Migration(from: old, to: new).run()
        let expected = (1...25).map { DataStoreValue.int($0) }
        try #expect(Self.numbers(new) == expected)
        try #expect(new.schemaHistory().map(\.name) == ["add one"])
        try #expect(new.apply(Self.plan).steps.isEmpty)
        try old.close()
        try new.close()
    }

    @Test func aHalfConvertedStoreIsNotMigratedLive() throws {
        let directory = try TemporaryDirectory()
        let old = LMDBDataStore(at: directory.url.appending(path: "old"))
        let new = LevelDBDataStore(at: directory.url.appending(path: "new"))
        try old.open()
        try Self.begin(old)
        try old.close()
        let store = MigratingDataStore(
            from: old, to: new, recordedIn: directory.url.appending(path: "migration.json"))
        Self.expectRunning {
            try store.open()
            _ = try Self.numbers(store)
        }
        try? store.close()
        // The step is completed in the store itself.
        try old.open(plan: Self.plan)
        try old.close()
        try store.open()
        try store.waitUntilInStep()
        try #expect(Self.numbers(store) == (1...25).map { DataStoreValue.int($0) })
        try store.close()
    }
}
