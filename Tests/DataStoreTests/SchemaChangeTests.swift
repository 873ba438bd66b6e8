import Foundation
import JustPersist
import Testing

/// The calls by which steps change types and attributes.
@Suite struct SchemaChangeTests {
    private static let names = ["a", "b"]

    private static func fill(
        _ store: any DataStore, _ rows: [[String: DataStoreValue]],
        indexes: [IndexSchema] = []
    ) throws {
        try store.write { db in
            try db.declare(
                ItemSchema("T", attributes: names.map { AttributeSchema($0) }, indexes: indexes))
            for row in rows {
                let item = try db.create("T")
                for (name, value) in row { item[name] = value }
            }
        }
    }

    private static func rows(
        _ store: any DataStore, _ key: String = "T"
    ) throws -> [[String: DataStoreValue]] {
        try store.read { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: key)).map { try $0.values() }
        }
    }

    private static func attributes(_ store: any DataStore, _ key: String = "T") throws -> [String] {
        try store.read { db in
            try db.schemas().first { $0.itemTypeKey == key }?.attributes.map(\.name) ?? []
        }
    }

    /// The store, and it again after it was reopened if it keeps its items.
    private static func onceAndReopened(
        _ store: any DataStore, _ body: () throws -> Void
    ) throws {
        try body()
        if store.capabilities.persistence == .none { return }
        try store.close()
        try store.open()
        try body()
    }

    // MARK: Removal

    @Test(arguments: Backend.allCases)
    func aDroppedAttributeIsNeverReadAgain(_ backend: Backend) throws {
        try backend.withStore { store in
            let row: [String: DataStoreValue] = ["a": .int(1), "b": .string("x")]
            try Self.fill(
                store, [row, row], indexes: [IndexSchema(["b"]), IndexSchema(["a", "b"])])
            try store.write { db in try db.dropAttribute("b", of: "T") }
            try Self.onceAndReopened(store) {
                try #expect(Self.rows(store) == [["a": .int(1)], ["a": .int(1)]])
                try #expect(Self.attributes(store) == ["a"])
                try #expect(store.read { db in try db.schemas()[0].indexes } == [])
                expectError(.unknownAttribute) {
                    _ = try store.read { db in
                        try db.dynamicItems(
                            DataStoreRequest(
                                type: ItemType(dynamic: "T"),
                                predicate: DataStorePredicate("b == 'x'"))
                        ).count
                    }
                }
            }
            expectError(.unknownAttribute) {
                try store.write { db in try db.dropAttribute("b", of: "T") }
            }
            // An attribute of that name is another one.
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "T",
                        attributes: [
                            AttributeSchema("b", kinds: [.int], default: .int(7), isIndexed: true)
                        ]))
            }
            let seven: [String: DataStoreValue] = ["a": .int(1), "b": .int(7)]
            try Self.onceAndReopened(store) {
                try #expect(Self.rows(store) == [seven, seven])
                try store.read { db in
                    let request = DataStoreRequest(itemTypeKey: "T")
                    request.predicate = try DataStorePredicate("b == 7")
                    try #expect(db.performCount(request) == 2)
                    request.predicate = try DataStorePredicate("b == 'x'")
                    try #expect(db.performCount(request) == 0)
                }
            }
            // Rewriting an item brings nothing back.
            try store.write { db in
                for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: "T")) {
                    item["a"] = .int(2)
                    item["b"] = .null
                }
            }
            try #expect(Self.rows(store).map { $0["a"] } == [.int(2), .int(2)])
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aBlockDropsAnAttributeOfItemsThatItHasChanged(_ backend: Backend) throws {
        final class Item: MutableDataStoreItem {
            static let schema = ItemSchema(
                "T", attributes: [AttributeSchema("a"), AttributeSchema("b")])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }
        try backend.withStore { store in
            try store.write { db in
                let item = try db.create(Item.self)
                try item.setStoredValue(1, forKeyPath: "a")
                try item.setStoredValue(2, forKeyPath: "b")
                try db.dropAttribute("b", of: "T")
                // The class declares it again.
                let other = try db.create(Item.self)
                try other.setStoredValue(3, forKeyPath: "b")
                try #expect(item.storedValue(forKeyPath: "b") == .null)
            }
            try #expect(Self.rows(store) == [["a": .int(1)], ["b": .int(3)]])
        }
    }

    @Test func erasedValuesLeaveNoBytes() throws {
        try withTemporaryDirectory { directory in
            let store = Backend.lmdb.make(at: directory)
            try store.open()
            try Self.fill(store, [["a": .int(1), "b": .string("very secret")]])
            try store.write { db in try db.dropAttribute("b", of: "T", erasingValues: true) }
            _ = try store.compact()
            try store.close()
            for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path)
            where name.hasSuffix(".mdb") {
                let data = try Data(contentsOf: directory.appending(path: name))
                #expect(data.range(of: Data("very secret".utf8)) == nil, "\(name)")
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func aDroppedTypeIsGoneAndItsKeyBeginsAnew(_ backend: Backend) throws {
        try backend.withStore { store in
            try Self.fill(store, [["a": .int(1)], ["b": .int(2)]], indexes: [IndexSchema(["a"])])
            try store.write { db in
                try db.declare(ItemSchema("U", attributes: [AttributeSchema("t")]))
                let first = try #require(
                    try db.dynamicItems(DataStoreRequest(itemTypeKey: "T")).first)
                try db.create("U")["t"] = .reference(first.reference)
            }
            try store.write { db in
                try db.dropType("T")
                try #expect(db.schemas().map(\.itemTypeKey) == ["U"])
            }
            try Self.onceAndReopened(store) {
                try #expect(store.read { db in try db.schemas().map(\.itemTypeKey) } == ["U"])
                try #expect(Self.rows(store).isEmpty)
                try store.read { db in
                    let other = try #require(
                        try db.dynamicItems(DataStoreRequest(itemTypeKey: "U")).first)
                    guard case .reference(let reference) = other["t"] else {
                        Issue.record("the reference is \(other["t"])")
                        return
                    }
                    try #expect(db.dynamicItem(reference) == nil)
                }
            }
            expectError(.invalidRequest) { try store.write { db in try db.dropType("T") } }
            try store.write { db in
                try db.declare(ItemSchema("T", attributes: [AttributeSchema("c")]))
                try db.create("T")["c"] = .int(3)
            }
            try Self.onceAndReopened(store) {
                try #expect(Self.rows(store) == [["c": .int(3)]])
                try #expect(Self.attributes(store) == ["c"])
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aChildDropsNothing(_ backend: Backend) throws {
        guard backend == .memory else { return }
        try backend.withStore { store in
            try Self.fill(store, [["a": .int(1)]])
            let child = try store.makeChild()
            try child.open()
            expectError(.unsupported) {
                try child.write { db in try db.dropAttribute("a", of: "T") }
            }
            expectError(.unsupported) { try child.write { db in try db.dropType("T") } }
            try child.close()
        }
    }

    // MARK: Names

    @Test(arguments: Backend.allCases)
    func namesAreSwapped(_ backend: Backend) throws {
        try backend.withStore { store in
            try Self.fill(store, [["a": .int(1), "b": .int(2)], ["a": .int(3)]])
            try store.write { db in
                try db.renameAttribute("a", to: "c", of: "T")
                try db.renameAttribute("b", to: "a", of: "T")
                try db.renameAttribute("c", to: "b", of: "T")
            }
            try Self.onceAndReopened(store) {
                try #expect(Self.rows(store) == [["b": .int(1), "a": .int(2)], ["b": .int(3)]])
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func aTypeIsRenamedWithTheReferencesToIt(_ backend: Backend) throws {
        try backend.withStore { store in
            try Self.fill(store, [["a": .int(1)]])
            try store.write { db in
                let item = try #require(
                    try db.dynamicItems(DataStoreRequest(itemTypeKey: "T")).first)
                item["b"] = .reference(item.reference)
                try db.renameType("T", to: "V")
            }
            try Self.onceAndReopened(store) {
                try store.read { db in
                    try #expect(db.schemas().map(\.itemTypeKey) == ["V"])
                    for key in ["T", "V"] {
                        let items = try db.dynamicItems(DataStoreRequest(itemTypeKey: key))
                        #expect(
                            items.map { $0["b"] }
                                == items.map {
                                    .reference(ItemReference(itemTypeKey: "V", id: $0.uniqueToken))
                                })
                        #expect(items.count == 1)
                    }
                }
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func attributesWithValuesForBothNamesAreMerged(_ backend: Backend) throws {
        let rows: [[String: DataStoreValue]] = [
            ["a": .int(1), "b": .int(2)], ["a": .int(3)], ["b": .int(4)], [:],
        ]
        let cases: [(AttributePreference, [DataStoreValue?])] = [
            (.target, [.int(2), .int(3), .int(4), nil]),
            (.source, [.int(1), .int(3), .int(4), nil]),
        ]
        for (preference, expected) in cases {
            try backend.withStore { store in
                try Self.fill(store, rows)
                expectError(.conflictingAttributes) {
                    try store.write { db in try db.renameAttribute("a", to: "b", of: "T") }
                }
                try #expect(Self.rows(store) == rows)
                try store.write { db in
                    try db.mergeAttribute("a", into: "b", of: "T", preferring: preference)
                }
                try Self.onceAndReopened(store) {
                    try #expect(Self.rows(store).map { $0["b"] } == expected)
                    try #expect(Self.attributes(store) == ["b"])
                }
                // The former name is one of the remaining attribute.
                try store.write { db in try db.mergeAttribute("a", into: "b", of: "T") }
                try store.write { db in try db.mergeAttribute("a", into: "d", of: "T") }
                try #expect(Self.attributes(store) == ["d"])
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func relationshipsAreNotRenamedAsAttributes(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "T", attributes: [],
                        relationships: [
                            RelationshipSchema("parent", to: "T", isToMany: false)
                        ]))
                expectError(.unsupported) { try db.renameAttribute("parent", to: "x", of: "T") }
                expectError(.unsupported) { try db.mergeAttribute("parent", into: "x", of: "T") }
            }
        }
    }
}
