import Foundation
import JustPersistMacros
import JustPersistMemory

@Item final class Restaurant {
    var name: String = ""
    var stars: Int = 0
}

let store = InMemoryDataStore()
try store.open()

// In a file with `await` at the top level, code there has to name the form that blocks.
try store.writeSync { db in
    let restaurant = try db.create(Restaurant.self)
    restaurant.name = "Thai Garden"
    restaurant.stars = 4
}
let names = try store.readSync { db in
    try db.items(Restaurant.self, where: #Predicate { $0.stars > 3 }).map(\.name)
}
try check(names, ["Thai Garden"])

func rename(_ old: String, to new: String) async throws {
    try await store.write { db in
        try db.first(Restaurant.self, where: \.name == old)?.name = new
    }
}
try await rename("Thai Garden", to: "Thai Palace")

var found: [String] = []
store.read { accessor in
    let request = DataStoreRequest(itemType: Restaurant.self)
    request.setFilter(whereAttribute: "stars", equalsValue: 4)
    guard let restaurant = accessor.firstItem(forRequest: request) as? Restaurant else { return }
    found.append(restaurant.name)
}
try check(found, ["Thai Palace"])

for try await values in store.values(of: Restaurant.self) { found.append(values.name) }
try check(found, ["Thai Palace", "Thai Palace"])
print("A script works.")

struct Unexpected: Error { var found: String }

func check<Value: Equatable>(_ found: Value, _ expected: Value) throws {
    if found != expected { throw Unexpected(found: "\(found) instead of \(expected)") }
}
