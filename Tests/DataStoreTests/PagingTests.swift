import Foundation
import JustPersist
import JustPersistRecords
import Testing

/// Clause 13: offset and limit, and how the forms of a request agree.
@Suite struct PagingTests {
    private func names(
        _ db: borrowing DataStoreReader, offset: Int? = nil,
        limit: Int? = nil
    ) throws -> [String] {
        let request = DataStoreRequest(itemType: Restaurant.self)
        request.offset = offset
        request.limit = limit
        let names = try db.performFetch(request).map { ($0 as? Restaurant)?.name ?? "-" }
        try #expect(db.count(request) == names.count)
        var walked: [String] = []
        try db.forEach(request) { walked.append(($0 as? Restaurant)?.name ?? "-") }
        #expect(walked == names)
        return names
    }

    @Test(arguments: Backend.allCases) func slices(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a", "b", "c", "d"])
            try store.read { db in
                try #expect(names(db, limit: 2) == ["a", "b"])
                try #expect(names(db, offset: 1) == ["b", "c", "d"])
                try #expect(names(db, offset: 1, limit: 2) == ["b", "c"])
                try #expect(names(db, offset: 0, limit: 4) == ["a", "b", "c", "d"])
                try #expect(names(db, limit: 100) == ["a", "b", "c", "d"])
                try #expect(names(db, offset: 3, limit: 100) == ["d"])
                try #expect(names(db, offset: 4) == [])
                try #expect(names(db, offset: 5, limit: 1) == [])
                // As with Core Data, 0 is no limit.
                try #expect(names(db, limit: 0) == ["a", "b", "c", "d"])
                try #expect(names(db, offset: 2, limit: 0) == ["c", "d"])
            }
        }
    }

    @Test(arguments: Backend.allCases) func largestNumbersAreSafe(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a", "b"])
            try store.read { db in
                try #expect(names(db, limit: .max) == ["a", "b"])
                try #expect(names(db, offset: 1, limit: .max) == ["b"])
                try #expect(names(db, offset: .max) == [])
                try #expect(names(db, offset: .max, limit: .max) == [])
                try #expect(
                    db.items(
                        Restaurant.self, sortedBy: .descending("name"), offset: 1, limit: .max
                    ).map(\.name) == ["a"])
                try #expect(
                    db.items(Restaurant.self, sortedBy: .ascending("name"), offset: .max).isEmpty)
            }
        }
    }

    @Test(arguments: Backend.allCases) func negativeNumbersAreRefused(_ backend: Backend) throws {
        let errors = ErrorLog()
        try backend.withStore(errors: errors) { store in
            try store.fill(["a"])
            store.read { db in
                for number in [-1, Int.min] {
                    for isOffset in [true, false] {
                        let request = DataStoreRequest(itemType: Restaurant.self)
                        if isOffset { request.offset = number } else { request.limit = number }
                        expectError(.invalidRequest) { _ = try db.performFetch(request) }
                        expectError(.invalidRequest) { try db.forEach(request) { _ in } }
                        #expect(db.items(forRequest: request).isEmpty)
                        #expect(db.countItems(forRequest: request) == 0)
                        #expect(isOffset ? db.firstItem(forRequest: request) == nil : true)
                    }
                }
            }
            #expect(Set(errors.codes) == [.invalidRequest])
            #expect(errors.codes.count == 10)
        }
    }

    @Test(arguments: Backend.allCases)
    func pagesHaveNoGapAndNoDuplicate(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.write { db in
                for index in 0..<100 { try db.create(Restaurant.self).stars = index % 3 }
            }
            for sort in [[], [DataStoreSortDescriptor.descending("stars")]] {
                let request = DataStoreRequest(itemType: Restaurant.self)
                request.sortDescriptors = sort
                request.limit = 7
                var tokens: [ItemID] = []
                while true {
                    request.offset = tokens.count
                    let page = try store.read { db in
                        try db.performFetch(request).map(\.uniqueToken)
                    }
                    if page.isEmpty { break }
                    tokens += page
                }
                #expect(tokens.count == 100)
                #expect(Set(tokens).count == 100)
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func randomRequestsAgreeWithThemselves(_ backend: Backend) throws {
        var random = RandomPredicates()
        print("seed: \(random.seed)")
        try backend.withStore { store in
            try store.write { db in
                for _ in 0..<80 {
                    let item = try db.create(Sample.self)
                    for index in 0..<5 { item[index] = random.attributeValue() }
                }
            }
            for _ in 0..<60 {
                let request = DataStoreRequest(itemType: Sample.self)
                if random.bool() { request.predicate = random.predicate() }
                if random.bool() {
                    request.setSort(byKey: random.name(), ascending: random.bool())
                }
                let (predicate, sort) = (request.predicate, request.sortDescriptors)
                // An operator that can never apply is refused.
                guard try store.read({ db in (try? db.performCount(request)) != nil }) else {
                    continue
                }
                let all = try store.read { db in try db.performFetch(request).map(\.uniqueToken) }
                request.offset = random.int(0..<90)
                request.limit = random.int(0..<90)
                let slice = Array(
                    all.dropFirst(request.offset ?? 0)
                        .prefix(request.limit == 0 ? .max : request.limit ?? .max))
                try store.read { db in
                    try #expect(db.performFetch(request).map(\.uniqueToken) == slice)
                    try #expect(db.count(request) == slice.count)
                    #expect(db.firstItem(forRequest: request)?.uniqueToken == slice.first)
                    var walked: [ItemID] = []
                    try db.forEach(request) { walked.append($0.uniqueToken) }
                    #expect(walked == slice)
                }
                try store.write { db in
                    try #expect(db.performFetch(request).map(\.uniqueToken) == slice)
                    try #expect(db.count(request) == slice.count)
                    let live = db.mutableItems(forRequest: request)
                    #expect(live.map(\.uniqueToken) == slice)
                }
                // A store reads a request and leaves it as it is.
                #expect(request.predicate == predicate)
                #expect(request.sortDescriptors == sort)
            }
        }
    }

    @Test(arguments: Backend.allCases) func walkGoesOnBesideChanges(_ backend: Backend) throws {
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
    @Test(arguments: Backend.ofRecords)
    func aWalkSeesWhatItsBodyChangesAhead(_ backend: Backend) throws {
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
        try backend.withStore { store in
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
