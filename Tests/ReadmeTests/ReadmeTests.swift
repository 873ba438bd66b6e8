import Foundation
import JustPersistLMDB
import JustPersistMacros
import Testing

@Item final class Restaurant {
    @Attribute(originalName: "title") var name: String = ""
    var cuisine: String?
    var stars: Int = 0
}

/// The code that the README shows.
@Suite struct ReadmeTests {
    @Test func twentyLines() async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "readme-\(UUID())")
        defer { try? FileManager.default.removeItem(at: url) }
        let store = try LMDBDataStore.open(at: url)

        try await store.write { db in  // commits when it returns, leaves no trace when it throws
            let restaurant = try db.create(Restaurant.self)
            restaurant.name = "Thai Garden"
            restaurant.cuisine = "Thai"
            restaurant.stars = 4
        }
        let best = try await store.read { db in  // one snapshot
            try db.items(
                Restaurant.self, where: #Predicate { $0.cuisine == "Thai" && $0.stars > 3 },
                sortedBy: .descending("stars"), limit: 10
            ).map(\.name)
        }
        #expect(best == ["Thai Garden"])

        let cafes = try await store.read { db in
            try db.count(Restaurant.self, where: DataStorePredicate("name CONTAINS[cd] %@", "cafe"))
        }
        #expect(cafes == 0)
        let byKeyPath = try await store.read { db in
            try db.count(Restaurant.self, where: \.stars > 3 && \.cuisine == "Thai")
        }
        #expect(byKeyPath == 1)
        try store.close()
    }

    @Test func originalCalls() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "readme-\(UUID())")
        defer { try? FileManager.default.removeItem(at: url) }
        let dataStore: any DataStore = LMDBDataStore(at: url) { error in
            Issue.record(error)
        }
        dataStore.setup()
        dataStore.writeSync { accessor in
            let restaurant = accessor.createItem(ofMutableType: Restaurant.self) as? Restaurant
            restaurant?.name = "Thai Garden"
        }
        dataStore.read { accessor in
            let request = DataStoreRequest(itemType: Restaurant.self)
            #expect(accessor.countItems(forRequest: request) == 1)
        }
        dataStore.tearDown()
    }
}
