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
