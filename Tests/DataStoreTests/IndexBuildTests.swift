import Foundation
import JustPersist
import JustPersistConformance
import JustPersistLMDB
import Testing

/// Indexes that are declared, dropped and changed while there are items.
@Suite struct IndexBuildTests {
    /// Above this many items the entries are written in the background.
    private static let many = 12_000

    private static func schema(
        _ indexes: [[String]], kinds: Set<DataStoreValue.Kind> = []
    ) -> ItemSchema {
        ItemSchema(
            "Thing", attributes: [AttributeSchema("n", kinds: kinds), AttributeSchema("text")],
            indexes: indexes.map { IndexSchema($0) })
    }

    private func request(_ format: String) throws -> DataStoreRequest {
        DataStoreRequest(
            type: ItemType(dynamic: "Thing"), predicate: try DataStorePredicate(format))
    }

    private func fill(_ store: any DataStore, _ count: Int) throws {
        try store.write { db in
            try db.declare(Self.schema([]))
            for number in 0..<count {
                let item = try db.create("Thing")
                item["n"] = .int(Int64(number % 100))
                item["text"] = .string("text \(number)")
            }
        }
    }

    private func usesIndex(_ store: any DataStore) throws -> Bool {
        let plan = try store.read { db in try db.explain(try request("n == 7")) }
        #expect(plan.matched > 0)
        if case .indexes = plan.access { return true }
        return false
    }

    @Test(arguments: Backend.ofRecords)
    func manyItemsGetTheirEntriesInTheBackground(_ backend: Backend) throws {
        try backend.withStore { store in
            try fill(store, Self.many)
            try store.write { db in try db.declare(Self.schema([["n"]])) }
            // Whether or not it is ready, the answer is right.
            try store.read { db in
                try #expect(db.count(try request("n == 7")) == Self.many / 100)
            }
            try store.write { db in
                for item in try db.dynamicItems(try request("n == 7")).prefix(10) {
                    try db.delete(item)
                }
                try db.create("Thing")["n"] = .int(7)
            }
            try store.buildIndexes()
            #expect(try usesIndex(store))
            try store.read { db in
                try #expect(db.count(try request("n == 7")) == Self.many / 100 - 9)
            }
        }
    }

    @Test func closingInBetweenLosesNothing() throws {
        for backend in Backend.persistent {
            try backend.withStore { store in
                try fill(store, Self.many)
                try store.write { db in try db.declare(Self.schema([["n"]])) }
                for _ in 0..<8 {
                    try store.close()
                    try store.open()
                    try store.read { db in
                        try #expect(db.count(try request("n == 7")) == Self.many / 100)
                    }
                }
                try store.buildIndexes()
                #expect(try usesIndex(store))
            }
        }
    }

    @Test func progressIsTold() throws {
        try withTemporaryDirectory { directory in
            let store = LMDBDataStore(at: directory)
            try store.open()
            try fill(store, Self.many)
            var told: [IndexProgress] = []
            try store.write { db in try db.declare(Self.schema([["n"], ["text", "n"]])) }
            try store.buildIndexes { told.append($0) }
            #expect(told.allSatisfy { $0.total == Self.many && $0.done <= Self.many })
            #expect(try usesIndex(store))
            var again = 0
            try store.buildIndexes { _ in again += 1 }
            #expect(again == 0)
            try store.close()
        }
    }

    @Test(arguments: Backend.ofRecords)
    func anotherKindWritesTheEntriesAnew(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                try db.declare(Self.schema([["n"]]))
                for number in 0..<300 { try db.create("Thing")["n"] = .int(Int64(number % 100)) }
            }
            #expect(try usesIndex(store))
            try store.write { db in try db.declare(Self.schema([["n"]], kinds: [.double])) }
            #expect(try usesIndex(store))
            try store.read { db in try #expect(db.count(try request("n == 7")) == 3) }
        }
    }

    @Test(arguments: Backend.ofRecords)
    func anIndexThatTheClassDeclaresNoMoreIsDropped(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                for number in 0..<300 {
                    let item = try db.create(Old.self)
                    item.n = number % 100
                }
            }
            func uses(_ index: String) throws -> Bool {
                let plan = try store.read { db in try db.explain(try request("\(index) == 7")) }
                if case .indexes = plan.access { return true }
                return false
            }
            #expect(try uses("n"))
            _ = try store.write { db in try db.create(New.self).id }
            #expect(try !uses("n"))
            func indexes() throws -> [IndexSchema] {
                try store.read { db in try db.schemas().flatMap(\.indexes) }
            }
            #expect(try indexes() == [IndexSchema(["text"])])
            // What is declared without a class drops nothing, and stays.
            try store.write { db in try db.declare(Self.schema([["n", "text"]])) }
            _ = try store.write { db in try db.create(New.self).id }
            #expect(try indexes() == [IndexSchema(["text"]), IndexSchema(["n", "text"])])
            let index = IndexSchema(["n", "text"])
            let drops = try store.write { db in
                try (0..<2).map { _ in try db.dropIndex(index, ofType: "Thing") }
            }
            #expect(drops == [true, false])
            #expect(try indexes() == [IndexSchema(["text"])])
        }
    }

    final class Old: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Thing", attributes: [AttributeSchema("n", isIndexed: true), AttributeSchema("text")])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
        var n: Int {
            get { attribute(at: 0, default: 0) }
            set { setAttribute(newValue, at: 0) }
        }
    }

    final class New: MutableDataStoreItem {
        static let schema = ItemSchema(
            "Thing", attributes: [AttributeSchema("n"), AttributeSchema("text", isIndexed: true)])
        let backing: any ItemBacking
        init(backing: any ItemBacking) { self.backing = backing }
    }
}
