import JustPersist
import JustPersistConformance
import Testing

/// A model of the items of ``Library`` and of what relates them, which changes a store and itself alike.
struct Graph {
    /// The authors of books, in the order of creation.
    var books: [ItemID: ItemID?] = [:]
    var tags: [ItemID: [ItemID]] = [:]
    var chapters: [ItemID: [ItemID]] = [:]
    var cabinets: [ItemID: Set<ItemID>] = [:]
    var desks: [ItemID: ItemID?] = [:]
    var friends: [ItemID: Set<ItemID>] = [:]
    var allTags: Set<ItemID> = []

    private func any(of ids: some Collection<ItemID>, _ random: inout SeededGenerator) -> ItemID? {
        ids.sorted().randomElement(using: &random)
    }

    /// Changes the store in one random way, and the model in the same.
    mutating func step(
        _ db: borrowing DataStoreWriter, _ random: inout SeededGenerator
    ) throws {
        func item<Item: MutableDataStoreItem>(
            _ type: Item.Type, _ id: ItemID
        ) throws -> Item { try #require(try db.item(type, id: id)) }
        let author = any(of: friends.keys, &random)
        let book = any(of: books.keys, &random)
        let tag = any(of: allTags, &random)
        switch Int.random(in: 0..<24, using: &random) {
        case 0, 1: friends[try db.create(Library.Author.self).uniqueToken] = []
        case 2, 3:
            let id = try db.create(Library.Book.self).uniqueToken
            (books[id], tags[id], chapters[id]) = (.some(nil), [], [])
        case 4: allTags.insert(try db.create(Library.Tag.self).uniqueToken)
        case 5: desks[try db.create(Library.Desk.self).uniqueToken] = .some(nil)
        case 6: cabinets[try db.create(Library.Cabinet.self).uniqueToken] = []
        case 7, 8:
            guard let book, let author else { return }
            try item(Library.Book.self, book).author = item(Library.Author.self, author)
            books[book] = author
        case 9:
            guard let book, let author else { return }
            let isNew = try item(Library.Author.self, author).books.insert(
                item(Library.Book.self, book))
            #expect(isNew == (books[book] != .some(author)))
            books[book] = author
        case 10:
            guard let book else { return }
            try item(Library.Book.self, book).author = nil
            books[book] = .some(nil)
        case 11:
            guard let book, let author else { return }
            let was = try item(Library.Author.self, author).books.remove(
                item(Library.Book.self, book))
            #expect(was == (books[book] == .some(author)))
            if was { books[book] = .some(nil) }
        case 12, 13:
            guard let book, let tag else { return }
            try item(Library.Book.self, book).tags.insert(item(Library.Tag.self, tag))
            if tags[book]?.contains(tag) == false { tags[book]?.append(tag) }
        case 14:
            guard let book, let tag else { return }
            let place = Int.random(in: 0...(tags[book]?.count ?? 0), using: &random)
            let isThere = tags[book]?.contains(tag) == true
            if isThere { return }
            try item(Library.Book.self, book).tags.insert(item(Library.Tag.self, tag), at: place)
            tags[book]?.insert(tag, at: place)
        case 15:
            guard let book, let tag else { return }
            try item(Library.Tag.self, tag).books.remove(item(Library.Book.self, book))
            tags[book]?.removeAll { $0 == tag }
        case 16:
            guard let author, let desk = any(of: desks.keys, &random) else { return }
            try item(Library.Author.self, author).desk = item(Library.Desk.self, desk)
            for (other, owner) in desks where owner == author { desks[other] = .some(nil) }
            desks[desk] = author
        case 17:
            guard let author, let desk = any(of: desks.keys, &random) else { return }
            try item(Library.Desk.self, desk).author = item(Library.Author.self, author)
            for (other, owner) in desks where owner == author { desks[other] = .some(nil) }
            desks[desk] = author
        case 18:
            guard let author, let other = any(of: friends.keys, &random) else { return }
            try item(Library.Author.self, author).friends.insert(item(Library.Author.self, other))
            friends[author]?.insert(other)
            friends[other]?.insert(author)
        case 19:
            guard let book, let cabinet = any(of: cabinets.keys, &random) else { return }
            try item(Library.Book.self, book).cabinet = item(Library.Cabinet.self, cabinet)
            for other in cabinets.keys { cabinets[other]?.remove(book) }
            cabinets[cabinet]?.insert(book)
        case 20:
            guard let book else { return }
            let chapter = try db.create(Library.Chapter.self)
            try item(Library.Book.self, book).chapters.insert(chapter)
            chapters[book]?.append(chapter.uniqueToken)
        case 21:
            guard let author, Bool.random(using: &random) else { return }
            try db.delete(try item(Library.Author.self, author))
            for (book, owner) in books where owner == author { forget(book: book) }
            for (desk, owner) in desks where owner == author { desks[desk] = .some(nil) }
            friends[author] = nil
            for other in friends.keys { friends[other]?.remove(author) }
        case 22:
            guard let book, Bool.random(using: &random) else { return }
            try db.delete(try item(Library.Book.self, book))
            forget(book: book)
        default:
            if let tag {
                try db.delete(try item(Library.Tag.self, tag))
                allTags.remove(tag)
                for book in tags.keys { tags[book]?.removeAll { $0 == tag } }
            }
            if let desk = any(of: desks.keys, &random), Bool.random(using: &random) {
                try db.delete(try item(Library.Desk.self, desk))
                desks[desk] = nil
            }
            if let cabinet = any(of: cabinets.keys, &random), Bool.random(using: &random) {
                try db.delete(try item(Library.Cabinet.self, cabinet))
                cabinets[cabinet] = nil
            }
        }
    }

    private mutating func forget(book: ItemID) {
        (books[book], tags[book], chapters[book]) = (nil, nil, nil)
        for cabinet in cabinets.keys { cabinets[cabinet]?.remove(book) }
    }

    /// Compares every property of every item with the model.
    func expectSame(
        _ db: borrowing some DataStoreReadAccessor & ~Copyable, _ note: String
    ) throws {
        let note = Comment(rawValue: note)
        let authors = try db.items(Library.Author.self)
        #expect(authors.map(\.uniqueToken) == friends.keys.sorted(), note)
        for author in authors {
            let id = author.uniqueToken
            #expect(author.books.ids == books.filter { $0.value == id }.keys.sorted(), note)
            #expect(author.friends.ids == (friends[id] ?? []).sorted(), note)
            #expect(author.desk?.uniqueToken == desks.first { $0.value == id }?.key, note)
        }
        let stored = try db.items(Library.Book.self)
        #expect(stored.map(\.uniqueToken) == books.keys.sorted(), note)
        for book in stored {
            let id = book.uniqueToken
            #expect(book.author?.uniqueToken == books[id] ?? nil, note)
            #expect(book.tags.ids == tags[id], note)
            #expect(book.chapters.ids == chapters[id], note)
            #expect(
                book.cabinet?.uniqueToken == cabinets.first { $0.value.contains(id) }?.key, note)
        }
        let known = try db.items(Library.Tag.self)
        #expect(Set(known.map(\.uniqueToken)) == allTags, note)
        for tag in known {
            let id = tag.uniqueToken
            #expect(tag.books.ids == tags.filter { $0.value.contains(id) }.keys.sorted(), note)
        }
        let desk = try db.items(Library.Desk.self)
        for desk in desk {
            #expect(desk.author?.uniqueToken == desks[desk.uniqueToken] ?? nil, note)
        }
        try #expect(
            Set(db.items(Library.Chapter.self).map(\.uniqueToken))
                == Set(chapters.values.flatMap(\.self)), note)
        try #expect(
            db.items(Library.Cabinet.self).map(\.uniqueToken) == cabinets.keys.sorted(), note)
    }
}
