import Foundation
import JustPersist
import JustPersistImportExport
import JustPersistMigration
import Testing

/// Items of classes with relationships, in exports, imports and mappings.
@Suite struct RelationExportTests {
    final class Author: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Author", attributes: [AttributeSchema("name", isUnique: true)],
            relationships: [
                RelationshipSchema(
                    "books", to: Book.self, isToMany: true, deleteRule: .noAction, inverse: "author"
                ),
                RelationshipSchema("friends", to: Author.self, isToMany: true, inverse: "friends"),
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
        var books: ToMany<Book> { related(toMany: "books") }
        var friends: ToMany<Author> { related(toMany: "friends") }
    }

    final class Book: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Book", attributes: [AttributeSchema("title", isUnique: true)],
            relationships: [
                RelationshipSchema("author", to: Author.self),
                RelationshipSchema(
                    "tags", to: Tag.self, isToMany: true, isOrdered: true, inverse: "books"),
                RelationshipSchema(
                    "chapters", to: Chapter.self, isToMany: true, isOrdered: true, inverse: "book"),
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
        var tags: ToMany<Tag> { related(toMany: "tags") }
        var chapters: ToMany<Chapter> { related(toMany: "chapters") }
    }

    final class Tag: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Tag", attributes: [AttributeSchema("text", isUnique: true)],
            relationships: [
                RelationshipSchema("books", to: Book.self, isToMany: true, isOrdered: true)
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
        var books: ToMany<Book> { related(toMany: "books") }
    }

