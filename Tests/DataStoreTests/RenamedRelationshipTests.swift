import Foundation
import JustPersist
import Testing

/// Types and relationships that are renamed from one release to the next.
@Suite struct RenamedRelationshipTests {
    /// The first release.
    private enum Before {
        final class Writer: MutableDataStoreItem {
            static let schema = ItemSchema(
                "Writer", attributes: [],
                relationships: [
                    .init("pals", to: Writer.self, isToMany: true, inverse: "pals"),
                    .init(
                        "books", to: Book.self, isToMany: true, isOrdered: true, inverse: "writer"),
                ])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }

        final class Book: MutableDataStoreItem {
            static let schema = ItemSchema(
                "Book", attributes: [],
                relationships: [
                    .init("writer", to: Writer.self),
                    .init("tags", to: Tag.self, isToMany: true, isOrdered: true, inverse: "books"),
                ])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }

        final class Tag: MutableDataStoreItem {
            static let schema = ItemSchema(
                "Tag", attributes: [],
                relationships: [.init("books", to: Book.self, isToMany: true)])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }
    }

    /// The next release, in which everything has another name, and an old name another meaning.
    private enum After {
        final class Author: MutableDataStoreItem {
            static let schema = ItemSchema(
                "Author", formerTypeKeys: ["Writer"], attributes: [],
                relationships: [
                    .init(
                        "friends", to: Author.self, isToMany: true, inverse: "friends",
                        formerNames: ["pals"]),
                    .init(
                        "works", to: Work.self, isToMany: true, isOrdered: true, inverse: "author",
                        formerNames: ["books"]),
                ])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }

        final class Work: MutableDataStoreItem {
            static let schema = ItemSchema(
                "Work", formerTypeKeys: ["Book"], attributes: [],
                relationships: [
                    .init("author", to: Author.self, formerNames: ["writer"]),
                    .init(
                        "labels", to: Label.self, isToMany: true, isOrdered: true, inverse: "works",
                        formerNames: ["tags"]),
                ])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }

        final class Label: MutableDataStoreItem {
            static let schema = ItemSchema(
                "Label", formerTypeKeys: ["Tag"], attributes: [],
                relationships: [
                    .init("works", to: Work.self, isToMany: true, formerNames: ["books"])
                ])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }
    }

    /// The ids of two writers who are pals, the three books of the first, and the tags of the first book.
    private struct Names {
        let writers: [ItemID]
        let books: [ItemID]
        let tags: [ItemID]

        init(filling db: borrowing DataStoreWriter) throws {
            let writers = try (0..<2).map { _ in try db.create(Before.Writer.self) }
            let books = try (0..<3).map { _ in try db.create(Before.Book.self) }
            let tags = try (0..<3).map { _ in try db.create(Before.Tag.self) }
            writers[0].related(toMany: "pals").insert(writers[1])
            for book in books.reversed() { writers[0].related(toMany: "books").insert(book) }
            for tag in tags.reversed() { books[0].related(toMany: "tags").insert(tag) }
            self.writers = writers.map(\.uniqueToken)
            self.books = books.reversed().map(\.uniqueToken)
            self.tags = tags.reversed().map(\.uniqueToken)
        }

