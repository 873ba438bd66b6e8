import Foundation
import JustPersist
import JustPersistRecords
import Testing

/// Types that change from release to release, and stores that explain themselves.
@Suite struct CatalogTests {
    /// The items of a type without a class, in two forms of its declaration.
    private func declare(_ attributes: [AttributeSchema], in store: any DataStore) throws {
        try store.write { db in try db.declare(ItemSchema("T", attributes: attributes)) }
    }

    @Test(arguments: Backend.memoryAndReference)
    func storesExplainThemselves(_ backend: Backend) throws {
        try backend.withStore { store in
            try #expect(store.read { db in try db.schemas().count } == 0)
            try store.write { db in
                let item = try db.create(Restaurant.self)
                item.name = "a"
                item.value = .int(1)
                try db.create(Restaurant.self).value = .string("x")
                // The block sees its own types.
                try #expect(db.schemas().map(\.itemTypeKey) == ["Restaurant"])
                try db.create(Sample.self)[0] = .null
            }
            let schemas = try store.read { db in try db.schemas() }
            #expect(schemas.map(\.itemTypeKey) == ["Restaurant", "Sample"])
            let kinds = Dictionary(
                uniqueKeysWithValues: schemas[0].attributes.map { ($0.name, $0.storedKinds) })
            #expect(
                kinds == [
                    "name": [.string], "cuisine": [], "stars": [], "opened": [],
                    "value": [.int, .string],
                ])
            #expect(
                schemas[0].attributes.map(\.kinds) == [[.string], [.string], [.int], [.date], []])
            #expect(schemas[1].attributes.allSatisfy { $0.storedKinds.isEmpty })
            // Without any class, everything is there.
            try store.read { db in
                let items = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Restaurant"))
                try #expect(items[0].values() == ["name": .string("a"), "value": .int(1)])
                try #expect(items[1].values() == ["value": .string("x")])
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func rolledBackTypesAreForgotten(_ backend: Backend) throws {
        struct Failure: Error {}
        try backend.withStore { store in
            try store.fill(["a"])
            #expect(throws: Failure.self) {
                try store.write { db in
                    try db.create(Sample.self)[0] = .int(1)
                    try db.create(Restaurant.self).value = .int(1)
                    _ = try db.count(Sample.self)
                    throw Failure()
                }
            }
            let schemas = try store.read { db in try db.schemas() }
            #expect(schemas.map(\.itemTypeKey) == ["Restaurant"])
            #expect(schemas[0].attributes.last?.storedKinds == [])
            try store.write { db in try db.create(RestaurantOwner.self).name = "b" }
            try store.write { db in try db.create(Sample.self)[0] = .int(1) }
            try store.read { db in
                try #expect(db.count(Sample.self) == 1)
                try #expect(db.items(RestaurantOwner.self).map(\.name) == ["b"])
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func attributesMayBeAddedAndLeftOut(_ backend: Backend) throws {
        try backend.withStore { store in
            try declare([AttributeSchema("a"), AttributeSchema("b")], in: store)
            try store.write { db in
                let item = try db.create("T")
                item["a"] = .int(1)
                item["b"] = .int(2)
            }
            try store.read { db in
                // A release that has c and knows nothing of b.
                let items = try db.items(SecondRelease.self)
                #expect(items.map(\.a) == [1])
                #expect(items.map(\.c) == [nil])
                try #expect(
                    db.count(SecondRelease.self, where: DataStorePredicate("c == nil")) == 1)
                try #expect(
                    db.items(SecondRelease.self, sortedBy: .descending("c")).map(\.a) == [1])
            }
            try store.write { db in
                let item = try #require(try db.first(SecondRelease.self))
                item.c = "new"
                try #expect(
                    db.count(SecondRelease.self, where: DataStorePredicate("c == 'new'")) == 1)
                let error = #expect(throws: DataStoreError.self) {
                    _ = try item.storedValue(forKeyPath: "b")
                }
                #expect(error?.code == .unknownAttribute)
            }
            try store.read { db in
                let item = try #require(
                    try db.dynamicItems(DataStoreRequest(itemTypeKey: "T")).first)
                // What the second release did not know is as it was.
                try #expect(
                    item.values() == ["a": .int(1), "b": .int(2), "c": .string("new")])
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func renamedAttributesKeepTheirValues(_ backend: Backend) throws {
        try backend.withStore { store in
            try declare([AttributeSchema("title"), AttributeSchema("a")], in: store)
            try store.write { db in try db.create("T")["title"] = .string("old") }
            // Found under the old name before anything is written,
            try store.read { db in
                try #expect(db.items(Renamed.self).map(\.name) == ["old"])
                try #expect(
                    db.count(Renamed.self, where: DataStorePredicate("name == 'old'")) == 1)
                try #expect(
                    db.items(Renamed.self, sortedBy: .ascending("name")).map(\.name) == ["old"])
            }
            // and under the new one for good after that.
            try store.write { db in try db.create(Renamed.self).name = "new" }
            try store.read { db in
                try #expect(db.items(Renamed.self).map(\.name) == ["old", "new"])
                try #expect(db.schemas().first?.attributes.map(\.name) == ["name", "a"])
                let items = try db.dynamicItems(DataStoreRequest(itemTypeKey: "T"))
                #expect(items.map { $0["name"] } == [.string("old"), .string("new")])
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func declaringAgainChangesNothing(_ backend: Backend) throws {
        try backend.withStore { store in
            for _ in 0..<3 {
                try declare([AttributeSchema("a"), AttributeSchema("b")], in: store)
                try declare([AttributeSchema("b")], in: store)
            }
            try store.read { db in
                try #expect(db.schemas().map { $0.attributes.map(\.name) } == [["a", "b"]])
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func typesDeclaredInABlockAreUsableInIt(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                let request = DataStoreRequest(itemTypeKey: "T")
                try #expect(db.dynamicItems(request).isEmpty)
                try db.declare(ItemSchema("T", attributes: [AttributeSchema("a")]))
                let item = try db.create("T")
                item["a"] = .int(1)
                try db.declare(ItemSchema("T", attributes: [AttributeSchema("b")]))
                item["b"] = .int(2)
                request.setFilter(whereAttribute: "b", equalsValue: 2)
                try #expect(db.dynamicItems(request).first === item)
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func indexesAreRemembered(_ backend: Backend) throws {
        try backend.withStore { store in
            let schema = ItemSchema(
                "T",
                attributes: [
                    AttributeSchema("a", isUnique: true), AttributeSchema("b", isIndexed: true),
                ], indexes: [IndexSchema(["a", "b"])])
            try store.write { db in try db.declare(schema) }
            let indexes = try store.read { db in try db.schemas().first?.indexes }
            #expect(
                indexes == [
                    IndexSchema(["a"], isUnique: true), IndexSchema(["b"]),
                    IndexSchema(["a", "b"]),
                ])
            expectError(.unknownAttribute) {
                try store.write { db in
                    try db.declare(
                        ItemSchema("T", attributes: [], indexes: [IndexSchema(["missing"])]))
                }
            }
        }
    }
}

/// A type as a later release declares it.
private final class SecondRelease: MutableDataStoreItem {
    static let schema = ItemSchema(
        "T", attributes: [AttributeSchema("c"), AttributeSchema("a")])

    let backing: any ItemBacking

    init(backing: any ItemBacking) { self.backing = backing }

    var c: String? {
        get { optionalAttribute(at: 0) }
        set { setOptionalAttribute(newValue, at: 0) }
    }
    var a: Int { attribute(at: 1, default: 0) }
}

/// A type one of whose attributes had another name.
private final class Renamed: MutableDataStoreItem {
    static let schema = ItemSchema(
        "T", attributes: [AttributeSchema("name", originalName: "title")])

    let backing: any ItemBacking

    init(backing: any ItemBacking) { self.backing = backing }

    var name: String? {
        get { optionalAttribute(at: 0) }
        set { setOptionalAttribute(newValue, at: 0) }
    }
}
