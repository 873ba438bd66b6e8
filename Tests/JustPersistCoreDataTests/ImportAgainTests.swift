import Foundation
import JustPersist
import JustPersistCoreData
import Testing

/// A second import makes the items equal to the source again.
struct ImportAgainTests {
    private static let row = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR"
    /// More rows than one block writes.
    private let count = 2500
    private let directory: TemporaryDirectory
    private let file: URL
    private let target: any DataStore

    init() throws {
        directory = try TemporaryDirectory()
        let miniature = Miniature(
            [.init("Thing", [.init("name", 700)], unique: [["name"]])],
            """
            CREATE TABLE ZTHING (\(Self.row));
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO ZTHING SELECT i, 1, 1, 'n' || i FROM n
            """)
        file = try miniature.write(into: directory)
        target = try memoryStore()
        try CoreDataImport(file).run(into: target)
    }

    private func names() throws -> [String] {
        try target.rows("Thing").map { $0["name"]?.text ?? "" }
    }

    /// The constraint holds after each import.
    private func expectUniqueness(of name: String) throws {
        let error = try #require(throws: DataStoreError.self) {
            try target.write { db in
                db.insert(DynamicItem("Thing", values: ["name": .string(name)]))
            }
        }
        #expect(error.code == .uniqueViolation)
    }

    @Test func eachRowMayTakeTheUniqueValueOfTheNext() throws {
        try SQL(file).run("UPDATE ZTHING SET ZNAME = 'n' || (Z_PK % \(count) + 1)")
        let report = try CoreDataImport(file).run(into: target)
        #expect(report.entities.map(\.updated) == [count])
        #expect(try names() == (1...count).map { "n\($0 % count + 1)" })
        try expectUniqueness(of: "n7")
    }

    @Test func aNewRowMayTakeTheUniqueValueOfAnother() throws {
        try SQL(file).run(
            """
            UPDATE ZTHING SET ZNAME = 'n\(count + 1)' WHERE Z_PK = \(count);
            INSERT INTO ZTHING VALUES (0, 1, 1, 'n\(count)')
            """)
        try CoreDataImport(file).run(into: target)
        #expect(Set(try names()) == Set((1...count + 1).map { "n\($0)" }))
        try expectUniqueness(of: "n\(count)")
    }

    @Test func aRowMayTakeTheUniqueValueOfOneThatWasDeleted() throws {
        try SQL(file).run(
            "DELETE FROM ZTHING WHERE Z_PK = 1; INSERT INTO ZTHING VALUES (9999, 1, 1, 'n1')")
        let report = try CoreDataImport(file).run(into: target)
        #expect(report.entities.map(\.left) == [1] && report.notes.map(\.count) == [1])
        // The item of the deleted row stays, and has no name.
        #expect(try names() == [""] + (2...count).map { "n\($0)" } + ["n1"])
        try expectUniqueness(of: "n1")
        #expect(try CoreDataImport(file).run(into: target).entities.map(\.updated) == [0])
    }

    @Test func aUniqueValueOfAnotherItemIsReportedBeforeAnythingIsWritten() throws {
        try target.write { db in
            db.insert(DynamicItem("Thing", values: ["name": .string("mine")]))
        }
        let before = try names()
        try SQL(file).run(
            "UPDATE ZTHING SET ZNAME = CASE Z_PK WHEN \(count) THEN 'mine' ELSE 'a' || Z_PK END")
        let error = try #require(throws: DataStoreError.self) {
            try CoreDataImport(file).run(into: target)
        }
        #expect(error.code == .uniqueViolation && error.message.contains("p\(count)"))
        #expect(error.itemType == "Thing" && error.attribute == "name")
        #expect(!"\(error)".contains("mine"))
        #expect(try names() == before)
        try expectUniqueness(of: "n1")
    }

    @Test func anInterruptedImportIsCompletedByTheNext() throws {
        try SQL(file).run("UPDATE ZTHING SET ZNAME = 'n' || (Z_PK % \(count) + 1)")
        for batches in 1...2 {
            var left = batches
            #expect(throws: CancellationError.self) {
                try CoreDataImport(file).run(into: target) { progress in
                    if progress.items > 0 { left -= 1 }
                    if left == 0 { throw CancellationError() }
                }
            }
        }
        try CoreDataImport(file).run(into: target)
        #expect(try names() == (1...count).map { "n\($0 % count + 1)" })
        try expectUniqueness(of: "n7")
    }

    /// The author is written before its books.
    @Test func newRowsMeetTheLimitsOfRelationshipsAtTheEnd() throws {
        let miniature = Miniature(
            [
                .init(
                    "Author", [.init("name", 700)],
                    [.init("books", "Book", "author", isToMany: true, minimum: 2)]),
                .init(
                    "Book", [.init("name", 700)],
                    [
                        .init("author", "Author", "books", minimum: 1),
                        .init("twin", "Book", "twin"),
                    ]),
            ],
            """
            CREATE TABLE ZAUTHOR (\(Self.row)); CREATE TABLE ZBOOK (\(Self.row), ZAUTHOR INTEGER, ZTWIN INTEGER);
            INSERT INTO ZAUTHOR VALUES (1, 1, 1, 'Ada');
            INSERT INTO ZBOOK VALUES (1, 2, 1, 'a', 1, 2), (2, 2, 1, 'b', 1, 1), (3, 2, 1, 'c', 1, NULL)
            """)
        let file = try miniature.write(into: directory, name: "Books.sqlite")
        try CoreDataImport(file).run(into: target)
        try SQL(file).run(
            """
            INSERT INTO ZAUTHOR VALUES (2, 1, 1, 'Bob'); INSERT INTO ZBOOK VALUES (4, 2, 1, 'd', 2, 1);
            UPDATE ZBOOK SET ZAUTHOR = 2, ZTWIN = 3 WHERE Z_PK = 2; UPDATE ZBOOK SET ZTWIN = 4 WHERE Z_PK = 1;
            UPDATE ZBOOK SET ZTWIN = 2 WHERE Z_PK = 3
            """)
        try CoreDataImport(file).run(into: target)
        #expect(
            try target.names("books", of: "Author") == ["Ada": ["a", "c"], "Bob": ["b", "d"]])
        #expect(
            try target.name("twin", of: "Book") == ["a": "d", "d": "a", "b": "c", "c": "b"])
        #expect(try target.schema("Author").relationships.map(\.minimum) == [2])
    }
}

