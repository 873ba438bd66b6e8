import Foundation
import JustPersist
import JustPersistConformance
import JustPersistMigration
import Testing

/// Requests through relationships, which stores of the record layer answer from the related items where that reads less.
@Suite struct RelationshipQueryTests {
    private typealias Author = Library.Author
    private typealias Book = Library.Book
    private typealias Tag = Library.Tag

    /// Authors, books and tags with some values missing, some relations missing, and some items deleted.
    private func fill(_ store: any DataStore, _ random: inout SeededGenerator) throws {
        try store.write { db in
            let authors = try (0..<20).map { number in
                let author = try db.create(Author.self)
                if number % 5 != 0 { author.name = "author \(number % 7)" }
                return author
            }
            let tags = try (0..<12).map { number in
                let tag = try db.create(Tag.self)
                if number % 4 != 0 { tag.setValue("tag \(number % 5)", forKeyPath: "text") }
                return tag
            }
            for number in 0..<80 {
                let book = try db.create(Book.self)
                if number % 6 != 0 { book.setValue("book \(number % 11)", forKeyPath: "title") }
                if number % 4 != 0 { book.author = authors.randomElement(using: &random) }
                for _ in 0..<number % 3 {
                    book.tags.insert(tags[Int.random(in: 0..<12, using: &random)])
                }
            }
            try db.delete(authors[3])
            try db.delete(tags[5])
        }
    }

    @Test(arguments: Backend.ofRecords)
    func joinsFindWhatEachItemWouldSay(_ backend: Backend) throws {
        let seed = UInt64.random(in: .min ... .max)
        try backend.withStore { store in
            var random = SeededGenerator(seed: seed)
            try fill(store, &random)
            let requests: [(String, [String])] = [
                (
                    "Book",
                    [
                        "author.name == 'author 2'", "author.name != 'author 2'",
                        "NOT author.name == 'author 2'", "author.name == nil", "author.name != nil",
                        "author.name IN {'author 1', 'author 4'}", "author.name CONTAINS[c] 'R 3'",
                        "author.name > 'author 4' AND title == 'book 3'",
                        "author.name > 'author 4' OR title == 'book 3'",
                        "ANY tags.text == 'tag 2'", "ANY tags.text == nil",
                        "ANY tags.text != 'tag 2'",
                        "NOT ANY tags.text == 'tag 2'", "ANY tags.text BEGINSWITH 'tag'",
                        "author.desk.author.name == 'author 2'",
                        "author.name BETWEEN {'author 1', 'author 3'}",
                    ]
                ),
                (
                    "Author",
                    [
                        "ANY books.title == 'book 4'", "ANY books.title == nil",
                        "ANY books.title != nil",
                        "NOT (ANY books.title == 'book 4')", "ANY books.tags.text == 'tag 1'",
                        "ANY books.title == 'book 4' AND name == 'author 1'",
                        "ANY books.title > 'book 5' OR ANY books.title < 'book 2'",
                    ]
                ),
                ("Tag", ["ANY books.title == 'book 4'", "ANY books.author.name == 'author 2'"]),
            ]
            // The reference store looks at each item by itself.
            let reference = ReferenceDataStore()
            try reference.open()
            _ = try Migration(from: store, to: reference).run()
            func found(_ request: DataStoreRequest, _ store: any DataStore) throws -> [ItemID] {
                try store.read { db in try db.dynamicItems(request).map(\.uniqueToken) }
            }
            for (key, formats) in requests {
                for format in formats {
                    let request = DataStoreRequest(itemTypeKey: key)
                    request.predicate = try DataStorePredicate(format)
                    let wanted = try found(request, reference)
                    let note: Comment = "\(key): \(format), seed \(seed)"
                    try #expect(found(request, store) == wanted, note)
                    try #expect(store.read { db in try db.count(request) } == wanted.count, note)
                    request.limit = 5
                    try #expect(found(request, store) == Array(wanted.prefix(5)), note)
                }
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func joinsInAWriteBlockLeaveItsObjectsAlone(_ backend: Backend) throws {
        try backend.withStore { store in
            var random = SeededGenerator(seed: 7)
            try fill(store, &random)
            try store.write { db in
                let held = try #require(try db.first(Author.self))
                held.name = "changed"
                let book = try #require(try db.first(Book.self))
                book.author = held
                for format in ["author.name == 'changed'", "author.name == 'author 2'"] {
                    let found = try db.items(Book.self, where: DataStorePredicate(format))
                    #expect(
                        found.contains { $0 === book } == format.contains("changed"), "\(format)")
                    #expect(
                        found.allSatisfy {
                            $0.author?.name == String(format.dropFirst(16).dropLast())
                        })
                }
                let authors = try db.items(
                    Author.self, where: DataStorePredicate("ANY books.title == 'book 4'"))
                #expect(authors.allSatisfy { $0.books.count > 0 })
                try #expect(db.items(Author.self).contains { $0 === held })
                try #expect(db.items(Book.self).contains { $0 === book })
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func aMisspeltAttributeOfARelatedTypeIsAnError(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                let book = try db.create(Book.self)
                book.author = try db.create(Author.self)
                book.tags.insert(try db.create(Tag.self))
            }
            try store.read { db in
                for (format, type) in [
                    ("author.nme == 'x'", "Author"), ("ANY tags.txt == 'x'", "Tag"),
                    ("author.desk.authr == nil", "Desk"), ("author.books.titel.@count > 0", "Book"),
                ] {
                    let error = expectError(.unknownAttribute) {
                        _ = try db.count(Book.self, where: DataStorePredicate(format))
                    }
                    #expect(error?.itemType == type, "\(format)")
                }
                let request = DataStoreRequest(itemType: Book.self)
                request.setSort(byKey: "author.nme", ascending: true)
                expectError(.unknownAttribute) { _ = try db.performFetch(request) }
                for format in ["author.uniqueToken != nil", "author.desk.author.name == nil"] {
                    try #expect(db.count(Book.self, where: DataStorePredicate(format)) == 1)
                }
            }
        }
    }

    @Test func aPathIsAnsweredFromTheRelatedItems() throws {
        try Backend.lmdb.withStore { store in
            var random = SeededGenerator(seed: 1)
            try fill(store, &random)
            try store.write { db in
                for number in 0..<2_000 {
                    try db.create(Book.self).setValue("more \(number)", forKeyPath: "title")
                }
            }
            try store.read { db in
                let request = DataStoreRequest(itemType: Book.self)
                request.predicate = try DataStorePredicate("author.name == 'author 2'")
                let plan = try db.explain(request)
                // The authors, and their books.
                #expect(plan.recordsExamined < 60)
                #expect(plan.recordsExamined > 0)
            }
        }
    }

    @Test(arguments: Backend.persistent)
    func damageOfAnItemThatIsRelatedToNoneIsNoErrorOfAJoin(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            let author = try store.write { db in
                let (author, other) = (try db.create(Author.self), try db.create(Author.self))
                author.name = "Ann"
                try db.create(Book.self).author = author
                return other.uniqueToken
            }
            try store.close()
            let bytes = StoredBytes(backend, at: directory)
            try bytes.damageRecord(of: author)
            try store.open()
            try store.read { db in
                try #expect(
                    db.count(Book.self, where: DataStorePredicate("author.name == 'Ann'")) == 1)
            }
            try store.close()
        }
    }
}
