import Foundation
import JustPersist
import JustPersistPostgres
import Testing

@Suite(.enabled(if: Server.isThere, Server.notThere)) struct StoreTests {
    @Test func itemsAreStoredAndFound() throws {
        let url = try Server.newStore()
        let store = try PostgresDataStore.open(url)
        try store.write { db in
            try db.declare(ItemSchema("Dish", attributes: [AttributeSchema("price")]))
            for number in 0..<1_000 { try db.create("Dish")["price"] = .int(Int64(number)) }
        }
        try store.close()
        let again = try PostgresDataStore.open(url)
        let (count, total) = try again.read { db in
            let items = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Dish"))
            return (
                items.count,
                items.reduce(0) { sum, item in
                    if case .int(let price) = item["price"] { sum + price } else { sum }
                }
            )
        }
        #expect(count == 1_000)
        #expect(total == 499_500)
        try again.destroy()
        #expect(throws: DataStoreError.self) {
            try PostgresDataStore.open(url, options: DataStoreOptions(createsIfMissing: false))
        }
    }
}
