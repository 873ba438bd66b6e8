import Foundation
import JustPersistConformanceTesting
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMemory
import JustPersistMigration
import SQLiteDataStore
import Testing

/// Migrations between SQLite and the engines of the package.
@Suite struct MigrationTests {
    enum Other: CaseIterable, Sendable {
        case memory, lmdb, levelDB

        func store(in directory: URL) throws -> any DataStore {
            switch self {
            case .memory: InMemoryDataStore()
            case .lmdb: LMDBDataStore(at: directory)
            case .levelDB: LevelDBDataStore(at: directory)
            }
        }
    }

    private func filled(_ store: any DataStore) throws {
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "Place",
                    attributes: [
                        AttributeSchema("name", originalName: "title", isUnique: true),
                        AttributeSchema("value"), AttributeSchema("level", default: .int(3)),
                    ], indexes: [IndexSchema(["value", "name"])]))
            try db.declare(ItemSchema("Empty", attributes: [AttributeSchema("x")]))
            var previous: DynamicItem?
            for number in 0..<60 {
                let item = try db.create("Place")
                item["name"] = .string("place \(number) e\u{301}\0")
                item["value"] = Self.values[number % Self.values.count]
                if number % 5 == 0, let previous { item["value"] = .reference(previous.reference) }
                if number % 2 == 0 { item["level"] = .int(Int64(number)) }
                previous = item
            }
        }
    }

    private static let values: [DataStoreValue] = [
        .null, .bool(true), .int(.min), .double(-0.0), .double(.nan), .double(.infinity),
        .string(""), .date(Date(timeIntervalSinceReferenceDate: 0.1)), .data(Data([0, 255])),
        .uuid(UUID()), .decimal(Decimal(1) / 3), .array([.null, .dictionary(["": .int(1)])]),
    ]

    private func schemas(_ store: any DataStore) throws -> [String] {
        try store.read { db in
            try db.schemas().map { schema in
                "\(schema.itemTypeKey) \(schema.indexes) "
                    + schema.attributes.map {
                        "\($0.name) \($0.formerNames) \(String(describing: $0.defaultValue))"
                    }.joined()
            }
        }
    }

    /// There and back, each interrupted once, and a final update by id.
    @Test(arguments: Other.allCases)
    func itemsGoFromSQLiteAndBack(_ other: Other) throws {
        struct Interruption: Error {}
        try withStore { source in
            try filled(source)
            try withDirectory { directory in
                try FileManager.default.createDirectory(
                    at: directory, withIntermediateDirectories: true)
                let between = try other.store(in: directory.appending(path: "between"))
                let back = SQLiteDataStore(at: directory.appending(path: "back"))
                var last: any DataStore = source
                for target in [between, back] as [any DataStore] {
                    try target.open()
                    #expect(throws: Interruption.self) {
                        try Migration(from: last, to: target, batchSize: 7).run { progress in
                            if progress.items > 20 { throw Interruption() }
                        }
                    }
                    let report = try Migration(from: last, to: target, batchSize: 7).run()
                    #expect(report.targetCounts == ["Place": 60, "Empty": 0])
                    let summary = try StoreComparison(source, target).run { difference in
                        Issue.record("\(difference)")
                    }
                    #expect(summary.same == 60 && summary.isSame)
                    try #expect(schemas(target) == schemas(source))
                    try #expect(target.verify().problems.isEmpty)
                    last = target
                }
                try source.write { db in
                    for item in try db.dynamicItems(DataStoreRequest(itemTypeKey: "Place")) {
                        item["level"] = .null
                    }
                }
                for target in [between, back] as [any DataStore] {
                    try Migration(from: source, to: target, policy: .updateByID).run()
                    try #expect(StoreComparison(source, target).run().isSame)
                    try target.close()
                }
            }
        }
    }

    /// The kit's checks of migrations, with an engine in place of its reference store.
    @Test(
        arguments: [SQLiteWithMemory.self, SQLiteWithLMDB.self, SQLiteWithLevelDB.self]
            as [any ConformanceFixture.Type])
    func theKitFindsNothingWrongWithMigrations(_ pair: any ConformanceFixture.Type) async throws {
        var options = try ConformanceOptions(environment: ProcessInfo.processInfo.environment)
        options.only = ["mig/*"]
        options.runsInProcess = true
        let report = await Conformance.report(on: pair, options: options, children: nil)
        #expect(report.isConformant, "\(report)")
        #expect(report.count(.pass) >= 11, "\(report)")
    }
}

enum SQLiteWithMemory: ConformanceFixture {
    static func makeStore(in directory: URL) throws -> SQLiteDataStore {
        SQLiteDataStore(at: directory)
    }
    static func makeSecondStore(in directory: URL) throws -> (any DataStore)? {
        InMemoryDataStore()
    }
}

enum SQLiteWithLMDB: ConformanceFixture {
    static func makeStore(in directory: URL) throws -> SQLiteDataStore {
        SQLiteDataStore(at: directory)
    }
    static func makeSecondStore(in directory: URL) throws -> (any DataStore)? {
        LMDBDataStore(at: directory)
    }
}

enum SQLiteWithLevelDB: ConformanceFixture {
    static func makeStore(in directory: URL) throws -> SQLiteDataStore {
        SQLiteDataStore(at: directory)
    }
    static func makeSecondStore(in directory: URL) throws -> (any DataStore)? {
        LevelDBDataStore(at: directory)
    }
}
