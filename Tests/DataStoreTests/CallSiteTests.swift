import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistMemory
import Testing

/// Both generations of call sites, as their users write them.
@Suite struct CallSiteTests {
    /// A shared store, as many apps hold one.
    static let shared: any DataStore = InMemoryDataStore()

    @Test(arguments: Backend.memoryAndReference) func originalLibrary(_ backend: Backend) throws {
        try backend.withStore { opened in
            let dataStore: any DataStore = opened
            dataStore.setup()
            dataStore.writeSync { (accessor) in
                let restaurant = accessor.createItem(ofMutableType: Restaurant.self) as! Restaurant
                restaurant.name = "Thai Garden"
                let isInserted = accessor.insert(restaurant)
                #expect(isInserted)
            }
            dataStore.read { (accessor) in
                let request = DataStoreRequest(itemType: Restaurant.self)
                request.setFilter(whereAttribute: "name", equalsValue: "Thai Garden")
                request.setSort(byKey: "name", ascending: true)
                guard let restaurant = accessor.firstItem(forRequest: request) as? Restaurant else {
                    Issue.record("The item was not found")
                    return
                }
                print(restaurant.name as Any, accessor.countItems(forRequest: request))
                #expect(restaurant.name == "Thai Garden")
                let count = accessor.countItems(forRequest: request)
                #expect(count == 1)
                let typed: [Restaurant] = accessor.items(forRequest: request)
                #expect(typed.count == 1)
                let first: Restaurant? = accessor.firstItem(forRequest: request)
                #expect(first?.uniqueToken == restaurant.uniqueToken)
            }
            dataStore.writeSync { (accessor) in
                let restaurant = accessor.createItem(ofMutableType: Restaurant.self) as! Restaurant
                restaurant.name = "Thai Garden"
                let wasDeleted = accessor.delete(item: restaurant)
                accessor.deleteAllItems(ofMutableType: Restaurant.self)
                #expect(wasDeleted)
                let all = DataStoreRequest(itemType: Restaurant.self)
                let none = accessor.mutableItems(forRequest: all)
                #expect(none.isEmpty)
                let first = accessor.firstMutableItem(forRequest: all)
                #expect(first == nil)
                let wereDeleted = accessor.batchDeleteAllItems(
                    ofMutableTypes: [Restaurant.self, RestaurantOwner.self])
                #expect(wereDeleted)
            }
            dataStore.writeAsync { accessor in
            } completion: {
            }
            let written = DispatchSemaphore(value: 0)
            dataStore.writeAsync { accessor in
                let restaurant = accessor.createItem(ofMutableType: Restaurant.self) as? Restaurant
                restaurant?.setValue("Da Mario", forKeyPath: "name")
                restaurant?.setObject(4, forKey: "stars")
            } completion: {
                written.signal()
            }
            written.wait()
            dataStore.read { accessor in
                let request = DataStoreRequest(itemType: Restaurant.self)
                let restaurant: Restaurant? = accessor.firstItem(forRequest: request)
                #expect(restaurant?.value(forKeyPath: "name") as? String == "Da Mario")
                #expect(restaurant?.object(forKey: "stars") as? Int == 4)
                #expect(Restaurant.itemTypeKey == "Restaurant")
            }
            dataStore.writeSync { accessor in
                let request = DataStoreRequest(itemType: Restaurant.self)
                guard let item = accessor.firstItem(forRequest: request),
                    let live = accessor.mutableVersion(ofItem: item) as? Restaurant
                else {
                    Issue.record("No mutable version")
                    return
                }
                live.stars = 5
            }
            dataStore.tearDown()
            dataStore.setup()
        }
    }

    @Test func originalLibraryOpensAStore() throws {
        try withTemporaryDirectory { url in
            let dataStore: any DataStore = LMDBDataStore(at: url) { error in
                print(error.localizedDescription)
            }
            dataStore.setup()
            dataStore.writeSync { accessor in
                accessor.deleteAllItems(ofMutableType: Restaurant.self)
            }
            dataStore.tearDown()
        }
    }

