import JustPersist
import Testing

/// Clause 8: an item that was made in a block that came to nothing is in no store, and can be inserted.
@Suite struct RolledBackItemTests {
    private struct Failure: Error {}

    /// An item that was made, with a name and stars, in a block that was rolled back.
    private func makeRolledBack(
        _ store: any DataStore, inserting: Bool, flushing: Bool
    ) throws -> Restaurant {
        var made: Restaurant?
        #expect(throws: Failure.self) {
            try store.write { db in
                let item = inserting ? Restaurant() : try db.create(Restaurant.self)
                item.name = "again"
                if inserting { #expect(db.insert(item) == true) }
                item.stars = 3
                if flushing { try #expect(db.count(Restaurant.self) == 1) }
                made = item
                throw Failure()
            }
        }
        return try #require(made)
    }

    @Test(arguments: Backend.memoryAndReference)
    func nilInARolledBackItemStaysNil(_ backend: Backend) throws {
        try backend.withStore { store in
            var made: Tagged?
            #expect(throws: Failure.self) {
                try store.write { db in
                    let item = try db.create(Tagged.self)
                    item.tag = nil
                    made = item
                    throw Failure()
                }
            }
            let item = try #require(made)
            try store.write { db in
                #expect(db.insert(item) == true)
                #expect(item.tag == nil)
                #expect(item.stars == 3)
            }
            try store.read { db in
                let stored = try #require(try db.first(Tagged.self))
                #expect(stored.tag == nil)
                #expect(stored.stars == 3)
                try #expect(db.count(Tagged.self, where: DataStorePredicate("tag == nil")) == 1)
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference, [false, true])
    func itemOfARolledBackBlockCanBeInserted(_ backend: Backend, _ flushing: Bool) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            let item = try makeRolledBack(store, inserting: false, flushing: flushing)
            let id = item.uniqueToken
            #expect(item.name == "again")
            #expect(item.stars == 3)
            // Another type first, so that the store's numbers are others than in the block before.
            try store.write { db in
                try db.create(RestaurantOwner.self).name = "owner"
                try db.declare(ItemSchema("Restaurant", attributes: [AttributeSchema("stars")]))
            }
            try store.write { db in
                #expect(db.mutableVersion(ofItem: item) == nil)
                #expect(db.delete(item: item) == false)
                #expect(db.insert(item) == true)
                #expect(db.insert(item) == true)
                #expect(item.name == "again")
                item.name = "changed"
                try #expect(db.first(Restaurant.self) === item)
                try #expect(db.count(Restaurant.self) == 1)
            }
            try #expect(store.names() == ["changed"])
            try store.read { db in
                let stored = try #require(try db.item(Restaurant.self, id: id))
                #expect(stored.stars == 3)
            }
            // It is an item of the store as any other now.
            try store.write { db in
                try db.delete(item)
                #expect(db.insert(item) == false)
            }
            try #expect(store.names() == [])
        }
        #expect(errors.codes == [.itemDeleted])
    }

    @Test(arguments: Backend.memoryAndReference, [false, true])
    func itemCanBeInsertedAfterSeveralRolledBackBlocks(
        _ backend: Backend, _ inserting: Bool
    ) throws {
        try backend.withStore { store in
            let item = try makeRolledBack(store, inserting: inserting, flushing: false)
            for _ in 0..<3 {
                #expect(throws: Failure.self) {
                    try store.write { db in
                        #expect(db.insert(item) == true)
                        throw Failure()
                    }
                }
                try #expect(store.names() == [])
            }
            try store.write { db in #expect(db.insert(item) == true) }
            try #expect(store.names() == ["again"])
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func itemDeletedInARolledBackBlockStaysInTheStore(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a"])
            var held: Restaurant?
            #expect(throws: Failure.self) {
                try store.write { db in
                    let item = try #require(try db.first(Restaurant.self))
                    held = item
                    try db.delete(item)
                    throw Failure()
                }
            }
            let item = try #require(held)
            try store.write { db in
                try #expect(db.performInsert(item) == false)
                try #expect(db.count(Restaurant.self) == 1)
                let live: Restaurant = try db.mutableVersion(ofItem: item)
                live.name = "b"
            }
            try #expect(store.names() == ["b"])
        }
    }

    @Test func itemOfARolledBackBlockIsForeignToOtherStores() throws {
        try Backend.memory.withStore { store in
            let item = try makeRolledBack(store, inserting: false, flushing: false)
            try Backend.memory.withStore { other in
                try other.write { db in
                    _ = expectError(.foreignItem) { _ = try db.performInsert(item) }
                }
            }
        }
    }
}

/// An item with defaults, one of which can be replaced by nil.
private final class Tagged: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Tagged",
        attributes: [
            AttributeSchema("tag", kinds: [.string], default: .string("new"), isOptional: true),
            AttributeSchema("stars", kinds: [.int], default: .int(3)),
        ])

    let backing: any ItemBacking

    init(backing: any ItemBacking) { self.backing = backing }

    var tag: String? {
        get { optionalAttribute(at: 0) }
        set { setOptionalAttribute(newValue, at: 0) }
    }
    var stars: Int {
        get { attribute(at: 1, default: 3) }
        set { setAttribute(newValue, at: 1) }
    }
}
