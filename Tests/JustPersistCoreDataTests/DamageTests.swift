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
            let hex = damaged(archive, &random).map { String(format: "%02x", $0) }.joined()
            let miniature = Miniature(
                [.init("Thing", [.init("list", 1800)])],
                """
                CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLIST BLOB);
                INSERT INTO ZTHING VALUES (1, 1, 1, x'\(hex)')
                """)
            let file = try miniature.write(into: directory, name: "\(seed).sqlite")
            #expect(try survives(file))
        }
    }

    @Test func aModelThatUnpacksWithoutEndIsRefused() throws {
        // A block with a distance beyond its beginning, and one that is cut off.
        for content in [[0x63, 0x00, 0x02], [0x01, 0xFF, 0xFF, 0x00], []] as [[UInt8]] {
            var miniature = miniature
            let hex = content.map { String(format: "%02x", $0) }.joined()
            miniature.sql += "; UPDATE Z_MODELCACHE SET Z_CONTENT = x'\(hex)'"
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
}
