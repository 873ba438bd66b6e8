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

    @Test(arguments: Backend.allCases)
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

    @Test(arguments: Backend.allCases)
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
    func itemsOfAReadBlockAreFrozenCopies(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            try store.fill(["a", "b"])
            let frozen = FrozenItem()
            expectError(.itemNotMutable) {
                try store.read { db in
                    let item = try #require(try db.first(Restaurant.self))
                    item.name = "no"
                    #expect(item.name == "a")
                    item.setValue("no", forKeyPath: "name")
                    #expect(item.name == "a")
                    frozen.item = item
                }
            }
            #expect(errors.codes == [.itemNotMutable, .itemNotMutable])
            try store.write { db in
                try #require(try db.first(Restaurant.self)).name = "changed"
                try db.delete(db.items(Restaurant.self)[1])
            }
            try onThreads(1) { _ in
                #expect(frozen.item?.name == "a")
                #expect(frozen.item?.stars == 0)
            }
            frozen.item?.name = "no"
            #expect(errors.codes.count == 3)
            #expect(errors.all.last?.attribute == "name")
            try #expect(store.names() == ["changed"])
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

    @Test(arguments: Backend.allCases)
    func itemsOfAWriteBlockAreFrozenWhenItEnds(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            try store.fill(["a"])
            let kept = FrozenItem()
            let created = FrozenItem()
            try store.write { db in
                kept.item = try db.first(Restaurant.self)
                kept.item?.name = "changed"
                created.item = try db.create(Restaurant.self)
                created.item?.name = "new"
            }
            kept.item?.name = "no"
            created.item?.stars = 5
            #expect(errors.codes == [.itemNotMutable, .itemNotMutable])
            #expect(kept.item?.name == "changed")
            #expect(created.item?.name == "new")
            #expect(created.item?.stars == 0)
            try store.write { db in
                let live: Restaurant = try db.mutableVersion(ofItem: try #require(created.item))
                live.stars = 9
                #expect(created.item?.stars == 0)
            }
            let stars = try store.read { db in try db.items(Restaurant.self).map(\.stars) }
            #expect(stars == [0, 9])
        }
    }

    @Test(arguments: Backend.allCases)
    func mutableVersionLeadsFromAnyEarlierBlock(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            try store.fill(["a", "b"])
            let frozen = FrozenItem()
            try store.read { db in frozen.item = try db.first(Restaurant.self) }
            let item = try #require(frozen.item)
            try store.write { db in
                let live: Restaurant = try db.mutableVersion(ofItem: item)
                live.name = "changed"
            }
            try #expect(store.names() == ["changed", "b"])
            try store.write { db in
                #expect(db.delete(item: item) == true)
                #expect(db.mutableVersion(ofItem: item) == nil)
            }
            try store.write { db in
                #expect(db.mutableVersion(ofItem: item) == nil)
                expectError(.couldNotFetchMutableVersion) {
                    let _: Restaurant = try db.mutableVersion(ofItem: item)
                }
            }
            #expect(errors.codes.isEmpty)
            try #expect(store.names() == ["b"])
        }
    }

    @Test(arguments: Backend.allCases) func deletingTwiceIsFalse(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            try store.fill(["a", "b"])
            let deleted = FrozenItem()
            try store.write { db in
                let item = try #require(try db.first(Restaurant.self))
                deleted.item = item
                #expect(db.delete(item: item) == true)
                #expect(db.delete(item: item) == false)
                expectError(.couldNotDeleteItem) { try db.delete(item) }
                let new = try db.create(Restaurant.self)
                #expect(db.delete(item: new) == true)
                #expect(db.delete(item: new) == false)
            }
            try store.write { db in
                let item = try #require(deleted.item)
                #expect(db.delete(item: item) == false)
                #expect(db.batchDeleteAllItems(ofMutableTypes: []) == true)
                #expect(db.deleteAllItems(ofMutableType: RestaurantOwner.self) == true)
            }
            #expect(errors.codes.isEmpty)
            try #expect(store.names() == ["b"])
        }
    }

    @Test(arguments: Backend.allCases)
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

    @Test(arguments: Backend.allCases)
    func insertTakesADetachedItemOnce(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            let detached = Restaurant()
            detached.name = "a"
            detached.value = .dictionary(["x": .null])
            let token = detached.uniqueToken
            try store.write { db in
                #expect(db.insert(detached) == true)
                #expect(detached.uniqueToken == token)
                try #expect(db.first(Restaurant.self) === detached)
                detached.stars = 3
                #expect(db.insert(detached) == true)
                try #expect(db.count(Restaurant.self) == 1)
            }
            try store.write { db in
                #expect(db.insert(detached) == true)
                let twin = Restaurant(
                    backing: DictionaryBacking(
                        itemTypeKey: "Restaurant", schema: Restaurant.schema, id: token,
                        values: ["name": .string("twin")]))
                #expect(db.insert(twin) == true)
                try #expect(db.count(Restaurant.self) == 1)
            }
            try store.read { db in
                let item = try #require(try db.item(Restaurant.self, id: token))
                #expect(item.name == "a")
                #expect(item.stars == 3)
                #expect(item.value == .dictionary(["x": .null]))
            }
            #expect(errors.codes.isEmpty)
        }
    }

    @Test(arguments: Backend.allCases)
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

    @Test(arguments: Backend.allCases)
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

    @Test(arguments: Backend.allCases)
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

    @Test(arguments: Backend.allCases)
    func tokenNeverChanges(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            let token = try store.write { db in
                let item = try db.create(Restaurant.self)
                let token = item.uniqueToken
                item.name = "a"
                #expect(item.uniqueToken == token)
                return token
            }
            try store.write { db in
                let item = try #require(try db.first(Restaurant.self))
                #expect(item.uniqueToken == token)
                item.name = "b"
            }
            func check() throws {
                try store.read { db in
                    try #expect(db.items(Restaurant.self).map(\.uniqueToken) == [token])
                    let item = try db.item(Restaurant.self, id: token)
                    #expect(item?.name == "b")
                    #expect(item?.value(forKeyPath: "uniqueToken") as? UUID == token.uuid)
                }
            }
            try check()
            if backend.isPersistent {
                try store.close()
                try store.open()
                try check()
            }
            try store.close()
        }
    }

    @Test(arguments: Backend.allCases) func tokensAreUniqueAndAscend(_ backend: Backend) throws {
        try backend.withStore { store in
            let tokens = try store.write { db in
                var tokens: [ItemID] = []
                for _ in 0..<5000 { tokens.append(try db.create(Restaurant.self).uniqueToken) }
                return tokens
            }
            #expect(Set(tokens).count == 5000)
            #expect(tokens == tokens.sorted())
            try #expect(
                store.read { db in try db.items(Restaurant.self).map(\.uniqueToken) } == tokens)
        }
    }

    @Test(arguments: Backend.allCases)
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

    @Test(arguments: Backend.allCases)
    func deletedAndMadeAgainIsANewItem(_ backend: Backend) throws {
        try backend.withStore { store in
            let detached = Restaurant()
            let token = detached.uniqueToken
            detached.name = "old"
            detached.stars = 5
            _ = try store.write { db in db.insert(detached) }
            try store.write { db in try db.deleteAll(Restaurant.self) }
            try store.write { db in
                let twin = DynamicItem("Restaurant", id: token, values: ["name": .string("new")])
                #expect(db.insert(twin) == true)
            }
            try store.read { db in
                let item = try #require(try db.item(Restaurant.self, id: token))
                #expect(item.name == "new")
                #expect(item.stars == 0)
            }
        }
    }

    @Test(arguments: Backend.allCases) func typesDoNotMix(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                for number in 0..<50 {
                    let schema = ItemSchema(
                        String(repeating: "T", count: number + 1),
                        attributes: [AttributeSchema("n")])
                    try db.declare(schema)
                    for _ in 0...number { try db.create(schema.itemTypeKey)["n"] = .int(1) }
                }
                try db.create(Restaurant.self).name = "a"
                try db.create(RestaurantOwner.self).name = "b"
            }
            try store.write { db in
                try db.deleteAll(Restaurant.self)
                try #expect(db.count(RestaurantOwner.self) == 1)
                for number in 0..<50 {
                    let request = DataStoreRequest(
                        itemTypeKey: String(repeating: "T", count: number + 1))
                    try #expect(db.count(request) == number + 1)
                    try #expect(db.dynamicItems(request).count == number + 1)
                }
                db.batchDeleteAllItems(ofMutableTypes: [Restaurant.self, RestaurantOwner.self])
                try #expect(db.count(RestaurantOwner.self) == 0)
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func unknownTypeIsEmpty(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            store.read { db in
                let request = DataStoreRequest(itemType: Restaurant.self)
                #expect(db.items(forRequest: request).isEmpty)
                #expect(db.firstItem(forRequest: request) == nil)
                #expect(db.countItems(forRequest: request) == 0)
                #expect(db.countItems(forRequest: DataStoreRequest(itemTypeKey: "No")) == 0)
            }
            try store.write { db in
                #expect(db.deleteAllItems(ofMutableType: Restaurant.self) == true)
                try #expect(db.item(Restaurant.self, id: ItemID()) == nil)
            }
            #expect(errors.codes.isEmpty)
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
