import ArgumentParser
import Foundation
import GRDB
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB

/// Compares what relationships cost with the same work without them, and with GRDB's associations.
struct GraphCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "graph",
        abstract:
            "Shows the costs of relationships beside plain items, and beside GRDB's associations."
    )

    @Option(
        help:
            "How many authors there are; each has ten books, and one has as many as there are authors."
    )
    var authors = 10_000

    @Option(help: "How many rounds are counted.")
    var rounds = 5

    @Option(help: "Measures only this store: LMDB or LevelDB.")
    var store: String?

    func run() throws { try FileManager.default.withBenchmarkDirectory(run(in:)) }

    private func run(in directory: URL) throws {
        let sqlite = try GRDBDatabase.open(in: directory)
        try fill(sqlite)
        print("\(Machine.line), \(authors) authors with ten books each, \(rounds) rounds, medians")
        for name in ["LMDB", "LevelDB"] where store.map({ $0 == name }) ?? true {
            let folder = directory.appending(path: name)
            let open: () throws -> any DataStore = {
                name == "LMDB"
                    ? try LMDBDataStore.open(at: folder) : try LevelDBDataStore.open(at: folder)
            }
            let filled = try open()
            try fill(filled)
            try filled.close()
            let store = try open()
            print("\n\(name)")
            print(line("relationship", "µs", "beside it", "µs", "ratio"))
            for row in try rows(store, sqlite) { try measure(row) }
            try store.close()
        }
    }

    /// Work with relationships, and work to compare it with.
    ///
    /// Both do their work so many times.
    private struct Row {
        let title: String
        let own: () throws -> Int
        let other: String
        let compared: () throws -> Int
        var count = 1
        /// Whether both return a digest of the same answer.
        var isSame = true
    }

    private func measure(_ row: Row) throws {
        var times: (own: [Double], other: [Double], ratios: [Double]) = ([], [], [])
        for round in 0...rounds {
            var (own, other) = (0, 0)
            let first = try time { own = try row.own() }
            let second = try time { other = try row.compared() }
            if row.isSame, own != other {
                throw ValidationError("\(row.title): \(own), and \(row.other): \(other).")
            }
            if round == 0 { continue }
            times.own.append(first / Double(row.count))
            times.other.append(second / Double(row.count))
            times.ratios.append(first / second)
        }
        print(
            line(
                row.title, String(format: "%.2f", times.own.median), row.other,
                String(format: "%.2f", times.other.median),
                String(format: "%.2f", times.ratios.median)))
    }

    private func rows(_ store: any DataStore, _ sqlite: DatabasePool) throws -> [Row] {
        let (ids, books, large) = try store.read { db in
            (
                try db.items(GraphAuthor.self, limit: 1_000).map(\.uniqueToken),
                try db.items(GraphBook.self, limit: 1_000).map(\.uniqueToken),
                try db.items(GraphAuthor.self).last?.uniqueToken
            )
        }
        guard let large else { return [] }
        let few = ids[0]
        let update = {
            try store.write { db in
                for id in books { try db.item(GraphBook.self, id: id)?.year += 1 }
                return books.count
            }
        }
        func link(_ reader: String, to author: ItemID) -> () throws -> Int {
            {
                try store.write { db in
                    guard let author = try db.item(GraphAuthor.self, id: author) else { return 0 }
                    for _ in books.indices {
                        author.readers.insert(try db.create(GraphReader.self))
                    }
                    return books.count
                }
            }
        }
        let create = {
            try store.write { db in
                for _ in books.indices { _ = try db.create(GraphReader.self) }
                return books.count
            }
        }
        func move(to author: ItemID) -> () throws -> Int {
            {
                try store.write { db in
                    let author = try db.item(GraphAuthor.self, id: author)
                    let other = try db.item(GraphAuthor.self, id: ids[1])
                    for id in books { try db.item(GraphBook.self, id: id)?.author = other }
                    for id in books { try db.item(GraphBook.self, id: id)?.author = author }
                    return books.count
                }
            }
        }
        return [
            Row(
                title: "follow a to-one",
                own: {
                    try store.read { db in
                        try db.items(GraphBook.self, limit: 10_000).reduce(0) {
                            $0 &+ ($1.author?.name.utf8.count ?? 0)
                        }
                    }
                }, other: "fetch by id",
                compared: {
                    try store.read { db in
                        var sum = 0
                        for book in try db.items(GraphBook.self, limit: 10_000) {
                            guard let id = book.relatedID("author") else { continue }
                            sum &+= try db.item(GraphAuthor.self, id: id)?.name.utf8.count ?? 0
                        }
                        return sum
                    }
                }, count: 10_000),
            Row(
                title: "a to-one of all, prefetched",
                own: {
                    try store.read { db in
                        let books = try db.items(GraphBook.self)
                        try db.prefetch("author", of: books)
                        return books.reduce(0) { $0 &+ ($1.author?.name.utf8.count ?? 0) }
                    }
                }, other: "GRDB including(required:)",
                compared: {
                    try sqlite.read { db in
                        let request = BookRow.including(required: BookRow.author)
                        return try BookWithAuthor.fetchAll(db, request).reduce(0) {
                            $0 &+ $1.author.name.utf8.count
                        }
                    }
                }, count: authors * 11),
            Row(
                title: "members of a large set",
                own: {
                    try store.read { db in
                        try db.item(GraphAuthor.self, id: large)?.books.reduce(0) {
                            $0 &+ $1.title.utf8.count
                        } ?? 0
                    }
                }, other: "fetch each by id",
                compared: {
                    try store.read { db in
                        let ids = try db.item(GraphAuthor.self, id: large)?.books.ids ?? []
                        var sum = 0
                        for id in ids {
                            sum &+= try db.item(GraphBook.self, id: id)?.title.utf8.count ?? 0
                        }
                        return sum
                    }
                }, count: authors),
            Row(
                title: "books of all, prefetched",
                own: {
                    try store.read { db in
                        let authors = try db.items(GraphAuthor.self)
                        try db.prefetch("books", of: authors)
                        return authors.reduce(0) { sum, author in
                            author.books.reduce(sum) { $0 &+ $1.title.utf8.count }
                        }
                    }
                }, other: "GRDB including(all:)",
                compared: {
                    try sqlite.read { db in
                        let request = AuthorRow.including(all: AuthorRow.books)
                        return try AuthorWithBooks.fetchAll(db, request).reduce(0) { sum, row in
                            row.books.reduce(sum) { $0 &+ $1.title.utf8.count }
                        }
                    }
                }, count: authors * 11),
            Row(
                title: "ANY books.year > 2090",
                own: {
                    let predicate = try DataStorePredicate("ANY books.year > 2090")
                    return try store.read { db in try db.count(GraphAuthor.self, where: predicate) }
                }, other: "SQLite EXISTS",
                compared: {
                    try sqlite.read { db in
                        try Int.fetchOne(
                            db,
                            sql: """
                                SELECT COUNT(*) FROM author a WHERE EXISTS
                                (SELECT 1 FROM book b WHERE b.authorId = a.id AND b.year > 2090)
                                """) ?? 0
                    }
                }),
            Row(
                title: "author.name == ‘author 77’",
                own: {
                    let predicate = try DataStorePredicate("author.name == 'author 77'")
                    return try store.read { db in try db.count(GraphBook.self, where: predicate) }
                }, other: "SQLite join",
                compared: {
                    try sqlite.read { db in
                        try Int.fetchOne(
                            db,
                            sql: """
                                SELECT COUNT(*) FROM book b JOIN author a ON b.authorId = a.id
                                WHERE a.name = 'author 77'
                                """) ?? 0
                    }
                }),
            Row(
                title: "set a to-one twice", own: move(to: few), other: "update an attribute",
                compared: update, count: books.count),
            Row(
                title: "set a to-one of a large set twice", own: move(to: large),
                other: "update an attribute", compared: update, count: books.count),
            Row(
                title: "create and link, in a new set", own: link("a", to: few), other: "create",
                compared: create, count: books.count),
            Row(
                title: "create and link, in a growing set", own: link("b", to: large),
                other: "in a new set", compared: link("c", to: few), count: books.count),
            Row(
                title: "a cascade of \(authors)", own: { try cascade(in: store) },
                other: "delete each", compared: { try deleteEach(in: store) }, count: authors),
        ]
    }

    /// Deletes an author with many books, in a block that is rolled back.
    private func cascade(in store: any DataStore) throws -> Int {
        try rollingBack(store) { db in
            guard let author = try db.items(GraphAuthor.self).last else { return 0 }
            let before = try db.count(GraphBook.self)
            try db.delete(author)
            return try before - db.count(GraphBook.self)
        }
    }

    private func deleteEach(in store: any DataStore) throws -> Int {
        try rollingBack(store) { db in
            guard let ids = try db.items(GraphAuthor.self).last?.books.ids else { return 0 }
            for id in ids { _ = try db.delete(GraphBook.self, id: id) }
            return ids.count
        }
    }

    private func rollingBack(
        _ store: any DataStore, _ body: (borrowing DataStoreWriter) throws -> Int
    ) throws -> Int {
        struct Undone: Error {}
        var result = 0
        do {
            try store.write { db in
                result = try body(db)
                throw Undone()
            }
        } catch is Undone {}
        return result
    }

    // MARK: Data

    /// The title and the year of a book.
    private func book(_ number: Int) -> (title: String, year: Int) {
        ("book \(number)", 1900 + number.hashed % 192)
    }

    private func fill(_ store: any DataStore) throws {
        try store.write { db in
            for number in 0..<authors {
                let author = try db.create(GraphAuthor.self)
                author.name = "author \(number)"
                for place in 0..<10 { try make(number * 10 + place, of: author, db) }
            }
            let author = try db.create(GraphAuthor.self)
            author.name = "author of many"
            for number in 0..<authors { try make(authors * 10 + number, of: author, db) }
        }
    }

    private func make(
        _ number: Int, of author: GraphAuthor, _ db: borrowing DataStoreWriter
    ) throws {
        let item = try db.create(GraphBook.self)
        (item.title, item.year) = book(number)
        item.author = author
    }

    private func fill(_ sqlite: DatabasePool) throws {
        try sqlite.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE author (id BLOB PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;
                    CREATE TABLE book (id BLOB PRIMARY KEY, title TEXT NOT NULL, year INTEGER NOT NULL, authorId BLOB) \
                    WITHOUT ROWID;
                    CREATE INDEX bookAuthor ON book (authorId);
                    """)
            func add(_ name: String, _ numbers: Range<Int>) throws {
                let id = ItemID().data
                try AuthorRow(id: id, name: name).insert(db)
                for number in numbers {
                    let (title, year) = book(number)
                    try BookRow(id: ItemID().data, title: title, year: year, authorId: id).insert(
                        db)
                }
            }
            for number in 0..<authors {
                try add("author \(number)", number * 10..<number * 10 + 10)
            }
            try add("author of many", authors * 10..<authors * 11)
        }
    }

    // MARK: Time

    private func time(_ body: () throws -> Void) throws -> Double {
        let start = ContinuousClock.now
        try body()
        return (ContinuousClock.now - start) / .microseconds(1)
    }

    private func line(_ title: String, _ columns: String...) -> String {
        title.padding(toLength: 36, withPad: " ", startingAt: 0)
            + columns.map { String(repeating: " ", count: max(1, 26 - $0.count)) + $0 }.joined()
    }
}

extension Int {
    /// A number that looks random.
    fileprivate var hashed: Int {
        Int(truncatingIfNeeded: UInt64(bitPattern: Int64(self)) &* 0x9E37_79B9_7F4A_7C15 >> 33)
    }
}

extension ItemID {
    fileprivate var data: Data { withUnsafeBytes(of: uuid.uuid) { Data($0) } }
}
