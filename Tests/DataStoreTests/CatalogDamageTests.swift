import Foundation
import JustPersist
import JustPersistRecords
import Testing

/// Entries of the catalog that are damaged or missing: they concern their own type only.
@Suite struct CatalogDamageTests {
    /// A store of three types, numbered in this order, whose catalog is then changed.
    private func withDamage(
        _ backend: Backend, _ damage: (inout [(key: [UInt8], value: [UInt8])]) -> Void,
        _ body: (any DataStore) throws -> Void
    ) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            try store.fill(["a", "b"])
            try store.write { db in try db.create(RestaurantOwner.self).name = "owner" }
            try store.write { db in try db.create(Sample.self)[0] = .int(1) }
            try store.close()
            let bytes = StoredBytes(backend, at: directory)
            let before = try bytes.entries(tag: StoredBytes.catalogTag)
            var after = before
            damage(&after)
            try bytes.replace(before, with: after)
            try store.open()
            try body(store)
            try store.close()
            // The same after reopening.
            try store.open()
            try expectDamage(store)
            try store.close()
        }
    }

    /// Restaurants cannot be read or written, and owners can.
    private func expectDamage(_ store: any DataStore) throws {
        try store.read { db in
            let error = expectError(.corrupted) { _ = try db.items(Restaurant.self) }
            #expect(error?.message.contains("type 1") == true)
            #expect(error?.itemType == "Restaurant")
            expectError(.corrupted) { _ = try db.count(Restaurant.self) }
            expectError(.corrupted) {
                _ = try db.count(Restaurant.self, where: DataStorePredicate("stars == 1"))
            }
            expectError(.corrupted) { _ = try db.item(Restaurant.self, id: ItemID()) }
            try #expect(!db.items(RestaurantOwner.self).isEmpty)
            // Whoever copies all types meets the damage.
            let keys = try db.schemas().map(\.itemTypeKey)
            #expect(keys.contains("RestaurantOwner"))
            #expect(keys.contains { $0 == "Restaurant" || $0.contains("type 1") })
            for key in keys where key != "RestaurantOwner" && key != "Sample" && key != "New" {
                expectError(.corrupted) {
                    _ = try db.performFetch(DataStoreRequest(itemTypeKey: key))
                }
            }
        }
        expectError(.corrupted) {
            try store.write { db in try db.create(Restaurant.self).name = "new" }
        }
        expectError(.couldNotDeleteItemsOfType) {
            try store.write { db in try db.deleteAll(Restaurant.self) }
        }
        expectError(.corrupted) { try store.write { db in try db.declare(Restaurant.schema) } }
        expectError(.corrupted) {
            try store.write { db in
                let detached = Restaurant()
                detached.name = "new"
                _ = try db.performInsert(detached)
            }
        }
        // A step that concerns it does not count as applied.
        for step in [
            SchemaStep("x") { db in try db.renameAttribute("name", to: "n", of: "Restaurant") },
            SchemaStep("x") { db in try db.dropAttribute("name", of: "Restaurant") },
            SchemaStep("x") { db in try db.convert("stars", of: "Restaurant", to: .string) },
            SchemaStep("x") { db in try db.renameType("Restaurant", to: "Inn") },
            SchemaStep("x") { db in try db.dropType("Restaurant") },
            SchemaStep.batched("x", of: "Restaurant") { _ in },
        ] {
            expectError(.corrupted) { try store.apply(SchemaPlan("app") { step }) }
        }
        // If the damaged type cannot be identified, it may be that of the steps.
        #expect((try? store.schemaHistory())?.isEmpty ?? true)
        let owners = try store.read { db in try db.count(RestaurantOwner.self) }
        try store.write { db in try db.create(RestaurantOwner.self).name = "another" }
        try #expect(store.read { db in try db.count(RestaurantOwner.self) } == owners + 1)
        let problems = try store.verify().problems
        #expect(problems.map(\.code) == [.corrupted])
        #expect(problems.first?.message.contains("type 1") == true)
        try #expect(store.verify().itemCounts["RestaurantOwner"] == owners + 1)
    }

    @Test(arguments: Backend.persistent)
    func damagedCatalogEntryConcernsItsTypeOnly(_ backend: Backend) throws {
        try withDamage(backend) { entries in
            entries[0].value[entries[0].value.count - 1] ^= 1
        } _: { store in
            try expectDamage(store)
            // The type is known by its key, so it is plain that a new one is another.
            try store.write { db in
                try db.declare(ItemSchema("New", attributes: [AttributeSchema("n")]))
                try db.create("New")["n"] = .int(1)
            }
            try #expect(store.read { db in try db.count(Sample.self) } == 1)
            try #expect(store.read { db in try db.schemas().count } == 4)
        }
    }

    @Test(arguments: Backend.persistent)
    func damagedKeyInTheCatalogIsAnErrorOfEveryUnknownType(_ backend: Backend) throws {
        try withDamage(backend) { entries in
            entries[0].value[20] ^= 1
        } _: { store in
            try expectDamage(store)
            // It may be the damaged one.
            expectError(.corrupted) {
                try store.read { db in _ = try db.performFetch(DataStoreRequest(itemTypeKey: "New"))
                }
            }
            expectError(.corrupted) {
                try store.write { db in try db.declare(ItemSchema("New", attributes: [])) }
            }
        }
    }

    @Test(arguments: Backend.persistent)
    func missingCatalogEntryConcernsItsTypeOnly(_ backend: Backend) throws {
        try withDamage(backend) { entries in
            entries.removeFirst()
        } _: { store in
            try expectDamage(store)
        }
    }

    @Test(arguments: Backend.persistent)
    func numberOfAMissingCatalogEntryIsNotUsedAgain(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            try store.write { db in try db.create(RestaurantOwner.self).name = "owner" }
            try store.fill(["a", "b"])
            try store.close()
            let bytes = StoredBytes(backend, at: directory)
            let before = try bytes.entries(tag: StoredBytes.catalogTag)
            try bytes.replace(before, with: Array(before.dropLast()))
            try store.open()
            expectError(.corrupted) { _ = try store.names() }
            expectError(.corrupted) {
                try store.write { db in try db.create(Sample.self)[0] = .int(1) }
            }
            try #expect(store.read { db in try db.count(RestaurantOwner.self) } == 1)
            try #expect(store.verify().problems.map(\.code) == [.corrupted])
            try store.close()
        }
    }
}