        func expectAll(_ db: borrowing DataStoreReader, isRenamed: Bool = true, _ when: Comment)
            throws
        {
            let writer = try #require(try db.item(After.Author.self, id: writers[0]), when)
            #expect(
                writer.related(toMany: "friends", as: After.Author.self).ids == [writers[1]], when)
            #expect(writer.related(toMany: "works", as: After.Work.self).ids == books, when)
            let book = try #require(try db.item(After.Work.self, id: books[2]), when)
            let author = book.related("author", as: After.Author.self)
            #expect(author?.uniqueToken == writers[0], when)
            #expect(book.related(toMany: "labels", as: After.Label.self).ids == tags, when)
            let tag = try #require(try db.item(After.Label.self, id: tags[0]), when)
            #expect(tag.related(toMany: "works", as: After.Work.self).ids == [books[2]], when)
            // A path into another type uses the names that the store knows.
            let nested =
                "friends.@count == 1 AND SUBQUERY(works, $w, $w.labels.@count > 2).@count == 1"
            for predicate in ["works.@count == 3"] + (isRenamed ? [nested] : []) {
                let found = try db.items(After.Author.self, where: DataStorePredicate(predicate))
                #expect(found.first?.uniqueToken == writers[0], when)
            }
        }
    }

    @Test(arguments: Backend.allCases, ["Author", "Work", "Label"])
    func renamesKeepLinksAndOrders(_ backend: Backend, first: String) throws {
        try backend.withStore { store in
            let names = try store.write { db in try Names(filling: db) }
            try store.read { db in
                try names.expectAll(db, isRenamed: false, "before the first write")
            }
            // The types are renamed in any order.
            try store.write { db in
                switch first {
                case "Author": _ = try db.create(After.Author.self)
                case "Work": _ = try db.create(After.Work.self)
                default: _ = try db.create(After.Label.self)
                }
            }
            try store.read { db in
                try names.expectAll(db, isRenamed: first == "Work", "with one type renamed")
            }
            try store.write { db in
                let writer = try #require(try db.item(After.Author.self, id: names.writers[0]))
                let book = try #require(try db.item(After.Work.self, id: names.books[2]))
                let tag = try #require(try db.item(After.Label.self, id: names.tags[0]))
                #expect(!writer.related(toMany: "works").insert(book))
                #expect(!tag.related(toMany: "works").insert(book))
                writer.related(toMany: "works").insert(book, at: 0)
                writer.related(toMany: "works").insert(book, at: 2)
            }
            try store.read { db in try names.expectAll(db, "after a write") }
            try store.write { db in
                let request = DataStoreRequest(itemTypeKey: "Author")
                request.limit = 1
                let dynamic = try #require(try db.dynamicItems(request).first)
                #expect(dynamic.related(toMany: "works", as: DynamicItem.self).ids == names.books)
                try db.delete(dynamic)
                let book = try #require(try db.item(After.Work.self, id: names.books[0]))
                #expect(book.related("author", as: After.Author.self) == nil)
                let friend = try #require(try db.item(After.Author.self, id: names.writers[1]))
                #expect(friend.related(toMany: "friends", as: After.Author.self).isEmpty)
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func theTypeOfTheOthersMayBeRenamedAlone(_ backend: Backend) throws {
        final class Label: MutableDataStoreItem {
            static let schema = ItemSchema("Label", attributes: [AttributeSchema("text")])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }
        final class Mark: MutableDataStoreItem {
            static let schema = ItemSchema(
                "Mark", formerTypeKeys: ["Label"], attributes: [AttributeSchema("text")])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }
        final class Page: MutableDataStoreItem {
            static let schema = ItemSchema(
                "Page", attributes: [],
                relationships: [
                    .init("label", to: Label.self), .init("labels", to: Label.self, isToMany: true),
                ])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }
        try backend.withStore { store in
            try store.write { db in
                let (page, label) = (try db.create(Page.self), try db.create(Label.self))
                label.setValue("x", forKeyPath: "text")
                page.setRelated("label", to: label)
                page.related(toMany: "labels").insert(label)
            }
            try store.write { db in _ = try db.create(Mark.self) }
            try store.read { db in
                let request = DataStoreRequest(itemTypeKey: "Page")
                request.predicate = try DataStorePredicate(
                    "label.text == 'x' AND ANY labels.text == 'x'")
                try #expect(db.count(request) == 1)
            }
            try store.write { db in
                try db.deleteAll(Mark.self)
                let page = try #require(
                    try db.dynamicItems(DataStoreRequest(itemTypeKey: "Page")).first)
                #expect(page.value(forKeyPath: "label") == nil)
                #expect(page.related(toMany: "labels", as: DynamicItem.self).ids.isEmpty)
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func anEarlierReleaseKeepsTheLinksOfARenamedRelationship(_ backend: Backend) throws {
        final class First: MutableDataStoreItem {
            static let schema = ItemSchema(
                "Person", attributes: [],
                relationships: [.init("pals", to: First.self, isToMany: true, inverse: "pals")])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }
        final class Second: MutableDataStoreItem {
            static let schema = ItemSchema(
                "Person", attributes: [],
                relationships: [
                    .init(
                        "friends", to: Second.self, isToMany: true, inverse: "friends",
                        formerNames: ["pals"])
                ])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }
        try backend.withStore { store in
            try store.write { db in
                let people = try (0..<2).map { _ in try db.create(First.self) }
                people[0].related(toMany: "pals").insert(people[1])
            }
            for _ in 0..<2 {
                try store.write { db in _ = try db.create(Second.self) }
                try store.write { db in _ = try db.create(First.self) }
            }
            try store.write { db in
                let first = try #require(try db.first(First.self))
                #expect(first.related(toMany: "pals", as: First.self).count == 1)
            }
            try store.write { db in
                let first = try #require(try db.first(Second.self))
                #expect(first.related(toMany: "friends", as: Second.self).count == 1)
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aNewRelationshipWithAnOldNameIsEmpty(_ backend: Backend) throws {
        final class Writer: MutableDataStoreItem {
            static let schema = ItemSchema(
                "Writer", attributes: [],
                relationships: [
                    .init(
                        "friends", to: Writer.self, isToMany: true, inverse: "friends",
                        formerNames: ["acquaintances"])
                ])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }
        final class Renamed: MutableDataStoreItem {
            static let schema = ItemSchema(
                "Person", formerTypeKeys: ["Writer"], attributes: [],
                relationships: [
                    .init(
                        "pals", to: Renamed.self, isToMany: true, inverse: "pals",
                        formerNames: ["friends"])
                ])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }
        try backend.withStore { store in
            try store.write { db in
                let writers = try (0..<2).map { _ in try db.create(Writer.self) }
                writers[0].related(toMany: "friends").insert(writers[1])
            }
            try store.write { db in _ = try db.create(Renamed.self) }
            try store.write { db in
                let other = ItemSchema(
                    "Other", attributes: [],
                    relationships: [.init("friends", to: "Person", isToMany: true)])
                try db.declare(other)
                let item = try db.create("Other")
                #expect(item.related(toMany: "friends", as: Renamed.self).isEmpty)
                let person = try #require(try db.first(Renamed.self))
                #expect(person.related(toMany: "pals", as: Renamed.self).count == 1)
            }
        }
        let schema = ItemSchema(
            "Person", attributes: [],
            relationships: [
                .init("pals", to: "Person", isToMany: true, formerNames: ["friends"]),
                .init("friends", to: "Person", isToMany: true),
            ])
        expectError(.conflictingRelationships) { try schema.validate() }
    }
}
