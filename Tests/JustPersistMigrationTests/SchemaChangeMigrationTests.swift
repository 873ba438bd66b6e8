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
}
