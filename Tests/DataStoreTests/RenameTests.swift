import Foundation
import JustPersist
import Testing

/// Attributes that get another name from release to release.
@Suite struct RenameTests {
    /// The ways in which a release may write.
    enum Write: CaseIterable {
        case create, insert, update, keyPath, mutableVersion, delete, deleteAll
    }

    @Test(arguments: Backend.memoryAndReference, Write.allCases)
    func aChainOfRenamesKeepsValues(_ backend: Backend, _ write: Write) throws {
        try backend.withStore { store in
            try store.write { db in
                for text in ["a", "b"] { try db.create(FirstBook.self).text = text }
            }
            try store.write { db in
                let book = try #require(try db.first(SecondBook.self))
                switch write {
                case .create: try db.create(SecondBook.self).text = "c"
                case .insert: try db.add(book: SecondBook(), "c")
                case .update: book.text = "c"
                case .keyPath: try book.setStoredValue("c", forKeyPath: "name")
                case .mutableVersion: _ = try db.performMutableVersion(of: book)
                case .delete: try db.delete(book)
                case .deleteAll: try db.deleteAll(SecondBook.self)
                }
            }
            let texts: [String?] =
                switch write {
                case .create, .insert: ["a", "b", "c"]
                case .update, .keyPath: ["c", "b"]
                case .mutableVersion: ["a", "b"]
                case .delete: ["b"]
                case .deleteAll: []
                }
            try store.read { db in
                try #expect(db.items(ThirdBook.self).map(\.text) == texts)
                try #expect(db.schemas().first?.attributes.map(\.name) == ["name"])
            }
            try store.write { db in try db.create(ThirdBook.self).text = "z" }
            try store.read { db in
                try #expect(db.items(ThirdBook.self).map(\.text) == texts + ["z"])
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aClassFindsValuesUnderAnyFormerName(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in try db.create(FirstBook.self).text = "a" }
            try store.write { db in try db.create(SecondBook.self).text = "b" }
            try store.write { db in try db.create(ThirdBook.self).text = "c" }
            func check(_ class: (some Book).Type, _ name: String) throws {
                try store.read { db in
                    let books = try db.items(`class`)
                    #expect(books.map(\.text) == ["a", "b", "c"])
                    #expect(books.first?.value(forKeyPath: name) as? String == "a")
                    let predicate = try DataStorePredicate("\(name) >= 'b'")
                    try #expect(db.count(`class`, where: predicate) == 2)
                    let sorted = try db.items(`class`, sortedBy: .descending(name))
                    #expect(sorted.map(\.text) == ["c", "b", "a"])
                }
            }
            // Releases that skipped one, and the earlier ones, which may be in use still.
            try check(SkippingBook.self, "heading")
            try check(FirstBook.self, "title")
            try check(SecondBook.self, "name")
            try check(ThirdBook.self, "label")
            try store.write { db in
                let book = try #require(try db.first(FirstBook.self))
                book.text = "a"
                try db.delete(try db.create(FirstBook.self))
            }
            try check(ThirdBook.self, "label")
            try store.read { db in
                try #expect(db.schemas().first?.attributes.map(\.name) == ["label"])
                try #expect(
                    db.schemas().first?.attributes.first?.formerNames.sorted() == ["name", "title"])
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func dynamicItemsAndPredicatesFindFormerNames(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in try db.create(FirstBook.self).text = "a" }
            try store.write { db in try db.create(SecondBook.self).text = "b" }
            try store.write { db in
                let request = DataStoreRequest(itemTypeKey: "Book")
                let books = try db.dynamicItems(request)
                #expect(books.map { $0["title"] } == [.string("a"), .string("b")])
                try #expect(books.first?.values() == ["name": .string("a")])
                try books[0].setStoredValue("c", forKeyPath: "title")
                request.setFilter(whereAttribute: "title", equalsValue: "c")
                try #expect(db.dynamicItems(request).map { $0["name"] } == [.string("c")])
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aFormerNameMayBeGivenToAnotherAttribute(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in try db.create(FirstBook.self).text = "a" }
            try store.write { db in try db.create(SecondBook.self).text = "b" }
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "Book", attributes: [AttributeSchema("name"), AttributeSchema("title")]))
                try db.create("Book")["title"] = .string("Dr")
            }
            try store.read { db in
                let books = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Book"))
                #expect(books.map { $0["name"] } == [.string("a"), .string("b"), .null])
                #expect(books.map { $0["title"] } == [.null, .null, .string("Dr")])
            }
        }
    }

    /// A default gives an index another number, but the declaration fails over a rename after that.
    @Test(arguments: Backend.memoryAndReference)
    func aRefusedDeclarationLeavesIndexesAsTheyAre(_ backend: Backend) throws {
        try backend.withStore { store in
            let names = ["name", "title"].map { AttributeSchema($0) }
            let index = IndexSchema(["score"])
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "Book", attributes: names + [AttributeSchema("score")], indexes: [index]))
                let book = try db.create("Book")
                book["name"] = .string("new")
                book["score"] = .int(1)
                try db.create("Book")["title"] = .string("old")
            }
            try store.write { db in
                let later = ItemSchema(
                    "Book",
                    attributes: [
                        AttributeSchema("score", default: .int(5)),
                        AttributeSchema("name", originalName: "title"),
                    ], indexes: [index])
                expectError(.conflictingAttributes) { try db.declare(later) }
                let book = try #require(
                    try db.dynamicItems(DataStoreRequest(itemTypeKey: "Book")).first {
                        $0["name"] == .string("new")
                    })
                book["score"] = .int(10)
            }
            try store.read { db in
                for (format, count) in [("score == 1", 0), ("score == 10", 1)] {
                    let request = DataStoreRequest(itemTypeKey: "Book")
                    request.predicate = try DataStorePredicate(format)
                    #expect(try db.count(request) == count, "\(format)")
                }
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func valuesUnderBothNamesAreAnError(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "Book", attributes: [AttributeSchema("name"), AttributeSchema("title")]))
                try db.create("Book")["title"] = .string("old")
                try db.create("Book")["name"] = .string("new")
            }
            let calls: [(any DataStore) throws -> Void] = [
                { try $0.read { db in _ = try db.items(SecondBook.self) } },
                { try $0.read { db in _ = try db.count(SecondBook.self) } },
                { try $0.write { db in try db.create(SecondBook.self).text = "x" } },
                { try $0.write { db in try db.add(book: SecondBook(), "x") } },
                { try $0.write { db in try db.performDeleteAll([ItemType(SecondBook.self)]) } },
                {
                    try $0.read { db in
                        let id = ItemID()
                        _ = try db.item(SecondBook.self, id: id)
                    }
                },
            ]
            var messages: [String] = []
            for call in calls {
                let error = expectError(.conflictingAttributes) { try call(store) }
                messages.append(error?.message ?? "")
                #expect(error?.message.contains("“name”") == true)
                #expect(error?.message.contains("“title”") == true)
                #expect(error?.itemType == "Book")
            }
            try store.write { db in
                let books = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Book"))
                // Nothing is lost.
                #expect(books.map { $0["title"] } == [.string("old"), .null])
                #expect(books.map { $0["name"] } == [.null, .string("new")])
                // The way out is what the message says.
                let call =
                    #/mergeAttribute\("(\w+)", into: "(\w+)", of: "Book", preferring: .target\)/#
                let advice = try #require(messages.last?.firstMatch(of: call))
                try db.mergeAttribute(
                    String(advice.output.1), into: String(advice.output.2), of: "Book")
            }
            try store.read { db in
                try #expect(db.items(SecondBook.self).map(\.text) == ["old", "new"])
            }
            try store.write { db in try db.create(SecondBook.self).text = "newer" }
            try store.read { db in
                try #expect(db.items(FirstBook.self).map(\.text) == ["old", "new", "newer"])
                try #expect(db.schemas().first?.attributes.map(\.name) == ["name"])
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aNewNameWithoutValuesGivesWayToTheOld(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "Book", attributes: [AttributeSchema("name"), AttributeSchema("title")]))
                try db.create("Book")["title"] = .string("old")
            }
            try store.read { db in
                try #expect(db.items(SecondBook.self).map(\.text) == ["old"])
                let predicate = try DataStorePredicate("name == 'old'")
                try #expect(db.count(SecondBook.self, where: predicate) == 1)
            }
            try store.write { db in try db.create(SecondBook.self).text = "new" }
            try store.read { db in
                try #expect(db.items(ThirdBook.self).map(\.text) == ["old", "new"])
                try #expect(db.schemas().first?.attributes.map(\.name) == ["name"])
            }
        }
    }

    @Test(arguments: Backend.persistent)
    func formerNamesSurviveReopening(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            for release in 0..<4 {
                let store = backend.make(at: directory)
                try store.open()
                try store.write { db in
                    switch release {
                    case 0: try db.create(FirstBook.self).text = "a"
                    case 1: try #require(try db.first(SecondBook.self)).text = "b"
                    case 2: try #require(try db.first(ThirdBook.self)).text = "c"
                    default: try #expect(db.items(SkippingBook.self).map(\.text) == ["c"])
                    }
                }
                try expectSound(store)
                try store.close()
            }
        }
    }
}

extension DataStoreReadWriteAccessor where Self: ~Copyable {
    fileprivate func add(book: some Book, _ text: String) throws {
        book.text = text
        #expect(try performInsert(book))
    }
}

/// One attribute of a type, under the name that it has in a release.
private protocol Book: MutableDataStoreItem {}

extension Book {
    fileprivate var text: String? {
        get { optionalAttribute(at: 0) }
        set { setOptionalAttribute(newValue, at: 0) }
    }
}

private final class FirstBook: Book {
    static let schema = ItemSchema("Book", attributes: [AttributeSchema("title", kinds: [.string])])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}

private final class SecondBook: Book {
    static let schema = ItemSchema(
        "Book", attributes: [AttributeSchema("name", kinds: [.string], originalName: "title")])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}

private final class ThirdBook: Book {
    static let schema = ItemSchema(
        "Book", attributes: [AttributeSchema("label", kinds: [.string], originalName: "name")])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}

/// A release that knows the first one only.
private final class SkippingBook: Book {
    static let schema = ItemSchema(
        "Book", attributes: [AttributeSchema("heading", kinds: [.string], originalName: "title")])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}
