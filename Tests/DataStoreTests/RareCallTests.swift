import Foundation
import JustPersist
import JustPersistMemory
import Testing

/// Calls that programs make rarely.
@Suite struct RareCallTests {
    private static let indexed = ItemSchema(
        "T", attributes: [AttributeSchema("n", kinds: [.int])], indexes: [IndexSchema(["n"])])

    @Test(arguments: Backend.ofRecords)
    func aWriteBlockHasTheTokenOfTheStateItBeganWith(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in try db.declare(Self.indexed) }
            // Without an observer the store notes no items.
            let observer = try store.observeChanges(.everything, since: nil)
            defer { withExtendedLifetime(observer) {} }
            let token = try store.write { db in
                try db.create("T")["n"] = .int(1)
                return try db.changeToken
            }
            let observation = try store.observeChanges(.everything, since: token)
            let set = try #require(observation.poll())
            #expect(set.isComplete)
            #expect(set["T"]?.inserted.count == 1)
            #expect(observation.poll() == nil)
        }
    }

    @Test(arguments: Backend.ofRecords)
    func anIndexDroppedInAChildIsDroppedInTheRoot(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                try db.declare(Self.indexed)
                for number in 0..<20 { try db.create("T")["n"] = .int(Int64(number % 4)) }
            }
            let child = try store.makeChild()
            try child.open()
            try child.write { db in
                try db.create("T")["n"] = .int(1)
                #expect(try db.dropIndex(IndexSchema(["n"]), ofType: "T"))
                #expect(try !db.dropIndex(IndexSchema(["n"]), ofType: "T"))
            }
            let request = DataStoreRequest(itemTypeKey: "T")
            request.predicate = try DataStorePredicate("n == 1")
            #expect(try child.read { try $0.performCount(request) } == 6)
            #expect(try store.read { try $0.schemas().first?.indexes } == [])
            #expect(try store.read { try $0.performCount(request) } == 5)
            try store.merge(child, policy: .fail)
            #expect(try store.read { try $0.performCount(request) } == 6)
            try child.close()
            try expectSound(store)
        }
    }

    @Test func aTypeTakesSoManyAttributesAndNoMore() throws {
        let store = InMemoryDataStore()
        try store.open()
        let most = 65_535
        let names = (0...most).map { "a\($0)" }
        try store.write { db in
            try db.declare(ItemSchema("T", attributes: names[..<most].map { AttributeSchema($0) }))
            try db.create("T")[names[most - 1]] = .int(1)
        }
        let error = #expect(throws: DataStoreError.self) {
            try store.write { db in
                try db.declare(ItemSchema("T", attributes: [AttributeSchema(names[most])]))
            }
        }
        #expect(error?.code == .limitExceeded)
        #expect(try store.read { try $0.schemas().first?.attributes.count } == most)
        try store.close()
    }

    @Test(arguments: [Backend.lmdb, .levelDB])
    func anEntryOfAnIndexWithoutItsRecordIsDamage(_ backend: Backend) throws {
        try withTemporaryDirectory { directory in
            let store = backend.make(at: directory)
            try store.open()
            try store.write { db in
                try db.declare(Self.indexed)
                for number in 0..<20 { try db.create("T")["n"] = .int(Int64(number)) }
            }
            try store.close()
            let bytes = StoredBytes(backend, at: directory)
            let record = try #require(try bytes.entries(tag: StoredBytes.recordTag).first)
            try bytes.replace([record], with: [])
            try store.open()
            for format in ["n == 0", "n < 3", "n IN {0, 5}"] {
                let request = DataStoreRequest(itemTypeKey: "T")
                request.predicate = try DataStorePredicate(format)
                for isSorted in [false, true] {
                    if isSorted {
                        request.sortDescriptors = [.init(key: "n", ascending: false)]
                    }
                    let error = #expect(throws: DataStoreError.self) {
                        try store.read { try $0.performFetch(request).count }
                    }
                    #expect(error?.code == .corrupted)
                }
            }
            try store.close()
        }
    }
}
