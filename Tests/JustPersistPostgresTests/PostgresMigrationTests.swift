import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMigration
import JustPersistPostgres
import Testing

@Suite(.enabled(if: Server.isThere, Server.notThere)) struct PostgresMigrationTests {
    @Test func itemsGoFromLMDBToPostgreSQLToLevelDBUnchanged() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: directory) }
        let lmdb = try LMDBDataStore.open(at: directory.appending(path: "lmdb"))
        try lmdb.write { db in
            try db.declare(
                ItemSchema(
                    "Dish",
                    attributes: [
                        AttributeSchema("number", isUnique: true), AttributeSchema("name"),
                        AttributeSchema("price", isIndexed: true),
                    ]))
            for number in 0..<5_000 {
                let item = try db.create("Dish")
                item["number"] = .int(Int64(number))
                item["name"] = .string("Dish \u{0} \(number) é e\u{301}")
                item["price"] = number % 7 == 0 ? .double(-0.0) : .double(Double(number) / 3)
            }
        }
        let postgres = try PostgresDataStore.open(Server.newStore())
        let levelDB = try LevelDBDataStore.open(at: directory.appending(path: "leveldb"))
        _ = try Migration(from: lmdb, to: postgres).run()
        _ = try Migration(from: postgres, to: levelDB).run()
        func items(in store: any DataStore) throws -> [DynamicItem.Values] {
            var values: [DynamicItem.Values] = []
            try store.performRead { db in
                for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: "Dish")) {
                    values.append(try DynamicItem.Values(item))
                }
            }
            return values
        }
        let before = try items(in: lmdb)
        #expect(before.count == 5_000)
        #expect(try items(in: postgres) == before)
        #expect(try items(in: levelDB) == before)
        let request = DataStoreRequest(itemTypeKey: "Dish")
        request.predicate = try DataStorePredicate("price < 10 AND price > 9")
        #expect(
            try postgres.read { try $0.count(request) } == lmdb.read { try $0.count(request) })
        #expect(try postgres.verify().problems.isEmpty)
        try postgres.destroy()
    }
}
