import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMemory

extension Side {
    /// JustPersist on LMDB.
    static let justPersistLMDB = Side(name: "JustPersist LMDB", version: "this tree") {
        directory, _ in
        try JustPersistStore(LMDBDataStore.open(at: directory.appending(path: "store")))
    }

    /// JustPersist on LevelDB.
    static let justPersistLevelDB = Side(name: "JustPersist LevelDB", version: "this tree") {
        directory, _ in
        try JustPersistStore(LevelDBDataStore.open(at: directory.appending(path: "store")))
    }

    /// JustPersist in memory.
    static let justPersistMemory = Side(
        name: "JustPersist memory", version: "this tree", persists: false
    ) { _, _ in
        let store = InMemoryDataStore()
        try store.open()
        return JustPersistStore(store, persists: false)
    }
}

private final class JustPersistStore: StoreUnderTest {
    private let store: any DataStore
    private let persists: Bool
    private var ids: [ItemID] = []

    /// Takes an open store.
    init(_ store: any DataStore, persists: Bool = true) {
        self.store = store
        self.persists = persists
    }

    func create(_ restaurants: [Restaurant]) throws {
        ids += try store.write { db in
            try restaurants.map { restaurant in
                let item = try db.create(RestaurantItem.self)
                item.fill(from: restaurant)
                return item.uniqueToken
            }
        }
    }

    func fetchByID(_ positions: [Int]) throws -> Int {
        try store.read { db in
            var digest = 0
            for position in positions {
                guard let item = try db.item(RestaurantItem.self, withToken: ids[position]) else {
                    continue
                }
                digest &+= item.digest
            }
            return digest
        }
    }

    func fetchAll(reading: Bool) throws -> Int {
        try store.read { db in
            let all = try db.items(RestaurantItem.self)
            return reading ? all.reduce(0) { $0 &+ $1.digest } : all.count
        }
    }

    func count(borough: String, starsAbove: Int) throws -> Int {
        try store.read { db in
            try db.count(
                RestaurantItem.self,
                where: DataStorePredicate("borough == %@ AND stars > %d", borough, starsAbove))
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

    func updateAll() throws -> Int {
        try store.write { db in
            var sum = 0
            for item in try db.items(RestaurantItem.self) {
                let stars = Restaurant.updated(stars: item.stars)
                item.stars = stars
                sum += stars
            }
            return sum
        }
    }

    func commitEach(_ restaurants: [Restaurant]) throws {
        for restaurant in restaurants {
            try store.write { try $0.create(RestaurantItem.self).fill(from: restaurant) }
        }
    }

    func deleteAll() throws {
        try store.write { try $0.deleteAll(RestaurantItem.self) }
        ids = []
    }

    func holdAll(while body: () -> Void) throws {
        try store.read { db in
            withExtendedLifetime(try db.items(RestaurantItem.self), body)
        }
    }

    func reopen() throws {
        guard persists else { return }
        try store.close()
        try store.open()
    }

    func close() throws {
        try store.close()
    }
}

private final class RestaurantItem: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Restaurant",
        attributes: [
            AttributeSchema("name", kinds: [.string], keyPath: \RestaurantItem.name),
            AttributeSchema("cuisine", kinds: [.string], keyPath: \RestaurantItem.cuisine),
            AttributeSchema("borough", kinds: [.string], keyPath: \RestaurantItem.borough),
            AttributeSchema("street", kinds: [.string], keyPath: \RestaurantItem.street),
            AttributeSchema("zipcode", kinds: [.string], keyPath: \RestaurantItem.zipcode),
            AttributeSchema("stars", kinds: [.int], keyPath: \RestaurantItem.stars),
            AttributeSchema("rating", kinds: [.double], keyPath: \RestaurantItem.rating),
            AttributeSchema("opened", kinds: [.date], keyPath: \RestaurantItem.opened),
            AttributeSchema("isOpen", kinds: [.bool], keyPath: \RestaurantItem.isOpen),
        ])

    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }

    var name: String {
        get { attribute(at: 0, default: "") }
        set { setAttribute(newValue, at: 0) }
    }
    var cuisine: String {
        get { attribute(at: 1, default: "") }
        set { setAttribute(newValue, at: 1) }
    }
    var borough: String {
        get { attribute(at: 2, default: "") }
        set { setAttribute(newValue, at: 2) }
    }
    var street: String {
        get { attribute(at: 3, default: "") }
        set { setAttribute(newValue, at: 3) }
    }
    var zipcode: String {
        get { attribute(at: 4, default: "") }
        set { setAttribute(newValue, at: 4) }
    }
    var stars: Int {
        get { attribute(at: 5, default: 0) }
        set { setAttribute(newValue, at: 5) }
    }
    var rating: Double {
        get { attribute(at: 6, default: 0) }
        set { setAttribute(newValue, at: 6) }
    }
    var opened: Date {
        get { attribute(at: 7, default: .distantPast) }
        set { setAttribute(newValue, at: 7) }
    }
    var isOpen: Bool {
        get { attribute(at: 8, default: false) }
        set { setAttribute(newValue, at: 8) }
    }

    var digest: Int { Restaurant.digest(name: name, stars: stars) }

    func fill(from restaurant: Restaurant) {
        name = restaurant.name
        cuisine = restaurant.cuisine
        borough = restaurant.borough
        street = restaurant.street
        zipcode = restaurant.zipcode
        stars = restaurant.stars
        rating = restaurant.rating
        opened = restaurant.opened
        isOpen = restaurant.isOpen
    }
}
