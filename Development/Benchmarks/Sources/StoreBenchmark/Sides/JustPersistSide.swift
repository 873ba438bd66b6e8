import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMemory
import JustPersistPostgres
import Synchronization

extension Side {
    /// JustPersist on LMDB.
    static let justPersistLMDB = Side(
        name: "JustPersist LMDB", version: "this tree", hasChangeStreams: true
    ) { directory, indexing in
        try store(
            indexing,
            LMDBDataStore.open(
                at: directory.appending(path: "store"),
                configuration: LMDBConfiguration(changeLog: indexing.changeLogLength)))
    }

    /// JustPersist on LevelDB.
    static let justPersistLevelDB = Side(
        name: "JustPersist LevelDB", version: "this tree", hasChangeStreams: true
    ) { directory, indexing in
        try store(
            indexing,
            LevelDBDataStore.open(
                at: directory.appending(path: "store"),
                configuration: LevelDBConfiguration(changeLog: indexing.changeLogLength)))
    }

    /// JustPersist in memory.
    static let justPersistMemory = Side(
        name: "JustPersist memory", version: "this tree", persists: false,
        hasChangeStreams: true
    ) { _, indexing in
        let memory = InMemoryDataStore()
        try memory.open()
        return store(indexing, memory, persists: false)
    }

    /// JustPersist on a PostgreSQL server.
    static func justPersistPostgres(_ url: String) -> Side {
        Side(name: "JustPersist PostgreSQL", version: "this tree", hasChangeStreams: true) {
            directory, indexing in
            let name = directory.nameOfStore
            let opened = try PostgresDataStore.open("\(url)?store=\(name)")
            // Left by a run that was ended.
            try opened.destroy()
            try opened.open()
            return store(indexing, opened) {
                try LibpqConnection(url).run("VACUUM ANALYZE jp_\(name).kv")
            }
        }
    }

    /// An open store with the class that declares the indexes.
    private static func store(
        _ indexing: Indexing, _ store: any DataStore, persists: Bool = true,
        tidyServer: (() throws -> Void)? = nil
    ) -> any StoreUnderTest {
        switch indexing {
        case .none, .changeLog:
            JustPersistStore<RestaurantItem>(store, persists: persists, tidyServer)
        case .boroughAndRating:
            JustPersistStore<IndexedRestaurantItem>(store, persists: persists, tidyServer)
        case .uniqueName:
            JustPersistStore<NamedRestaurantItem>(store, persists: persists, tidyServer)
        }
    }
}

private final class JustPersistStore<RestaurantItem: RestaurantEntity>: StoreUnderTest {
    private let store: any DataStore
    private let persists: Bool
    /// Does what a server does in the background at some time; `nil` for a store without a server.
    private let tidyServer: (() throws -> Void)?
    private var ids: [ItemID] = []

    /// Wraps an open store.
    init(_ store: any DataStore, persists: Bool = true, _ tidyServer: (() throws -> Void)? = nil) {
        self.store = store
        self.persists = persists
        self.tidyServer = tidyServer
    }

    func create(_ items: [NewItem]) throws {
        ids += try store.write { db in
            var ids: [ItemID] = []
            for item in items {
                switch item {
                case .restaurant(let restaurant):
                    let item = try db.create(RestaurantItem.self)
                    item.fill(from: restaurant)
                    ids.append(item.uniqueToken)
                case .inspection(let inspection):
                    try db.create(InspectionItem.self).fill(from: inspection)
                }
            }
            return ids
        }
    }

    func fetchByID(_ positions: ArraySlice<Int>) throws -> Int {
        try store.read { db in
            var digest = 0
            for position in positions {
                guard let item = try db.item(RestaurantItem.self, id: ids[position]) else {
                    continue
                }
                digest &+= item.digest
            }
            return digest
        }
    }

    func fetchByIDAlone(_ positions: ArraySlice<Int>) throws -> Int {
        var digest = 0
        for position in positions {
            digest &+= try store.read { db in
                try db.item(RestaurantItem.self, id: ids[position])?.digest ?? 0
            }
        }
        return digest
    }

    func fetchByIDs(_ positions: ArraySlice<Int>) throws -> Int? {
        try store.read { db in
            let list = DataStoreValue.array(positions.map { .uuid(ids[$0].uuid) })
            let predicate = DataStorePredicate.comparison(
                .init(.path(.uniqueToken), .in, .value(list)))
            return try db.items(RestaurantItem.self, where: predicate).reduce(0) {
                $0 &+ $1.digest
            }
        }
    }

    func newest(_ limit: Int) throws -> Int {
        try store.read { db in
            try db.items(RestaurantItem.self, sortedBy: .descending("uniqueToken"), limit: limit)
                .reduce(0) { $0 &* 31 &+ $1.digest }
        }
    }

    func fetchAll(reading: Bool) throws -> Int {
        try store.read { db in
            let all = try db.items(RestaurantItem.self)
            return reading ? all.reduce(0) { $0 &+ $1.digest } : all.count
        }
    }

    func count(_ filter: Filter) throws -> Int {
        try store.read { try $0.count(RestaurantItem.self, where: filter.predicate) }
    }

    func group() throws -> Int? {
        try store.read { db in
            try db.groups(
                of: RestaurantItem.self, by: "borough", computing: .count, .average("stars")
            ).reduce(0) { digest, row in
                let group = Restaurant.digest(
                    borough: try row.value("borough") ?? "", count: row.count,
                    averageStars: try row.value("average.stars") ?? 0)
                return digest &* 31 &+ group
            }
        }
    }

