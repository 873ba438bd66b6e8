import Foundation
import JustPersist
import Testing

/// Items without a value for an attribute that is declared with a default.
@Suite struct DefaultTests {
    /// Conditions on the attributes that the second release added, and whether an older item fulfils them.
    private static let conditions: [(String, Bool)] = [
        ("isArchived == false", true), ("isArchived != false", false),
        ("isArchived == true", false),
        ("isArchived == nil", false), ("isArchived != nil", true), ("isArchived < true", true),
        ("stars == 3", true), ("stars == 3.0", true), ("stars != 3", false), ("stars > 2", true),
        ("stars >= 4", false), ("stars IN {1, 3}", true), ("stars BETWEEN {2, 4}", true),
        ("stars == nil", false), ("NOT stars == 3", false),
        ("tag == 'new'", true), ("tag != 'new'", false), ("tag CONTAINS 'e'", true),
        ("tag BEGINSWITH[c] 'N'", true), ("tag ENDSWITH 'x'", false), ("tag < 'z'", true),
        ("tag == nil", false), ("tag != nil", true), ("'e' IN tag", true),
        ("since == 5", true), ("tags CONTAINS 'b'", true), ("tags.@count == 2", true),
    ]

    private func check(_ store: any DataStore) throws {
        try store.read { db in
            let note = try #require(try db.first(SecondNote.self))
            #expect(note.name == "a")
            #expect(note.isArchived == false)
            #expect(note.stars == 3)
            #expect(note.tag == "new")
            #expect(note.value(forKeyPath: "stars") as? Int == 3)
            for (format, isMatch) in Self.conditions {
                let predicate = try DataStorePredicate(format)
                let count = try db.count(SecondNote.self, where: predicate)
                #expect(count == (isMatch ? 1 : 0), "\(format)")
                try #expect(
                    db.items(SecondNote.self, where: predicate).count == count, "\(format)")
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func anAttributeAddedLaterIsItsDefault(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in try db.create(FirstNote.self).name = "a" }
            try check(store)
            // The same when the store has come to know of the attributes,
            try store.write { db in
                let note = try #require(try db.first(SecondNote.self))
                note.name = "a"
                try db.delete(try db.create(SecondNote.self))
            }
            try check(store)
            // and for who has no class.
            try store.read { db in
                let note = try #require(
                    try db.dynamicItems(DataStoreRequest(itemTypeKey: "Note")).first)
                try #expect(
                    note.values() == [
                        "name": .string("a"), "isArchived": .bool(false), "stars": .int(3),
                        "tag": .string("new"), "since": .double(5),
                        "tags": .array([.string("a"), .string("b")]),
                    ])
                for (format, isMatch) in Self.conditions {
                    let request = DataStoreRequest(itemTypeKey: "Note")
                    request.predicate = try DataStorePredicate(format)
                    try #expect(db.count(request) == (isMatch ? 1 : 0), "\(format)")
                }
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func anExplicitNilStaysNil(_ backend: Backend) throws {
        try backend.withStore { store in
            // Set in the release before the default, or in that one; by an item of the store, or one inserted.
            try store.write { db in
                let old = try db.create(OptionalNote.self)
                old.stars = nil
                old.tag = nil
                try db.create(SecondNote.self).tag = nil
                let new = SecondNote()
                new.tag = nil
                #expect(new.tag == nil)
                try #expect(db.performInsert(new))
                try #expect(
                    db.count(SecondNote.self, where: DataStorePredicate("tag == nil")) == 3)
            }
            try store.write { db in
                // A change of another attribute leaves it.
                for note in try db.items(SecondNote.self) { note.name = "b" }
            }
            try store.read { db in
                try #expect(db.items(SecondNote.self).map(\.tag) == [nil, nil, nil])
                try #expect(
                    db.count(SecondNote.self, where: DataStorePredicate("tag == nil")) == 3)
                try #expect(
                    db.count(SecondNote.self, where: DataStorePredicate("tag == 'new'")) == 0)
                try #expect(
                    db.count(SecondNote.self, where: DataStorePredicate("tag CONTAINS 'n'")) == 0)
                let notes = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Note"))
                #expect(notes.map { $0["tag"] } == [.null, .null, .null])
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aStoredNilOfWhatIsOptionalNoMoreIsTheDefault(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                let note = try db.create(OptionalNote.self)
                note.stars = nil
                note.name = "nil"
                try db.create(OptionalNote.self).stars = 5
            }
            func check() throws {
                try store.read { db in
                    try #expect(db.items(SecondNote.self).map(\.stars) == [3, 5])
                    try #expect(
                        db.count(SecondNote.self, where: DataStorePredicate("stars == 3")) == 1)
                    try #expect(
                        db.count(SecondNote.self, where: DataStorePredicate("stars == nil")) == 0)
                    try #expect(
                        db.count(SecondNote.self, where: DataStorePredicate("stars != 3")) == 1)
                    try #expect(
                        db.items(SecondNote.self, sortedBy: .descending("stars")).map(\.stars)
                            == [5, 3])
                }
            }
            try check()
            try store.write { db in try db.delete(try db.create(SecondNote.self)) }
            try check()
            try store.read { db in
                let notes = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Note"))
                #expect(notes.map { $0["stars"] } == [.int(3), .int(5)])
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func theRecordedDefaultOutlivesALaterOne(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in try db.create(FirstNote.self).name = "a" }
            try store.write { db in try db.delete(try db.create(SecondNote.self)) }
            try store.write { db in
                let note = ThirdNote()
                #expect(note.stars == 8)
                try #expect(db.performInsert(note))
            }
            try store.read { db in
                try #expect(db.items(ThirdNote.self).map(\.stars) == [3, 8])
                try #expect(
                    db.count(ThirdNote.self, where: DataStorePredicate("stars == 3")) == 1)
                let stars = try #require(
                    try db.schemas().first?.attributes.first { $0.name == "stars" })
                #expect(stars.defaultValue == .int(3))
                #expect(!stars.isOptional)
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aRecordedDefaultIsConvertedAndNeverReplaced(_ backend: Backend) throws {
        try backend.withStore { store in
            func declare(_ attribute: AttributeSchema) throws -> DataStoreValue? {
                try store.write { db in
                    try db.declare(ItemSchema("T", attributes: [attribute]))
                    return try db.dynamicItems(DataStoreRequest(itemTypeKey: "T")).first?["a"]
                }
            }
            _ = try declare(AttributeSchema("a", kinds: [.int], default: .int(7)))
            try store.write { db in _ = try db.create("T") }
            try #expect(
                declare(AttributeSchema("a", kinds: [.double], default: .double(1))) == .double(7))
            let text = AttributeSchema("a", kinds: [.string], default: .string("x"))
            try #expect(declare(text) == .int(7))
            try #expect(declare(AttributeSchema("a", kinds: [.date])) == .int(7))
            try #expect(
                declare(AttributeSchema("a", kinds: [.int], default: .int(1))) == .int(7))
            try #expect(store.read { db in try db.schemas().map(\.itemTypeKey) } == ["T"])
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func dynamicItemsHaveDeclaredDefaults(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema("T", attributes: [AttributeSchema("a", default: .int(7))]))
                let item = try db.create("T")
                #expect(item["a"] == .int(7))
                item["a"] = .int(1)
                try #expect(db.performInsert(DynamicItem("T")))
            }
            try store.read { db in
                let items = try db.dynamicItems(DataStoreRequest(itemTypeKey: "T"))
                #expect(items.map { $0["a"] } == [.int(1), .int(7)])
            }
        }
    }
}

