import JustPersist

extension RelationshipChecks {
    private typealias Author = RelatedClasses.Author
    private typealias Book = RelatedClasses.Book

    static let reading: [CheckDefinition] = [
        rel(
            "inverse-disagreement-refused",
            "Declarations that name each other and disagree are refused, and nothing is stored."
        ) { check in
            for itemClass in WrongClasses.all {
                let store = try GraphStore(check, RelatedClasses.shape)
                func create<Item: MutableDataStoreItem>(_ itemClass: Item.Type) throws {
                    try store.store.write { db in _ = try db.create(itemClass) }
                }
                check.expectError(
                    .conflictingRelationships, what: "creating an item of \(itemClass)"
                ) { try create(itemClass) }
                let count = try store.store.read { db in
                    try db.schemas().contains { $0.itemTypeKey == itemClass.itemTypeKey }
                        ? try db.performCount(DataStoreRequest(itemTypeKey: itemClass.itemTypeKey))
                        : 0
                }
                check.expectEqual(count, 0, "the items of \(itemClass)")
            }
            for (name, other) in [("rights", "Left"), ("nothing", "Right")] {
                let store = try GraphStore(check, .pair(.many, .one))
                let wrong = ItemSchema(
                    "Wrong", attributes: [],
                    relationships: [RelationshipSchema("x", to: other, inverse: name)])
                check.expectError(
                    .conflictingRelationships, what: "“\(name)” of “\(other)” as an inverse"
                ) {
                    try store.store.write { db in
                        try db.declare(wrong)
                        _ = try db.create("Wrong")
                    }
                }
            }
        },
        rel(
            "reopen-keeps-relationships", also: .persistent, clause: [1, 22],
            "A store that was opened again has all relationships, and keeps both sides and the rules."
        ) { check in
            if !check.reopeningKeepsData { try check.notApplicable("a child keeps nothing") }
            for shape in [RelatedClasses.shape, .oneToOne, .friends] + GraphShape.toMany {
                var store = try GraphStore(check, shape)
                var graph = Graph(shape)
                var random = check.generator(shape.name)
                for round in 0..<4 {
                    graph = try store.commitRandom(round == 0 ? 60 : 15, to: graph, &random)
                    store = try store.reopened()
                    try store.expect(graph, "after reopening \(round + 1) times")
                }
            }
        },
        rel(
            "snapshot-does-not-move", also: .concurrentReads, clause: [4, 24],
            "A read block follows relationships as they were when it began."
        ) { check in
            if check.capabilities.threading.readsOnMainThread {
                try check.notApplicable("its blocks run on the main thread, one after the other")
            }
            for shape in [GraphShape.oneToOne] + GraphShape.toMany {
                let (store, graph) = try filled(check, shape, rights: 1)
                try store.store.read { db in
                    try store.expect(graph, "before another commit", db)
                    let changes = check.start {
                        let later = try store.commit(
                            [
                                .create("Right", ["r8", "r9"]),
                                .replace("l1.rights", with: ["r9"]), .delete("r0"),
                            ], to: graph)
                        try store.expect(later, "in a later block")
                    }
                    try changes.join()
                    try store.expect(graph, "in a block that began before a commit", db)
                }
            }
        },
        rel(
            "not-loaded-is-reported", clause: [24],
            "After its block an item does not follow relationships: that is reported, and gives nil or nothing."
        ) { check in
            let store = try GraphStore(check, RelatedClasses.shape)
            let graph = try store.commit(
                [
                    .create("RelatedAuthor", ["a1"]), .create("RelatedBook", ["b1"]),
                    .create("RelatedTag", ["t1"]), .set("b1.author", to: "a1"),
                    .insert("t1", into: "b1.tags"),
                ], to: Graph(RelatedClasses.shape))
            var items: [(String, any DataStoreItem)] = []
            let request = DataStoreRequest(itemType: Book.self)
            try store.store.performRead { db in
                items += try db.performFetch(request).map { ("a read block", $0) }
            }
            try store.store.performWrite { db in
                items += try db.performFetch(request).map { ("a write block", $0) }
            }
            check.expectEqual(items.count, 2, "the books of two blocks")
            for (block, item) in items {
                func expect(_ what: String, _ body: () -> Bool) {
                    let isNone = Locked(false)
                    let codes = check.reported { isNone.withLock { $0 = body() } }.map(\.code)
                    check.expectEqual(
                        codes, [.relationshipNotLoaded], "what \(what) reported after \(block)")
                    check.expect(
                        isNone.withLock { $0 }, "\(what) gave something after \(block)")
                }
                let tags = item.related(toMany: "tags", as: RelatedClasses.Tag.self)
                expect("a relationship to one") { item.related("author", as: Author.self) == nil }
                expect("the items of a relationship to many") { tags.items.isEmpty }
                expect("the ids of a relationship to many") { tags.ids.isEmpty }
                expect("the number of others") { tags.count == 0 }
                expect("going through the others") { Array(tags).isEmpty }
            }
            check.errors.removeAll()
            try store.expect(graph, "afterwards")
        },
        rel(
            "prefetched-after-block", clause: [24],
            "Related items that were prefetched in a read block are there after it, each in its order."
        ) { check in
            let store = try GraphStore(check, RelatedClasses.shape)
            _ = try store.commit(
                [
                    .create("RelatedAuthor", ["a1", "a2"]),
                    .create("RelatedBook", ["b1", "b2", "b3"]),
                    .create("RelatedTag", ["t1", "t2"]), .set("b1.author", to: "a1"),
                    .set("b2.author", to: "a1"), .insert("t2", into: "b1.tags"),
                    .insert("t1", into: "b1.tags"), .insert("t1", into: "b2.tags"),
                ], to: Graph(RelatedClasses.shape))
            var (authors, books): ([any DataStoreItem], [any DataStoreItem]) = ([], [])
            try store.store.performRead { db in
                authors = try db.performFetch(DataStoreRequest(itemType: Author.self))
                try db.prefetch("books.tags", "books.author", of: authors)
                books = try db.performFetch(DataStoreRequest(itemType: Book.self))
                try db.prefetch("author", of: books)
                check.expectError(.unknownAttribute, what: "prefetching what is no relationship") {
                    try db.prefetch("nothing", of: books)
                }
            }
            func label(_ item: any DataStoreItem) -> String {
                item.value(forKeyPath: GraphShape.label) as? String ?? "none"
            }
            let seen = Locked<[String]>([])
            let codes = check.reported {
                for author in authors {
                    let books = author.related(toMany: "books", as: Book.self)
                    let texts = books.items.map { book in
                        let tags = book.related(toMany: "tags", as: RelatedClasses.Tag.self)
                        let author = book.related("author", as: Author.self).map(label) ?? "none"
                        return ([label(book), author] + tags.map(label) + ["\(tags.count)"]).joined(
                            separator: " ")
                    }
                    seen.withLock {
                        $0.append(([label(author)] + texts).joined(separator: ", "))
                    }
                    check.expect(books.isLoaded, "prefetched books are not loaded")
                }
                for book in books {
                    let author = book.related("author", as: Author.self).map(label) ?? "none"
                    let tags = book.related(toMany: "tags", as: RelatedClasses.Tag.self)
                    check.expect(!tags.isLoaded, "tags that were not prefetched are loaded")
                    seen.withLock { $0.append("\(label(book)) \(author)") }
                }
            }.map(\.code)
            check.expectEqual(codes, [], "what following prefetched items reported")
            check.expectEqual(
                seen.withLock(\.self),
                ["a1, b1 a1 t2 t1 2, b2 a1 t1 1", "a2", "b1 a1", "b2 a1", "b3 none"],
                "prefetched authors and books")
        },
        rel(
            "types-without-class",
            "The others of items of types without a class are items without a class, to one and to many."
        ) { check in
            for shape in GraphShape.toMany + [.friends] {
                let store = try GraphStore(check, shape)
                let type = shape.schemas[shape.schemas.count - 1].itemTypeKey
                _ = try store.commit(
                    [
                        .create("Left", ["l1"]), .create(type, ["r1", "r2"]),
                        .replace("l1.rights", with: ["r1", "r2"]),
                    ], to: Graph(shape))
                try store.store.read { db in
                    let left = try check.require(
                        try db.dynamicItems(DataStoreRequest(itemTypeKey: "Left")).first,
                        "an item of Left")
                    let rights = left.related(toMany: "rights", as: DynamicItem.self)
                    let labels = rights.map { $0[GraphShape.label] }
                    check.expectEqual(
                        labels, [.string("r1"), .string("r2")],
                        "\(shape.name): what going through the others gives")
                    for right in rights
                    where shape.relationship("lefts", of: type)?.isToMany == false {
                        check.expectEqual(
                            right.related("lefts", as: DynamicItem.self)?.uniqueToken,
                            left.uniqueToken, "\(shape.name): the other")
                    }
                }
            }
        },
        rel(
            "foreign-item-refused",
            "Items of another store or of another type, and deleted ones, are refused; one in no store is inserted."
        ) { check in
            let shape = RelatedClasses.shape
            let start: [GraphStep] = [
                .create("RelatedAuthor", ["a1"]), .create("RelatedBook", ["b1"]),
                .create("RelatedTag", ["t1"]),
            ]
            let (store, other) = (try GraphStore(check, shape), try GraphStore(check, shape))
            let graph = try store.commit(start, to: Graph(shape))
            _ = try other.commit(start, to: Graph(shape))
            var foreign: (any DataStoreItem)?
            var frozen: (any DataStoreItem)?
            let authors = DataStoreRequest(itemType: Author.self)
            try other.store.performRead { foreign = try $0.performFetch(authors).first }
            try store.store.performRead { frozen = try $0.performFetch(authors).first }
            let (stranger, known) = (
                try check.require(foreign, "an author of another store"),
                try check.require(frozen, "an author of a read block")
            )
            try store.store.performWrite { db in
                let book = try check.require(
                    try store.item("b1", graph, db) as? Book, "a book of the class")
                let tag = try store.item("t1", graph, db)
                check.expectError(.foreignItem, what: "an author of another store") {
                    try book.setRelatedItem("author", to: stranger)
                }
                check.expectError(.kindMismatch, what: "a tag as the author") {
                    try book.setRelatedItem("author", to: tag)
                }
                check.expectError(.unknownAttribute, what: "a relationship that is not declared") {
                    try book.setRelatedItem("nothing", to: known)
                }
                let gone = try db.create(Author.self)
                try db.delete(gone)
                check.expectError(.itemDeleted, what: "a deleted author") {
                    try book.setRelatedItem("author", to: gone)
                }
                check.expect(
                    book.related("author", as: Author.self) == nil,
                    "A book has an author after all were refused")
                try book.setRelatedItem("author", to: known)
                check.expectEqual(
                    book.related("author", as: Author.self)?.uniqueToken, known.uniqueToken,
                    "the author after the frozen one was set")
                let new = Author(
                    backing: DictionaryBacking(
                        itemTypeKey: Author.itemTypeKey, schema: Author.schema, id: ItemID()))
                try book.setRelatedItem("author", to: new)
                check.expect(
                    book.related("author", as: Author.self) === new,
                    "The author is not the item that was in no store")
                check.expectEqual(
                    try db.performCount(authors), 2, "the authors after one was inserted so")
            }
        },
    ]
}
