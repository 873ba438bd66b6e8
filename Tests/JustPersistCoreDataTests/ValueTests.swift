import Foundation
import JustPersist
import JustPersistCoreData
import Testing

/// The values of attributes of each type.
struct ValueTests {
    @Test func eachTypeOfAttributeHasItsKind() throws {
        let uuid = try #require(UUID(uuidString: "0E4A7E5C-1C6D-4F0C-9C57-5B7E5D7B6A01"))
        let miniature = Miniature(
            [
                .init(
                    "Thing",
                    [
                        .init("small", 100), .init("big", 300), .init("price", 400),
                        .init("length", 500), .init("width", 600), .init("name", 700),
                        .init("isOn", 800), .init("date", 900), .init("day", 900),
                        .init("bytes", 1000), .init("uuid", 1100), .init("link", 1200),
                        .init("gone", 0),
                    ])
            ],
            """
            CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSMALL INTEGER, ZBIG INTEGER, \
            ZPRICE DECIMAL, ZLENGTH FLOAT, ZWIDTH FLOAT, ZNAME VARCHAR, ZISON INTEGER, ZDATE TIMESTAMP, ZDAY TIMESTAMP, \
            ZBYTES BLOB, ZUUID BLOB, ZLINK VARCHAR);
            INSERT INTO ZTHING VALUES (1, 1, 1, -7, 9007199254740993, 19.99, 1.5, 0.25, 'Zoë', 1, 700000000.125, 700000000, \
            x'0201', x'0E4A7E5C1C6D4F0C9C575B7E5D7B6A01', 'https://a.b/c?d=e');
            INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT) VALUES (2, 1, 1)
            """)
        let (store, report) = try miniature.imported()
        let expected: [String: DataStoreValue] = [
            "small": .int(-7), "big": .int(9_007_199_254_740_993),
            "price": .decimal(try #require(Decimal(string: "19.99"))), "length": .double(1.5),
            "width": .double(0.25), "name": .string("Zoë"), "isOn": .bool(true),
            "date": .date(Date(timeIntervalSinceReferenceDate: 700_000_000.125)),
            "day": .date(Date(timeIntervalSinceReferenceDate: 700_000_000)),
            "bytes": .data(Data([2, 1])), "uuid": .uuid(uuid),
            "link": .url(try #require(URL(string: "https://a.b/c?d=e"))),
        ]
        #expect(try store.rows("Thing") == [expected, [:]])
        #expect(report.notes.isEmpty)
        #expect(
            try store.schema("Thing").attributes.first { $0.name == "price" }?.kinds == [.decimal])
    }

    @Test func aDecimalThatTheStoreHasRoundedIsCounted() throws {
        let miniature = Miniature(
            [.init("Thing", [.init("price", 400)])],
            """
            CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPRICE DECIMAL);
            INSERT INTO ZTHING VALUES (1, 1, 1, 12345678901234.5678), (2, 1, 1, 0.1), (3, 1, 1, 12345678901234567)
            """)
        let (store, report) = try miniature.imported()
        #expect(report.notes.map(\.count) == [1])
        #expect(
            try store.rows("Thing")[1]["price"] == .decimal(try #require(Decimal(string: "0.1"))))
        #expect(try store.rows("Thing")[2]["price"] == .decimal(12_345_678_901_234_567))
    }

    @Test func aValueOfAnotherKindIsKeptAndReported() throws {
        let miniature = Miniature(
            [.init("Thing", [.init("age", 200), .init("name", 700)])],
            """
            CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAGE, ZNAME);
            INSERT INTO ZTHING VALUES (1, 1, 1, 'secret', x'FF'), (2, 1, 1, 4, 'Ada')
            """)
        let (store, report) = try miniature.imported()
        #expect(
            try store.rows("Thing") == [
                ["age": .string("secret"), "name": .data(Data([0xFF]))],
                ["age": .int(4), "name": .string("Ada")],
            ])
        #expect(report.notes.map(\.property) == ["age", "name"])
        #expect(!"\(report)".contains("secret"))
    }

    @Test func defaultsAndNullsStayWhatTheyAre() throws {
        let miniature = Miniature(
            [
                .init(
                    "Thing",
                    [
                        .init("count", 300, isOptional: false, default: .int(3)),
                        .init("isOn", 800, default: .int(1)), .init("title", 700, former: "name"),
                    ])
            ],
            """
            CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCOUNT INTEGER, ZISON INTEGER, ZTITLE VARCHAR);
            INSERT INTO ZTHING VALUES (1, 1, 1, NULL, NULL, 'a'), (2, 1, 1, 5, 0, NULL)
            """)
        let (store, report) = try miniature.imported()
        #expect(
            try store.rows("Thing") == [
                ["title": .string("a")], ["count": .int(5), "isOn": .bool(false)],
            ])
        // The model demands a value, and a row has none.
        #expect(report.notes.map(\.property) == ["count"])
        let schema = try store.schema("Thing")
        #expect(schema.attributes.first { $0.name == "isOn" }?.defaultValue == .bool(true))
        #expect(schema.attributes.first { $0.name == "title" }?.formerNames == ["name"])
    }

