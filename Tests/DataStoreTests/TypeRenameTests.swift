import Foundation
import JustPersist
import JustPersistRecords
import Testing

/// Types that get another key from release to release: nothing of their items is rewritten.
@Suite struct TypeRenameTests {
    private static func schema(_ key: String, formerly keys: String...) -> ItemSchema {
        ItemSchema(
            key, formerTypeKeys: keys,
            attributes: [AttributeSchema("name", kinds: [.string]), AttributeSchema("other")])
    }

    private final class Meal: MutableDataStoreItem {
        static let schema = TypeRenameTests.schema("Meal")
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    private final class Dish: MutableDataStoreItem {
        static let schema = TypeRenameTests.schema("Dish", formerly: "Meal")
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    private func names(
        _ db: borrowing some DataStoreReadAccessor & ~Copyable, _ type: any DataStoreItem.Type
    ) throws -> [String?] {
        try db.performFetch(DataStoreRequest(itemType: type)).map {
            $0.value(forKeyPath: "name") as? String
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aRenamedClassFindsItsItemsBeforeAndAfterItIsDeclared(_ backend: Backend) throws {
        try backend.withStore { store in
            let id = try store.write { db in
                let meal = try db.create(Meal.self)
                try meal.setStoredValue("soup", forKeyPath: "name")
                let other = try db.create(Meal.self)
                try other.setStoredValue(meal.reference, forKeyPath: "other")
                return meal.uniqueToken
            }
            try store.read { db in
                try #expect(names(db, Dish.self) == ["soup", nil])
                try #expect(db.count(Dish.self) == 2)
                try #expect(db.item(Dish.self, id: id) != nil)
                try #expect(db.schemas().map(\.itemTypeKey) == ["Meal"])
            }
            try store.write { db in
                try db.create(Dish.self).setStoredValue("salad", forKeyPath: "name")
                try #expect(names(db, Dish.self) == ["soup", nil, "salad"])
            }
            // An earlier release goes on under the key that it knows.
            try store.write { db in
                try db.create(Meal.self).setStoredValue("stew", forKeyPath: "name")
            }
            try store.read { db in
                try #expect(db.schemas().map(\.itemTypeKey) == ["Dish"])
                try #expect(db.schemas().map(\.formerTypeKeys) == [["Meal"]])
                try #expect(names(db, Dish.self) == ["soup", nil, "salad", "stew"])
                try #expect(names(db, Meal.self) == ["soup", nil, "salad", "stew"])
                try #expect(db.count(DataStoreRequest(itemTypeKey: "Meal")) == 4)
                let dishes = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Dish"))
                #expect(
                    dishes[1]["other"] == .reference(ItemReference(itemTypeKey: "Dish", id: id)))
                // The reference was written when the type had its first key.
                try #expect(dishes[1].storedValue(forKeyPath: "other.name") == .string("soup"))
            }
            try #expect(store.verify().problems.isEmpty)
            try #expect(store.verify().itemCounts == ["Dish": 4])
        }
    }

    @Test(arguments: Backend.persistent)
    func theKeysOfATypeOutliveReopening(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            for (key, formerly) in [("A", []), ("B", ["A"]), ("C", ["B"])] as [(String, [String])] {
                let store = backend.make(at: directory)
                try store.open()
                try store.write { db in
                    try db.declare(
                        ItemSchema(
                            key, formerTypeKeys: formerly, attributes: [AttributeSchema("n")]))
                    try db.create(key)["n"] = .string(key)
                }
                try store.close()
            }
            let store = backend.make(at: directory)
            try store.open()
            for key in ["A", "B", "C"] {
                let items = try store.read { db in
                    try db.dynamicItems(DataStoreRequest(itemTypeKey: key)).map { $0["n"] }
                }
                #expect(items == [.string("A"), .string("B"), .string("C")], "\(key)")
            }
            try store.close()
        }
    }

    /// References to types that the store does not know give these a number, and nothing else.
    @Test(arguments: Backend.memoryAndReference)
    func aTypeThatIsOnlyReferredToIsNoneOfTheStores(_ backend: Backend) throws {
        try backend.withStore { store in
            let target = ItemReference(itemTypeKey: "Guest", id: ItemID())
            let nested = DataStoreValue.array([.dictionary(["a": .reference(target)])])
            try store.write { db in
                try db.declare(ItemSchema("Table", attributes: [AttributeSchema("guest")]))
                try db.create("Table")["guest"] = .reference(target)
                try db.create("Table")["guest"] = nested
            }
            try store.read { db in
                let tables = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Table"))
                #expect(tables.map { $0["guest"] } == [.reference(target), nested])
                try #expect(db.schemas().map(\.itemTypeKey) == ["Table"])
                try #expect(db.count(DataStoreRequest(itemTypeKey: "Guest")) == 0)
                try #expect(tables[0].storedValue(forKeyPath: "guest.name") == .null)
            }
            try #expect(store.verify().problems.isEmpty)
            try #expect(store.verify().itemCounts == ["Table": 2])
            expectError(.couldNotCreateItemOfType) {
                try store.write { db in _ = try db.create("Guest") }
            }
            try store.write { db in
                try db.declare(ItemSchema("Guest", attributes: [AttributeSchema("name")]))
                try db.create("Guest")["name"] = .string("Ann")
            }
            try store.read { db in
                try #expect(db.schemas().map(\.itemTypeKey) == ["Guest", "Table"])
                let tables = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Table"))
                #expect(tables.map { $0["guest"] } == [.reference(target), nested])
            }
        }
    }

    /// The key of a class is that of a reference before the type of the store has it.
    @Test(arguments: Backend.persistent)
    func aReferenceByTheNewKeyDoesNotHideTheRenamedType(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            func open() throws -> any DataStore {
                let store = backend.make(at: directory)
                try store.open()
                return store
            }
            var store = try open()
            try store.write { db in
                try db.create(Meal.self).setStoredValue("soup", forKeyPath: "name")
                try db.declare(ItemSchema("Note", attributes: [AttributeSchema("about")]))
            }
            try store.close()
            store = try open()
            try store.write { db in
                let dish = try #require(try db.first(Dish.self))
                #expect(dish.reference.itemTypeKey == "Dish")
                try db.create("Note")["about"] = .reference(dish.reference)
            }
            for isWritten in [false, true] {
                try store.close()
                store = try open()
                if isWritten {
                    try store.write { db in
                        try db.create(Dish.self).setStoredValue("salad", forKeyPath: "name")
                    }
                    try store.close()
                    store = try open()
                }
                try store.read { db in
                    try #expect(names(db, Dish.self).first == "soup")
                    let key = isWritten ? "Dish" : "Meal"
                    try #expect(db.schemas().map(\.itemTypeKey) == [key, "Note"])
                    let request = DataStoreRequest(itemTypeKey: key)
                    try #expect(db.dynamicItems(request).first?["name"] == .string("soup"))
                    let note = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Note")).first
                    guard case .reference(let reference)? = note?["about"] else {
                        Issue.record("\(String(describing: note?["about"]))")
                        return
                    }
                    try #expect(db.item(Dish.self, reference) != nil)
                    if isWritten {
                        try #expect(note?.storedValue(forKeyPath: "about.name") == .string("soup"))
                        // The release before knows the type by its own key only.
                        try #expect(db.item(Meal.self, reference) != nil)
                    }
                }
                try #expect(store.verify().problems.isEmpty)
            }
            try store.close()
        }
    }