    final class Chapter: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Chapter", attributes: [AttributeSchema("number")],
            relationships: [RelationshipSchema("book", to: Book.self)])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    private static let classes: [any MutableDataStoreItem.Type] = [
        Author.self, Book.self, Tag.self, Chapter.self,
    ]

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// A store with the classes declared, and two books of one author in it.
    private func makeStore(_ backend: Backend, _ name: String = "store") throws -> any DataStore {
        let store = try backend.open(in: directory.url.appending(path: name))
        try store.write { db in
            for type in Self.classes { try db.declare(type.schema) }
        }
        return store
    }

    private func fill(_ store: any DataStore) throws {
        try store.write { db in
            var (authors, books): ([Author], [Book]) = ([], [])
            var (tags, chapters): ([Tag], [Chapter]) = ([], [])
            for name in ["Ä", "李"] {
                authors.append(try db.make(Author.self, "name", .string(name)))
            }
            for title in ["b1", "b2"] {
                books.append(try db.make(Book.self, "title", .string(title)))
            }
            for text in ["x", "y", "z"] {
                tags.append(try db.make(Tag.self, "text", .string(text)))
            }
            for number in 1...3 {
                chapters.append(try db.make(Chapter.self, "number", .int(Int64(number))))
            }
            for book in books { authors[0].books.insert(book) }
            authors[0].friends.insert(authors[1])
            // Neither order is that of creation, and the orders of both ends differ.
            for tag in [tags[2], tags[0], tags[1]] { books[0].tags.insert(tag) }
            books[1].tags.insert(tags[0])
            tags[0].books.insert(books[1], at: 0)
            for chapter in [chapters[1], chapters[2], chapters[0]] {
                books[0].chapters.insert(chapter)
            }
        }
    }

    /// What relates the items, in its order.
    private func graph(_ store: any DataStore) throws -> [String] {
        let paths = [
            ("Author", "name", ["books.title", "friends.name"]),
            ("Book", "title", ["author.name", "tags.text", "chapters.number"]),
            ("Tag", "text", ["books.title"]), ("Chapter", "number", ["book.title"]),
        ]
        return try store.read { db in
            var lines: [String] = []
            for (type, name, related) in paths {
                let request = DataStoreRequest(itemTypeKey: type)
                request.sortDescriptors = [DataStoreSortDescriptor(key: name, ascending: true)]
                for item in try db.dynamicItems(request) {
                    let values = try ([name] + related).map {
                        try item.storedValue(forKeyPath: $0).cell ?? "null"
                    }
                    lines.append("\(type) \(values.joined(separator: " "))")
                }
            }
            return lines
        }
    }

    private static let expected = [
        #"Author Ä ["b1","b2"] ["李"]"#, #"Author 李 [] ["Ä"]"#,
        #"Book b1 Ä ["z","x","y"] [2,3,1]"#, #"Book b2 Ä ["x"] []"#,
        #"Tag x ["b2","b1"]"#, #"Tag y ["b1"]"#, #"Tag z ["b1"]"#,
        "Chapter 1 b1", "Chapter 2 b1", "Chapter 3 b1",
    ]

    private func exported(
        _ store: any DataStore, _ type: String, _ name: String, _ change: (inout ItemExport) -> Void
    ) throws -> URL {
        var export = ItemExport(DataStoreRequest(itemTypeKey: type))
        change(&export)
        let file = directory.url.appending(path: name)
        try export.run(from: store, to: file, replacing: true)
        return file
    }

    private func text(
        _ store: any DataStore, _ type: String, _ name: String = "rows.jsonl",
        _ change: (inout ItemExport) -> Void
    ) throws -> String {
        try String(contentsOf: exported(store, type, name, change), encoding: .utf8)
    }

    // MARK: Round trips

    private static let orders = [
        ["Author", "Book", "Tag", "Chapter"], ["Chapter", "Tag", "Book", "Author"],
        ["Tag", "Author", "Chapter", "Book"],
    ]

    @Test(arguments: Backend.allCases, orders)
    func aGraphComesBackInAnyOrderOfTypes(_ backend: Backend, _ types: [String]) throws {
        let source = try makeStore(backend, "source")
        try fill(source)
        try #require(try graph(source) == Self.expected)
        for format in ["jsonl", "csv"] {
            try bringBack(source, into: makeStore(backend, "target-\(format)"), types, format)
        }
        try source.close()
    }

    private func bringBack(
        _ source: any DataStore, into target: any DataStore, _ types: [String], _ format: String
    ) throws {
        // Twice: the second import changes nothing.
        for _ in 0..<2 {
            for type in types {
                let file = try exported(source, type, "rows.\(format)") { $0.includesIDs = true }
                try ItemImport(itemType: type, batchSize: 1).run(file, into: target)
            }
            #expect(try graph(target) == Self.expected, "\(format)")
        }
        for type in types { #expect(try target.ids(type) == source.ids(type)) }
        #expect(try target.verify().problems.isEmpty)
        try target.close()
    }

    @Test func aFileChangesTheRelationshipsOfItems() throws {
        let store = try makeStore(.lmdb)
        try fill(store)
        let file = try exported(store, "Book", "rows.jsonl") { $0.includesIDs = true }
        try store.write { db in
            for book in try db.items(Book.self) {
                book.tags.removeAll()
                for chapter in book.chapters.items.reversed() {
                    book.chapters.insert(chapter, at: 2)
                }
            }
            try db.create(Tag.self).books.insert(try #require(try db.items(Book.self).first))
        }
        try #require(try graph(store) != Self.expected)
        try ItemImport(itemType: "Book").run(file, into: store)
        let books = try graph(store).filter { $0.hasPrefix("Book") }
        #expect(books == Self.expected.filter { $0.hasPrefix("Book") })
        try store.close()
    }

    // MARK: Columns

    @Test func namedRelationshipsAreReferencesAndLinksAreObjects() throws {
        let store = try makeStore(.memory)
        try fill(store)
        let ids = try store.ids("Tag").map { "{\"$ref\":{\"type\":\"Tag\",\"id\":\"\($0)\"}}" }
        let references = try text(store, "Book") { $0.attributes = ["title", "tags"] }
        #expect(
            references == """
                {"title":"b1","tags":[\(ids[2]),\(ids[0]),\(ids[1])]}
                {"title":"b2","tags":[\(ids[0])]}

                """)
        let plain = try text(store, "Author") { $0.attributes = nil }
        #expect(plain == "{\"name\":\"Ä\"}\n{\"name\":\"李\"}\n")
        let objects = try text(store, "Author") { $0.links = ["books.chapters", "friends"] }
        let author = try store.ids("Author")[0]
        let own = "\"author\":{\"$ref\":{\"type\":\"Author\",\"id\":\"\(author)\"}}"
        let book = try store.ids("Book")[0]
        let chapters = [2, 3, 1].map {
            "{\"book\":{\"$ref\":{\"type\":\"Book\",\"id\":\"\(book)\"}},\"number\":\($0)}"
        }.joined(separator: ",")
        #expect(
            objects == """
                {"name":"Ä","books":[{\(own),"chapters":[\(chapters)],"title":"b1"},\
                {\(own),"chapters":[],"title":"b2"}],"friends":[{"name":"李"}]}
                {"name":"李","books":[],"friends":[{"name":"Ä"}]}

                """)
        for (name, format) in [("title", "jsonl"), ("author.x", "jsonl"), ("author", "csv")] {
            #expect(throws: DataStoreError.self) {
                try text(store, "Book", "rows.\(format)") { $0.links = [name] }
            }
        }
        try store.close()
    }

    @Test(arguments: Backend.allCases)
    func aReferenceToADeletedItemIsNull(_ backend: Backend) throws {
        let store = try makeStore(backend)
        try fill(store)
        try store.write { db in
            try db.delete(try #require(try db.items(Author.self).first))
        }
        #expect(
            try text(store, "Book") { $0.attributes = ["title", "author"] }
                == "{\"title\":\"b1\"}\n{\"title\":\"b2\"}\n")
        #expect(try text(store, "Book") { $0.includesIDs = true }.contains("\"author\"") == false)
        #expect(try text(store, "Book") { $0.links = ["author"] }.contains("\"author\"") == false)
        try store.close()
    }

    // MARK: Mappings

    @Test(arguments: Backend.allCases)
    func aMappingSetsBothSides(_ backend: Backend) throws {
        let store = try makeStore(backend)
        let mapping = ItemMapping(
            [
                "author": .item(Author.self, from: "writer", mapping: ItemMapping(key: "name")),
                "tags": .items(Tag.self, from: "keywords", mapping: ItemMapping(key: "text")),
            ], key: "title")
        let object: [String: Any] = ["title": "b", "writer": "李", "keywords": ["q", "p", "q"]]
        try store.write { db in
            try db.importItem(Book.self, from: object, mapping: mapping)
            let author = try #require(try db.items(Author.self).first)
            #expect(author.books.count == 1)
        }
        #expect(
            try graph(store) == [
                #"Author 李 ["b"] []"#, #"Book b 李 ["q","p"] []"#, #"Tag p ["b"]"#, #"Tag q ["b"]"#,
            ])
        // A list replaces the former one.
        try store.write { db in
            _ = try db.importItem(
                Book.self,
                from: ["title": "b", "writer": nil, "keywords": ["p"]] as [String: Any?],
                mapping: mapping)
        }
        #expect(
            try graph(store) == [
                "Author 李 [] []", #"Book b null ["p"] []"#, #"Tag p ["b"]"#, "Tag q []",
            ])
        try store.close()
    }

    @Test func aValueThatIsNoReferenceIsRefused() throws {
        let store = try makeStore(.memory)
        for row in [
            #"{"title":"t","tags":[1]}"#, #"{"title":"t","tags":"x"}"#,
            #"{"title":"t","author":5}"#,
        ] {
            let file = try directory.file("r.jsonl", Array(row.utf8))
            let error = #expect(throws: DataStoreError.self) {
                try ItemImport(itemType: "Book").run(file, into: store)
            }
            #expect(error?.code == .kindMismatch, "\(row)")
        }
        #expect(try store.ids("Book").isEmpty)
        try store.close()
    }
}

extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// Creates an item with one value.
    fileprivate func make<Item: MutableDataStoreItem>(
        _ type: Item.Type, _ name: String, _ value: DataStoreValue
    ) throws -> Item {
        let item = try create(type)
        try item.backing.setValue(value, forAttribute: name)
        return item
    }
}
