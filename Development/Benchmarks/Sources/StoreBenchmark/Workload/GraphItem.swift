import Foundation
import GRDB
import JustPersistMacros

/// An author with books, in JustPersist.
@Item final class GraphAuthor {
    var name: String = ""
    @Relationship(deleteRule: .cascade, inverse: \GraphBook.author) var books: ToMany<GraphBook>
    var readers: ToMany<GraphReader>
}

/// A book, which leads to its author.
@Item final class GraphBook {
    var title: String = ""
    var year: Int = 0
    @Relationship var author: GraphAuthor?
}

/// A reader of any number of authors.
@Item final class GraphReader {
    var name: String = ""
    @Relationship(inverse: \GraphAuthor.readers) var authors: ToMany<GraphAuthor>
}

/// An author with books, in GRDB.
struct AuthorRow: Codable, FetchableRecord, PersistableRecord, TableRecord {
    static let databaseTableName = "author"
    static let books = hasMany(BookRow.self, using: ForeignKey(["authorId"]))
    var id: Data
    var name: String
}

/// A book in GRDB.
struct BookRow: Codable, FetchableRecord, PersistableRecord, TableRecord {
    static let databaseTableName = "book"
    static let author = belongsTo(AuthorRow.self, using: ForeignKey(["authorId"]))
    var id: Data
    var title: String
    var year: Int
    var authorId: Data?
}

/// An author with all books, as GRDB's associations fetch them.
struct AuthorWithBooks: Decodable, FetchableRecord {
    var author: AuthorRow
    var books: [BookRow]
}

/// A book with its author.
struct BookWithAuthor: Decodable, FetchableRecord {
    var book: BookRow
    var author: AuthorRow
}
