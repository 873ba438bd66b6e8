import Foundation
import JustPersist
import Testing

/// Relationships with missing links, dangling references, damaged items, and items that were read ahead.
@Suite struct RelationshipCornerTests {
    private typealias Author = Library.Author
    private typealias Book = Library.Book
    private typealias Tag = Library.Tag
    private typealias Chapter = Library.Chapter

    /// A type whose others stay as they are when one of them is deleted.
    private final class Team: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Team", attributes: [],
            relationships: [
                .init("players", to: Player.self, isToMany: true, deleteRule: .noAction),
                .init(
                    "fans", to: Player.self, isToMany: true, isOrdered: true, inverse: "favourites"),
                .init("captain", to: Player.self, inverse: "captainOf"),
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    private final class Player: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Player", attributes: [],
            relationships: [
                .init("team", to: Team.self, inverse: "players"),
                .init("favourites", to: Team.self, isToMany: true, deleteRule: .noAction),
                .init("captainOf", to: Team.self, deleteRule: .noAction),
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    @Test(arguments: Backend.allCases)
    func aReferenceToADeletedItemReadsNilEverywhere(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                let (team, player) = (try db.create(Team.self), try db.create(Player.self))
                player.setRelated("team", to: team)
                try db.delete(team)
                _ = try db.create(Player.self)
            }
            try store.read { db in
                let player = try #require(try db.first(Player.self))
                #expect(player.related("team", as: Team.self) == nil)
                for (format, count) in [
                    ("team == nil", 2), ("team != nil", 0), ("NOT team == nil", 0),
                    ("team == nil AND captainOf == nil", 2), ("team.uniqueToken == nil", 2),
                ] {
                    let predicate = try DataStorePredicate(format)
                    try #expect(db.count(Player.self, where: predicate) == count, "\(format)")
                    let dynamic = DataStoreRequest(itemTypeKey: "Player")
                    dynamic.predicate = predicate
                    try #expect(db.count(dynamic) == count, "\(format), dynamic")
                }
            }
            try store.write { db in
                let (team, player) = (try db.create(Team.self), try db.create(Player.self))
                try #require(try db.first(Player.self)).setRelated("team", to: team)
                team.setRelated("captain", to: player)
                let fans = team.related(toMany: "fans", as: Player.self)
                fans.insert(try #require(try db.first(Player.self)))
                fans.insert(player)
                try db.delete(player)
                #expect(team.related("captain", as: Player.self) == nil)
                #expect(fans.count == 1)
                #expect(fans.ids.count == 1)
                #expect(fans.items.count == 1)
                for format in ["fans.@count == 1", "captain == nil", "players.@count == 1"] {
                    try #expect(
                        db.count(Team.self, where: DataStorePredicate(format)) == 1, "\(format)")
                }
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func placesCountTheOthersThatHaveNoLinkInTheOrder(_ backend: Backend) throws {
        try backend.withStore { store in
            let token = try store.write { db in
                try db.delete(try db.create(Chapter.self))
                return try db.create(Book.self).uniqueToken
            }
            // Chapters as an import makes them: their references are set, and no links are made.
            let chapters = try store.write { db in
                try (0..<3).map { _ in
                    let chapter = try db.create("Chapter")
                    try chapter.backing.setValue(
                        .reference(ItemReference(itemTypeKey: "Book", id: token)),
                        forAttribute: "book")
                    return chapter.uniqueToken
                }
            }
            try store.write { db in
                let book = try #require(try db.item(Book.self, id: token))
                #expect(book.chapters.ids == chapters)
                let new = try db.create(Chapter.self)
                book.chapters.insert(new, at: 1)
                var wanted = chapters
                wanted.insert(new.uniqueToken, at: 1)
                #expect(book.chapters.ids == wanted)
                try db.delete(try #require(try db.item(Chapter.self, id: chapters[0])))
                wanted.removeFirst()
                book.chapters.insert(new, at: 2)
                wanted.remove(at: 0)
                wanted.append(new.uniqueToken)
                #expect(book.chapters.ids == wanted)
            }
        }
    }

    @Test(arguments: Backend.persistent)
    func aDamagedItemIsDeletedUnderTheRules(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            let (book, author) = try store.write { db in
                let (author, book) = (try db.create(Author.self), try db.create(Book.self))
                book.author = author
                book.tags.insert(try db.create(Tag.self))
                book.chapters.insert(try db.create(Chapter.self))
                return (book.uniqueToken, author.uniqueToken)
            }
            try store.close()
            let bytes = StoredBytes(backend, at: directory)
            try bytes.damageRecord(of: book)
            try store.open()
            try store.write { db in
                expectError(.corrupted) { _ = try db.item(Book.self, id: book) }
                let author = try #require(try db.item(Author.self, id: author))
                let error = expectError(.corrupted) { try db.delete(author) }
                #expect(error?.message.contains(book.description) == true)
                try #expect(db.delete(Book.self, id: book))
                try db.delete(author)
                try #expect(db.count(Book.self) == 0)
                try #expect(db.count(Chapter.self) == 0)
                let tag = try #require(try db.first(Tag.self))
                #expect(tag.books.isEmpty)
            }
            try expectSound(store)
            try store.close()
        }
    }

    @Test(arguments: Backend.persistent)
    func deletingAllItemsDeletesDamagedOnesUnderTheRules(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            let books = try store.write { db in
                let (author, tag) = (try db.create(Author.self), try db.create(Tag.self))
                return try (0..<4).map { _ in
                    let book = try db.create(Book.self)
                    book.author = author
                    book.tags.insert(tag)
                    book.chapters.insert(try db.create(Chapter.self))
                    return book.uniqueToken
                }
            }
            try store.close()
            let bytes = StoredBytes(backend, at: directory)
            for book in books.prefix(2) { try bytes.damageRecord(of: book) }
            try store.open()
            try store.write { db in
                try db.deleteAll(Book.self)
                try #expect(db.count(Book.self) == 0)
                try #expect(db.count(Chapter.self) == 0)
                let tag = try #require(try db.first(Tag.self))
                let author = try #require(try db.first(Author.self))
                #expect(tag.books.isEmpty && author.books.isEmpty)
            }
            try expectSound(store)
            try store.close()
        }
    }

    private final class Node: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Node", attributes: [],
            relationships: [
                RelationshipSchema("parent", to: Node.self),
                RelationshipSchema(
                    "children", to: Node.self, isToMany: true, deleteRule: .cascade,
                    inverse: "parent"),
            ])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }

