import Foundation
import JustPersistLevelDB
import JustPersistMacros

nonisolated struct Address: Codable, Hashable { var city = "" }

@Item final class Restaurant {
    @Attribute(.unique) var name: String = ""
    var stars: Int = 0
    var address: Address = Address()
}

let folder = FileManager.default.temporaryDirectory.appending(path: "script-\(UUID())")
defer { try? FileManager.default.removeItem(at: folder) }
let store = try LevelDBDataStore.open(at: folder) { error in print(error) }

var names: [String] = []
try store.write { db in
    let restaurant = try db.create(Restaurant.self)
    restaurant.name = "Thai Garden"
    restaurant.stars = 4
    restaurant.address.city = "Bath"
    names.append(restaurant.name)
}
names += try store.read { db in
    try db.items(Restaurant.self, where: #Predicate { $0.address.city == "Bath" }).map(\.name)
}
store.writeSync { accessor in
    let restaurant = accessor.createItem(ofMutableType: Restaurant.self) as? Restaurant
    restaurant?.name = "Da Mario"
}
store.read { accessor in
    let request = DataStoreRequest(itemType: Restaurant.self)
    request.setSort(byKey: "name", ascending: true)
    guard let restaurant = accessor.firstItem(forRequest: request) as? Restaurant else { return }
    names.append(restaurant.name)
}
guard names == ["Thai Garden", "Thai Garden", "Da Mario"] else { fatalError("\(names)") }
try store.close()
print("A script on the main actor works, in the Swift 5 mode.")
