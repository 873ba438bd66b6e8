import Foundation
import JustPersist
import JustPersistConformance
import JustPersistCoreData
import Testing

/// Damaged stores end in an error or are imported; they do not end the process.
///
/// `JP_SEED` begins at another seed, and `JP_MUTATIONS` makes another number of each.
struct DamageTests {
    private static let seed =
        ProcessInfo.processInfo.environment["JP_SEED"].flatMap(UInt64.init)
        ?? .random(in: 0..<1_000_000)
    private static let count =
        ProcessInfo.processInfo.environment["JP_MUTATIONS"].flatMap(UInt64.init) ?? 150

    private static let row = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR"
    private let miniature = Miniature(
        [
            .init(
                "Base", isAbstract: true,
                [
                    .init("name", 700), .init("data", 1000, flags: 4), .init("list", 1800),
                    .init("price", 400, default: .double(1.5)),
                ],
                [
                    .init("owner", "Base", "owned", rule: 2),
                    .init("owned", "Base", "owner", isToMany: true, isOrdered: true),
                ]),
            .init(
                "Dog", parent: "Base", [.init("age", 200, default: .int(3))],
                [.init("tags", "Tag", "dogs", isToMany: true)]),
            .init(
                "Car", parent: "Base",
                [.init("age", 500), .init("place", 2100, elements: [.init("x", 500)])],
                unique: [["name"]]),
            .init(
                "Tag", [.init("name", 700)],
                [.init("dogs", "Dog", "tags", isToMany: true, minimum: 1)]),
        ],
        """
        CREATE TABLE ZBASE (\(row), ZDATA BLOB, ZLIST BLOB, ZPRICE DECIMAL, ZOWNER INTEGER, Z1_OWNER INTEGER, Z_FOK_OWNER INTEGER, \
        ZAGE INTEGER, ZAGE1 FLOAT, ZX FLOAT);
        CREATE TABLE ZTAG (\(row)); CREATE TABLE Z_2TAGS (Z_2DOGS INTEGER, Z_4TAGS INTEGER, PRIMARY KEY (Z_2DOGS, Z_4TAGS));
        INSERT INTO ZBASE VALUES (1, 2, 1, 'a', x'0102', x'62706C697374', 1.5, NULL, NULL, NULL, 4, NULL, NULL);
        INSERT INTO ZBASE VALUES (2, 2, 1, 'b', x'0103', NULL, 2, 1, 2, 1024, 5, NULL, NULL);
        INSERT INTO ZBASE VALUES (3, 3, 1, 'c', NULL, NULL, 3, 1, 2, 512, NULL, 2.5, 1);
        INSERT INTO ZTAG VALUES (1, 4, 1, 'x'), (2, 4, 1, 'y'); INSERT INTO Z_2TAGS VALUES (1, 1), (2, 2), (2, 1)
        """)

