import Foundation
import JustPersist
import JustPersistRecords
import Testing

/// How far a walk over items reads, and what it sees of the changes beside it.
@Suite struct WalkTests {
    @Test(arguments: Backend.memoryAndReference)
    func walkGoesOnBesideChanges(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                for index in 0..<1000 { try db.create(Restaurant.self).stars = index }
            }
            try store.write { db in
                var seen = 0
                try db.forEach(DataStoreRequest(itemType: Restaurant.self)) { item in
                    guard let item = item as? Restaurant else { return }
                    #expect(item.stars == seen)
                    seen += 1
                    item.stars += 1000
                    if seen % 100 == 0 { _ = try db.count(Restaurant.self) }
                }
                #expect(seen == 1000)
            }
            let stars = try store.read { db in try db.items(Restaurant.self).map(\.stars) }
            #expect(stars == Array(1000..<2000))
            struct Stop: Error {}
            store.read { db in
                var seen = 0
                #expect(throws: Stop.self) {
                    try db.forEach(DataStoreRequest(itemType: Restaurant.self)) { _ in
                        seen += 1
                        if seen == 300 { throw Stop() }
                    }
                }
                #expect(seen == 300)
            }
        }
    }

    @Test(arguments: [0, 1, 255, 256, 257, 600], [0, 1, 300])
    func walkWithALimitReadsNoFurtherThanItsLastItem(_ limit: Int, _ offset: Int) throws {
        let engine = InterceptedEngine()
        let store = RecordStore(engine: engine)
        try store.open()
        try store.fill((0..<2_000).map { $0 % 2 == 0 ? "even" : "odd" })
        let request = DataStoreRequest(itemType: Restaurant.self)
        request.predicate = try DataStorePredicate("name == 'odd'")
        request.limit = limit
        request.offset = offset
        let walk: (borrowing DataStoreReader) throws -> Void = { db in
            engine.reset()
            var walked: [Int] = []
            try db.forEach(request) { walked.append(($0 as? Restaurant)?.stars ?? -1) }
            let all = Array(stride(from: 1, to: 2_000, by: 2)).dropFirst(offset)
            #expect(walked == Array(limit == 0 ? all : all.prefix(limit)))
            #expect(engine.count(.row) <= (limit == 0 ? 2_000 : 2 * (offset + limit)))
        }
        try store.performRead { db in try walk(db) }
    }

    /// The store learns of the attribute while the walk goes on.
    @Test func aWalkSeesWhatItsBodyChangesAhead() throws {
        final class Old: MutableDataStoreItem {
            static let schema = ItemSchema(
                "Task", attributes: [AttributeSchema("n", kinds: [.int])])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }
        final class New: MutableDataStoreItem {
            static let schema = ItemSchema(
                "Task",
                attributes: [
                    AttributeSchema("n", kinds: [.int]),
                    AttributeSchema("isDone", kinds: [.bool], default: .bool(false)),
                ])
            let backing: any ItemBacking
            init(backing: any ItemBacking) { self.backing = backing }
        }
        try Backend.memory.withStore { store in
            try store.write { db in for _ in 0..<1000 { _ = try db.create(Old.self) } }
            try store.write { db in
                let request = DataStoreRequest(itemType: New.self)
                request.predicate = try DataStorePredicate("isDone == FALSE")
                let all = try db.items(New.self)
                var walked = 0
                try db.forEach(request) { _ in
                    if walked == 0 {
                        for item in all[500...] {
                            try item.setStoredValue(true, forKeyPath: "isDone")
                        }
                    }
                    walked += 1
                }
                #expect(walked == 500)
            }
        }
    }
}
