import Foundation
import JustPersist
import JustPersistCoreData
import Testing

/// Relationships in each of the forms that a store has for them.
struct RelationshipTests {
    private let row = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR"

    @Test func oneToManyHasBothSidesAndItsRules() throws {
        let miniature = Miniature(
            [
                .init(
                    "Author", [.init("name", 700)],
                    [.init("books", "Book", "author", isToMany: true, rule: 2)]),
                .init(
                    "Book", [.init("name", 700)], [.init("author", "Author", "books", minimum: 1)],
                    unique: [["name"]]),
            ],
            """
            CREATE TABLE ZAUTHOR (\(row)); CREATE TABLE ZBOOK (\(row), ZAUTHOR INTEGER);
            INSERT INTO ZAUTHOR VALUES (1, 1, 1, 'Ada'), (2, 1, 1, 'Bob');
            INSERT INTO ZBOOK VALUES (1, 2, 1, 'a', 1), (2, 2, 1, 'b', 1), (3, 2, 1, 'c', 2)
            """)
        let (store, report) = try miniature.imported()
        #expect(try store.names("books", of: "Author") == ["Ada": ["a", "b"], "Bob": ["c"]])
        #expect(report.links.map(\.ends) == [3, 3])
        let schema = try store.schema("Author")
        #expect(schema.relationships.map(\.deleteRule) == [.cascade])
        let book = try store.schema("Book")
        #expect(book.relationships.map(\.minimum) == [1])
        #expect(book.indexes.contains(IndexSchema(["name"], isUnique: true)))
        // The rules hold from now on.
        try store.write { db in
            let ada = try #require(
                try db.dynamicItems(DataStoreRequest(itemTypeKey: "Author")).first)
            try db.delete(ada)
        }
        #expect(try store.rows("Book").map { $0["name"]?.text } == ["c"])
    }

    /// Neither is lost without a word in the report.
    @Test func rowsOfAbstractEntitiesAndPairsWithoutARowAreReported() throws {
        let miniature = Miniature(
            [
                .init("Base", isAbstract: true, [.init("name", 700)]),
                .init("Dog", parent: "Base", [], [.init("tags", "Tag", "dogs", isToMany: true)]),
                .init("Tag", [.init("name", 700)], [.init("dogs", "Dog", "tags", isToMany: true)]),
            ],
            """
            CREATE TABLE ZBASE (\(row)); CREATE TABLE ZTAG (\(row));
            CREATE TABLE Z_2TAGS (Z_2DOGS INTEGER, Z_3TAGS INTEGER, PRIMARY KEY (Z_2DOGS, Z_3TAGS));
            INSERT INTO ZBASE VALUES (1, 2, 1, 'Rex'), (9, 1, 1, 'nothing');
            INSERT INTO ZTAG VALUES (1, 3, 1, 'x'); INSERT INTO Z_2TAGS VALUES (1, 1), (1, 99)
            """)
        let (store, report) = try miniature.imported()
        #expect(try store.names("tags", of: "Dog") == ["Rex": ["x"]])
        let notes = report.notes.map(\.text)
        #expect(notes.contains { $0.contains("calls abstract") }, "\(notes)")
        let lost = try #require(report.notes.first { $0.text.contains("do not exist") }, "\(notes)")
        #expect(lost.count == 1)
    }

    @Test func aDemandThatRowsDoNotMeetIsNotMade() throws {
        let miniature = Miniature(
            [
                .init(
                    "Author", [.init("name", 700)],
                    [.init("books", "Book", "author", isToMany: true, minimum: 2)]),
                .init(
                    "Book", [.init("name", 700)], [.init("author", "Author", "books", minimum: 1)]),
            ],
            """
            CREATE TABLE ZAUTHOR (\(row)); CREATE TABLE ZBOOK (\(row), ZAUTHOR INTEGER);
            INSERT INTO ZAUTHOR VALUES (1, 1, 1, 'Ada');
            INSERT INTO ZBOOK VALUES (1, 2, 1, 'a', 1), (2, 2, 1, 'b', 1), (3, 2, 1, 'c', NULL), (4, 2, 1, 'd', 77)
            """)
        let (store, report) = try miniature.imported()
        #expect(try store.schema("Book").relationships.map(\.minimum) == [0])
        #expect(try store.schema("Author").relationships.map(\.minimum) == [2])
        // One row lacks the author, and one has an author that does not exist.
        #expect(report.notes.map(\.property) == ["author", "author"])
        #expect(Set(report.notes.map(\.count)) == [2, 1])
    }

    /// Each is left out, counted, and named with its rows.
    @Test func keysThatLeadNowhereAreReported() throws {
        let miniature = Miniature(
            [
                .init("Base", isAbstract: true, [.init("name", 700)]),
                .init(
                    "Dog", parent: "Base", [],
                    [.init("tags", "Tag", "dogs", isToMany: true), .init("mate", "Dog", "mate")]),
                .init("Cat", parent: "Base"),
                .init(
                    "Tag", [.init("name", 700)],
                    [.init("dogs", "Dog", "tags", isToMany: true), .init("best", "Dog", nil)]),
            ],
            """
            CREATE TABLE ZBASE (\(row), ZMATE INTEGER); CREATE TABLE ZTAG (\(row), ZBEST);
            CREATE TABLE Z_2TAGS (Z_2DOGS, Z_4TAGS);
            INSERT INTO ZBASE VALUES (1, 2, 1, 'Rex', 3), (2, 2, 1, 'Max', 'x'), (3, 3, 1, 'Tom', NULL), (4, 2, 1, 'Joe', 77);
            INSERT INTO ZTAG VALUES (1, 4, 1, 'a', 1), (2, 4, 1, 'b', 3), (3, 4, 1, 'c', 99), (4, 4, 1, 'd', 'no key'), (5, 4, 1, 'e', 3), \
            (6, 4, 1, 'f', 1.5);
            INSERT INTO Z_2TAGS VALUES (1, 1), (3, 2), ('x', 3), (2, x'00')
            """)
        let (store, report) = try miniature.imported()
        #expect(try store.name("best", of: "Tag") == ["a": "Rex"])
        #expect(try store.names("dogs", of: "Tag").values.flatMap(\.self) == ["Rex"])
        func rows(_ entity: String, _ property: String, _ text: String) -> [Int64]? {
            report.notes.first {
                $0.entity == entity && $0.property == property && $0.text.contains(text)
            }.flatMap { note in note.count == note.rows.count ? note.rows : nil }
        }
        #expect(rows("Tag", "best", "another entity") == [2, 5])
        #expect(rows("Tag", "best", "do not exist") == [3])
        #expect(rows("Tag", "best", "no key") == [4, 6])
        #expect(rows("Dog", "mate", "another entity") == [1])
        #expect(rows("Dog", "mate", "no key") == [2])
        #expect(rows("Dog", "mate", "do not exist") == [4])
        #expect(rows("Tag", "dogs", "another entity") == [2])
        #expect(rows("Tag", "dogs", "no key") == [3])
        #expect(rows("Dog", "tags", "no key") == [2])
        #expect(report.notes.count == 9, "\(report.notes)")
    }

    @Test func anOrderIsKept() throws {
        let miniature = Miniature(
            [
                .init(
                    "Album", [.init("name", 700)],
                    [.init("tracks", "Track", "album", isToMany: true, isOrdered: true)]),
                .init("Track", [.init("name", 700)], [.init("album", "Album", "tracks")]),
            ],
            """
            CREATE TABLE ZALBUM (\(row)); CREATE TABLE ZTRACK (\(row), ZALBUM INTEGER, Z_FOK_ALBUM INTEGER);
            INSERT INTO ZALBUM VALUES (1, 1, 1, 'A');
            INSERT INTO ZTRACK VALUES (1, 2, 1, 'a', 1, 3072), (2, 2, 1, 'b', 1, 1024), (3, 2, 1, 'c', 1, 2048)
            """)
        let (store, _) = try miniature.imported()
        #expect(try store.names("tracks", of: "Album") == ["A": ["b", "c", "a"]])
        // A track that is added comes last.
        try store.write { db in
            let album = try #require(
                try db.dynamicItems(DataStoreRequest(itemTypeKey: "Album")).first)
            let track = DynamicItem("Track", values: ["name": .string("z")])
            db.insert(track)
            track.setRelated("album", to: album)
        }
        #expect(try store.names("tracks", of: "Album") == ["A": ["b", "c", "a", "z"]])
    }

    @Test(arguments: ["Z_1BOOKS", "Z_2TAGS"])
    func manyToManyIsFoundByItsColumns(_ table: String) throws {
        let miniature = Miniature(
            [
                .init(
                    "Book", [.init("name", 700)],
                    [.init("tags", "Tag", "books", isToMany: true, isOrdered: true)]),
                .init(
                    "Tag", [.init("name", 700)], [.init("books", "Book", "tags", isToMany: true)]),
            ],
            """
            CREATE TABLE ZBOOK (\(row)); CREATE TABLE ZTAG (\(row));
            CREATE TABLE \(table) (Z_1BOOKS INTEGER, Z_2TAGS INTEGER, Z_FOK_2TAGS INTEGER, PRIMARY KEY (Z_1BOOKS, Z_2TAGS));
            INSERT INTO ZBOOK VALUES (1, 1, 1, 'a'), (2, 1, 1, 'b');
            INSERT INTO ZTAG VALUES (1, 2, 1, 'x'), (2, 2, 1, 'y');
            INSERT INTO \(table) VALUES (1, 1, 2048), (1, 2, 1024), (2, 1, 1024)
            """)
        let (store, report) = try miniature.imported()
        #expect(try store.names("tags", of: "Book") == ["a": ["y", "x"], "b": ["x"]])
        #expect(
            try store.names("books", of: "Tag").mapValues { $0.sorted() } == [
                "x": ["a", "b"], "y": ["a"],
            ])
        #expect(report.links.map(\.ends) == [3, 3])
    }

    @Test func aRelationshipThatIsItsOwnInverseIsSymmetric() throws {
        let miniature = Miniature(
            [
                .init(
                    "Person", [.init("name", 700)],
                    [
                        .init("friends", "Person", "friends", isToMany: true),
                        .init("spouse", "Person", "spouse"),
                    ])
            ],
            """
            CREATE TABLE ZPERSON (\(row), ZSPOUSE INTEGER);
            CREATE TABLE Z_1FRIENDS (Z_1FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_1FRIENDS, REFLEXIVE));
            INSERT INTO ZPERSON VALUES (1, 1, 1, 'a', 2), (2, 1, 1, 'b', NULL), (3, 1, 1, 'c', NULL);
            INSERT INTO Z_1FRIENDS VALUES (1, 2), (2, 1), (1, 3), (3, 1)
            """)
        let (store, report) = try miniature.imported()
        let friends = try store.names("friends", of: "Person").mapValues { $0.sorted() }
        #expect(friends == ["a": ["b", "c"], "b": ["a"], "c": ["a"]])
        // Only one of the two rows has its spouse.
        #expect(try store.name("spouse", of: "Person") == ["a": "b", "b": "a"])
        #expect(report.notes.map(\.property) == ["spouse"])
    }

    @Test func pairsThatContradictEachOtherAreReported() throws {
        let miniature = Miniature(
            [
                .init("Post", [.init("name", 700)], [.init("color", "Color", "post")]),
                .init("Color", [.init("name", 700)], [.init("post", "Post", "color")]),
            ],
            """
            CREATE TABLE ZPOST (\(row), ZCOLOR INTEGER); CREATE TABLE ZCOLOR (\(row), ZPOST INTEGER);
            INSERT INTO ZPOST VALUES (1, 1, 1, 'a', 1), (2, 1, 1, 'b', 1), (3, 1, 1, 'c', NULL);
            INSERT INTO ZCOLOR VALUES (1, 2, 1, 'red', 1), (2, 2, 1, 'blue', 3)
            """)
        let (store, report) = try miniature.imported()
        #expect(try store.name("color", of: "Post") == ["a": "red", "c": "blue"])
        #expect(try store.name("post", of: "Color") == ["red": "a", "blue": "c"])
        #expect(report.notes.map(\.count) == [1, 1])
        #expect(report.links.map(\.ends) == [2, 2])
    }

    @Test func aRelationshipToManyWithoutAnInverseIsInAColumnOfTheOthers() throws {
        let miniature = Miniature(
            [
                .init("Box", [.init("name", 700)], [.init("things", "Thing", nil, isToMany: true)]),
                .init("Thing", [.init("name", 700)]),
            ],
            """
            CREATE TABLE ZBOX (\(row)); CREATE TABLE ZTHING (\(row), Z1THINGS INTEGER);
            INSERT INTO ZBOX VALUES (1, 1, 1, 'A'), (2, 1, 1, 'B');
            INSERT INTO ZTHING VALUES (1, 2, 1, 'x', 1), (2, 2, 1, 'y', 1), (3, 2, 1, 'z', NULL)
            """)
        let (store, report) = try miniature.imported()
        #expect(try store.names("things", of: "Box") == ["A": ["x", "y"], "B": []])
        #expect(report.notes.isEmpty && report.links.map(\.ends) == [2])
    }
}