/// The first release of a type.
private final class FirstNote: MutableDataStoreItem {
    static let schema = ItemSchema("Note", attributes: [AttributeSchema("name", kinds: [.string])])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }

    var name: String? {
        get { optionalAttribute(at: 0) }
        set { setOptionalAttribute(newValue, at: 0) }
    }
}

/// A release in which what the second one gives a default was optional.
private final class OptionalNote: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Note",
        attributes: [
            AttributeSchema("name", kinds: [.string]), AttributeSchema("stars", kinds: [.int]),
            AttributeSchema("tag", kinds: [.string]),
        ])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }

    var name: String? {
        get { optionalAttribute(at: 0) }
        set { setOptionalAttribute(newValue, at: 0) }
    }
    var stars: Int? {
        get { optionalAttribute(at: 1) }
        set { setOptionalAttribute(newValue, at: 1) }
    }
    var tag: String? {
        get { optionalAttribute(at: 2) }
        set { setOptionalAttribute(newValue, at: 2) }
    }
}

/// The second release, with attributes that the first had not.
private final class SecondNote: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Note",
        attributes: [
            AttributeSchema("isArchived", kinds: [.bool], default: .bool(false)),
            AttributeSchema("name", kinds: [.string]),
            AttributeSchema("stars", kinds: [.int], default: .int(3)),
            AttributeSchema("tag", kinds: [.string], default: .string("new"), isOptional: true),
            AttributeSchema("since", kinds: [.double], default: .double(5)),
            AttributeSchema(
                "tags", kinds: [.array], default: .array([.string("a"), .string("b")])),
        ])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }

    var isArchived: Bool {
        get { attribute(at: 0, default: false) }
        set { setAttribute(newValue, at: 0) }
    }
    var name: String? {
        get { optionalAttribute(at: 1) }
        set { setOptionalAttribute(newValue, at: 1) }
    }
    var stars: Int {
        get { attribute(at: 2, default: 3) }
        set { setAttribute(newValue, at: 2) }
    }
    var tag: String? {
        get { optionalAttribute(at: 3) }
        set { setOptionalAttribute(newValue, at: 3) }
    }
}

/// A release that gives new items another default.
private final class ThirdNote: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Note", attributes: [AttributeSchema("stars", kinds: [.int], default: .int(8))])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }

    func setInitialValues() { setAttribute(8, at: 0) }

    var stars: Int { attribute(at: 0, default: 8) }
}