    @Test func originalGenericsThrow() throws {
        try Backend.memory.withStore { store in
            try store.writeSync { accessor in
                let created: Restaurant = try accessor.create()
                created.name = "Thai Garden"
                let again: Restaurant = try accessor.mutableVersion(ofItem: created)
                #expect(again === created)
                try accessor.delete(created)
                do throws(DataStoreError) {
                    try accessor.delete(created)
                    Issue.record("Deleted twice")
                } catch {
                    #expect(error.code == .couldNotDeleteItem)
                }
                do throws(DataStoreError) {
                    let _: Restaurant = try accessor.mutableVersion(ofItem: created)
                    Issue.record("A deleted item came back")
                } catch {
                    #expect(error.code == .couldNotFetchMutableVersion)
                }
                try accessor.deleteAll(Restaurant.self)
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference) func modern(_ backend: Backend) async throws {
        try await backend.withStore { store in
            try await store.write { db in
                let r = try db.create(Restaurant.self)
                r.name = "Thai Garden"
                r.cuisine = "Thai"
                r.stars = 5
            }
            let best = try await store.read { db in
                try db.items(
                    Restaurant.self, where: #Predicate { $0.cuisine == "Thai" && $0.stars > 3 },
                    sortedBy: .descending("stars"), limit: 10
                ).map(\.name)
            }
            #expect(best == ["Thai Garden"])
            let byFormat = try await store.read { db in
                try db.count(
                    Restaurant.self,
                    where: DataStorePredicate("stars > %d AND name CONTAINS[cd] %@", 3, "GARDÉN"))
            }
            #expect(byFormat == 1)
            let byKeyPath = try await store.read { db in
                try db.first(Restaurant.self, where: \.stars > 3 && \.cuisine == "Thai")?.name
            }
            #expect(byKeyPath == "Thai Garden")
            let count = try await store.read { db in try db.count(Restaurant.self) }
            #expect(count == 1)
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func originalCallsInAnAsynchronousFunction(_ backend: Backend) async throws {
        try await backend.withStore { dataStore in
            dataStore.writeSync { (accessor) in
                let restaurant = accessor.createItem(ofMutableType: Restaurant.self) as? Restaurant
                restaurant?.name = "Thai Garden"
            }
            var names: [String?] = []
            dataStore.read { (accessor) in
                let request = DataStoreRequest(itemType: Restaurant.self)
                let restaurant: Restaurant? = accessor.firstItem(forRequest: request)
                names.append(restaurant?.name)
            }
            dataStore.read { accessor in
                names.append("\(accessor.countItems(forRequest: .init(itemType: Restaurant.self)))")
            }
            #expect(names == ["Thai Garden", "1"])
            let deleted = dataStore.writeSync { accessor in
                accessor.deleteAllItems(ofMutableType: Restaurant.self)
            }
            #expect(deleted == true)
            await withCheckedContinuation { continuation in
                dataStore.writeAsync { accessor in
                    _ = accessor.createItem(ofMutableType: Restaurant.self)
                } completion: {
                    continuation.resume()
                }
            }
            dataStore.writeAsync { _ in }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func blocksOnTheThreadOfAnAsynchronousFunction(_ backend: Backend) async throws {
        try await backend.withStore { store in
            await Task.yield()
            try store.writeSync { db in try db.create(Restaurant.self).name = "Thai Garden" }
            let names = try store.readSync { db in try db.items(Restaurant.self).map(\.name) }
            #expect(names == ["Thai Garden"])
            var count = 0
            store.readSync { db in
                count = db.countItems(forRequest: .init(itemType: Restaurant.self))
            }
            #expect(count == 1)
            let stars = try store.writeSync { db in
                let restaurant = try #require(try db.first(Restaurant.self))
                restaurant.stars = 4
                return restaurant.stars
            }
            #expect(stars == 4)
        }
    }

    @Test func modernOpensAStore() throws {
        try withTemporaryDirectory { url in
            let store = try LMDBDataStore.open(at: url)
            let best = try store.read { db in
                try db.items(
                    Restaurant.self, where: #Predicate { $0.cuisine == "Thai" && $0.stars > 3 },
                    sortedBy: .descending("stars"), limit: 10
                ).map(\.name)
            }
            #expect(best.isEmpty)
            try store.close()
            LMDBDataStore.register()
            let again = try DataStores.open("lmdb:\(url.path)")
            try again.close()
        }
    }

    @Test func sharedStoreCompiles() {
        #expect(Self.shared.capabilities.persistence == .none)
    }
}
