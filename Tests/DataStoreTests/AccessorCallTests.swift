import Foundation
import JustPersist
import Testing

/// The throwing calls of a block, as their users write them.
@Suite struct AccessorCallTests {
    private static func best(in db: borrowing DataStoreReader) throws -> [String?] {
        try db.items(Restaurant.self, where: \.stars > 0, sortedBy: .descending("stars")).map(
            \.name)
    }

    private static func open(_ name: String, in db: borrowing DataStoreWriter) throws {
        try db.create(Restaurant.self).name = name
    }

    private static func total(in db: borrowing some DataStoreReadAccessor & ~Copyable) throws -> Int
    {
        try db.count(Restaurant.self)
    }

    @Test(arguments: Backend.memoryAndReference)
    func functionsTakeAccessors(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a", "b", "c"])
            let best = try store.read { db in try Self.best(in: db) }
            #expect(best == ["c", "b"])
            let total = try store.write { db in
                try Self.open("d", in: db)
                return try Self.total(in: db)
            }
            #expect(total == 4)
            let read: (borrowing DataStoreReader) throws -> Int = { db in try Self.total(in: db) }
            try #expect(store.read(read) == 4)
        }
    }

    @Test(arguments: Backend.memoryAndReference) func requests(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a", "b", "c", "d"])
            let request = DataStoreRequest(itemType: Restaurant.self)
            request.setSort(byKey: "name", ascending: false)
            request.limit = 2
            try store.read { db in
                let items: [any DataStoreItem] = try db.items(request)
                #expect(items.map { ($0 as? Restaurant)?.name } == ["d", "c"])
                try #expect((db.first(request) as? Restaurant)?.name == "d")
                try #expect(db.count(request) == 2)
                var names: [String?] = []
                try db.forEach(request) { item in names.append((item as? Restaurant)?.name) }
                #expect(names == ["d", "c"])
                request.offset = -1
                expectError(.invalidRequest) { _ = try db.items(request) }
                expectError(.invalidRequest) { _ = try db.first(request) }
                expectError(.invalidRequest) { _ = try db.count(request) }
                expectError(.invalidRequest) { try db.forEach(request) { _ in } }
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference) func typedWalks(_ backend: Backend) throws {
        struct Enough: Error {}
        try backend.withStore { store in
            try store.fill(["a", "b", "c", "d"])
            func walk(_ db: borrowing some DataStoreReadAccessor & ~Copyable) throws {
                var names: [String] = []
                try db.forEach(Restaurant.self) { names.append($0.name ?? "-") }
                #expect(names == ["a", "b", "c", "d"])
                names = []
                try db.forEach(
                    Restaurant.self, where: DataStorePredicate("stars > %d", 0),
                    sortedBy: .descending("stars"), offset: 1, limit: 1
                ) { restaurant in names.append(restaurant.name ?? "-") }
                try db.forEach(Restaurant.self, where: #Predicate { $0.stars == 3 }) { restaurant in
                    names.append(restaurant.name ?? "-")
                }
                try db.forEach(Restaurant.self, where: \.stars < 1) { names.append($0.name ?? "-") }
                #expect(names == ["c", "d", "a"])
                names = []
                #expect(throws: Enough.self) {
                    try db.forEach(Restaurant.self) { restaurant in
                        names.append(restaurant.name ?? "-")
                        if names.count == 2 { throw Enough() }
                    }
                }
                #expect(names == ["a", "b"])
            }
            try store.read { db in try walk(db) }
            try store.write { db in
                try walk(db)
                try db.forEach(Restaurant.self, where: \.stars >= 2) { $0.stars += 10 }
            }
            let stars = try store.read { db in try db.items(Restaurant.self).map(\.stars) }
            #expect(stars == [0, 1, 12, 13])
        }
    }

    @Test(arguments: Backend.memoryAndReference) func references(_ backend: Backend) throws {
        try backend.withStore { store in
            let (restaurant, owner) = try store.write { db in
                let restaurant = try db.create(Restaurant.self)
                restaurant.name = "Thai Garden"
                let owner = try db.create(RestaurantOwner.self)
                restaurant.value = .reference(owner.reference)
                return (restaurant.reference, ItemReference(to: owner))
            }
            #expect(
                restaurant.itemTypeKey == "Restaurant" && owner.itemTypeKey == "RestaurantOwner")
            try store.write { db in
                let found = try #require(try db.item(Restaurant.self, restaurant))
                try #expect(db.item(Restaurant.self, id: restaurant.id) === found)
                #expect(found.name == "Thai Garden" && found.reference == restaurant)
                #expect(found.value == .reference(owner))
                expectError(.invalidRequest) { _ = try db.item(Restaurant.self, owner) }
                let dynamic = try #require(try db.dynamicItem(owner))
                #expect(dynamic.reference == owner && dynamic.id == owner.id)
                try db.delete(dynamic)
                try #expect(db.dynamicItem(owner) == nil)
                try #expect(db.item(RestaurantOwner.self, owner) == nil)
                try #expect(db.item(RestaurantOwner.self, id: owner.id) == nil)
            }
            try store.read { db in
                try #expect(db.dynamicItem(restaurant)?["name"] == .string("Thai Garden"))
                let unknown = ItemReference(itemTypeKey: "Unknown", id: ItemID())
                try #expect(db.dynamicItem(unknown) == nil)
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func anItemIsDeletedByItsID(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a", "b"])
            let ids = try store.read { db in try db.items(Restaurant.self).map(\.id) }
            try store.write { db in
                try #expect(db.delete(Restaurant.self, id: ids[0]))
                try #expect(!db.delete(Restaurant.self, id: ids[0]))
                try #expect(!db.delete(Restaurant.self, id: ItemID()))
                let new = try db.create(Restaurant.self)
                try #expect(db.delete(Restaurant.self, id: new.id))
            }
            try #expect(store.names() == ["b"])
            try store.write { db in
                try #expect(!db.delete("Restaurant", id: ids[0]))
                try #expect(!db.delete("Nowhere", id: ids[1]))
                let new = try db.create(Restaurant.self)
                try #expect(db.delete("Restaurant", id: new.id))
            }
            try #expect(store.write { db in try db.delete(Sample.self, id: ids[1]) } == false)
            try #expect(store.names() == ["b"])
        }
    }
}