    /// Of two damaged items, a parent can be deleted only after its child.
    @Test(arguments: Backend.persistent, [[0, 1, 2], [2, 1, 0]])
    func deletingAllItemsDeletesDamagedOnesInAnOrderThatWorks(
        _ backend: Backend, _ order: [Int]
    ) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            let nodes = try store.write { db in
                let nodes = try (0..<6).map { _ in try db.create(Node.self) }
                nodes[order[1]].setRelated("parent", to: nodes[order[0]])
                nodes[order[2]].setRelated("parent", to: nodes[order[1]])
                nodes[4].setRelated("parent", to: nodes[3])
                return nodes.map(\.uniqueToken)
            }
            try store.close()
            let bytes = StoredBytes(backend, at: directory)
            for node in [order[0], order[1], 5] { try bytes.damageRecord(of: nodes[node]) }
            try store.open()
            try store.write { db in
                try db.deleteAll(Node.self)
                try #expect(db.count(Node.self) == 0)
            }
            try expectSound(store)
            try store.close()
        }
    }

    @Test(arguments: Backend.persistent)
    func aDamagedLinkIsAnErrorUntilItIsDeleted(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            let (book, type, links) = try store.write { db in
                let book = try db.create(Book.self)
                for _ in 0..<2 { book.tags.insert(try db.create(Tag.self)) }
                let schema = try db.schemas().first { $0.itemTypeKey == "Tag" }
                let type = try #require(schema?.relationships.first?.links?.typeKey)
                let request = DataStoreRequest(itemTypeKey: type)
                return (book.uniqueToken, type, try db.dynamicItems(request).map(\.uniqueToken))
            }
            try store.close()
            let bytes = StoredBytes(backend, at: directory)
            let damaged = try #require(links.last)
            try bytes.damageRecord(of: damaged)
            try store.open()
            expectError(.corrupted) {
                try store.read { db in _ = try db.item(Book.self, id: book)?.tags.ids }
            }
            expectError(.corrupted) {
                try store.read { db in
                    _ = try db.count(Book.self, where: .init("ANY tags.text == nil"))
                }
            }
            expectError(.corrupted) {
                try store.read { db in _ = try db.items(Tag.self).map { $0.books.ids } }
            }
            expectError(.corrupted) {
                try store.write { db in _ = try db.delete(Book.self, id: book) }
            }
            try store.write { db in
                try db.delete(DynamicItem(type, id: damaged))
                try #expect(db.delete(Book.self, id: book))
            }
            try store.read { db in
                for tag in try db.items(Tag.self) { #expect(tag.books.isEmpty) }
            }
            try expectSound(store)
            try store.close()
        }
    }

    @Test(arguments: Backend.allCases)
    func anItemOfAReadOnlyClassIsDeletedUnderTheRules(_ backend: Backend) throws {
        final class ReadOnlyAuthor: DataStoreItem {
            static let schema = Library.Author.schema
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }
        try backend.withStore { store in
            try store.write { db in
                try db.create(Author.self).books.insert(try db.create(Book.self))
            }
            let frozen = try store.read { db in
                try #require(try db.first(ReadOnlyAuthor.self)).uniqueToken
            }
            try store.write { db in
                try db.delete(try #require(try db.item(ReadOnlyAuthor.self, id: frozen)))
                try #expect(db.count(Book.self) == 0)
                try #expect(db.count(Author.self) == 0)
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func prefetchingOneItemOftenGivesItsOthersOnce(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                let author = try db.create(Author.self)
                for _ in 0..<3 { author.books.insert(try db.create(Book.self)) }
            }
            try store.read { db in
                let author = try #require(try db.first(Author.self))
                try db.prefetch("books", "friends", of: Array(repeating: author, count: 2_500))
                #expect(author.books.count == 3)
                #expect(author.books.ids == author.books.items.map(\.uniqueToken))
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func deletingBothSidesThatDenyIsAllowed(_ backend: Backend) throws {
        final class Left: MutableDataStoreItem {
            static let schema = ItemSchema(
                "Left", attributes: [],
                relationships: [
                    .init(
                        "rights", to: Right.self, isToMany: true, deleteRule: .deny,
                        inverse: "lefts")
                ])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }
        final class Right: MutableDataStoreItem {
            static let schema = ItemSchema(
                "Right", attributes: [],
                relationships: [.init("lefts", to: Left.self, isToMany: true, deleteRule: .deny)])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }
        try backend.withStore { store in
            try store.write { db in
                let left = try db.create(Left.self)
                left.related(toMany: "rights").insert(try db.create(Right.self))
            }
            expectError(.validationFailed) { try store.write { db in try db.deleteAll(Left.self) } }
            try store.write { db in
                try db.deleteAll(Left.self)
                try db.deleteAll(Right.self)
            }
            try store.read { db in
                // No link is left either.
                for schema in try db.schemas() {
                    let count = try db.count(DataStoreRequest(itemTypeKey: schema.itemTypeKey))
                    #expect(count == 0, "\(schema.itemTypeKey)")
                }
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func aReferenceToAMissingItemFreesTheFormerPartner(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                let (author, desk) = (try db.create(Author.self), try db.create(Library.Desk.self))
                author.desk = desk
                author.setRelatedID("desk", to: ItemID(), of: Library.Desk.self)
                #expect(author.desk == nil)
                #expect(desk.author == nil)
                // A reference that is left is a problem of the store.
                author.desk = nil
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func prefetchedItemsAreThereAfterTheBlock(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            try store.write { db in
                for number in 0..<3 {
                    let author = try db.create(Author.self)
                    author.name = "author \(number)"
                    if number == 1 { author.desk = try db.create(Library.Desk.self) }
                    for _ in 0..<number {
                        let book = try db.create(Book.self)
                        author.books.insert(book)
                        for _ in 0..<2 { book.tags.insert(try db.create(Tag.self)) }
                    }
                }
            }
            var (authors, books): ([Author], [Book]) = ([], [])
            try store.read { db in
                authors = try db.items(Author.self)
                try db.prefetch("books.tags", "books.author", of: authors)
                books = try db.items(Book.self)
                try db.prefetch("author", of: books)
                expectError(.unknownAttribute) { try db.prefetch("nothing", of: authors) }
                #expect(authors[0].friends.isLoaded)
            }
            #expect(authors.map(\.books.count) == [0, 1, 2])
            #expect(authors.map { $0.books.map(\.tags.count) } == [[], [2], [2, 2]])
            #expect(authors[2].books.first?.author?.name == "author 2")
            #expect(authors[2].books.ids == books[1...].map(\.uniqueToken))
            #expect(authors[2].books.contains(books[1]))
            #expect(!authors[2].books.contains(books[0]))
            #expect(books.map { $0.author?.name } == ["author 1", "author 2", "author 2"])
            #expect(authors[0].books.isLoaded)
            #expect(!authors[0].friends.isLoaded)
            #expect(errors.all.isEmpty)
            #expect(authors[0].friends.isEmpty)
            #expect(authors[0].desk == nil)
            #expect(authors[1].desk == nil)
            #expect(errors.codes == [.relationshipNotLoaded, .relationshipNotLoaded])
        }
    }
}
