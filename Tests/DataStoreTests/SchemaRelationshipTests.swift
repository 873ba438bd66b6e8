import Foundation
import JustPersist
import Testing

/// Relationships that change from one release to the next.
@Suite struct SchemaRelationshipTests {
    private enum Before {
        final class Author: MutableDataStoreItem {
            static let schema = ItemSchema(
                "Author", attributes: [AttributeSchema("name")],
                relationships: [.init("books", to: Book.self, isToMany: true, inverse: "author")])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }

        final class Book: MutableDataStoreItem {
            static let schema = ItemSchema(
                "Book", attributes: [AttributeSchema("title")],
                relationships: [.init("author", to: Author.self)])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }

            var author: ItemReference? {
                get { optionalAttribute(at: Self.schema.index(ofAttribute: "author") ?? 0) }
            }
        }
    }

    private enum After {
        final class Author: MutableDataStoreItem {
            static let schema = ItemSchema(
                "Author", attributes: [AttributeSchema("name")],
                relationships: [
                    .init(
                        "works", to: Book.self, isToMany: true, deleteRule: .cascade,
                        inverse: "authors")
                ])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }

        final class Book: MutableDataStoreItem {
            static let schema = ItemSchema(
                "Book", attributes: [AttributeSchema("title")],
                relationships: [.init("authors", to: Author.self, isToMany: true)])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }
    }

    /// A relationship to one becomes one to many, under another name.
    private static let plan = SchemaPlan("app", types: [After.Author.self, After.Book.self]) {
        SchemaStep("several authors") { db in
            try db.declare(After.Author.schema)
            try db.declare(After.Book.schema)
            for book in try db.dynamicItems(DataStoreRequest(itemTypeKey: "Book")) {
                guard case .reference(let reference) = book["author"],
                    let author = try db.dynamicItem(reference)
                else { continue }
                book.related(toMany: "authors", as: DynamicItem.self).insert(author)
            }
        }
    }

    private static func fill(_ store: any DataStore) throws {
        try store.write { db in
            try db.declare(Before.Author.schema)
            try db.declare(Before.Book.schema)
            let author = try db.create("Author")
            author["name"] = .string("Ann")
            for title in ["a", "b", "c"] {
                let book = try db.create("Book")
                book["title"] = .string(title)
                if title != "c" { book["author"] = .reference(author.reference) }
            }
        }
    }

    /// The titles of the author's books, and the numbers of authors of each book.
    private static func graph(
        _ store: any DataStore
    ) throws -> (books: [DataStoreValue], authors: [Int]) {
        try store.read { db in
            let author = try #require(
                try db.dynamicItems(DataStoreRequest(itemTypeKey: "Author")).first)
            return (
                author.related(toMany: "works", as: DynamicItem.self).map { $0["title"] },
                try db.dynamicItems(DataStoreRequest(itemTypeKey: "Book")).map {
                    $0.related(toMany: "authors", as: DynamicItem.self).count
                }
            )
        }
    }

    @Test(arguments: Backend.allCases)
    func aRelationshipToOneBecomesOneToMany(_ backend: Backend) throws {
        try backend.withStore { store in
            try Self.fill(store)
            let trial = try store.check(Self.plan)
            #expect(trial.failure == nil)
            try store.apply(Self.plan)
            if store.capabilities.persistence != .none {
                try store.close()
                try store.open()
            }
            let found = try Self.graph(store)
            #expect(found.books == [.string("a"), .string("b")])
            #expect(found.authors == [1, 1, 0])
            // The changed delete rule.
            try store.write { db in
                try db.delete(
                    try #require(try db.dynamicItems(DataStoreRequest(itemTypeKey: "Author")).first)
                )
            }
            try store.read { db in
                try #expect(db.performCount(DataStoreRequest(itemTypeKey: "Book")) == 1)
            }
        }
    }

    // MARK: Values that become relationships, and the reverse

    private static func rows(
        _ store: any DataStore, _ key: String
    ) throws -> [[String: DataStoreValue]] {
        try store.read { db in
            try db.dynamicItems(DataStoreRequest(itemTypeKey: key)).map { try $0.values() }
        }
    }

    /// Stores books whose author is a value, and authors whose books are values.
    private static func fillWithValues(_ store: any DataStore) throws {
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "Author", attributes: [AttributeSchema("name"), AttributeSchema("books")]))
            try db.declare(
                ItemSchema(
                    "Book", attributes: [AttributeSchema("title"), AttributeSchema("author")]))
            let author = try db.create("Author")
            author["name"] = .string("Ann")
            author["books"] = .array([.dictionary(["title": .string("a")])])
            let book = try db.create("Book")
            book["title"] = .string("a")
            book["author"] = .dictionary(["name": .string("Ann")])
        }
    }

    @Test(arguments: Backend.allCases)
    func valuesUnderTheNameOfARelationshipRefuseTheClass(_ backend: Backend) throws {
        try backend.withStore { store in
            try Self.fillWithValues(store)
            let before = try (Self.rows(store, "Author"), Self.rows(store, "Book"))
            let author = expectError(.schemaMismatch) {
                try store.write { db in _ = try db.create(Before.Author.self) }
            }
            #expect(
                author?.message == """
                    The stored items of “Author” do not fit its class: “books” is declared as a relationship to many, and \
                    has values of kind array in 1 item. Nothing was changed. Convert the values once, in a write block \
                    before the first use of the class: try db.renameAttribute("books", to: "booksBefore", of: "Author").
                    """)
            let book = expectError(.schemaMismatch) {
                try store.write { db in _ = try db.create(Before.Book.self) }
            }
            #expect(
                book?.message.hasSuffix(
                    """
                    try db.convert("author", of: "Book", to: .reference, onFailure: .keep(as: "authorBefore")).
                    """) == true)
            let after = try (Self.rows(store, "Author"), Self.rows(store, "Book"))
            #expect(before == after)
            // The advice, word for word.
            try store.write { db in
                try db.renameAttribute("books", to: "booksBefore", of: "Author")
                try db.convert(
                    "author", of: "Book", to: .reference, onFailure: .keep(as: "authorBefore"))
            }
            try store.write { db in
                let ann = try #require(try db.first(Before.Author.self))
                let book = try db.create(Before.Book.self)
                ann.related(toMany: "books", as: Before.Book.self).insert(book)
            }
            if store.capabilities.persistence != .none {
                try store.close()
                try store.open()
            }
            try store.read { db in
                let ann = try #require(try db.first(Before.Author.self))
                #expect(ann.related(toMany: "books", as: Before.Book.self).count == 1)
                let found = try db.items(
                    Before.Author.self, where: DataStorePredicate("books.@count == 1"))
                #expect(found.count == 1)
                let item = try #require(
                    try db.dynamicItems(DataStoreRequest(itemTypeKey: "Author")).first)
                #expect(
                    item["booksBefore"] == .array([.dictionary(["title": .string("a")])]))
                let books = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Book"))
                #expect(books[0]["authorBefore"] == .dictionary(["name": .string("Ann")]))
                #expect(books.map { $0["author"].isNull } == [true, false])
            }
            try expectSound(store)
        }
    }

    @Test(arguments: Backend.allCases)
    func aClassKeepsTheValuesBesideARelationshipWithTheirName(_ backend: Backend) throws {
        final class Author: MutableDataStoreItem {
            static let schema = ItemSchema(
                "Author",
                attributes: [
                    AttributeSchema("name"),
                    AttributeSchema("booksBefore", kinds: [.array], originalName: "books"),
                ],
                relationships: [.init("books", to: "Book", isToMany: true)])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }
        try backend.withStore { store in
            try Self.fillWithValues(store)
            for count in 1...3 {
                try store.write { db in
                    let author = try #require(try db.first(Author.self))
                    let books = author.related(toMany: "books", as: DynamicItem.self)
                    books.insert(try db.create("Book"))
                    #expect(books.count == count)
                    let found = try db.items(
                        Author.self, where: DataStorePredicate("books.@count == %d", count))
                    #expect(found.count == 1)
                    try #expect(
                        author.storedValue(forKeyPath: "booksBefore")
                            == .array([.dictionary(["title": .string("a")])]))
                }
            }
            try expectSound(store)
        }
    }

    @Test(arguments: Backend.allCases)
    func anAttributeWithoutValuesMakesRoomForARelationship(_ backend: Backend) throws {
        try backend.withStore { store in
            try Self.fillWithValues(store)
            try store.write { db in
                for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: "Author")) {
                    item["books"] = .null
                }
                for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: "Book")) {
                    item["author"] = .null
                }
                _ = try db.create(Before.Author.self)
                _ = try db.create(Before.Book.self)
            }
            try store.read { db in
                let names = try db.schemas().schema(ofType: "Author")?.attributes.map(\.name)
                #expect(names == ["name"])
            }
            try expectSound(store)
        }
    }

    @Test(arguments: Backend.allCases)
    func aRelationshipToOneBecomesAValue(_ backend: Backend) throws {
        final class Book: MutableDataStoreItem {
            static let schema = ItemSchema(
                "Book",
                attributes: [AttributeSchema("title"), AttributeSchema("author", kinds: [.string])])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }
        try backend.withStore { store in
            try Self.fill(store)
            let error = expectError(.schemaMismatch) {
                try store.write { db in _ = try db.create(Book.self) }
            }
            #expect(
                error?.message.hasSuffix(
                    """
                    try db.convert("author", of: "Book", to: .string, onFailure: .keep(as: "authorBefore")).
                    """) == true)
            let author = try store.read { db in
                try #require(try db.dynamicItems(DataStoreRequest(itemTypeKey: "Author")).first)
                    .reference
            }
            try store.write { db in
                try db.convert(
                    "author", of: "Book", to: .string, onFailure: .keep(as: "authorBefore"))
            }
            try store.write { db in
                try db.create(Book.self).setStoredValue("Ann", forKeyPath: "author")
            }
            let kept = try Self.rows(store, "Book").map { $0["authorBefore"] }
            #expect(kept == [.reference(author), .reference(author), nil, nil])
            try store.read { db in
                let author = try #require(
                    try db.dynamicItems(DataStoreRequest(itemTypeKey: "Author")).first)
                #expect(author.related(toMany: "books", as: DynamicItem.self).count == 0)
            }
            try expectSound(store)
        }
    }

    // MARK: Removal

    /// The types of a store.
    private static func types(_ store: any DataStore) throws -> Set<String> {
        try store.read { db in try Set(db.schemas().map(\.itemTypeKey)) }
    }

    @Test(arguments: Backend.allCases, [true, false])
    func aDroppedRelationshipToManyHasNoLinks(_ backend: Backend, isSource: Bool) throws {
        func schemas(_ isOrdered: Bool = true) -> [ItemSchema] {
            [
                ItemSchema(
                    "Book", attributes: [AttributeSchema("title")],
                    relationships: [
                        .init(
                            "tags", to: "Tag", isToMany: true, isOrdered: isOrdered,
                            inverse: "books",
                            minimum: 1)
                    ]),
                ItemSchema(
                    "Tag", attributes: [AttributeSchema("text")],
                    relationships: [.init("books", to: "Book", isToMany: true, inverse: "tags")]),
            ]
        }
        try backend.withStore { store in
            try store.write { db in
                for schema in schemas() { try db.declare(schema) }
                for _ in 0..<3 {
                    let book = try db.create("Book")
                    book.related(toMany: "tags", as: DynamicItem.self).insert(try db.create("Tag"))
                }
            }
            let before = try Self.types(store)
            #expect(before.count == 3)
            let plan = SchemaPlan("app") {
                SchemaStep("no tags") { db in
                    try db.dropAttribute(
                        isSource ? "tags" : "books", of: isSource ? "Book" : "Tag")
                }
            }
            try #expect(store.check(plan).failure == nil)
            try #expect(Self.types(store) == before)
            let report = try store.apply(plan)
            #expect(report.steps[0].changes.map(\.items) == [3])
            try #expect(Self.types(store) == ["Book", "Tag", "JustPersist.SchemaStep"])
            // A relationship that is declared under the name later has no items.
            try store.write { db in
                for schema in schemas() { try db.declare(schema) }
                for book in try db.dynamicItems(DataStoreRequest(itemTypeKey: "Book")) {
                    let tags = book.related(toMany: "tags", as: DynamicItem.self)
                    #expect(tags.count == 0)
                    tags.insert(try db.create("Tag"))
                    #expect(tags.count == 1)
                }
            }
            try expectSound(store)
        }
    }

    @Test(arguments: Backend.allCases, ["author", "books"])
    func aDroppedRelationshipToOneLeavesNoReferences(_ backend: Backend, name: String) throws {
        try backend.withStore { store in
            try Self.fill(store)
            try store.write { db in
                try db.dropAttribute(
                    name, of: name == "author" ? "Book" : "Author", erasingValues: true)
                expectError(.unknownAttribute) {
                    try db.dropAttribute(name, of: name == "author" ? "Book" : "Author")
                }
            }
            try store.write { db in
                try db.declare(Before.Author.schema)
                try db.declare(Before.Book.schema)
                let author = try #require(try db.first(Before.Author.self))
                #expect(author.related(toMany: "books", as: Before.Book.self).count == 0)
                for book in try db.items(Before.Book.self) { #expect(book.author == nil) }
                let book = try #require(try db.first(Before.Book.self))
                author.related(toMany: "books", as: Before.Book.self).insert(book)
            }
            try store.read { db in
                try #expect(
                    db.items(Before.Book.self).map { $0.author != nil } == [true, false, false])
            }
            try expectSound(store)
        }
    }

    @Test(arguments: Backend.allCases)
    func aDroppedPairIsSeparatedFromBothSides(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "Husband", attributes: [],
                        relationships: [.init("wife", to: "Wife", inverse: "husband")]))
                try db.declare(
                    ItemSchema(
                        "Wife", attributes: [],
                        relationships: [.init("husband", to: "Husband", minimum: 1)]))
                let wife = try db.create("Wife")
                try db.create("Husband").setRelated("wife", to: wife)
            }
            try store.write { db in try db.dropAttribute("wife", of: "Husband") }
            try #expect(Self.rows(store, "Wife") == [[:]])
            try #expect(Self.rows(store, "Husband") == [[:]])
            try expectSound(store)
        }
    }

    @Test func aChildDropsNoRelationship() throws {
        try Backend.memory.withStore { store in
            try Self.fill(store)
            let child = try store.makeChild()
            try child.open()
            try child.write { db in
                for (name, type) in [("author", "Book"), ("books", "Author")] {
                    expectError(.unsupported) { try db.dropAttribute(name, of: type) }
                }
                expectError(.unsupported) { try db.convert("author", of: "Book", to: .string) }
            }
            let found = try child.read { db in
                try db.dynamicItems(DataStoreRequest(itemTypeKey: "Book")).map {
                    $0["author"].isNull
                }
            }
            #expect(found == [false, false, true])
            try child.close()
        }
    }

    // MARK: Types

    @Test(arguments: Backend.allCases)
    func aTypeWithRelationshipsIsDropped(_ backend: Backend) throws {
        try backend.withStore { store in
            try Self.fill(store)
            try store.write { db in try db.dropType("Author") }
            try store.read { db in
                let books = try db.dynamicItems(DataStoreRequest(itemTypeKey: "Book"))
                #expect(books.count == 3)
                #expect(books.allSatisfy { $0["author"].isNull })
            }
            // The class declares it again.
            try store.write { db in
                let author = try db.create(Before.Author.self)
                try db.dynamicItems(DataStoreRequest(itemTypeKey: "Book"))[0]["author"] =
                    .reference(
                        author.reference)
            }
            try store.read { db in
                let author = try #require(
                    try db.dynamicItems(DataStoreRequest(itemTypeKey: "Author")).first)
                let books = author.related(toMany: "books", as: DynamicItem.self)
                #expect(books.count == 1)
            }
        }
    }
}
