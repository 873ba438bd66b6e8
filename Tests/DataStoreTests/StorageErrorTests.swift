import JustPersist
import JustPersistRecords
import Testing

/// Clause 5: a storage error rolls a write block back, whichever call received it, even if the block ignores it.
@Suite struct StorageErrorTests {
    /// A call of a write block, in one of its forms.
    struct Operation: CustomTestStringConvertible {
        let testDescription: String
        let run:
            @Sendable (
                borrowing DataStoreWriter, Restaurant
            ) throws -> Void

        init(
            _ name: String,
            _ run:
                @escaping @Sendable (
                    borrowing DataStoreWriter, Restaurant
                ) throws -> Void
        ) {
            testDescription = name
            self.run = run
        }
    }

    private static func request(_ text: String? = nil) throws -> DataStoreRequest {
        let request = DataStoreRequest(itemType: Restaurant.self)
        request.predicate = try text.map { try DataStorePredicate($0) }
        return request
    }

    /// A new item under the id of a stored one.
    private static func twin(of item: Restaurant) -> Restaurant {
        Restaurant(
            backing: DictionaryBacking(
                itemTypeKey: Restaurant.itemTypeKey, schema: Restaurant.schema,
                id: item.uniqueToken))
    }

    static let operations: [Operation] = [
        Operation("create") { db, _ in for _ in 0..<4_200 { _ = try db.create(Restaurant.self) } },
        Operation("createItem") { db, _ in
            for _ in 0..<4_200 { _ = db.createItem(ofMutableType: Restaurant.self) }
        },
        Operation("performInsert") { db, _ in _ = try db.performInsert(Restaurant()) },
        Operation("insert") { db, _ in _ = db.insert(Restaurant()) },
        Operation("performInsert of a stored item") { db, item in
            _ = try db.performInsert(twin(of: item))
        },
        Operation("insert of a stored item") { db, item in _ = db.insert(twin(of: item)) },
        Operation("insert of an item got earlier") { db, item in _ = db.insert(item) },
        Operation("delete") { db, item in try db.delete(item) },
        Operation("delete(item:)") { db, item in _ = db.delete(item: item) },
        Operation("deleteAll") { db, _ in try db.deleteAll(Restaurant.self) },
        Operation("deleteAllItems") { db, _ in
            _ = db.deleteAllItems(ofMutableType: Restaurant.self)
        },
        Operation("performMutableVersion") { db, item in _ = try db.performMutableVersion(of: item)
        },
        Operation("mutableVersion") { db, item in _ = db.mutableVersion(ofItem: item) },
        Operation("mutableVersion of a detached item") { db, item in
            _ = db.mutableVersion(ofItem: twin(of: item))
        },
        Operation("generic mutableVersion") { db, item in
            let _: Restaurant = try db.mutableVersion(ofItem: item)
        },
        Operation("performFetch") { db, _ in _ = try db.performFetch(request()) },
        Operation("items") { db, _ in _ = try db.items(forRequest: request("stars > 0")) },
        Operation("firstItem") { db, _ in _ = try db.firstItem(forRequest: request()) },
        Operation("mutableItems") { db, _ in _ = try db.mutableItems(forRequest: request()) },
        Operation("performCount") { db, _ in _ = try db.performCount(request("stars > 0")) },
        Operation("countItems") { db, _ in _ = try db.countItems(forRequest: request()) },
        Operation("performFetchItem") { db, item in
            _ = try db.performFetchItem(ItemType(Restaurant.self), id: item.uniqueToken)
        },
        Operation("performForEach") { db, _ in try db.performForEach(request()) { _ in } },
        Operation("performAggregate") { db, _ in
            _ = try db.performAggregate(request(), DataStoreAggregation([.sum("stars")]))
        },
        Operation("schemas") { db, _ in _ = try db.schemas() },
        Operation("declare") { db, _ in try db.declare(RestaurantOwner.schema) },
    ]

    @Test(
        arguments: operations, [DataStoreError.Code.storageFailure, .storageFull])
    func errorOfTheEngineInAnyCallRollsTheBlockBack(
        _ operation: Operation, _ code: DataStoreError.Code
    ) throws {
        let engine = InterceptedEngine()
        let store = RecordStore(engine: engine)
        try store.open()
        try store.fill(["a", "b", "c"])
        var frozen: [Restaurant] = []
        try store.performRead { db in frozen = try db.items(Restaurant.self) }
        var calls = 0
        var hasFailed = true
        while hasFailed {
            let before = try store.names()
            var thrown: DataStoreError?
            do {
                try store.write { db in
                    try db.create(Restaurant.self).name = "pending"
                    engine.fail(after: calls, with: code)
                    try? operation.run(db, frozen[1])
                    engine.fail(after: nil)
                    hasFailed = engine.hasFailed
                } as Void
            } catch {
                thrown = error as? DataStoreError
            }
            #expect(thrown?.code == (hasFailed ? code : nil), "failed call \(calls)")
            if hasFailed { try #expect(store.names() == before, "failed call \(calls)") }
            // The first calls and some later ones.
            calls += calls < 8 ? 1 : 2_000
        }
        try expectSound(store)
    }

    @Test func errorOfTheEngineIsReportedOnceByTheOriginalForms() throws {
        for operation in Self.operations {
            let engine = InterceptedEngine()
            let errors = ErrorLog()
            let store = RecordStore(engine: engine) { errors.append($0) }
            try store.open()
            try store.fill(["a", "b"])
            var frozen: [Restaurant] = []
            try store.performRead { db in frozen = try db.items(Restaurant.self) }
            store.writeSync { db in
                (db.createItem(ofMutableType: Restaurant.self) as? Restaurant)?.name = "pending"
                engine.fail(after: 0)
                try? operation.run(db, frozen[1])
                engine.fail(after: nil)
            }
            let expected: [DataStoreError.Code] = engine.hasFailed ? [.storageFailure] : []
            #expect(errors.codes == expected, "\(operation.testDescription)")
        }
    }
}
