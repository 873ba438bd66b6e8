import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistRecords
import Testing

/// Clause 5 where the storage fails: a block is all or nothing.
@Suite struct AtomicityTests {
    /// Everything that requests say about the restaurants.
    private struct Answers: Equatable {
        var items: [String]
        var count: Int
        var owners: Int
        var sorted: [String?]
        var matching: [String?]
        var types: [String]

        init(_ store: any DataStore) throws {
            self = try store.read { db in
                try Answers(
                    items: db.items(Restaurant.self).map {
                        "\($0.uniqueToken) \($0.name ?? "-") \($0.stars) \($0.value)"
                    },
                    count: db.count(Restaurant.self), owners: db.count(RestaurantOwner.self),
                    sorted: db.items(Restaurant.self, sortedBy: .descending("name")).map(\.name),
                    matching: db.items(
                        Restaurant.self, where: DataStorePredicate("name == 'b' OR stars > 1")
                    ).map(\.name),
                    types: db.schemas().map(\.itemTypeKey))
            }
        }

        private init(
            items: [String], count: Int, owners: Int, sorted: [String?], matching: [String?],
            types: [String]
        ) {
            self.items = items
            self.count = count
            self.owners = owners
            self.sorted = sorted
            self.matching = matching
            self.types = types
        }
    }

    /// Changes of every kind.
    private func changeEverything(
        _ db: borrowing DataStoreWriter
    ) throws {
        let items = try db.items(Restaurant.self)
        items[0].name = "changed"
        items[0].value = .array([.int(1)])
        try db.delete(items[1])
        try db.create(Restaurant.self).name = "new"
        try db.create(RestaurantOwner.self).name = "new"
        db.insert(Restaurant())
        _ = try db.count(Restaurant.self, where: DataStorePredicate("name == 'changed'"))
        items[2].stars = 100
    }

    /// Where an engine can fail.
    enum Fault: CaseIterable {
        case put, laterPut, delete, commit

        var engineFault: SortedArrayEngine.Fault {
            switch self {
            case .put: .put(after: 0)
            case .laterPut: .put(after: 3)
            case .delete: .delete
            case .commit: .commit
            }
        }
    }

    @Test(arguments: Fault.allCases)
    func failedStorageRollsBackAndTheNextWriteWorks(_ fault: Fault) throws {
        let engine = SortedArrayEngine()
        let errors = ErrorLog()
        let store = RecordStore(engine: engine) { errors.append($0) }
        try store.open()
        try store.fill(["a", "b", "c"])
        let before = try Answers(store)
        engine.fault = fault.engineFault
        expectError(.storageFull) { try store.write { db in try changeEverything(db) } }
        try #expect(Answers(store) == before)
        #expect(errors.codes.isEmpty)
        engine.fault = nil
        try store.write { db in try changeEverything(db) }
        try #expect(store.names() == ["changed", "c", "new", nil])
        try expectSound(store)
    }

    @Test(arguments: Fault.allCases)
    func swallowedStorageErrorIsReportedAndRolledBack(_ fault: Fault) throws {
        let engine = SortedArrayEngine()
        let errors = ErrorLog()
        let store = RecordStore(engine: engine) { errors.append($0) }
        try store.open()
        try store.fill(["a", "b", "c"])
        let before = try Answers(store)
        engine.fault = fault.engineFault
        expectError(.storageFull) {
            try store.write { db in
                try? changeEverything(db)
                // All calls of such a block fail, so that no code continues with half of the changes.
                if fault != .commit {
                    expectError(.storageFull) { _ = try db.count(Restaurant.self) }
                    expectError(.storageFull) { _ = try db.items(Restaurant.self) }
                    expectError(.storageFull) { try db.deleteAll(Restaurant.self) }
                }
            } as Void
        }
        try #expect(Answers(store) == before)
        #expect(errors.codes.isEmpty)
        store.writeSync { db in try? changeEverything(db) }
        #expect(errors.codes == [.storageFull])
        try #expect(Answers(store) == before)
        let done = DispatchSemaphore(value: 0)
        store.writeAsync { db in
            try? changeEverything(db)
        } completion: {
            done.signal()
        }
        done.wait()
        #expect(errors.codes == [.storageFull, .storageFull])
        try #expect(Answers(store) == before)
    }

    @Test func failureInReadingPoisonsToo() throws {
        let engine = SortedArrayEngine()
        let store = RecordStore(engine: engine)
        try store.open()
        try store.fill(["a", "b"])
        engine.fault = .scan
        for request in ["items", "count", "forEach"] {
            expectError(.storageFailure) {
                try store.write { db in
                    try db.create(Restaurant.self).name = "c"
                    expectError(.storageFailure) {
                        switch request {
                        case "items": _ = try db.items(Restaurant.self)
                        case "count":
                            _ = try db.count(
                                Restaurant.self, where: DataStorePredicate("stars == 1"))
                        default:
                            try db.forEach(DataStoreRequest(itemType: Restaurant.self)) { _ in }
                        }
                    }
                }
            }
        }
        engine.fault = nil
        try #expect(store.names() == ["a", "b"])
    }

    @Test func failedOpeningOfAnEngineLeavesAStoreThatOpensLater() throws {
        let engine = SortedArrayEngine()
        let store = RecordStore(engine: engine)
        engine.fault = .open
        expectError(.storageFull) { try store.open() }
        engine.fault = .put(after: 0)
        expectError(.storageFull) { try store.open() }
        expectError(.notSetUp) { _ = try store.names() }
        engine.fault = nil
        try store.open()
        try store.fill(["a"])
        try #expect(store.names() == ["a"])
    }

    @Test func fullLMDBStoreRollsBackAndTakesWritesAgain() throws {
        try withTemporaryDirectory { directory in
            let store = try LMDBDataStore.open(
                at: directory, configuration: LMDBConfiguration(maximumSize: 1 << 20))
            try store.fill(["a", "b", "c"])
            let before = try Answers(store)
            expectError(.storageFull) {
                try store.write { db in
                    try changeEverything(db)
                    for _ in 0..<12 {
                        try db.create(Restaurant.self).value = .data(Data(count: 100_000))
                    }
                }
            }
            try #expect(Answers(store) == before)
            expectError(.storageFull) {
                try store.write { db in
                    for _ in 0..<12 {
                        let item = try db.create(Restaurant.self)
                        item.value = .data(Data(count: 100_000))
                        _ = try? db.count(Restaurant.self)
                    }
                } as Void
            }
            try #expect(Answers(store) == before)
            try store.fill(["d"])
            try #expect(store.names() == ["a", "b", "c", "d"])
            try expectSound(store)
            try store.close()
        }
    }
}