    @Test func archivesOfPlainClassesBecomeValues() throws {
        let writer = ArchiveWriter()
        let list = writer.array([
            writer.text("a"), writer.value(.int(5)),
            writer.object("NSDate", [("NS.time", .double(8))]),
            writer.object("NSNull", []),
            writer.dictionary([
                (
                    "url",
                    writer.object(
                        "NSURL", [("NS.base", .uid(0)), ("NS.relative", writer.text("a:b"))])
                )
            ]),
        ])
        let known = writer.bytes(root: list)
        let other = ArchiveWriter()
        let unknown = other.bytes(root: other.object("AppColor", [("red", .double(1))]))
        let miniature = Miniature(
            [
                .init(
                    "Thing",
                    [
                        .init("list", 1800, transformer: "NSSecureUnarchiveFromData"),
                        .init("own", 1800, transformer: "AppTransformer"),
                    ])
            ],
            """
            CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLIST BLOB, ZOWN BLOB);
            INSERT INTO ZTHING VALUES (1, 1, 1, \(literal(known)), x'0102'), (2, 1, 1, \(literal(unknown)), NULL), (3, 1, 1, x'00', NULL)
            """)
        let (store, report) = try miniature.imported()
        let rows = try store.rows("Thing")
        #expect(
            rows[0]["list"]
                == .array([
                    .string("a"), .int(5), .date(Date(timeIntervalSinceReferenceDate: 8)), .null,
                    .dictionary(["url": .url(try #require(URL(string: "a:b")))]),
                ]))
        #expect(rows[0]["own"] == .data(Data([1, 2])))
        #expect(rows[1]["list"] == .data(Data(unknown)))
        #expect(report.notes.map(\.count) == [2, 1])
    }

    /// Each of them has elements as an array does, and more.
    @Test func archivesOfOtherCollectionsAreKeptWhole() throws {
        func archive(_ name: String, _ members: [(String, PropertyList)]) -> [UInt8] {
            let writer = ArchiveWriter()
            let elements: [(String, PropertyList)] = [
                ("NS.objects", .array([writer.text("a")])),
                ("NS.keys", .array([writer.text("b")])),
            ]
            return writer.bytes(
                root: writer.object(name, elements.filter { $0.0 != "NS.keys" } + members))
        }
        let writer = ArchiveWriter()
        let map = writer.object(
            "AppMap",
            [
                ("NS.keys", .array([writer.text("b")])),
                ("NS.objects", .array([writer.text("a")])), ("limit", .int(3)),
            ])
        let archives = [
            archive("AppSet", [("limit", .int(3))]), archive("NSCountedSet", []),
            archive("NSArray", [("more", .int(3))]), writer.bytes(root: map),
            archive("NSMutableArray", []), archive("NSSet", []),
        ]
        let rows = archives.enumerated().map { "(\($0 + 1), 1, 1, \(literal($1)))" }
        let miniature = Miniature(
            [.init("Thing", [.init("list", 1800)])],
            """
            CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLIST BLOB);
            INSERT INTO ZTHING VALUES \(rows.joined(separator: ", "))
            """)
        let (store, report) = try miniature.imported()
        #expect(
            try store.rows("Thing").map { $0["list"] }
                == archives.prefix(4).map { .data(Data($0)) } + [
                    .array([.string("a")]), .array([.string("a")]),
                ])
        #expect(report.notes.map(\.count) == [4])
    }

    /// Foundation would read the number at the beginning of the text.
    @Test(arguments: ["12abc", "1.5 ", "0x10", "1,5", String(repeating: "1", count: 50), ""])
    func aTextThatBeginsWithANumberIsNoDecimal(_ text: String) throws {
        let miniature = Miniature(
            [.init("Thing", [.init("price", 400)])],
            """
            CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPRICE);
            INSERT INTO ZTHING VALUES (1, 1, 1, '\(text)'), (2, 1, 1, '-12.50')
            """)
        let (store, report) = try miniature.imported()
        #expect(
            try store.rows("Thing").map { $0["price"] } == [
                .string(text), .decimal(try #require(Decimal(string: "-12.5"))),
            ])
        #expect(report.notes.map(\.count) == [1] && report.notes.map(\.rows) == [[1]])
    }

    @Test(arguments: [["ZLATITUDE", "ZLONGITUDE"], ["ZPLACE_LATITUDE", "ZPLACE_LONGITUDE"]])
    func aCompositeIsADictionaryOfItsParts(_ columns: [String]) throws {
        let miniature = Miniature(
            [
                .init(
                    "Thing",
                    [
                        .init(
                            "place", 2100,
                            elements: [.init("latitude", 500), .init("longitude", 500)])
                    ])
            ],
            """
            CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \(columns[0]) FLOAT, \(columns[1]) FLOAT);
            INSERT INTO ZTHING VALUES (1, 1, 1, 1.5, 2.5), (2, 1, 1, NULL, NULL)
            """)
        let (store, report) = try miniature.imported()
        #expect(
            try store.rows("Thing") == [
                ["place": .dictionary(["latitude": .double(1.5), "longitude": .double(2.5)])], [:],
            ])
        #expect(report.notes.isEmpty)
    }
}