    func best(_ limit: Int) throws -> Int {
        try store.read { db in
            try db.items(RestaurantItem.self, sortedBy: .descending("rating"), limit: limit)
                .reduce(0) { $0 &* 31 &+ $1.digest }
        }
    }

    func fetchByIndex(borough: String) throws -> Int? {
        try store.read { db in
            try db.items(RestaurantItem.self, where: DataStorePredicate("borough == %@", borough))
                .reduce(0) { $0 &+ $1.digest }
        }
    }

    func find(names: [String]) throws -> Int? {
        try store.read { db in
            try names.reduce(0) { sum, name in
                let predicate = DataStorePredicate.comparison(
                    .init(.path(.init(["name"])), .equal, .value(.string(name))))
                return try sum &+ (db.first(RestaurantItem.self, where: predicate)?.digest ?? 0)
            }
        }
    }

    func bestByIndex(_ limit: Int) throws -> Int? { try best(limit) }

    func upsertAll(names: [String]) throws -> Bool {
        try store.write { db in
            for item in try db.upsert(
                RestaurantItem.self, RestaurantItem.keyPathOfName, values: names)
            {
                item.stars = Restaurant.updated(stars: item.stars)
            }
        }
        return true
    }

    func updateAll() throws {
        try store.write { db in
            for item in try db.items(RestaurantItem.self) {
                item.stars = Restaurant.updated(stars: item.stars)
            }
        }
    }

    func commitEach(_ items: [NewItem]) throws { try Self.commit(items[...], to: store) }

    private static func commit(_ items: ArraySlice<NewItem>, to store: any DataStore) throws {
        for item in items { try store.write { db in try add(item, db) } }
    }

    private static func add(_ item: NewItem, _ db: borrowing DataStoreWriter) throws {
        switch item {
        case .restaurant(let restaurant):
            try db.create(RestaurantItem.self).fill(from: restaurant)
        case .inspection(let inspection):
            try db.create(InspectionItem.self).fill(from: inspection)
        }
    }

    func commitQueued(_ items: [NewItem]) throws -> Bool {
        let failure = Mutex<(any Error)?>(nil)
        let group = DispatchGroup()
        for item in items {
            group.enter()
            store.writeAsync { db in
                try Self.add(item, db)
            } completion: { (result: Result<Void, any Error>) in
                if case .failure(let error) = result { failure.withLock { $0 = error } }
                group.leave()
            }
        }
        group.wait()
        if let failure = failure.withLock(\.self) { throw failure }
        return true
    }

    func commitEach(_ items: [NewItem], threads: Int) throws -> Bool {
        let share = (items.count + threads - 1) / threads
        try onThreads(threads) { [store] number in
            try Self.commit(items.dropFirst(number * share).prefix(share), to: store)
        }
        return true
    }

    func fetchByIDAlone(
        _ positions: ArraySlice<Int>, threads: Int, beside writes: [NewItem]
    ) throws -> Int? {
        // Safe: the readers only read, and the writer uses only the store.
        nonisolated(unsafe) let reader = self
        let readers = Atomic(threads)
        let digest = Mutex(0)
        try onThreads(threads + 1) { [store] number in
            if number == threads {
                while readers.load(ordering: .relaxed) > 0 {
                    guard let item = writes.randomElement() else { return }
                    try store.write { db in try Self.add(item, db) }
                }
                return
            }
            defer { readers.subtract(1, ordering: .relaxed) }
            let own = try reader.fetchByIDAlone(positions)
            digest.withLock { $0 &+= own }
        }
        return digest.withLock(\.self)
    }

    func deleteEach(_ positions: [Int]) throws {
        try store.write { db in
            for position in positions {
                guard let item = try db.item(RestaurantItem.self, id: ids[position]) else {
                    continue
                }
                try db.delete(item)
            }
        }
        ids = []
    }

    func deleteAll() throws {
        try store.write { try $0.deleteAll(RestaurantItem.self) }
        ids = []
    }

    func totalScore() throws -> Int {
        try store.read { try $0.items(InspectionItem.self).reduce(0) { $0 + $1.score } }
    }

    func holdAll(while body: () -> Void) throws {
        try store.read { db in
            withExtendedLifetime(try db.items(RestaurantItem.self), body)
        }
    }

    func observe() throws {
        let changes = store.changes(of: RestaurantItem.self)
        let hasBegun = DispatchSemaphore(value: 0)
        Task {
            var received = 0
            for await change in changes {
                received += change.inserted.count
                hasBegun.signal()
            }
            return received
        }
        hasBegun.wait()
    }

    func reopen() throws {
        guard persists else { return }
        try store.close()
        try tidyServer?()
        try store.open()
    }

    func close() throws {
        try store.close()
        // The directory of the benchmark does not have its data.
        if tidyServer != nil { try store.destroy() }
    }
}

extension Indexing {
    fileprivate var changeLogLength: ChangeLogLength? {
        self == .changeLog ? ChangeLogLength(commits: 1_000) : nil
    }
}

extension Filter {
    fileprivate var predicate: DataStorePredicate {
        get throws {
            switch self {
            case .borough(let borough, let stars):
                try DataStorePredicate("borough == %@ AND stars > %d", borough, stars)
            case .boroughOr(let borough, let stars):
                try DataStorePredicate("borough == %@ OR stars > %d", borough, stars)
            case .cuisine(let cuisine): try DataStorePredicate("cuisine == %@", cuisine)
            case .zipcodes(let zipcodes): try DataStorePredicate("zipcode IN %@", zipcodes)
            case .rating(let range):
                try DataStorePredicate(
                    "rating BETWEEN %@", [range.lowerBound, range.upperBound])
            case .nameContains(let part): try DataStorePredicate("name CONTAINS[c] %@", part)
            }
        }
    }
}