/// Constraints of the model that the rows of the source do not keep.
struct UniquenessTests {
    private let miniature = Miniature(
        [
            .init(
                "Thing", [.init("name", 700), .init("age", 200)],
                unique: [["name"], ["name", "age"]])
        ],
        """
        CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR, ZAGE INTEGER);
        INSERT INTO ZTHING VALUES (1, 1, 1, 'caf' || char(233), 1), (2, 1, 1, 'b', 1), (3, 1, 1, 'cafe' || char(769), 2), (4, 1, 1, 'b', 2), \
        (5, 1, 1, 'b', NULL), (6, 1, 1, NULL, 1), (7, 1, 1, NULL, 1)
        """)

    @Test func rowsThatAgreeAreReportedAndNotDeclaredUnique() throws {
        let directory = try TemporaryDirectory()
        let file = try miniature.write(into: directory)
        for report in [
            try CoreDataImport(file).examine(),
            try CoreDataImport(file).run(into: try memoryStore()),
        ] {
            let note = try #require(report.notes.first)
            #expect(report.notes.count == 1 && note.entity == "Thing" && note.property == "name")
            // Two texts that are equal have two forms.
            #expect(note.count == 5 && note.rows == [1, 3, 2, 4, 5], "\(note)")
        }
        let store = try memoryStore()
        try CoreDataImport(file).run(into: store)
        #expect(
            try store.schema("Thing").indexes.filter(\.isUnique).map(\.attributes) == [
                ["name", "age"]
            ])
        #expect(try store.rows("Thing").count == 7)
    }

    @Test func rowsThatComeToAgreeEndAnEarlierConstraint() throws {
        var miniature = miniature
        miniature.sql += "; UPDATE ZTHING SET ZNAME = Z_PK"
        let directory = try TemporaryDirectory()
        let file = try miniature.write(into: directory)
        let store = try memoryStore()
        #expect(try CoreDataImport(file).run(into: store).notes.isEmpty)
        try SQL(file).run("UPDATE ZTHING SET ZNAME = 'b' WHERE Z_PK < 3")
        #expect(try CoreDataImport(file).run(into: store).notes.map(\.rows) == [[1, 2], [1, 2]])
        #expect(try store.rows("Thing").prefix(2).map { $0["name"]?.text } == ["b", "b"])
        // Later they agree no more.
        try SQL(file).run("UPDATE ZTHING SET ZNAME = Z_PK")
        #expect(try CoreDataImport(file).run(into: store).notes.isEmpty)
        #expect(try store.schema("Thing").indexes.count { $0.isUnique } == 2)
    }
}