/// Layouts that few stores have.
struct RareLayoutTests {
    @Test func aCompositeInACompositeIsADictionaryInADictionary() throws {
        let point = [Miniature.Attribute("x", 500), .init("y", 500)]
        let miniature = Miniature(
            [
                .init("Shape", isAbstract: true, [.init("name", 700)]),
                .init(
                    "Circle", parent: "Shape",
                    [
                        .init(
                            "place", 2100,
                            elements: [.init("center", 2100, elements: point), .init("r", 500)])
                    ]),
                .init("Line", parent: "Shape", [.init("r", 700)]),
            ],
            """
            CREATE TABLE ZSHAPE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR, ZX FLOAT, ZY FLOAT, ZR FLOAT, \
            ZR1 VARCHAR);
            INSERT INTO ZSHAPE VALUES (1, 2, 1, 'c', 1.5, 2.5, 3.5, NULL), (2, 3, 1, 'l', NULL, NULL, NULL, 'long')
            """)
        let (store, report) = try miniature.imported()
        let center = DataStoreValue.dictionary(["x": .double(1.5), "y": .double(2.5)])
        #expect(
            try store.rows("Circle") == [
                [
                    "name": .string("c"),
                    "place": .dictionary(["center": center, "r": .double(3.5)]),
                ]
            ])
        #expect(try store.rows("Line") == [["name": .string("l"), "r": .string("long")]])
        #expect(report.notes.isEmpty)
    }

    @Test func aTransformableMayBeInAFileOfItsOwn() throws {
        let writer = ArchiveWriter()
        let archive = writer.bytes(root: writer.array([writer.text("a")]))
        let miniature = Miniature(
            [.init("Thing", [.init("list", 1800, flags: 4)])],
            """
            CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLIST BLOB);
            INSERT INTO ZTHING VALUES (1, 1, 1, \(literal([1] + archive)))
            """)
        #expect(
            try miniature.imported().store.rows("Thing") == [["list": .array([.string("a")])]])
    }

    @Test func aLinkIsKeptAsItIsWritten() throws {
        let miniature = Miniature(
            [.init("Thing", [.init("link", 1200)])],
            """
            CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLINK VARCHAR);
            INSERT INTO ZTHING VALUES (1, 1, 1, 'app:/a%20b?c#d'), (2, 1, 1, 'not a link')
            """)
        let (store, report) = try miniature.imported()
        let link = try #require(URL(string: "app:/a%20b?c#d"))
        #expect(try store.rows("Thing").map { $0["link"] } == [.url(link), .string("not a link")])
        #expect(report.notes.map(\.rows) == [[2]])
    }

    @Test func anOrderOfARelationshipWithoutAnInverseIsKept() throws {
        let row = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR"
        let miniature = Miniature(
            [
                .init(
                    "Box", [.init("name", 700)],
                    [.init("things", "Thing", nil, isToMany: true, isOrdered: true)]),
                .init("Thing", [.init("name", 700)]),
            ],
            """
            CREATE TABLE ZBOX (\(row)); CREATE TABLE ZTHING (\(row), Z1THINGS INTEGER, Z_FOK_1THINGS INTEGER);
            INSERT INTO ZBOX VALUES (1, 1, 1, 'A');
            INSERT INTO ZTHING VALUES (1, 2, 1, 'x', 1, 2048), (2, 2, 1, 'y', 1, 1024), (3, 2, 1, 'z', 9, 1), (4, 2, 1, 'u', 'v', 1)
            """)
        let (store, report) = try miniature.imported()
        #expect(try store.names("things", of: "Box") == ["A": ["y", "x"]])
        // The others belong to a box that does not exist, and to no key.
        #expect(report.notes.map(\.count) == [1, 1])
    }
}

