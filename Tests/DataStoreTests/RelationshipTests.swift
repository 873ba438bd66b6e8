import Foundation
import JustPersist
import Testing

/// Relationships of classes that are written by hand, on every backend.
@Suite struct RelationshipTests {
    @Test(arguments: Backend.allCases)
    func bothSidesOfOneToManyAreRightAtOnce(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                let (ann, bob) = (try db.create(Author.self), try db.create(Author.self))
                let books = try (0..<3).map { _ in try db.create(Book.self) }
                books[0].author = ann
                #expect(ann.books.ids == [books[0].uniqueToken])
                #expect(ann.books.insert(books[1]))
                #expect(!ann.books.insert(books[1]))
                #expect(books[1].author === ann)
                #expect(ann.books.count == 2)
                bob.books.insert(books[0])
                #expect(books[0].author === bob)
                #expect(ann.books.map(\.uniqueToken) == [books[1].uniqueToken])
                #expect(ann.books.remove(books[1]))
                #expect(!ann.books.remove(books[1]))
                #expect(books[1].author == nil)
                #expect(ann.books.isEmpty)
            }
            try store.read { db in
                let counts = try db.items(Author.self).map(\.books.count)
                #expect(counts == [0, 1])
                let book = try #require(try db.first(Book.self))
                #expect(book.author?.books.first?.uniqueToken == book.uniqueToken)
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func aPartnerIsTakenFromTheFormerOne(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                let authors = try (0..<2).map { _ in try db.create(Author.self) }
                let desks = try (0..<2).map { _ in try db.create(Desk.self) }
                authors[0].desk = desks[0]
                authors[1].desk = desks[1]
                #expect(desks[0].author === authors[0])
                authors[0].desk = desks[1]
                #expect(authors[1].desk == nil)
                #expect(desks[0].author == nil)
                #expect(desks[1].author === authors[0])
                desks[0].author = authors[0]
                #expect(authors[0].desk === desks[0])
                #expect(desks[1].author == nil)
                desks[0].author = nil
                #expect(authors[0].desk == nil)
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func bothSidesOfManyToManyAgree(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                let books = try (0..<2).map { _ in try db.create(Book.self) }
                let tags = try (0..<3).map { _ in try db.create(Tag.self) }
                books[0].tags.insert(tags[2])
                books[0].tags.insert(tags[0])
                tags[0].books.insert(books[1])
                #expect(!tags[0].books.insert(books[0]))
                // In the order of insertion on the ordered side, of creation on the other.
                #expect(books[0].tags.ids == [tags[2], tags[0]].map(\.uniqueToken))
                #expect(tags[0].books.ids == books.map(\.uniqueToken))
                books[0].tags.insert(tags[1], at: 1)
                #expect(books[0].tags.ids == [tags[2], tags[1], tags[0]].map(\.uniqueToken))
                books[0].tags.insert(tags[0], at: 0)
                #expect(books[0].tags.ids == [tags[0], tags[2], tags[1]].map(\.uniqueToken))
                #expect(books[0].tags.remove(tags[2]))
                #expect(tags[2].books.isEmpty)
                try db.delete(tags[1])
                #expect(books[0].tags.ids == [tags[0].uniqueToken])
            }
            try store.read { db in
                let tag = try #require(try db.first(Tag.self))
                #expect(tag.books.count == 2)
                #expect(tag.books.first?.tags.first?.uniqueToken == tag.uniqueToken)
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func friendsOfOneTypeAreSymmetric(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                let authors = try (0..<3).map { _ in try db.create(Author.self) }
                authors[0].friends.insert(authors[1])
                authors[2].friends.insert(authors[0])
                #expect(authors[0].friends.ids == [authors[1], authors[2]].map(\.uniqueToken))
                #expect(authors[1].friends.ids == [authors[0].uniqueToken])
                authors[1].friends.remove(authors[0])
                #expect(authors[0].friends.ids == [authors[2].uniqueToken])
                try db.delete(authors[0])
                #expect(authors[2].friends.isEmpty)
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func deletingFollowsTheRules(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                let author = try db.create(Author.self)
                let (book, desk) = (try db.create(Book.self), try db.create(Desk.self))
                let chapters = try (0..<3).map { _ in try db.create(Chapter.self) }
                author.books.insert(book)
                author.desk = desk
                for chapter in chapters { book.chapters.insert(chapter) }
                try #expect(db.cascadeTargets(of: author).count == 4)
                try db.delete(author)
                try #expect(db.count(Book.self) == 0)
                try #expect(db.count(Chapter.self) == 0)
                #expect(desk.author == nil)
            }
            try store.read { db in try #expect(db.count(Desk.self) == 1) }
        }
    }

    @Test(arguments: Backend.allCases)
    func aRelationshipWithoutAnInverseDoesNotDangle(_ backend: Backend) throws {
        try backend.withStore { store in
            let shelf = try store.write { db in
                let (book, shelf) = (try db.create(Book.self), try db.create(Cabinet.self))
                book.shelf = shelf
                return shelf.uniqueToken
            }
            try store.write { db in
                try db.delete(try #require(try db.item(Cabinet.self, id: shelf)))
            }
            try store.read { db in
                let book = try #require(try db.first(Book.self))
                try #expect(book.storedValue(forKeyPath: "shelf") == .null)
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func denialAndLimitsAreJudgedAtTheEndOfTheBlock(_ backend: Backend) throws {
        try backend.withStore { store in
            // Satisfied later in the block.
            try store.write { db in
                let (room, chair) = (try db.create(Room.self), try db.create(Chair.self))
                chair.room = room
            }
            expectError(.validationFailed) {
                try store.write { db in _ = try db.create(Chair.self) }
            }
            expectError(.validationFailed) {
                try store.write { db in
                    try db.delete(try #require(try db.first(Room.self)))
                }
            }
            try store.read { db in
                try #expect(db.count(Room.self) == 1)
                try #expect(db.count(Chair.self) == 1)
            }
            try store.write { db in
                try db.delete(try #require(try db.first(Room.self)))
                try db.deleteAll(Chair.self)
            }
            let error = expectError(.validationFailed) {
                try store.write { db in
                    let room = try db.create(Room.self)
                    for _ in 0..<4 { room.chairs.insert(try db.create(Chair.self)) }
                }
            }
            #expect(error?.message.contains("3 at most") == true)
            try store.read { db in try #expect(db.count(Room.self) == 0) }
        }
    }

    @Test(arguments: Backend.allCases)
    func insertingInTheMiddleNeverRunsOutOfRoom(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                let book = try db.create(Book.self)
                var wanted: [ItemID] = []
                for number in 0..<300 {
                    let tag = try db.create(Tag.self)
                    book.tags.insert(tag, at: Swift.min(number, 1))
                    wanted.insert(tag.uniqueToken, at: Swift.min(number, 1))
                }
                #expect(book.tags.ids == wanted)
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func disagreementAndForeignItemsAreRefused(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                let author = try db.create(Author.self)
                let error = expectError(.conflictingRelationships) {
                    _ = try db.create(Wrong.self)
                }
                #expect(error?.attribute == "author")
                let gone = try db.create(Book.self)
                try db.delete(gone)
                expectError(.itemDeleted) { try gone.setRelatedItem("author", to: author) }
                let (book, tag) = (try db.create(Book.self), try db.create(Tag.self))
                expectError(.kindMismatch) { try book.setRelatedItem("author", to: tag) }
                expectError(.itemDeleted) {
                    let other = try db.create(Author.self)
                    try db.delete(other)
                    try book.setRelatedItem("author", to: other)
                }
                expectError(.unknownAttribute) { try book.setRelatedItem("nope", to: author) }
                // An item that is in no store is inserted.
                let new = Author()
                try book.setRelatedItem("author", to: new)
                try #expect(db.count(Author.self) == 2)
                #expect(book.author === new)
            }
        }
    }
}

private final class Author: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Author", attributes: [AttributeSchema("name")],
        relationships: [
            RelationshipSchema(
                "books", to: Book.self, isToMany: true, deleteRule: .cascade, inverse: "author"),
            RelationshipSchema("desk", to: Desk.self, inverse: "author"),
            RelationshipSchema("friends", to: Author.self, isToMany: true, inverse: "friends"),
        ])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }

    var books: ToMany<Book> { related(toMany: "books") }
    var friends: ToMany<Author> { related(toMany: "friends") }
    var desk: Desk? {
        get { related("desk") }
        set { setRelated("desk", to: newValue) }
    }
}

private final class Book: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Book", attributes: [AttributeSchema("title")],
        relationships: [
            RelationshipSchema("author", to: Author.self),
            RelationshipSchema("shelf", to: Cabinet.self),
            RelationshipSchema(
                "tags", to: Tag.self, isToMany: true, isOrdered: true, inverse: "books"),
            RelationshipSchema(
                "chapters", to: Chapter.self, isToMany: true, isOrdered: true,
                deleteRule: .cascade, inverse: "book"),
        ])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }

    var tags: ToMany<Tag> { related(toMany: "tags") }
    var chapters: ToMany<Chapter> { related(toMany: "chapters") }
    var author: Author? {
        get { related("author") }
        set { setRelated("author", to: newValue) }
    }
    var shelf: Cabinet? {
        get { related("shelf") }
        set { setRelated("shelf", to: newValue) }
    }
}

private final class Tag: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Tag", attributes: [AttributeSchema("text")],
        relationships: [RelationshipSchema("books", to: Book.self, isToMany: true)])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }

    var books: ToMany<Book> { related(toMany: "books") }
}

private final class Chapter: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Chapter", attributes: [], relationships: [RelationshipSchema("book", to: Book.self)])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}

private final class Desk: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Desk", attributes: [], relationships: [RelationshipSchema("author", to: Author.self)])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }

    var author: Author? {
        get { related("author") }
        set { setRelated("author", to: newValue) }
    }
}

private final class Cabinet: MutableDataStoreItem {
    static let schema = ItemSchema("Cabinet", attributes: [])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}

private final class Room: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Room", attributes: [],
        relationships: [
            RelationshipSchema(
                "chairs", to: Chair.self, isToMany: true, deleteRule: .deny, inverse: "room",
                maximum: 3)
        ])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }

    var chairs: ToMany<Chair> { related(toMany: "chairs") }
}

private final class Chair: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Chair", attributes: [],
        relationships: [RelationshipSchema("room", to: Room.self, minimum: 1)])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }

    var room: Room? {
        get { related("room") }
        set { setRelated("room", to: newValue) }
    }
}

private final class Wrong: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Wrong", attributes: [],
        relationships: [RelationshipSchema("author", to: Author.self, inverse: "books")])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}
