import Foundation
import JustPersist
import Testing

/// Streams name the relationships of both items that a block relates or separates.
@Suite(.timeLimit(.minutes(5))) struct RelatedChangeTests {
    private typealias Author = Library.Author
    private typealias Book = Library.Book
    private typealias Tag = Library.Tag

    /// The items that the tests change.
    private struct Items {
        let (ada, bob, book, other, tag, second): (ItemID, ItemID, ItemID, ItemID, ItemID, ItemID)

        init(in store: any DataStore) throws {
            var made: [ItemID] = []
            try store.write { db in
                for _ in 0..<2 { made.append(try db.create(Author.self).uniqueToken) }
                for _ in 0..<2 { made.append(try db.create(Book.self).uniqueToken) }
                for _ in 0..<2 { made.append(try db.create(Tag.self).uniqueToken) }
            }
            (ada, bob, book, other, tag, second) = (
                made[0], made[1], made[2], made[3], made[4], made[5]
            )
        }
    }

    /// The attributes and relationships that a stream names, by item, after some blocks; links are left out.
    private func updates(
        _ store: any DataStore, _ body: (any DataStore) throws -> Void
    ) async throws -> [ItemID: Set<String>] {
        let token = try token(store)
        var stream = store.changes(since: token).makeAsyncIterator()
        try body(store)
        let set = try #require(await stream.next())
        #expect(set.isComplete && set.types.allSatisfy(\.isComplete))
        var found: [ItemID: Set<String>] = [:]
        for changes in set.types where ["Author", "Book", "Tag"].contains(changes.itemTypeKey) {
            for update in changes.updated { found[update.id] = update.attributes }
        }
        return found
    }

    private func token(_ store: any DataStore) throws -> ChangeToken {
        try store.read { db in try db.changeToken }
    }

    private static let logged = DataStoreOptions(changeLog: ChangeLogLength(commits: 100))

    @Test(arguments: Backend.allCases)
    func aReferenceNamesTheOtherSidesOfBothItems(_ backend: Backend) async throws {
        try await backend.withStore(options: Self.logged) { store in
            let items = try Items(in: store)
            func set(_ id: ItemID?) throws {
                try store.write { db in
                    let book = try db.item(Book.self, id: items.book)
                    book?.author = try id.flatMap { try db.item(Author.self, id: $0) }
                }
            }
            var found = try await updates(store) { _ in try set(items.ada) }
            #expect(found == [items.book: ["author"], items.ada: ["books"]])
            found = try await updates(store) { _ in try set(items.bob) }
            #expect(
                found == [items.book: ["author"], items.ada: ["books"], items.bob: ["books"]])
            found = try await updates(store) { _ in try set(nil) }
            #expect(found == [items.book: ["author"], items.bob: ["books"]])
            found = try await updates(store) { store in
                try store.write { db in
                    try db.item(Author.self, id: items.ada)?.books.insert(
                        try #require(try db.item(Book.self, id: items.book)))
                    try db.item(Author.self, id: items.ada)?.name = "Ada"
                }
            }
            #expect(found == [items.book: ["author"], items.ada: ["books", "name"]])
            found = try await updates(store) { store in
                try store.write { db in
                    _ = try db.delete(try #require(try db.item(Book.self, id: items.book)))
                }
            }
            #expect(found == [items.ada: ["books"]])
        }
    }

    @Test(arguments: Backend.allCases)
    func linksNameTheRelationshipsOfTheirEnds(_ backend: Backend) async throws {
        try await backend.withStore(options: Self.logged) { store in
            let items = try Items(in: store)
            func tags(_ body: (ToMany<Tag>, Tag, Tag) throws -> Void) throws {
                try store.write { db in
                    try body(
                        #require(try db.item(Book.self, id: items.book)).tags,
                        #require(try db.item(Tag.self, id: items.tag)),
                        #require(try db.item(Tag.self, id: items.second)))
                }
            }
            var found = try await updates(store) { _ in
                try tags { tags, one, two in
                    tags.insert(one)
                    tags.insert(two)
                }
            }
            #expect(
                found == [items.book: ["tags"], items.tag: ["books"], items.second: ["books"]])
            found = try await updates(store) { _ in
                try tags { tags, _, two in tags.insert(two, at: 0) }
            }
            #expect(found == [items.book: ["tags"]])
            // Adding a tag that is there changes nothing.
            found = try await updates(store) { _ in
                try tags { tags, one, _ in
                    tags.insert(one)
                    tags.remove(one)
                }
            }
            #expect(found == [items.book: ["tags"], items.tag: ["books"]])
            found = try await updates(store) { store in
                try store.write { db in _ = try db.deleteAll(Tag.self) }
            }
            #expect(found == [items.book: ["tags"]])
        }
    }

    @Test(arguments: Backend.allCases)
    func deletedAndNewItemsAreNotNamedAsChanged(_ backend: Backend) async throws {
        try await backend.withStore(options: Self.logged) { store in
            let items = try Items(in: store)
            try await store.write { db in
                let ada = try #require(try db.item(Author.self, id: items.ada))
                for id in [items.book, items.other] {
                    ada.books.insert(try #require(try db.item(Book.self, id: id)))
                }
                ada.friends.insert(try #require(try db.item(Author.self, id: items.bob)))
            }
            let found = try await updates(store) { store in
                try store.write { db in
                    let ada = try #require(try db.item(Author.self, id: items.ada))
                    // The books and the author are gone at the end of the block; their changes before do not count.
                    let book = try #require(try db.item(Book.self, id: items.book))
                    book.author = nil
                    ada.books.insert(book)
                    _ = try db.delete(ada)
                    let new = try db.create(Author.self)
                    new.books.insert(try db.create(Book.self))
                }
            }
            #expect(found == [items.bob: ["friends"]])
        }
    }

    @Test(arguments: Backend.allCases)
    func aMergeAndTheLogNameRelationships(_ backend: Backend) async throws {
        try await withTemporaryDirectory { directory in
            let store = backend.make(at: directory, options: Self.logged)
            try store.open()
            let items = try Items(in: store)
            let token = try token(store)
            var live = store.changes(since: token).makeAsyncIterator()
            let child = try store.makeChild()
            try child.open()
            let found = try await updates(child) { child in
                try child.write { db in
                    let book = try #require(try db.item(Book.self, id: items.book))
                    book.author = try db.item(Author.self, id: items.ada)
                    book.tags.insert(try #require(try db.item(Tag.self, id: items.tag)))
                }
            }
            let wanted: [ItemID: Set<String>] = [
                items.book: ["author", "tags"], items.ada: ["books"], items.tag: ["books"],
            ]
            #expect(found == wanted)
            try store.merge(child, policy: .childWins)
            var sets = [try #require(await live.next())]
            if backend.isPersistent {
                try store.close()
                try store.open()
                var logged = store.changes(since: token).makeAsyncIterator()
                sets.append(try #require(await logged.next()))
            }
            for set in sets {
                for (type, id) in [("Author", items.ada), ("Book", items.book), ("Tag", items.tag)]
                {
                    let update = set[type]?.updated.first { $0.id == id }
                    #expect(update?.attributes == wanted[id], "\(type)")
                    #expect(set[type]?.updated.count == 1)
                }
            }
            try store.close()
        }
    }

    /// Such a list did not change when only the number of others did.
    @Test(arguments: Backend.allCases)
    func aListByTheNumberOfOthersIsKeptUpToDate(_ backend: Backend) async throws {
        try await backend.withStore { store in
            let items = try Items(in: store)
            var lists = store.results(
                of: Author.self, where: try DataStorePredicate("books.@count > 0")
            ).makeAsyncIterator()
            #expect(try await lists.next()?.ids == [])
            try await store.write { db in
                try db.item(Book.self, id: items.book)?.author = db.item(Author.self, id: items.ada)
            }
            #expect(try await lists.next()?.ids == [items.ada])
        }
    }
}
