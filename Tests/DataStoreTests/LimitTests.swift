import Foundation
import JustPersist
import JustPersistConformance
import JustPersistMemory
import JustPersistRecords
import Testing

/// Clause 16: the limits, and that nothing is written beyond them.
@Suite struct LimitTests {
    private static let small = DataStoreLimits(
        nameBytes: 20, valueBytes: 10_000, writeBlockBytes: 100_000)

    /// A store with limits that a test can reach.
    private func withSmallStore(
        _ backend: Backend = .memory, _ errors: ErrorLog = ErrorLog(),
        _ body: (any DataStore) throws -> Void
    ) throws {
        let handler: DataStoreErrorHandler = { errors.append($0) }
        let store: any DataStore =
            backend == .reference
            ? ReferenceDataStore(limits: Self.small, errorHandler: handler)
            : RecordStore(engine: InMemoryEngine(), limits: Self.small, errorHandler: handler)
        try store.open()
        #expect(store.capabilities.limits == Self.small)
        try body(store)
        try expectSound(store)
        try store.close()
    }

    /// What a change writes is the whole item.
    @Test func aRefusedReferenceAddsNoTypeThatIsNeverWritten() throws {
        try Backend.memory.withStore { store in
            let (id, long) = (ItemID(), String(repeating: "x", count: 10_000))
            func references(_ keys: String...) -> DataStoreValue {
                .array(keys.map { .reference(ItemReference(itemTypeKey: $0, id: id)) })
            }
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "Note", attributes: [AttributeSchema("links"), AttributeSchema("x")]))
                _ = try db.create("Note")
            }
            try store.write { db in
                let note = try #require(
                    try db.dynamicItems(DataStoreRequest(itemTypeKey: "Note")).first)
                expectError(.limitExceeded) {
                    try note.setStoredValue(references("New", long), forKeyPath: "links")
                }
                try note.setStoredValue(references("New"), forKeyPath: "links")
            }
            try store.read { db in
                try #expect(
                    db.dynamicItems(DataStoreRequest(itemTypeKey: "Note")).first?["links"]
                        == references("New"))
            }
            try store.write { db in
                let first = AttributeSchema("first", default: references("Newer", long))
                expectError(.limitExceeded) {
                    try db.declare(ItemSchema("Other", attributes: [first]))
                }
                try db.create("Note")["links"] = references("Newer")
            }
            try store.read { db in
                try #expect(
                    db.dynamicItems(DataStoreRequest(itemTypeKey: "Note")).last?["links"]
                        == references("Newer"))
            }
        }
    }

    @Test func theFirstChangeOfAStoredItemCountsAllOfIt() throws {
        try withSmallStore { store in
            for _ in 0..<3 {
                try store.write { db in
                    let item = try db.create(Sample.self)
                    for place in 0..<5 {
                        item[place] = .string(String(repeating: "a", count: 9000))
                    }
                }
            }
            let error = expectError(.limitExceeded) {
                try store.write { db in
                    for item in try db.items(Sample.self) { item[0] = .int(1) }
                }
            }
            #expect(error?.attribute == "a")
            try store.read { db in
                let items = try db.items(Sample.self)
                #expect(items.allSatisfy { $0[0].kind == .string })
            }
        }
    }

    @Test func itemsWithoutValuesCountToo() throws {
        try withSmallStore { store in
            expectError(.limitExceeded) {
                try store.write { db in
                    for _ in 0..<10_000 { _ = try db.create(Sample.self) }
                }
            }
            try store.read { db in try #expect(db.count(Sample.self) == 0) }
        }
    }

    @Test func everyBackendDeclaresTheLimitsOfTheContract() throws {
        for backend in Backend.allCases {
            try backend.withStore { store in
                #expect(store.capabilities.limits == .contract)
            }
        }
        #expect(DataStoreLimits.contract.nameBytes == 255)
        #expect(DataStoreLimits.contract.valueBytes == 256 << 20)
        #expect(DataStoreLimits.contract.writeBlockBytes == 1 << 30)
    }

    @Test(arguments: Backend.memoryAndReference) func valuesHaveALimit(_ backend: Backend) throws {
        let errors = ErrorLog()
        try withSmallStore(backend, errors) { store in
            try store.performWrite { db in
                let item = try db.create(Sample.self)
                let long = String(repeating: "é", count: 5000)
                item[0] = .string(long)
                item[1] = .data(Data(count: 10_000))
                // Nine bytes each, after one or two for their number.
                item[2] = .array((0..<1110).map { .int($0) })
                #expect(errors.codes.isEmpty)
                for value in [
                    DataStoreValue.string(long + "!"), .data(Data(count: 10_001)),
                    .array(
                        Array(repeating: .string(String(repeating: "x", count: 100)), count: 100)),
                    .dictionary(["k": .data(Data(count: 10_000))]),
                    .array(Array(repeating: .int(1), count: 2000)),
                    .dictionary([String(repeating: "k", count: 10_001): .null]),
                    .url(URL(filePath: "/" + String(repeating: "x", count: 10_001))),
                    .reference(
                        ItemReference(
                            itemTypeKey: String(repeating: "x", count: 10_001), id: ItemID())),
                ] {
                    item[3] = value
                    #expect(item[3] == .null)
                    #expect(errors.all.last?.code == .limitExceeded)
                    #expect(errors.all.last?.attribute == "d")
                    #expect(errors.all.last?.message.contains("10000") == true)
                }
                #expect(errors.codes.count == 8)
            }
            try store.read { db in
                let item = try #require(try db.first(Sample.self))
                #expect(item[1] == .data(Data(count: 10_000)))
                #expect(item[3] == .null)
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference) func nestingHasALimit(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            func nested(_ depth: Int) -> DataStoreValue {
                (0..<depth).reduce(.int(1)) { value, _ in .array([value]) }
            }
            try store.performWrite { db in
                let item = try db.create(Sample.self)
                item[0] = nested(100)
                #expect(errors.codes.isEmpty)
                item[0] = nested(101)
                #expect(errors.codes == [.limitExceeded])
                #expect(item[0] == nested(100))
                item.setValue(nested(101).any, forKeyPath: "a")
                #expect(errors.codes == [.limitExceeded, .limitExceeded])
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func writeBlocksHaveALimit(_ backend: Backend) throws {
        try withSmallStore(backend) { store in
            try store.fill(["a"])
            for isSwallowed in [false, true] {
                let error = #expect(throws: DataStoreError.self) {
                    try store.write { db in
                        try #require(try db.first(Restaurant.self)).name = "changed"
                        for _ in 0..<20 {
                            try db.create(Sample.self)[0] = .data(Data(count: 9000))
                            if isSwallowed { _ = try? db.count(Sample.self) }
                        }
                    }
                }
                #expect(error?.code == .limitExceeded)
                #expect(error?.message.contains("100000") == true)
                try #expect(store.names() == ["a"])
                try #expect(store.read { db in try db.count(Sample.self) } == 0)
            }
            try store.write { db in
                for _ in 0..<10 { try db.create(Sample.self)[0] = .data(Data(count: 9000)) }
            }
            try #expect(store.read { db in try db.count(Sample.self) } == 10)
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func theChangeThatGoesOverTheLimitOfABlockIsRefused(_ backend: Backend) throws {
        let errors = ErrorLog()
        try withSmallStore(backend, errors) { store in
            store.writeSync { db in
                for index in 0..<20 {
                    let item = db.createItem(ofMutableType: Sample.self) as? Sample
                    item?[1] = .int(Int64(index))
                    item?[0] = .data(Data(count: 9000))
                    #expect(item?[0].isNull == (index > 10), "item \(index)")
                    #expect(item?[1] == .int(Int64(index)))
                    if index % 3 == 0 { _ = db.countItems(forRequest: Self.samples) }
                }
                let large = Sample()
                large[0] = .data(Data(count: 9000))
                #expect(db.insert(large) == false)
                #expect(large[0] == .data(Data(count: 9000)))
                // There is room for something smaller.
                #expect(db.insert(Sample()) == true)
            }
            #expect(errors.codes == Array(repeating: .limitExceeded, count: 10))
            #expect(errors.all.first?.message.contains("100000") == true)
            #expect(errors.all.first?.attribute == "a")
            try store.read { db in
                try #expect(db.count(Sample.self) == 21)
                try #expect(db.count(Sample.self, where: DataStorePredicate("a != nil")) == 11)
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func settingAnAttributeAgainDoesNotUseTheBlockUp(_ backend: Backend) throws {
        let errors = ErrorLog()
        try withSmallStore(backend, errors) { store in
            store.writeSync { db in
                let item = db.createItem(ofMutableType: Sample.self) as? Sample
                for index in 0..<100 {
                    item?[0] = .data(Data(repeating: UInt8(index), count: 9000 + index))
                    _ = db.countItems(forRequest: Self.samples)
                }
                item?[1] = .string("x")
            }
            #expect(errors.codes.isEmpty)
            try store.read { db in
                let item = try #require(try db.first(Sample.self))
                #expect(item[0] == .data(Data(repeating: 99, count: 9099)))
            }
        }
    }

    private static var samples: DataStoreRequest { DataStoreRequest(itemType: Sample.self) }

    @Test func largeChangesDoNotWaitInMemoryForTheEndOfTheBlock() throws {
        let engine = InterceptedEngine()
        let store = RecordStore(engine: engine)
        try store.open()
        let megabyte = DataStoreValue.data(Data(count: 1 << 20))
        let other = DataStoreValue.data(Data(repeating: 1, count: 1 << 20))
        engine.reset()
        try store.write { db in
            for _ in 0..<5 { try db.create(Sample.self)[0] = megabyte }
            #expect(engine.count(.put) > 2)
        }
        engine.reset()
        try store.write { db in
            for item in try db.items(Sample.self) { item[0] = other }
            #expect(engine.count(.put) > 2)
        }
        engine.reset()
        try store.write { db in
            for _ in 0..<5 {
                let item = Sample()
                item[0] = megabyte
                #expect(db.insert(item) == true)
            }
            #expect(engine.count(.put) > 2)
        }
        try store.read { db in
            try #expect(db.items(Sample.self).count { $0[0] == other } == 5)
        }
    }

    @Test func largeItemsThatNobodyHoldsAreLetGoOf() throws {
        final class Observed {
            weak var item: Sample?
        }
        let store = RecordStore(engine: InMemoryEngine())
        try store.open()
        let ids = try store.write { db in
            try (0..<18).map { _ in
                let item = try db.create(Sample.self)
                item[0] = .data(Data(count: 1 << 20))
                return item.uniqueToken
            }
        }
        try store.write { db in
            let held = try #require(try db.item(Sample.self, id: ids[0]))
            var observed: [Observed] = []
            for id in ids.dropFirst() {
                let place = Observed()
                place.item = try db.item(Sample.self, id: id)
                observed.append(place)
            }
            #expect(observed.count { $0.item != nil } < 15)
            try #expect(db.item(Sample.self, id: ids[0]) === held)
        }
    }

    @Test(arguments: Backend.memoryAndReference) func namesHaveALimit(_ backend: Backend) throws {
        try withSmallStore(backend) { store in
            let name = String(repeating: "é", count: 10)
            try store.write { db in
                try db.declare(ItemSchema(name, attributes: [AttributeSchema(name)]))
                for schema in [
                    ItemSchema(name + "x", attributes: []),
                    ItemSchema("T", attributes: [AttributeSchema(name + "x")]),
                ] {
                    let error = #expect(throws: DataStoreError.self) { try db.declare(schema) }
                    #expect(error?.code == .limitExceeded)
                    #expect(error?.message.contains("20") == true)
                }
                // A request for such a type is one for an unknown one.
                try #expect(db.count(DataStoreRequest(itemTypeKey: name + "x")) == 0)
            }
            try #expect(store.read { db in try db.schemas().map(\.itemTypeKey) } == [name])
        }
    }
}
