import JustPersist
import Testing

/// Items that an import relates without a class, or before there is an order.
@Suite struct EarlyRelationTests {
    private static func author(isOrdered: Bool) -> ItemSchema {
        ItemSchema(
            "Author", attributes: [],
            relationships: [
                RelationshipSchema(
                    "books", to: "Book", isToMany: true, isOrdered: isOrdered, inverse: "author")
            ])
    }

    private static let book = ItemSchema(
        "Book", attributes: [], relationships: [RelationshipSchema("author", to: "Author")])

    /// Items that were related before their relationship had an order have no place in it.
    @Test func anItemThatIsRelatedFromBeforeTheOrderCanBeMoved() throws {
        let store: any DataStore = try memoryStore()
        try store.write { db in
            try db.declare(Self.author(isOrdered: false))
            try db.declare(Self.book)
            let others = try db.create("Author").related(toMany: "books", as: DynamicItem.self)
            let (first, last) = (try db.create("Book"), try db.create("Book"))
            for book in [first, last] { others.insert(book) }
            try db.declare(Self.author(isOrdered: true))
            #expect(others.ids == [first.uniqueToken, last.uniqueToken])
            others.insert(last, at: 0)
            #expect(others.ids == [last.uniqueToken, first.uniqueToken])
        }
    }

    @Test func theOthersOfAnItemWithoutAClassAreFound() throws {
        let store: any DataStore = try memoryStore()
        try store.write { db in
            try db.declare(Self.author(isOrdered: false))
            try db.declare(Self.book)
            let others = try db.create("Author").related(toMany: "books", as: DynamicItem.self)
            let book = try db.create("Book")
            others.insert(book)
            #expect(others.items.map(\.uniqueToken) == [book.uniqueToken])
        }
    }
}