/// Entities that inherit share a table.
struct InheritanceTests {
    private let entities: [Miniature.Entity] = [
        .init(
            "Base", isAbstract: true, [.init("name", 700)],
            [
                .init("owner", "Base", "owned"),
                .init("owned", "Base", "owner", isToMany: true, rule: 2),
            ]),
        .init("Animal", parent: "Base", [.init("title", 700)]),
        .init("Dog", parent: "Animal", [.init("size", 200)]),
        .init("Puppy", parent: "Dog", [.init("age", 200)]),
        .init("Car", parent: "Base", [.init("title", 700), .init("size", 700), .init("age", 500)]),
    ]
    private let table = """
        CREATE TABLE ZBASE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR, ZOWNER INTEGER, Z1_OWNER INTEGER, \
        ZTITLE VARCHAR, ZSIZE INTEGER, ZAGE INTEGER, ZTITLE1 VARCHAR, ZSIZE1 VARCHAR, ZAGE1 FLOAT);
        """

    @Test func namesThatClashHaveColumnsByTheNumbersOfTheirEntities() throws {
        let miniature = Miniature(
            entities,
            """
            \(table)
            INSERT INTO ZBASE VALUES (1, 2, 1, 'cow', NULL, NULL, 'Ms', NULL, NULL, NULL, NULL, NULL);
            INSERT INTO ZBASE VALUES (2, 3, 1, 'dog', 1, 2, 'Mr', 7, NULL, NULL, NULL, NULL);
            INSERT INTO ZBASE VALUES (3, 4, 1, 'pup', 1, NULL, NULL, 2, 1, NULL, NULL, NULL);
            INSERT INTO ZBASE VALUES (4, 5, 1, 'car', 2, 3, NULL, NULL, NULL, 'Beetle', 'XL', 30.5)
            """)
        let (store, report) = try miniature.imported()
        func values(_ type: String) throws -> [String: DataStoreValue] {
            var values = try #require(try store.rows(type).first)
            values = values.filter { $1.kind != .reference }
            return values
        }
        #expect(report.entities.map(\.name) == ["Animal", "Car", "Dog", "Puppy"])
        #expect(report.entities.map(\.rows) == [1, 1, 1, 1])
        #expect(try values("Animal") == ["name": .string("cow"), "title": .string("Ms")])
        #expect(
            try values("Dog") == ["name": .string("dog"), "title": .string("Mr"), "size": .int(7)])
        #expect(try values("Puppy") == ["name": .string("pup"), "size": .int(2), "age": .int(1)])
        #expect(
            try values("Car") == [
                "name": .string("car"), "title": .string("Beetle"), "size": .string("XL"),
                "age": .double(30.5),
            ])
        // The relationship leads to four types, so it is one to each of them.
        #expect(try store.name("owner_Animal", of: "Dog") == ["dog": "cow"])
        #expect(try store.name("owner_Animal", of: "Puppy") == ["pup": "cow"])
        #expect(try store.name("owner_Dog", of: "Car") == ["car": "dog"])
        #expect(try store.names("owned_Puppy", of: "Animal") == ["cow": ["pup"]])
        #expect(try store.names("owned_Car", of: "Animal") == ["cow": []])
        #expect(report.links.reduce(0) { $0 + $1.ends } == 6)
        // Each keeps the delete rule.
        try store.write { db in
            let cow = try #require(
                try db.dynamicItems(DataStoreRequest(itemTypeKey: "Animal")).first)
            try db.delete(cow)
        }
        #expect(try store.rows("Dog").isEmpty && store.rows("Car").isEmpty)
    }

    /// A column of a relationship belongs to all entities that inherit it.
    @Test func aFindingNamesTheEntityOfItsRow() throws {
        let miniature = Miniature(
            [
                .init(
                    "Base", isAbstract: true, [.init("name", 700)],
                    [.init("state", "State", "owner")]),
                .init("Account", parent: "Base"), .init("Note", parent: "Base"),
                .init("State", [.init("name", 700)], [.init("owner", "Base", "state")]),
            ],
            """
            CREATE TABLE ZBASE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR, ZSTATE INTEGER);
            CREATE TABLE ZSTATE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR, ZOWNER INTEGER, Z1_OWNER INTEGER);
            INSERT INTO ZBASE VALUES (1, 2, 1, 'a', NULL), (2, 3, 1, 'n', 1), (3, 3, 1, 'm', 9);
            INSERT INTO ZSTATE VALUES (1, 4, 1, 's', NULL, NULL)
            """)
        let (_, report) = try miniature.imported()
        #expect(report.notes.allSatisfy { $0.entity == "Note" && $0.property == "state" })
        #expect(Set(report.notes.map(\.rows)) == [[2], [3]], "\(report.notes)")
    }

    @Test func aColumnWithValuesOfAnotherEntityIsRefused() throws {
        let miniature = Miniature(
            entities,
            "\(table) INSERT INTO ZBASE (Z_PK, Z_ENT, Z_OPT, ZTITLE1) VALUES (1, 2, 1, 'secret')")
        let error = try #require(throws: DataStoreError.self) { try miniature.imported() }
        #expect(error.message.contains("ZTITLE1") && !"\(error)".contains("secret"))
    }

    @Test func aRelationshipToTheEntityItselfKeepsItsName() throws {
        let miniature = Miniature(
            [
                .init(
                    "Process", [.init("name", 700)],
                    [.init("usages", "Usage", "process", isToMany: true)]),
                .init("App", parent: "Process"),
                .init(
                    "Usage", [.init("name", 700)],
                    [.init("process", "Process", "usages", minimum: 1)]),
            ],
            """
            CREATE TABLE ZPROCESS (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
            CREATE TABLE ZUSAGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR, ZPROCESS INTEGER, Z1_PROCESS INTEGER);
            INSERT INTO ZPROCESS VALUES (1, 1, 1, 'sh'), (2, 2, 1, 'Mail');
            INSERT INTO ZUSAGE VALUES (1, 3, 1, 'u', 1, 1), (2, 3, 1, 'v', 2, 2)
            """)
        let (store, _) = try miniature.imported()
        #expect(try store.name("process", of: "Usage") == ["u": "sh"])
        #expect(try store.name("process_App", of: "Usage") == ["v": "Mail"])
        #expect(try store.names("usages", of: "App") == ["Mail": ["v"]])
    }

    @Test func selectedEntitiesComeWithThoseBelow() throws {
        let miniature = Miniature(
            entities,
            "\(table) INSERT INTO ZBASE (Z_PK, Z_ENT, Z_OPT) VALUES (1, 3, 1), (2, 4, 1), (3, 5, 1)"
        )
        let (store, report) = try miniature.imported { $0.entities = ["Dog"] }
        #expect(report.entities.map(\.name) == ["Dog", "Puppy"])
        #expect(
            try store.read { db in try db.schemas().contains { $0.itemTypeKey == "Car" } } == false)
        let error = try #require(throws: DataStoreError.self) {
            try miniature.imported { $0.entities = ["Cat"] }
        }
        #expect(error.message.contains("Dog"))
    }
}
