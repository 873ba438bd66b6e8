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
}
