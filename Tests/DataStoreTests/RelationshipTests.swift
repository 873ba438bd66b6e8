import Foundation
import JustPersist
import Testing

/// Relationships of classes that are written by hand, on every backend.
@Suite struct RelationshipTests {
    private typealias Author = Library.Author
    private typealias Book = Library.Book
    private typealias Tag = Library.Tag
    private typealias Desk = Library.Desk
    private typealias Chapter = Library.Chapter
    private typealias Cabinet = Library.Cabinet
    private typealias Room = Library.Room
    private typealias Chair = Library.Chair
    private typealias Wrong = Library.Wrong

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
            let cabinet = try store.write { db in
                let (book, cabinet) = (try db.create(Book.self), try db.create(Cabinet.self))
                book.cabinet = cabinet
                return cabinet.uniqueToken
            }
            try store.write { db in
                try db.delete(try #require(try db.item(Cabinet.self, id: cabinet)))
            }
            try store.read { db in
                let book = try #require(try db.first(Book.self))
                try #expect(book.storedValue(forKeyPath: "cabinet") == .null)
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
    func predicatesAndSortsFollowRelationships(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                for number in 0..<4 {
                    let author = try db.create(Author.self)
                    author.setValue("author \(number)", forKeyPath: "name")
                    for place in 0..<number {
                        let book = try db.create(Book.self)
                        book.setValue("book \(place)", forKeyPath: "title")
                        author.books.insert(book)
                        for tag in 0..<place {
                            let new = try db.create(Tag.self)
                            new.setValue("tag \(tag)", forKeyPath: "text")
                            book.tags.insert(new)
                        }
                    }
                }
            }
            let check = { (db: borrowing DataStoreReader) in
                for (format, wanted) in [
                    ("books.@count == 0", [0]), ("ANY books.title == 'book 1'", [2, 3]),
                    ("ALL books.title == 'book 0'", [0, 1]), ("NONE books.title == 'book 0'", [0]),
                    ("SUBQUERY(books, $b, $b.title == 'book 2').@count == 1", [3]),
                    ("SUBQUERY(books, $b, $b.tags.@count > 1).@count > 0", [3]),
                    ("ANY books.tags.text == 'tag 0'", [2, 3]),
                ] {
                    let names = try db.items(Author.self, where: DataStorePredicate(format)).map {
                        $0.value(forKeyPath: "name") as? String
                    }
                    #expect(names == wanted.map { "author \($0)" }, "\(format)")
                }
                let books = try db.items(
                    Book.self, where: DataStorePredicate("author.name == 'author 3'"))
                #expect(books.count == 3)
                let last = try db.items(
                    Book.self, where: DataStorePredicate("author.books.@count == 2"))
                #expect(last.count == 2)
                let authors = try db.items(Author.self)
                try #expect(
                    authors.map { try $0.storedValue(forKeyPath: "books.@count") }
                        == (0..<4).map { .int($0) })
                let request = DataStoreRequest(itemType: Author.self)
                request.setSort(byKey: "books.@count", ascending: false)
                let sorted = try db.performFetch(request)
                #expect(sorted.first?.value(forKeyPath: "name") as? String == "author 3")
                let dynamic = DataStoreRequest(itemTypeKey: "Author")
                dynamic.predicate = try DataStorePredicate("books.@count > 1")
                try #expect(db.count(dynamic) == 2)
            }
            try store.read(check)
            try store.write { db in try db.create(Author.self).name = "author 4" }
        }
    }

    /// Each author's book leads to the next author, so that one deletion deletes all.
    @Test(arguments: Backend.ofRecords)
    func aChainOfManyCascadesEnds(_ backend: Backend) throws {
        try backend.withStore { store in
            let count = 3_000
            try store.write { db in
                var last: Library.Link?
                for _ in 0..<count {
                    let link = try db.create(Library.Link.self)
                    link.next = last
                    last = link
                }
                // The chain is closed to a circle.
                try db.first(Library.Link.self)?.next = last
            }
            try store.write { db in
                let link = try #require(try db.first(Library.Link.self))
                try #expect(db.cascadeTargets(of: link).count == count - 1)
                try db.delete(link)
                try #expect(db.count(Library.Link.self) == 0)
            }
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
