import Foundation
import JustPersist
import JustPersistRecords
import Testing

/// Clause 8: items, their identity and their life.
@Suite struct ItemTests {
    /// The first item that a process makes, in a block that has changed another one before: it got the id of no time.
    @Test(arguments: Backend.persistent)
    func aNewItemComesBehindThoseOfEarlierProcesses(_ backend: Backend) async throws {
        try await withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            try store.fill(["a"])
            try store.close()
            await #expect(processExitsWith: .success) {
                [backend = backend as Backend, directory = directory as URL] in
                let store = backend.make(at: directory)
                try store.open()
                try store.writeSync { db in
                    try #require(try db.first(Restaurant.self)).stars = 5
                    try db.create(Restaurant.self).name = "b"
                }
                try #expect(store.names() == ["a", "b"])
                try store.close()
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func oneStoredItemIsOneObjectInAWriteBlock(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a", "b"])
            let frozen = FrozenItem()
            try store.read { db in frozen.item = try db.first(Restaurant.self) }
            try store.write { db in
                let first = try #require(try db.first(Restaurant.self))
                try #expect(db.items(Restaurant.self)[0] === first)
                try #expect(
                    db.items(Restaurant.self, where: DataStorePredicate("name == 'a'"))[0] === first
                )
                try #expect(
                    db.items(Restaurant.self, sortedBy: .descending("name"))[1] === first)
                try #expect(db.item(Restaurant.self, id: first.uniqueToken) === first)
                #expect(
                    first.value(forKeyPath: "uniqueToken") as? UUID == first.uniqueToken.uuid)
                let request = DataStoreRequest(itemType: Restaurant.self)
                #expect(db.firstMutableItem(forRequest: request) === first)
                #expect(db.mutableItems(forRequest: request).first === first)
                let old = try #require(frozen.item)
                #expect(old !== first)
                #expect(db.mutableVersion(ofItem: old) === first)
                #expect(db.mutableVersion(ofItem: first) === first)
                let new = try db.create(Restaurant.self)
                try #expect(db.item(Restaurant.self, id: new.uniqueToken) === new)
                try #expect(db.items(Restaurant.self).last === new)
                try db.forEach(request) { item in
                    if item.uniqueToken == new.uniqueToken { #expect(item === new) }
                }
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func itemsOfTwoTypesMayHaveOneID(_ backend: Backend) throws {
        try backend.withStore { store in
            let id = ItemID()
            try store.write { db in
                for type in ["A", "B"] {
                    try db.declare(ItemSchema(type, attributes: [AttributeSchema("n")]))
                    db.insert(DynamicItem(type, id: id, values: ["n": .int(0)]))
                }
            }
            try store.write { db in
                let a = try #require(try db.dynamicItems(DataStoreRequest(itemTypeKey: "A")).first)
                let b = try #require(try db.dynamicItems(DataStoreRequest(itemTypeKey: "B")).first)
                #expect(a !== b)
                a["n"] = .int(1)
                b["n"] = .int(2)
                let again = try #require(
                    try db.dynamicItems(DataStoreRequest(itemTypeKey: "A")).first)
                #expect(again === a)
                #expect(again["n"] == .int(1))
                try db.delete(b)
                again["n"] = .int(3)
            }
            try store.read { db in
                let a = try db.dynamicItems(DataStoreRequest(itemTypeKey: "A"))
                #expect(a.map { $0["n"] } == [.int(3)])
                try #expect(db.count(DataStoreRequest(itemTypeKey: "B")) == 0)
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func itemsOfAReadBlockOutliveTheirStore(_ backend: Backend) throws {
        let errors = ErrorLog()
        var items: [Restaurant] = []
        var dynamic: [DynamicItem] = []
        try backend.withStore(errors: errors) { store in
            try store.fill(["a", "b"])
            try store.performRead { db in
                items = try db.items(Restaurant.self)
                dynamic = try db.dynamicItems(DataStoreRequest(itemTypeKey: Restaurant.itemTypeKey))
            }
            try store.close()
        }
        #expect(items.map(\.name) == ["a", "b"])
        #expect(dynamic.map { $0["name"] } == [.string("a"), .string("b")])
        dynamic[0]["name"] = .string("no")
        #expect(dynamic[0]["name"] == .string("a"))
    }

    @Test(arguments: Backend.memoryAndReference)
    func deletedItemRefusesWritesAndKeepsItsValues(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            try store.fill(["a", "b", "c"])
            try store.performWrite { db in
                let items = try db.items(Restaurant.self)
                try db.delete(items[0])
                items[0].name = "no"
                #expect(errors.codes == [.itemDeleted])
                #expect(items[0].name == "a")
                try db.deleteAll(Restaurant.self)
                items[1].name = "no"
                #expect(errors.codes == [.itemDeleted, .itemDeleted])
                #expect(db.insert(items[1]) == false)
                #expect(errors.codes == [.itemDeleted, .itemDeleted, .itemDeleted])
            }
            try #expect(store.names() == [])
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func itemOfARolledBackInsertIsDetachedAgain(_ backend: Backend) throws {
        struct Failure: Error {}
        try backend.withStore { store in
            let detached = Restaurant()
            detached.name = "a"
            #expect(throws: Failure.self) {
                try store.write { db in
                    db.insert(detached)
                    detached.name = "changed"
                    throw Failure()
                }
            }
            #expect(detached.name == "a")
            detached.stars = 4
            try store.write { db in try #require(db.insert(detached) == true) }
            let stars = try store.read { db in try db.items(Restaurant.self).map(\.stars) }
            #expect(stars == [4])
            try #expect(store.names() == ["a"])
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func refusedInsertLeavesNothing(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            let bad = DynamicItem("T", values: ["a": .int(1), "z": .int(1)])
            try store.write { db in
                #expect(db.insert(bad) == false)
                try db.declare(ItemSchema("T", attributes: [AttributeSchema("a")]))
                #expect(db.insert(bad) == false)
                try #expect(db.count(DataStoreRequest(itemTypeKey: "T")) == 0)
            }
            #expect(errors.codes == [.couldNotCreateItemOfType, .unknownAttribute])
            #expect(bad["a"] == .int(1))
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func itemOfAnotherKindOfStoreIsForeignThoughItsIDIsKnown(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            let otherKind = backend == .reference ? Backend.memory : .reference
            try otherKind.withStore { other in
                let id = ItemID()
                func detached(_ name: String) -> Restaurant {
                    Restaurant(
                        backing: DictionaryBacking(
                            itemTypeKey: "Restaurant", schema: Restaurant.schema, id: id,
                            values: ["name": .string(name)]))
                }
                let adopted = detached("other")
                _ = try store.write { db in db.insert(detached("own")) }
                _ = try other.write { db in db.insert(adopted) }
                try other.performRead { foreign in
                    let read = try #require(try foreign.first(Restaurant.self))
                    try store.write { db in
                        for item in [read, adopted] {
                            #expect(db.delete(item: item) == false)
                            #expect(db.insert(item) == false)
                            #expect(db.mutableVersion(ofItem: item) == nil)
                        }
                    }
                }
                try #expect(other.names() == ["other"])
                #expect(adopted.name == "other")
            }
            try #expect(store.names() == ["own"])
            #expect(errors.codes == Array(repeating: .foreignItem, count: 6))
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func createdItemHasTheInitialValuesOfItsClass(_ backend: Backend) throws {
        try backend.withStore { store in
            let date = try store.write { db in
                let item = try db.create(Visit.self)
                #expect(item.guests == 2)
                return item.date
            }
            try store.read { db in
                let item = try #require(
                    try db.first(Visit.self, where: DataStorePredicate("guests == 2")))
                #expect(item.date == date)
            }
        }
    }
}

/// An item that a test keeps beyond its block.
private final class FrozenItem: @unchecked Sendable {
    // Unchecked: the threads of a test use the item in turn.
    var item: Restaurant?
}

/// A class whose items begin with values.
private final class Visit: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Visit", attributes: [AttributeSchema("guests"), AttributeSchema("date")])

    var backing: any ItemBacking

    init(backing: any ItemBacking) { self.backing = backing }

    var guests: Int {
        get { attribute(at: 0, default: 0) }
        set { setAttribute(newValue, at: 0) }
    }
    var date: Date? {
        get { optionalAttribute(at: 1) }
        set { setOptionalAttribute(newValue, at: 1) }
    }

    func setInitialValues() {
        guests = 2
        date = Date()
    }
}
