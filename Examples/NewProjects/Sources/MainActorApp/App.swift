import Foundation
import JustPersistLMDB
import JustPersistMacros
import JustPersistSkopelos

/// The data of an app's view, on the main actor.
final class Model {
    let store: any DataStore
    private(set) var names: [String] = []

    init(_ store: any DataStore) { self.store = store }

    /// A short read in code on the main actor.
    func load() throws {
        let wanted = Grade.fine
        names = try store.read { db in
            try db.items(
                Restaurant.self, where: #Predicate { $0.grade == wanted && $0.stars > 3 },
                sortedBy: .ascending(\.name)
            ).map(\.name)
        }
    }

    func loadAsTheOriginalDoes() {
        store.read { accessor in
            let restaurants: [Restaurant] = accessor.items(
                forRequest: DataStoreRequest(itemType: Restaurant.self))
            names = restaurants.filter(\.isGood).map(\.name)
        }
    }

    func save(_ name: String, in city: String) async throws {
        try await store.write { db in
            let restaurant = try db.create(Restaurant.self)
            restaurant.name = name
            restaurant.grade = .fine
            restaurant.address = Address(city: city, zip: nil)
            restaurant.stars = 3
            restaurant.promote()
        }
    }
}

/// Work off the main actor, which receives and returns values.
@concurrent func cities(in store: any DataStore) async throws -> [String] {
    let values = try await store.read { db in
        try db.values(of: Restaurant.self, where: \.grade == .fine, sortedBy: .ascending(\.name))
    }
    let json = try JSONEncoder().encode(values)
    let decoded = try JSONDecoder().decode([Restaurant.Values].self, from: json)
    return await Cache().keep(decoded).compactMap { $0.address?.city }
}

actor Cache {
    private var values: [Restaurant.Values] = []

    func keep(_ values: [Restaurant.Values]) -> [Restaurant.Values] {
        self.values = values
        return self.values
    }
}

@main struct App {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "app-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try LMDBDataStore.open(at: folder) { error in
            fatalError("\(error)")
        }
        let model = Model(store)
        try await model.save("Thai Garden", in: "Bath")
        try await model.save("Da Mario", in: "York")
        try model.load()
        try check(model.names, ["Da Mario", "Thai Garden"])
        model.loadAsTheOriginalDoes()
        try check(model.names.sorted(), ["Da Mario", "Thai Garden"])
        try check(try await cities(in: store), ["York", "Bath"])
        try await writeEverythingElse(in: store)
        try store.close()
        print("An app on the main actor works.")
    }

    static func writeEverythingElse(in store: any DataStore) async throws {
        let kept = try await Task.detached {
            try await store.write { db in
                try db.create(Note.self).text = "detached"
                let dish = try db.create(Menu.Dish.self)
                dish.restaurant = try db.first(Restaurant.self, where: \.name == "Da Mario")?
                    .reference
                return try db.values(Row.self, sortedBy: .descending(\.name)).map(\.title)
            }
        }.value
        try check(kept, ["Thai Garden", "Da Mario"])
        store.writeSync { context in
            let note = Note.SK_create(context)
            note.text = "from Skopelos"
        }
        let texts = store.values(of: Note.self, sortedBy: .ascending(\.text)) { $0.text }
        var found: [String?] = []
        for try await text in texts { found.append(text) }
        try check(found, ["detached", "from Skopelos"])
        try check(
            try await store.read { db in
                try db.count(Restaurant.self, where: #Predicate { $0.grade.rawValue == "fine" })
            }, 2)
        let done = AsyncStream<Void>.makeStream()
        store.writeAsync { accessor in
            accessor.deleteAllItems(ofMutableType: Menu.Dish.self)
        } completion: {
            done.continuation.finish()
        }
        for await _ in done.stream {}
        try check(try store.readSync { db in try db.count(Menu.Dish.self) }, 0)
    }
}

struct Unexpected: Error { var found: String }

func check<Value: Equatable>(_ found: Value, _ expected: Value) throws {
    if found != expected { throw Unexpected(found: "\(found) instead of \(expected)") }
}