    /// Changes one to six bytes, or cuts the end off.
    private func damaged(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        if Int.random(in: 0..<20, using: &random) == 0 {
            return Array(bytes.prefix(.random(in: 0..<bytes.count, using: &random)))
        }
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let place = Int.random(in: bytes.indices, using: &random)
            // Small numbers, and great ones, do more damage than others.
            bytes[place] =
                [0, 1, 0x7F, 0x80, 0xFF, .random(in: 0...255, using: &random)].randomElement(
                    using: &random) ?? 0
        }
        return bytes
    }

    /// Imports what a test has damaged, and returns whether that was possible.
    private func survives(_ file: URL, _ model: URL? = nil) throws -> Bool {
        var settings = CoreDataImport(file, model: model)
        settings.missingFiles = .skip
        settings.guessesModel = true
        do {
            try settings.run(into: try memoryStore())
            return true
        } catch is DataStoreError {
            return false
        }
    }

    @Test func damagedFiles() throws {
        print("DamageTests: JP_SEED=\(Self.seed) JP_MUTATIONS=\(Self.count)")
        let directory = try TemporaryDirectory()
        let sound = Array(try Data(contentsOf: try miniature.write(into: directory)))
        let file = directory.url.appending(path: "damaged.sqlite")
        var imported = 0
        for seed in Self.seed..<Self.seed + Self.count {
            var random = SeededGenerator(seed: seed)
            try Data(damaged(sound, &random)).write(to: file)
            if try survives(file) { imported += 1 }
        }
        print("DamageTests: \(imported) of \(Self.count) damaged files were imported")
        // Most bytes belong to the archive of the model or to free space; some damage is found, some is not.
        if Self.count > 100 { #expect((1..<Int(Self.count)).contains(imported)) }
    }

    @Test func damagedModels() throws {
        print("DamageTests: JP_SEED=\(Self.seed) JP_MUTATIONS=\(Self.count)")
        var miniature = miniature
        miniature.hasModel = false
        let directory = try TemporaryDirectory()
        let file = try miniature.write(into: directory)
        let model = directory.url.appending(path: "App.mom")
        let sound = self.miniature.archive
        var imported = 0
        for seed in Self.seed..<Self.seed + Self.count {
            var random = SeededGenerator(seed: seed)
            try Data(damaged(sound, &random)).write(to: model)
            if try survives(file, model) { imported += 1 }
        }
        print("DamageTests: \(imported) of \(Self.count) damaged models were imported")
        if Self.count > 100 { #expect((1..<Int(Self.count)).contains(imported)) }
    }

    @Test func damagedArchives() throws {
        let writer = ArchiveWriter()
        let archive = writer.bytes(
            root: writer.dictionary([
                ("a", writer.array([writer.value(.int(1)), writer.value(.data(Data([1, 2])))])),
                ("b", writer.object("NSDate", [("NS.time", .double(2))])),
            ]))
        let directory = try TemporaryDirectory()
        for seed in Self.seed..<Self.seed + Self.count {
            var random = SeededGenerator(seed: seed)
            let miniature = Miniature(
                [.init("Thing", [.init("list", 1800)])],
                """
                CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLIST BLOB);
                INSERT INTO ZTHING VALUES (1, 1, 1, \(literal(damaged(archive, &random))))
                """)
            let file = try miniature.write(into: directory, name: "\(seed).sqlite")
            #expect(try survives(file))
        }
    }

    @Test func aModelThatUnpacksWithoutEndIsRefused() throws {
        // A block with a distance beyond its beginning, one that is cut off, and 129 MB of zeros.
        for content in [
            [0x63, 0x00, 0x02], [0x01, 0xFF, 0xFF, 0x00], [], deflatedZeros(500_000),
        ] as [[UInt8]] {
            var miniature = miniature
            miniature.sql += "; UPDATE Z_MODELCACHE SET Z_CONTENT = \(literal(content))"
            let error = try #require(throws: DataStoreError.self) { try miniature.imported() }
            #expect(error.code == .corrupted)
        }
    }

    @Test func entitiesInACircleAreRefused() throws {
        var miniature = miniature
        miniature.entities[0].parent = "Car"
        #expect(throws: DataStoreError.self) { try miniature.imported() }
    }

    /// SQLite deletes the file that a journal names at its end, after playing the journal back.
    @Test func aJournalThatNamesAnotherFileIsRefused() throws {
        let directory = try TemporaryDirectory()
        let file = try miniature.write(into: directory)
        let other = directory.url.appending(path: "other.txt")
        try Data("important".utf8).write(to: other)
        let name = Array(other.path.utf8)
        func big(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 255) } }
        let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        let header = magic + big(0) + big(1) + big(9) + big(512) + big(4096)
        let sum = name.reduce(0) { $0 + Int($1) }
        let journal =
            header + [UInt8](repeating: 0, count: 512 - header.count) + big(0x4000_0000 / 4096 + 1)
            + name + big(name.count) + big(sum) + magic
        try Data(journal).write(to: directory.url.appending(path: "Model.sqlite-journal"))
        let error = #expect(throws: DataStoreError.self) {
            try CoreDataImport(file).run(into: try memoryStore())
        }
        #expect(error?.message.contains("several databases") == true)
        #expect(try String(contentsOf: other, encoding: .utf8) == "important")
    }

    /// Each attribute has a hundred parts, which are one description.
    @Test func aModelThatNestsItsAttributesVeryOftenIsRefused() throws {
        let writer = ArchiveWriter()
        func attribute(_ members: [(String, PropertyList)]) -> PropertyList {
            writer.object(
                "NSCompositeAttributeDescription",
                [("NSPropertyName", writer.text("a")), ("NSAttributeType", .int(2100))] + members)
        }
        var nested = attribute([])
        for _ in 0..<9 {
            let parts = writer.array([PropertyList](repeating: nested, count: 100))
            nested = attribute([("elements", parts)])
        }
        let entity = writer.object(
            "NSEntityDescription",
            [
                ("NSEntityName", writer.text("Thing")),
                ("NSProperties", writer.dictionary([("a", nested)])),
            ])
        let root = writer.object(
            "NSManagedObjectModel", [("NSEntities", writer.dictionary([("Thing", entity)]))])
        var composites = ""
        for depth in 0..<9 {
            let attribute =
                #"<attribute name="a" attributeType="Composite" compositeName="c\#(depth + 1)"/>"#
            composites +=
                "<composite name=\"c\(depth)\">\(String(repeating: attribute, count: 100))</composite>"
        }
        let xml = """
            <model>\(composites)<entity name="Thing"><attribute name="a" attributeType="Composite" compositeName="c0"/></entity></model>
            """
        let directory = try TemporaryDirectory()
        var miniature = miniature
        miniature.hasModel = false
        let file = try miniature.write(into: directory)
        let compiled = directory.url.appending(path: "App.mom")
        try Data(writer.bytes(root: root)).write(to: compiled)
        let source = directory.url.appending(path: "App.xcdatamodel")
        try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
        try Data(xml.utf8).write(to: source.appending(path: "contents"))
        for model in [compiled, source] {
            let error = #expect(throws: DataStoreError.self) {
                try CoreDataImport(file, model: model).run(into: try memoryStore())
            }
            #expect(error?.message.contains("too many") == true, "\(error?.message ?? "")")
        }
    }

    // MARK: Files that would take all memory or all time

    /// The error of an import of a store with a model.
    private func error(
        _ model: [UInt8], asXML: Bool = false, _ miniature: Miniature? = nil
    ) throws -> DataStoreError? {
        var miniature = miniature ?? self.miniature
        miniature.hasModel = false
        let directory = try TemporaryDirectory()
        let file = try miniature.write(into: directory)
        let place = directory.url.appending(path: asXML ? "App.xcdatamodel/contents" : "App.mom")
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(model).write(to: place)
        return #expect(throws: DataStoreError.self) {
            try CoreDataImport(file, model: asXML ? place.deletingLastPathComponent() : place)
                .examine()
        }
    }

    /// Each reference of one byte would become a number of eight, and then an object.
    @Test func anArchiveWithMillionsOfReferencesIsRefused() throws {
        let count = 30_000_000
        var bytes = Array("bplist00".utf8) + [0xAF, 0x12]
        bytes += (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
        bytes += [UInt8](repeating: 0, count: count)
        func big(_ value: Int) -> [UInt8] {
            (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
        }
        let table = bytes.count
        bytes += big(8) + [0, 0, 0, 0, 0, 0, 8, 1] + big(1) + big(0) + big(table)
        #expect(try error(bytes)?.message.contains("too many references") == true)
    }

    /// The text is one object, which ten thousand elements share.
    @Test func aValueThatMultipliesATextIsKeptAsBytes() throws {
        let writer = ArchiveWriter()
        let text = writer.text(String(repeating: "a", count: 100_000))
        let archive = writer.bytes(
            root: writer.array([PropertyList](repeating: text, count: 10_000)))
        let miniature = Miniature(
            [.init("Thing", [.init("list", 1800)])],
            """
            CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLIST BLOB);
            INSERT INTO ZTHING VALUES (1, 1, 1, \(literal(archive)))
            """)
        let (store, report) = try miniature.imported()
        #expect(try store.rows("Thing") == [["list": .data(Data(archive))]])
        #expect(report.notes.map(\.count) == [1])
    }

    @Test func xmlThatMultipliesItselfIsRefused() throws {
        var entities = "<!ENTITY e0 \"aaaaaaaaaa\">"
        for level in 1...12 {
            let inner = String(repeating: "&e\(level - 1);", count: 10)
            entities += "<!ENTITY e\(level) \"\(inner)\">"
        }
        let bomb = "<!DOCTYPE model [\(entities)]><model>&e12;</model>"
        #expect(try error(Array(bomb.utf8), asXML: true) != nil)
        let many = "<model>\(String(repeating: "<a/>", count: 3_000_000))</model>"
        #expect(try error(Array(many.utf8), asXML: true)?.message.contains("elements") == true)
    }

    /// Inherited properties are part of each entity below.
    @Test func aLongChainOfEntitiesIsRefused() throws {
        let count = 9000
        let chain = (0..<count).map { number in
            let parent = number == 0 ? "" : " parentEntity=\"E\(number - 1)\""
            return "<entity name=\"E\(number)\"\(parent)/>"
        }
        let model = Array("<model>\(chain.joined())</model>".utf8)
        #expect(try error(model, asXML: true)?.message.contains("levels") == true)
        let wide = (0..<count).map { "<entity name=\"F\($0)\" parentEntity=\"Base\"/>" }
        let base = (0..<1000).map {
            "<relationship name=\"r\($0)\" optional=\"YES\" maxCount=\"1\" destinationEntity=\"Base\"/>"
        }
        let product =
            "<model><entity name=\"Base\">\(base.joined())</entity>\(wide.joined())</model>"
        #expect(try error(Array(product.utf8), asXML: true)?.message.contains("too many") == true)
        // The names of the entities of the store itself, from which a model is guessed.
        var miniature = miniature
        miniature.hasModel = false
        let rows = (5..<count).map { "(\($0), 'E\($0)', \($0 - 1), 0)" }
        miniature.sql += "; INSERT INTO Z_PRIMARYKEY VALUES \(rows.joined(separator: ", "))"
        let guessed = #expect(throws: DataStoreError.self) {
            try miniature.imported { $0.guessesModel = true }
        }
        #expect(guessed?.message.contains("levels") == true)
    }

    // MARK: What SQLite must not do

    /// SQLite would take a name that no column has for a text.
    @Test func theNameOfAColumnIsNoValue() throws {
        let miniature = Miniature(
            [.init("Thing", [.init("größe", 700)])],
            """
            CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "Zgröße" VARCHAR);
            INSERT INTO ZTHING VALUES (1, 1, 1, 'a')
            """)
        do throws(any Error) {
            let rows = try miniature.imported().store.rows("Thing")
            #expect(rows.map { $0["größe"] } == [.string("a")])
        } catch {
            #expect((error as? DataStoreError)?.code == .corrupted)
        }
    }

    /// The expressions, views and triggers of a file are not run.
    @Test func theCodeOfAFileIsNotRun() throws {
        let miniature = Miniature(
            [.init("Thing", [.init("name", 700)]), .init("View", [.init("name", 700)])],
            """
            CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR CHECK (abs(-9223372036854775808) > 0));
            PRAGMA ignore_check_constraints = ON; INSERT INTO ZTHING VALUES (1, 1, 1, 'a');
            CREATE VIEW ZVIEW AS SELECT 1 AS Z_PK, 2 AS Z_ENT, 1 AS Z_OPT, abs(-9223372036854775808) AS ZNAME;
            CREATE TRIGGER T AFTER INSERT ON ZTHING BEGIN SELECT abs(-9223372036854775808); END
            """)
        let (store, report) = try miniature.imported()
        #expect(try store.rows("Thing") == [["name": .string("a")]])
        #expect(report.entities.map(\.name) == ["Thing"])
    }
}
