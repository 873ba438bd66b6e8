import Foundation
import JustPersist
import JustPersistConformance
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMigration
import Testing

/// Values that no two items may share, in migrations.
@Suite struct UniqueValueTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    enum Kind: CaseIterable, Sendable {
        case memory, lmdb, levelDB, reference
    }

    private func store(
        _ kind: Kind, _ name: String = "store", errors: Locked<[DataStoreError]>? = nil
    ) throws -> any DataStore {
        let url = directory.url.appending(path: name)
        let store: any DataStore =
            switch kind {
            case .memory: try memoryStore()
            case .lmdb: try LMDBDataStore.open(at: url)
            case .levelDB: try LevelDBDataStore.open(at: url)
            case .reference: ReferenceDataStore()
            }
        if kind == .reference { try store.open() }
        if let errors {
            store.errorHandler = { error in errors.withLock { $0.append(error) } }
        }
        return store
    }

    private static let attributes = ["n", "m"].map { AttributeSchema($0) }
    private static let schema = ItemSchema(
        "T", attributes: attributes, indexes: [IndexSchema(["n"], isUnique: true)])

    /// Items with `n` from 0 on, and then the index.
    private func fill(_ store: any DataStore, count: Int, doubled: Int = 0) throws {
        try store.write { db in
            try db.declare(ItemSchema("T", attributes: Self.attributes))
            for number in 0..<count {
                let item = try db.create("T")
                item["n"] = .int(Int64(number < 2 * doubled ? number / 2 : number))
                item["m"] = .int(Int64(number))
            }
        }
        try store.write { db in try db.declare(Self.schema) }
    }

    @Test(arguments: [Kind.memory, .lmdb, .levelDB])
    func duplicatesOfBeforeTheDeclarationArriveAndAreReported(_ kind: Kind) throws {
        let source = try memoryStore()
        source.errorHandler = { _ in }
        try fill(source, count: 30, doubled: 3)
        let errors = Locked<[DataStoreError]>([])
        let target = try store(kind, errors: errors)
        try Migration(from: source, to: target, batchSize: 10).run()
        #expect(try target.digests() == source.digests())
        #expect(try target.verify().problems.isEmpty)
        let found = errors.withLock { $0 }
        #expect(found.map(\.code) == [.uniqueViolation])
        #expect(found.first?.message.contains("Both are kept.") == true)
        // The rule holds for what is written from now on.
        #expect(throws: DataStoreError.self) {
            try target.write { db in try db.create("T")["n"] = .int(29) }
        }
    }

    @Test(arguments: Kind.allCases, [Migration.Policy.intoEmpty, .updateByID])
    func duplicatesThatTheTargetWouldRefuseAreListedAndNothingIsWritten(
        _ kind: Kind, _ policy: Migration.Policy
    ) throws {
        let source = try memoryStore()
        source.errorHandler = { _ in }
        try fill(source, count: 30, doubled: 3)
        let ids = try source.read { db in
            try db.items(DataStoreRequest(itemTypeKey: "T")).prefix(2).map(\.uniqueToken)
        }
        let target = try store(kind)
        let failure = #expect(throws: DataStoreError.self) {
            try Migration(from: InterposedStore(source), to: target, policy: policy).run()
        }
        #expect(failure?.code == .unsupported)
        let message = try #require(failure?.message)
        #expect(
            message.contains("“T” has items (3) with the same “n”")
                && message.contains("\(ids[0]) and \(ids[1])"), "\(message)")
        #expect(try target.read { try $0.schemas().isEmpty })
    }

    @Test(arguments: Kind.allCases)
    func updatedItemsHandUniqueValuesOnFromBatchToBatch(_ kind: Kind) throws {
        let source = try memoryStore()
        try fill(source, count: 40)
        let target = try store(kind)
        try Migration(from: source, to: target).run()
        // Each item gets the next one's, the last one the first one's; and some are new, with one of the old values.
        try source.write { db in
            let items = try db.dynamicItems(DataStoreRequest(itemTypeKey: "T"))
            for (number, item) in items.enumerated() {
                item["n"] = .int(Int64((number + 1) % items.count))
            }
            items[7]["n"] = .int(1_007)
            try db.create("T")["n"] = .int(8)
        }
        let report = try Migration(
            from: source, to: target, policy: .updateByID, batchSize: 5
        ).run()
        #expect(report.targetCounts == ["T": 41])
        #expect(try target.rows() == source.rows())
        if kind != .reference { #expect(try target.verify().problems.isEmpty) }
    }

    @Test func aUniqueValueOfAnItemThatIsNotUpdatedRefusesTheUpdateBeforeItWrites() throws {
        let source = try memoryStore()
        try fill(source, count: 20)
        let target = try store(.lmdb)
        try target.write { db in
            try db.declare(Self.schema)
            try db.create("T")["n"] = .int(15)
        }
        let before = try target.digests()
        let failure = #expect(throws: DataStoreError.self) {
            try Migration(from: source, to: target, policy: .updateByID, batchSize: 5).run()
        }
        #expect(failure?.code == .uniqueViolation)
        #expect(failure?.message.contains("which only the target has") == true)
        #expect(try target.digests() == before)
    }

    @Test func valuesHandedOnByMoreThanABlockTakesRefuseTheUpdateBeforeItWrites() throws {
        let source = try memoryStore()
        try fill(source, count: 40)
        let target = try store(.lmdb)
        try Migration(from: source, to: target).run()
        try source.write { db in
            let items = try db.dynamicItems(DataStoreRequest(itemTypeKey: "T"))
            for (number, item) in items.enumerated() {
                item["n"] = .int(Int64((number + 1) % items.count))
            }
        }
        let before = try target.digests()
        var capabilities = target.capabilities
        capabilities.limits.writeBlockBytes = 1_000
        let failure = #expect(throws: DataStoreError.self) {
            try Migration(
                from: source, to: InterposedStore(target, declaring: capabilities),
                policy: .updateByID
            ).run()
        }
        #expect(failure?.code == .limitExceeded)
        #expect(try target.digests() == before)
    }

    /// Under names that the target does not have yet.
    @Test func valuesAreHandedOnUnderANewName() throws {
        let source = try memoryStore()
        try fill(source, count: 12)
        let target = try store(.lmdb)
        try Migration(from: source, to: target).run()
        try source.write { db in
            try db.declare(
                ItemSchema(
                    "U", formerTypeKeys: ["T"],
                    attributes: [
                        AttributeSchema("number", originalName: "n"), AttributeSchema("m"),
                    ], indexes: [IndexSchema(["number"], isUnique: true)]))
            let items = try db.dynamicItems(DataStoreRequest(itemTypeKey: "U"))
            for (number, item) in items.enumerated() {
                item["number"] = .int(Int64((number + 1) % items.count))
            }
        }
        try Migration(from: source, to: target, policy: .updateByID, batchSize: 2).run()
        #expect(try target.rows("U") == source.rows("U"))
        #expect(try target.verify().problems.isEmpty)
    }
}
