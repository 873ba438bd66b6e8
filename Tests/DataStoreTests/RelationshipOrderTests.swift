import JustPersist
import JustPersistConformance
import Testing

/// Orders of related items that are set as a whole.
@Suite(.timeLimit(.minutes(5))) struct RelationshipOrderTests {
    private typealias Book = Library.Book

    /// A book with its chapters, whose order is kept beside their references, and its tags, whose order their links have.
    private func withBook(
        _ backend: Backend, _ count: Int,
        _ body: (ToMany<Library.Chapter>, ToMany<Library.Tag>) throws -> Void
    ) throws {
        try backend.withStore { store in
            try store.write { db in
                let book = try db.create(Book.self)
                for _ in 0..<count {
                    book.chapters.insert(try db.create(Library.Chapter.self))
                    book.tags.insert(try db.create(Library.Tag.self))
                }
            }
            try store.write { db in
                let book = try #require(try db.first(Book.self))
                try body(book.chapters, book.tags)
            }
        }
    }

    @Test(arguments: Backend.allCases) func anyOrderCanBeSet(_ backend: Backend) throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        try withBook(backend, 30) { chapters, tags in
            func expectAnyOrder<Item>(_ others: ToMany<Item>) {
                let all = others.items
                for round in 0..<40 {
                    // Some are left out, and given twice.
                    var wanted = all
                    for _ in 0..<(round % 3 == 0 ? 100 : round % 4) {
                        wanted.swapAt(random.int(in: 0..<30), random.int(in: 0..<30))
                    }
                    if round % 5 == 4 { wanted.removeLast(random.int(in: 0..<30)) }
                    others.replace(with: wanted + wanted.prefix(2))
                    #expect(
                        others.ids == wanted.map(\.uniqueToken), "round \(round), seed \(seed)")
                }
            }
            expectAnyOrder(chapters)
            expectAnyOrder(tags)
        }
    }

    /// Half of the links have one position, as after merges of stores that each added an item at the end.
    @Test(arguments: Backend.allCases) func anyItemCanBeMoved(_ backend: Backend) throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        try backend.withStore { store in
            try store.write { db in
                let book = try db.create(Book.self)
                for _ in 0..<12 {
                    book.chapters.insert(try db.create(Library.Chapter.self))
                    book.tags.insert(try db.create(Library.Tag.self))
                }
            }
            try store.write { db in
                for key in ["Book.chapters", "Book.tags"] {
                    let links = try db.dynamicItems(DataStoreRequest(itemTypeKey: key))
                    #expect(links.count == 12, "\(key)")
                    for link in links.prefix(6) { link["position"] = .int(1 << 33) }
                }
            }
            try store.write { db in
                let book = try #require(try db.first(Book.self))
                func expectAnyMove<Item>(_ others: ToMany<Item>) {
                    var wanted = others.items
                    for round in 0..<200 {
                        let (from, to) = (random.int(in: 0..<12), random.int(in: 0..<14))
                        let item = wanted.remove(at: from)
                        wanted.insert(item, at: min(to, wanted.count))
                        others.insert(item, at: to)
                        let isRight = others.ids == wanted.map(\.uniqueToken)
                        #expect(isRight, "round \(round), \(from) to \(to), seed \(seed)")
                    }
                }
                expectAnyMove(book.chapters)
                expectAnyMove(book.tags)
            }
        }
    }

    /// The room between two neighbours is used up after 32 of these moves.
    @Test(arguments: Backend.allCases)
    func thePlaceBetweenTwoOthersIsFoundAnyNumberOfTimes(_ backend: Backend) throws {
        try withBook(backend, 5) { chapters, _ in
            var wanted = chapters.items
            for round in 0..<100 {
                wanted.insert(wanted.removeLast(), at: 1)
                chapters.replace(with: wanted)
                #expect(chapters.ids == wanted.map(\.uniqueToken), "round \(round)")
            }
        }
    }
}
