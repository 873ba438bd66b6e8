import Foundation
import JustPersist
import JustPersistConformanceTesting
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMemory
import Testing

/// Each backend of the package, held to the contract by the kit as any other store is.
enum LMDBFixture: ConformanceFixture {
    static func makeStore(in directory: URL) throws -> LMDBDataStore {
        LMDBDataStore(at: directory)
    }

    static func makeStoreWithChangeLog(in directory: URL) -> (any DataStore)? {
        LMDBDataStore(
            at: directory,
            configuration: LMDBConfiguration(changeLog: ChangeLogLength(commits: 100)))
    }

    static func corrupt(in directory: URL) throws -> Bool { try damageTexts(in: directory) }

    #if os(Linux)
        static func syncAudit(of store: LMDBDataStore) -> Int? {
            SyncCounter.syncsOfMetaPage(in: store.engine.directory)
        }
    #endif
}

enum LevelDBFixture: ConformanceFixture {
    static func makeStore(in directory: URL) throws -> LevelDBDataStore {
        // With a log, so that its checks run too; the other stores keep none.
        LevelDBDataStore(
            at: directory,
            configuration: LevelDBConfiguration(changeLog: ChangeLogLength(commits: 100)))
    }

    static func corrupt(in directory: URL) throws -> Bool { try damageTexts(in: directory) }

    #if os(Linux)
        static func syncAudit(of store: LevelDBDataStore) -> Int? {
            SyncCounter.syncsOfLog(in: store.engine.directory)
        }
    #endif
}

/// Changes a letter of each text that the kit's check of damage finds in the files of a directory.
private func damageTexts(in directory: URL) throws -> Bool {
    let text = Data("ConformanceDamage".utf8)
    var isDamaged = false
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
        let file = directory.appending(path: name)
        guard var data = try? Data(contentsOf: file) else { continue }
        var start = data.startIndex
        while let range = data.range(of: text, in: start..<data.endIndex) {
            data[range.lowerBound] ^= 1
            start = range.upperBound
            isDamaged = true
        }
        if isDamaged { try data.write(to: file) }
    }
    return isDamaged
}

enum MemoryFixture: ConformanceFixture {
    static func makeStore(in directory: URL) throws -> InMemoryDataStore { InMemoryDataStore() }
}

@Suite(.serialized) struct LMDBConformance {
    @Test(arguments: Conformance.checks(LMDBFixture.self, level: .v1))
    func check(_ check: Check) async throws { try await check.run() }
}

@Suite(.serialized) struct LevelDBConformance {
    @Test(arguments: Conformance.checks(LevelDBFixture.self, level: .v1))
    func check(_ check: Check) async throws { try await check.run() }
}

@Suite(.serialized) struct MemoryConformance {
    @Test(arguments: Conformance.checks(MemoryFixture.self, level: .v1))
    func check(_ check: Check) async throws { try await check.run() }
}

/// The kit finds the engine below each backend, and does not pass it over as not applicable.
@Test(
    arguments: [LMDBFixture.self, LevelDBFixture.self, MemoryFixture.self]
        as [any ConformanceFixture.Type])
func theEngineBelowABackendIsExamined(_ fixture: any ConformanceFixture.Type) async {
    let report = await Conformance.report(
        on: fixture, options: ConformanceOptions(only: ["engine/traits"]), children: nil)
    #expect(report.count(.pass) == 1, "\(report)")
}

/// Checks in variants that only longer runs of the kit have: a child declares types in its root store, where they stay when
/// its block is rolled back.
@Test func aChildKeepsTheContractWhereItsBlocksAreRolledBack() async {
    let report = await Conformance.report(
        on: MemoryFixture.self,
        options: ConformanceOptions(profile: .full, only: ["prim/*-rollback@child"]), children: nil)
    #expect(report.isConformant, "\(report)")
    #expect(report.count(.pass) > 10, "\(report)")
}

#if os(Linux)
    /// The fixtures count a sync for each commit of a store that waits for the disk, and none of one that does not.
    @Test(arguments: [Durability.full, .relaxed])
    func syncsAreCountedWhereAStoreWaitsForThem(_ durability: Durability) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: directory) }
        func syncs<Store: DataStore>(
            by store: Store, _ count: (Store) -> Int?
        ) throws -> Int {
            try store.open()
            defer { try? store.close() }
            let before = count(store) ?? 0
            for number in 0..<5 {
                try store.write { db in
                    try db.declare(ItemSchema("Dish", attributes: [AttributeSchema("price")]))
                    try db.create("Dish")["price"] = .int(Int64(number))
                }
            }
            return (count(store) ?? 0) - before
        }
        let ofLMDB = try syncs(
            by: LMDBDataStore(
                at: directory.appending(path: "lmdb"),
                configuration: LMDBConfiguration(durability: durability)),
            LMDBFixture.syncAudit)
        let ofLevelDB = try syncs(
            by: LevelDBDataStore(
                at: directory.appending(path: "leveldb"),
                configuration: LevelDBConfiguration(durability: durability)),
            LevelDBFixture.syncAudit)
        let expected = durability == .full ? 5 : 0
        #expect(ofLMDB == expected)
        #expect(ofLevelDB == expected)
    }
#endif
