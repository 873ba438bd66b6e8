import Foundation
import JustPersist
import JustPersistConformance
import JustPersistMemory
import Testing

/// Streams of what is committed (clause 21).
@Suite(.serialized, .timeLimit(.minutes(5))) struct ChangeStreamTests {
    @Test(arguments: Backend.memoryAndReference)
    func aStreamTellsWhatAClassesItemsCameTo(_ backend: Backend) async throws {
        try await backend.withStore { store in
            var changes = store.changes(of: Restaurant.self).makeAsyncIterator()
            let first = try #require(await changes.next())
            #expect(!first.isComplete && first.inserted.isEmpty)
            #expect(first.itemTypeKey == "Restaurant")
            let (a, b) = try await store.write { db in
                let a = try db.create(Restaurant.self)
                let b = try db.create(Restaurant.self)
                _ = try db.create(RestaurantOwner.self)
                return (a.uniqueToken, b.uniqueToken)
            }
            let created = try #require(await changes.next())
            #expect(created.isComplete && created.inserted == [a, b])
            try await store.write { db in
                let item = try #require(try db.item(Restaurant.self, id: a))
                item.name = "a"
                item.stars = 3
                try db.delete(try #require(try db.item(Restaurant.self, id: b)))
            }
            let changed = try #require(await changes.next())
            #expect(changed.updated == [ItemUpdate(id: a, attributes: ["name", "stars"])])
            #expect(changed.deleted == [b] && changed.inserted == [])
            #expect(changed.token != created.token)
            // Of another type only; then all of this one.
            try await store.write { db in _ = try db.create(RestaurantOwner.self) }
            try await store.write { db in try db.deleteAll(Restaurant.self) }
            #expect(await changes.next()?.deleted == [a])
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aStreamOfOneItemTellsOfNoOther(_ backend: Backend) async throws {
        try await backend.withStore { store in
            try store.fill(["a", "b"])
            let items = try await store.read { db in
                try db.items(Restaurant.self, sortedBy: .ascending(\.name)).map(\.reference)
            }
            var changes = store.changes(of: items[0]).makeAsyncIterator()
            #expect(await changes.next()?.kind == .unknown)
            try await store.write { db in
                try #require(try db.item(Restaurant.self, items[1])).stars = 7
            }
            try await store.write { db in
                try #require(try db.item(Restaurant.self, items[0])).stars = 8
            }
            #expect(await changes.next()?.kind == .updated(["stars"]))
            try await store.write { db in
                try db.delete(try #require(try db.item(Restaurant.self, items[0])))
            }
            let deleted = try #require(await changes.next())
            #expect(deleted.kind == .deleted && deleted.item == items[0])
            try await store.write { db in
                _ = try db.performInsert(DynamicItem("Restaurant", id: items[0].id))
            }
            #expect(await changes.next()?.kind == .inserted)
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aStreamOfEverythingHasAllTypes(_ backend: Backend) async throws {
        try await backend.withStore { store in
            var changes = store.changes().makeAsyncIterator()
            #expect(await changes.next()?.isComplete == false)
            let ids = try await store.write { db in
                [
                    try db.create(RestaurantOwner.self).uniqueToken,
                    try db.create(Restaurant.self).uniqueToken,
                ]
            }
            let set = try #require(await changes.next())
            #expect(set.types.map(\.itemTypeKey) == ["Restaurant", "RestaurantOwner"])
            #expect(set["Restaurant"]?.inserted == [ids[1]])
            #expect(set["RestaurantOwner"]?.inserted == [ids[0]])
            #expect(set["Other"] == nil && !set.isEmpty)
            var dynamic = store.changes(ofType: "RestaurantOwner", since: set.token)
                .makeAsyncIterator()
            try await store.write { db in try db.deleteAll(RestaurantOwner.self) }
            #expect(await dynamic.next()?.deleted == [ids[0]])
        }
    }

    @Test(arguments: Backend.allCases)
    func aStreamEndsWithItsTaskAndWithItsStore(_ backend: Backend) async throws {
        try await backend.withStore { store in
            try store.fill(["a"])
            let hasBegun = AsyncStream<Void>.makeStream()
            let task = Task {
                var count = 0
                for await _ in store.changes(of: Restaurant.self) {
                    count += 1
                    hasBegun.continuation.yield()
                }
                return count
            }
            for await _ in hasBegun.stream { break }
            task.cancel()
            #expect(await task.value == 1)
            var changes = store.changes(of: Restaurant.self).makeAsyncIterator()
            #expect(await changes.next() != nil)
            try store.fill(["b"])
            try store.close()
            // The commits before the end are reported.
            #expect(await changes.next()?.inserted.count == 1)
            #expect(await changes.next() == nil)
            try store.open()
            #expect(await changes.next() == nil)
            try store.destroy()
            try store.open()
        }
    }

    /// A stream does not retain its store, which closes its files when it is released.
    @Test func aStreamEndsWithAStoreThatIsLetGo() async throws {
        var store: InMemoryDataStore? = InMemoryDataStore()
        try store?.open()
        var changes = try #require(store).changes(of: Restaurant.self).makeAsyncIterator()
        #expect(await changes.next() != nil)
        store = nil
        #expect(await changes.next() == nil)
    }

    /// One that sleeps through very many commits hears what they come to.
    @Test func commitsAreJoinedForOneWhoIsAsleep() async throws {
        let store = InMemoryDataStore()
        try store.open()
        try store.fill((0..<10).map { "\($0)" })
        let ids = try await store.read { db in try db.items(Restaurant.self).map(\.uniqueToken) }
        var places: [ChangeStream<ItemChanges>.Iterator] = []
        var made: [ItemID] = []
        for round in 0..<4 {
            let token = try await store.read { db in try db.changeToken }
            places.append(
                store.changes(of: Restaurant.self, since: token).makeAsyncIterator())
            for number in 0..<1_500 {
                try await store.write { db in
                    try #require(try db.item(Restaurant.self, id: ids[round])).stars = number
                    let passing = try db.create(Restaurant.self)
                    try db.delete(passing)
                }
            }
            made.append(
                try await store.write { db in try db.create(Restaurant.self).uniqueToken })
        }
        for round in 0..<4 {
            let change = try #require(await places[round].next())
            #expect(change.isComplete && change.deleted.isEmpty)
            #expect(change.updated.map(\.id) == Array(ids[round..<4]))
            #expect(change.inserted == Array(made[round...]))
        }
        try store.close()
    }

    @Test(arguments: Backend.allCases)
    func aStoreThatIsClosedHasNoStreams(_ backend: Backend) async throws {
        let errors = ErrorLog()
        try await backend.withStore(errors: errors) { store in
            try store.close()
            for await _ in store.changes() { Issue.record("A closed store has told something") }
            #expect(errors.codes == [.notSetUp])
            await #expect(throws: DataStoreError.self) {
                for try await _ in store.results(of: Restaurant.self) {}
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func attributesOfARenamedClassAreNamedAsTheyAreNow(_ backend: Backend) async throws {
        try await backend.withStore { store in
            try await store.write { db in
                try db.declare(ItemSchema("Old", attributes: [AttributeSchema("title")]))
                try db.create("Old")["title"] = .string("a")
            }
            let schema = ItemSchema(
                "New", formerTypeKeys: ["Old"],
                attributes: [AttributeSchema("name", originalName: "title")])
            var old = store.changes(ofType: "Old").makeAsyncIterator()
            _ = await old.next()
            try await store.write { db in
                try db.declare(schema)
                try db.dynamicItems(DataStoreRequest(itemTypeKey: "New")).first?["name"] =
                    .string("b")
            }
            let change = try #require(await old.next())
            #expect(change.itemTypeKey == "Old")
            #expect(change.updated.first?.attributes == ["name"])
        }
    }

    @Test func moreThanIsKeptIsToldAsAnything() async throws {
        try await Backend.memory.withStore { store in
            try store.fill(["a"])
            var restaurants = store.changes(of: Restaurant.self).makeAsyncIterator()
            var owners = store.changes(of: RestaurantOwner.self).makeAsyncIterator()
            _ = await restaurants.next()
            _ = await owners.next()
            let owner = try await store.write { db in
                try db.create(RestaurantOwner.self).uniqueToken
            }
            try await store.write { db in
                for _ in 0..<70_000 { _ = try db.create(Restaurant.self) }
            }
            let change = try #require(await restaurants.next())
            #expect(!change.isComplete && change.inserted.isEmpty)
            // Of the other type all is known.
            #expect(await owners.next()?.inserted == [owner])
            try store.fill(["b"])
            #expect(await restaurants.next()?.inserted.count == 1)
            try await store.write { db in try db.deleteAll(Restaurant.self) }
            #expect(await restaurants.next()?.isComplete == false)
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func thousandObserversHoldNoWriterUp(_ backend: Backend) async throws {
        try await backend.withStore { store in
            try store.fill(["a"])
            let observations = try (0..<1_000).map { _ in
                try store.observeChanges(.types([ItemType(Restaurant.self)]), since: nil)
            }
            let told = await withTaskGroup(of: Int.self) { group in
                for (number, observation) in observations.enumerated() {
                    group.addTask {
                        _ = await observation.next()
                        if number % 2 == 0 { return 0 }
                        var count = 0
                        while count < 20, let set = await observation.next() {
                            count += set["Restaurant"]?.inserted.count ?? 20
                        }
                        return count
                    }
                }
                for number in 0..<20 { try? store.fill(["\(number)"]) }
                return await group.reduce(0, +)
            }
            #expect(told <= 500 * 20)
            // The other half was asleep.
            for (number, observation) in observations.enumerated() where number % 2 == 0 {
                let set = try #require(await observation.next())
                #expect(set.types.allSatisfy { $0.inserted.count <= 20 })
            }
        }
    }

    @Test func aTokenIsAText() throws {
        let token = ChangeToken(origin: ItemID(), position: .max)
        #expect(ChangeToken(token.description) == token)
        for text in ["", "@", "1@2", "\(ItemID())@", "\(ItemID())@-1", "\(token)@1"] {
            #expect(ChangeToken(text) == nil)
        }
    }
}