/// Values in files of their own.
struct ExternalFileTests {
    private let name = "6F9619FF-8B86-4D11-B42D-00C04FC964FF"

    private func miniature(_ file: String) -> Miniature {
        let reference = "02" + file.utf8.map { String(format: "%02x", $0) }.joined() + "00"
        return Miniature(
            [.init("Photo", [.init("image", 1000, flags: 4), .init("plain", 1000)])],
            """
            CREATE TABLE ZPHOTO (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZIMAGE BLOB, ZPLAIN BLOB);
            INSERT INTO ZPHOTO VALUES (1, 1, 1, x'01CAFE', x'01CAFE'), (2, 1, 1, x'\(reference)', NULL)
            """)
    }

    @Test func bytesAreInTheColumnOrInAFile() throws {
        let directory = try TemporaryDirectory()
        let file = try miniature(name).write(into: directory)
        let folder = directory.url.appending(path: ".Model_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data([7, 8, 9]).write(to: folder.appending(path: name))
        let store = try memoryStore()
        try CoreDataImport(file).run(into: store)
        #expect(
            try store.rows("Photo") == [
                ["image": .data(Data([0xCA, 0xFE])), "plain": .data(Data([1, 0xCA, 0xFE]))],
                ["image": .data(Data([7, 8, 9]))],
            ])
    }

    @Test func aMissingFileIsAnErrorOrNull() throws {
        let error = try #require(throws: DataStoreError.self) { try miniature(name).imported() }
        #expect(error.itemType == "Photo" && error.attribute == "image")
        #expect(error.message.contains("p2"))
        let (store, report) = try miniature(name).imported { $0.missingFiles = .skip }
        #expect(try store.rows("Photo")[1].isEmpty)
        #expect(report.notes.map(\.count) == [1])
    }

    @Test func onlyAUUIDBecomesAPath() throws {
        let directory = try TemporaryDirectory()
        let path = "../../secret/aaaaaaaaaaaaaaaaaaaaaaa"
        let file = try miniature(path).write(into: directory)
        let folder = directory.url.appending(path: "secret")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data([1]).write(to: folder.appending(path: "aaaaaaaaaaaaaaaaaaaaaaa"))
        let store = try memoryStore()
        let report = try CoreDataImport(file).run(into: store)
        #expect(try store.rows("Photo")[1]["image"] == .data(Data([2] + Array(path.utf8) + [0])))
        #expect(report.notes.map(\.property) == ["image"])
    }

    @Test func aLinkIsNotFollowed() throws {
        let directory = try TemporaryDirectory()
        let file = try miniature(name).write(into: directory)
        let folder = directory.url.appending(path: ".Model_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: folder.appending(path: name), withDestinationURL: URL(filePath: "/etc/passwd"))
        #expect(throws: DataStoreError.self) { try CoreDataImport(file).examine() }
    }
}
