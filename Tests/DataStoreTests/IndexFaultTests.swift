import Foundation
import JustPersist
import JustPersistConformance
import Testing

/// Faults that indexes had, each by its name.
@Suite struct IndexFaultTests {
    private static let type = "Thing"

    private func withStore(
        _ backend: Backend, _ indexes: [IndexSchema], _ body: (any DataStore) throws -> Void
    ) throws {
        try backend.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        Self.type,
                        attributes: ["a", "b", "n"].map { AttributeSchema($0) }, indexes: indexes))
            }
            try body(store)
        }
    }

    /// How many items match, of which at least one must have been found by an index.
    private func count(
        _ store: any DataStore, _ format: String, _ arguments: Any?..., usesIndex: Bool = true
    ) throws -> Int {
        let request = DataStoreRequest(
            type: ItemType(dynamic: Self.type),
            predicate: try DataStorePredicate(format, arguments: arguments))
        return try store.read { db in
            let plan = try db.explain(request)
            if case .indexes = plan.access {
                #expect(usesIndex, "\(plan)")
            } else {
                #expect(!usesIndex, "\(plan)")
            }
            let count = try db.count(request)
            #expect(count == plan.matched)
            return count
        }
    }

    private func addOthers(_ db: borrowing DataStoreWriter) throws {
        for number in 0..<200 { try db.create(Self.type)["n"] = .int(Int64(number)) }
    }

    /// A record was damaged before an index was declared over its type.
    @Test(arguments: Backend.persistent)
    func aDamagedRecordWasMissedByRequestsThatALaterIndexServed(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            try store.write { db in
                try db.declare(ItemSchema("T", attributes: [AttributeSchema("n", kinds: [.int])]))
                for number in 0..<10 { try db.create("T").setObject(number, forKey: "n") }
            }
            try store.close()
            let bytes = StoredBytes(backend, at: directory)
            var record = try #require(
                try bytes.entries(tag: StoredBytes.recordTag).dropFirst(5).first)
            record.value[record.value.count - 1] ^= 1
            try bytes.put([record])
            try store.open()
            try? store.write { db in
                try db.declare(ItemSchema("T", attributes: [], indexes: [IndexSchema(["n"])]))
            }
            try store.buildIndexes()
            try store.read { db in
                let request = DataStoreRequest(itemTypeKey: "T")
                request.predicate = try DataStorePredicate("n == 5")
                expectError(.corrupted) { _ = try db.items(request) }
                expectError(.corrupted) { _ = try db.count(request) }
                request.predicate = nil
                request.sortDescriptors = [.ascending("n")]
                request.limit = 9
                expectError(.corrupted) { _ = try db.items(request) }
                expectError(.corrupted) {
                    _ = try db.aggregate(
                        DataStoreRequest(itemTypeKey: "T"), DataStoreAggregation([.min("n")]))
                }
            }
            try store.close()
        }
    }

    @Test(arguments: Backend.ofRecords)
    func anItemOfAFailedBlockHasItsEntriesWhenItIsInsertedAgain(_ backend: Backend) throws {
        struct Failure: Error {}
        try withStore(backend, [IndexSchema(["n"])]) { store in
            var item: DynamicItem?
            #expect(throws: Failure.self) {
                try store.write { db in
                    let made = try db.create(Self.type)
                    made["n"] = .int(777)
                    // So that it is written before the block fails.
                    _ = try db.count(DataStoreRequest(itemTypeKey: Self.type))
                    item = made
                    throw Failure()
                }
            }
            try store.write { db in
                try addOthers(db)
                _ = try db.performInsert(try #require(item))
            }
            let found = try count(store, "n == 777")
            #expect(found == 1)
        }
    }

    @Test(arguments: Backend.ofRecords)
    func aPartOfAnElementIsFoundWithAnIndexToo(_ backend: Backend) throws {
        try withStore(backend, [IndexSchema(["a"])]) { store in
            try store.write { db in
                try addOthers(db)
                try db.create(Self.type)["a"] = .array([.string("axb")])
                try db.create(Self.type)["a"] = .array([.array([.int(5)])])
            }
            let counts = [
                try count(store, "ANY a CONTAINS 'x'", usesIndex: false),
                try count(store, "ANY a CONTAINS 5", usesIndex: false),
                try count(store, "a CONTAINS 'axb'"), try count(store, "'axb' IN a"),
                try count(store, "a CONTAINS 'x'"),
            ]
            #expect(counts == [1, 1, 1, 1, 0])
        }
    }

    @Test(arguments: Backend.ofRecords)
    func valuesWithOneKeyAreOrderedBeforeWhatFollowsThem(_ backend: Backend) throws {
        let long = String(repeating: "x", count: 600)
        let pairs: [[DataStoreValue]] = [
            [.string(long + "2"), .string(long + "1")],
            [.int((1 << 60) + 2), .int((1 << 60) + 1)],
        ]
        for pair in pairs {
            try withStore(backend, [IndexSchema(["a", "b"])]) { store in
                try store.write { db in
                    for number in 0..<300 {
                        let item = try db.create(Self.type)
                        item["a"] = number < 2 ? pair[number] : .data(Data([UInt8(number % 250)]))
                        item["b"] = .int(Int64(number))
                    }
                }
                let request = DataStoreRequest(itemTypeKey: Self.type)
                request.sortDescriptors = [
                    .ascending("a"), .ascending("b"),
                ]
                request.limit = 2
                let (values, plan) = try store.read { db in
                    (try db.dynamicItems(request).map { $0["a"] }, try db.explain(request))
                }
                #expect(values == [pair[1], pair[0]])
                #expect(plan.description.contains("in its order"), "\(plan)")
            }
        }
    }

    @Test(arguments: Backend.ofRecords)
    func referencesAreFoundUnderEachKeyOfARenamedType(_ backend: Backend) throws {
        try withStore(backend, [IndexSchema(["a"])]) { store in
            let user = ItemSchema("User", attributes: [AttributeSchema("name")])
            let person = ItemSchema(
                "Person", formerTypeKeys: ["User"], attributes: [AttributeSchema("name")])
            let id = try store.write { db in
                try db.declare(user)
                return try db.create("User").id
            }
            let reference = ItemReference(itemTypeKey: "Person", id: id)
            try store.write { db in
                try addOthers(db)
                // Before the type is declared under its new key.
                try db.create(Self.type)["a"] = .reference(reference)
                try db.declare(person)
            }
            let found = try count(store, "a == %@", reference)
            let former = try count(store, "a == %@", ItemReference(itemTypeKey: "User", id: id))
            #expect(found == 1 && former == 0)
        }
    }

    @Test(arguments: Backend.ofRecords)
    func aChangedDefaultLeavesNoEntryOfTheFormerOne(_ backend: Backend) throws {
        try withStore(backend, [IndexSchema(["n"])]) { store in
            try store.write { db in
                for _ in 0..<300 { _ = try db.create(Self.type) }
                try db.create(Self.type)["n"] = .int(9)
            }
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        Self.type,
                        attributes: [AttributeSchema("n", kinds: [.int], default: .int(3))]))
            }
            let request = DataStoreRequest(
                type: ItemType(dynamic: Self.type), predicate: try DataStorePredicate("n == nil"))
            let none = try store.read { db in try db.count(request) }
            request.predicate = try DataStorePredicate("n == 3")
            let all = try store.read { db in try db.count(request) }
            #expect(none == 0 && all == 300)
        }
    }

    @Test func aTagMoreCostsNoMoreThanTheTags() throws {
        try withStore(.memory, [IndexSchema(["a"])]) { store in
            let tags = (0..<20_000).map { DataStoreValue.int(Int64($0)) }
            try store.write { db in
                try addOthers(db)
                try db.create(Self.type)["a"] = .array(tags)
            }
            try store.write { db in
                let request = DataStoreRequest(
                    type: ItemType(dynamic: Self.type),
                    predicate: try DataStorePredicate("ANY a == 7"))
                let item = try #require(try db.dynamicItems(request).first)
                item["a"] = .array(tags + [.int(-1)])
            }
            let counts = [try count(store, "ANY a == -1"), try count(store, "ANY a == 19999")]
            #expect(counts == [1, 1])
        }
    }

    @Test(arguments: Backend.ofRecords)
    func computedConstantsUseAnIndex(_ backend: Backend) throws {
        try withStore(backend, [IndexSchema(["n"])]) { store in
            try store.write { db in try addOthers(db) }
            let found = try count(store, "n == 3 + 4")
            #expect(found == 1)
        }
    }

    @Test func aThousandListsAreAnsweredInTime() throws {
        try withStore(.memory, [IndexSchema(["a", "b", "n"])]) { store in
            try store.write { db in try addOthers(db) }
            let list = DataStorePredicate.Expression.value(.array((0..<46).map { .int($0) }))
            let part = DataStorePredicate.and(
                ["a", "b", "n"].map { .comparison(.init(.path(.init([$0])), .in, list)) })
            let request = DataStoreRequest(
                type: ItemType(dynamic: Self.type),
                predicate: .or(Array(repeating: part, count: 700)))
            let found = try store.read { db in try db.count(request) }
            #expect(found == 0)
        }
    }

    @Test func aWalkThatAnIndexServesMayDeleteItems() throws {
        try withStore(.memory, [IndexSchema(["b"])]) { store in
            try store.write { db in
                try addOthers(db)
                for number in 0..<9000 { try db.create(Self.type)["b"] = .int(Int64(number % 20)) }
            }
            let request = DataStoreRequest(
                type: ItemType(dynamic: Self.type), predicate: try DataStorePredicate("b == 3"))
            try store.write { db in
                var seen = 0
                try db.forEach(request) { item in
                    seen += 1
                    // The next one, too.
                    if seen == 1 { request.predicate = .constant(false) }
                    try db.delete(item)
                }
                #expect(seen == 450)
            }
            let left = try count(store, "b == 4")
            #expect(left == 450)
        }
    }
}