    @Test(
        arguments: Backend.ofRecords,
        [String(repeating: "k", count: 300), String(repeating: "é", count: 40_000)])
    func aReferenceToATypeThatCannotBeIsRefused(_ backend: Backend, _ key: String) throws {
        try backend.withStore { store in
            try store.write { db in
                try db.declare(ItemSchema("Table", attributes: [AttributeSchema("guest")]))
            }
            let target = DataStoreValue.reference(ItemReference(itemTypeKey: key, id: ItemID()))
            for value in [target, .array([target]), .dictionary(["a": target])] {
                #expect(throws: DataStoreError.self) {
                    try store.write { db in
                        try db.create("Table").setStoredValue(value, forKeyPath: "guest")
                    }
                }
            }
            try #expect(store.verify().problems.isEmpty)
            try #expect(store.read { db in try db.schemas().map(\.itemTypeKey) } == ["Table"])
        }
    }

    /// A number that a block gave to a type is free again if the block is rolled back.
    @Test(arguments: Backend.memoryAndReference)
    func aRolledBackReferenceLeavesNoType(_ backend: Backend) throws {
        struct Upset: Error {}
        try backend.withStore { store in
            try store.write { db in
                try db.declare(ItemSchema("Table", attributes: [AttributeSchema("guest")]))
            }
            #expect(throws: Upset.self) {
                try store.write { db in
                    let gone = ItemReference(itemTypeKey: "Gone", id: ItemID())
                    try db.create("Table")["guest"] = .reference(gone)
                    throw Upset()
                }
            }
            let target = ItemReference(itemTypeKey: "Guest", id: ItemID())
            try store.write { db in try db.create("Table")["guest"] = .reference(target) }
            try store.read { db in
                let tables = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Table"))
                #expect(tables.map { $0["guest"] } == [.reference(target)])
            }
            try #expect(store.verify().problems.isEmpty)
        }
    }

    /// Its own values are a copy; those of others are out of reach.
    @Test(arguments: Backend.memoryAndReference)
    func aPathOfAnItemThatOutlivesItsBlockLeadsToNoOtherItem(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema("Node", attributes: [AttributeSchema("n"), AttributeSchema("next")]))
                let last = try db.create("Node")
                let first = try db.create("Node")
                first["next"] = .dictionary(["way": .reference(last.reference)])
            }
            var kept: DynamicItem?
            try store.performRead { db in
                kept = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Node")).last
            }
            let item = try #require(kept)
            try #expect(item.storedValue(forKeyPath: "next.other") == .null)
            expectError(.blockEnded) { _ = try item.storedValue(forKeyPath: "next.way.n") }
        }
    }
}
