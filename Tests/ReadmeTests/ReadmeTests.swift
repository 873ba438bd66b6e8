import Foundation
import JustPersistLMDB
import JustPersistMacros
import Testing

@Item final class Restaurant {
    @Attribute(originalName: "title") var name: String = ""
    var cuisine: String?
    var stars: Int = 0
}

@Item final class Dish {
    var name: String = ""
    var restaurant: ItemReference?
}

/// The code that the README shows does what it says; ``DocumentedCodeTests`` compiles it as it stands there.
@Suite struct ReadmeTests {
    private func bestNames(in db: borrowing DataStoreReader) throws -> [String] {
        try db.items(Restaurant.self, where: \.stars > 3, sortedBy: .descending("stars")).map(
            \.name)
    }

    private func rename(_ old: String, to new: String, in store: any DataStore) async throws {
        try await store.write { db in
            try db.first(Restaurant.self, where: \.name == old)?.name = new
        }
    }

    @Test func twentyLines() async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "readme-\(UUID())")
        defer { try? FileManager.default.removeItem(at: url) }
        let store = try LMDBDataStore.open(at: url) { error in print(error) }

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

        try await store.write { db in
            guard let garden = try db.first(Restaurant.self, where: \.name == "Thai Garden") else {
                return
            }
            let soup = try db.create(Dish.self)
            soup.name = "Tom yam"
            soup.restaurant = garden.reference
        }
        let servedAt = try await store.read { db in
            try db.first(Dish.self)?.restaurant.flatMap { try db.item(Restaurant.self, $0) }?.name
        }
        #expect(servedAt == "Thai Garden")
        let followed = try await store.read { db in
            try db.first(
                Dish.self, where: DataStorePredicate("restaurant.name == %@", "Thai Garden"))?.name
        }
        #expect(followed == "Tom yam")

        let gardens = try DataStorePredicate("name CONTAINS[cd] %@", "GARDÉN")
        let total = try await store.read { db in
            var total = 0
            try db.forEach(Restaurant.self, where: gardens) { restaurant in
                total += restaurant.stars
            }
            return total
        }
        #expect(total == 4)
        let byKeyPath = try await store.read { db in
            try db.count(Restaurant.self, where: \.stars > 3 && \.cuisine == "Thai")
        }
        #expect(byKeyPath == 1)
        let names = try await store.read { db in try bestNames(in: db) }
        #expect(names == ["Thai Garden"])
        let id = try await store.read { db in try db.first(Restaurant.self)?.id }
        try await store.write { db in
            guard let id, let restaurant = try db.item(Restaurant.self, id: id) else { return }
            restaurant.stars += 1
        }
        let stars = try await store.read { db in try db.first(Restaurant.self)?.stars }
        #expect(stars == 5)
        try await rename("Thai Garden", to: "Thai Palace", in: store)
        let renamed = try await store.read { db in try db.first(Restaurant.self)?.name }
        #expect(renamed == "Thai Palace")
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
