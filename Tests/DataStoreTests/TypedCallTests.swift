import Foundation
import JustPersist
import JustPersistConformance
import Testing

/// The typed calls take each kind of condition, and name what the class does not declare.
@Suite struct TypedCallTests {
    private func withRestaurants(_ body: (any DataStore) throws -> Void) throws {
        for backend in Backend.memoryAndReference {
            try backend.withStore { store in
                try store.fill(["a", "b", "c", "d"])
                try body(store)
            }
        }
    }

    @Test func eachCallTakesEachKindOfCondition() throws {
        try withRestaurants { store in
            try store.read { db in
                let format = try DataStorePredicate("stars > 1")
                let names = [
                    try db.items(Restaurant.self, where: \.stars > 1).map(\.name),
                    try db.items(Restaurant.self, where: #Predicate { $0.stars > 1 }).map(\.name),
                    try db.items(Restaurant.self, where: format).map(\.name),
                ]
                #expect(names == [["c", "d"], ["c", "d"], ["c", "d"]])
                let counts = [
                    try db.count(Restaurant.self, where: \.stars > 1),
                    try db.count(Restaurant.self, where: #Predicate { $0.stars > 1 }),
                    try db.count(Restaurant.self, where: format),
                ]
                #expect(counts == [2, 2, 2])
                // A value that is no literal, for an attribute that is optional.
                let wanted = "c"
                let equal = [
                    try db.count(Restaurant.self, where: \.name == wanted),
                    try db.count(Restaurant.self, where: \.name != wanted),
                    try db.count(Restaurant.self, where: \.name == nil),
                    try db.count(Restaurant.self, where: \.name == Optional("c")),
                    try db.count(Restaurant.self, where: \.name > wanted && \.stars == 3),
                ]
                #expect(equal == [1, 3, 0, 1, 1])
                let first = [
                    try db.first(Restaurant.self, where: \.stars > 1)?.name,
                    try db.first(Restaurant.self, where: #Predicate { $0.stars > 1 })?.name,
                    try db.first(Restaurant.self, where: format)?.name,
                ]
                #expect(first == ["c", "c", "c"])
                let exist = [
                    try db.exists(Restaurant.self, where: \.stars > 2),
                    try db.exists(Restaurant.self, where: #Predicate { $0.stars > 3 }),
                    try db.exists(Restaurant.self), try db.exists(RestaurantOwner.self),
                ]
                #expect(exist == [true, false, true, false])
                var walked: [String?] = []
                try db.forEach(Restaurant.self, where: \.stars > 1) { walked.append($0.name) }
                try db.forEach(Restaurant.self, where: #Predicate { $0.stars > 1 }) {
                    walked.append($0.name)
                }
                #expect(walked == ["c", "d", "c", "d"])
                try #expect(db.explain(Restaurant.self, where: \.stars > 1).matched == 2)
            }
        }
    }

    @Test func itemsAreSortedByKeyPathsAndByNames() throws {
        try withRestaurants { store in
            try store.write { db in
                try db.update(Restaurant.self) { $0.stars /= 2 }
            }
            try store.read { db in
                let orders: [ItemSort<Restaurant>] = [
                    .descending(\.stars), [.descending(\.stars), .descending("name")],
                    ItemSort([.ascending(\.stars), .descending(\.name)]), [],
                ]
                let found = try orders.map { order in
                    try db.items(Restaurant.self, sortedBy: order).compactMap(\.name).joined()
                }
                #expect(found == ["cdab", "dcba", "badc", "abcd"])
                let several = try db.items(
                    Restaurant.self, sortedBy: .descending(\.stars), .descending(\.name)
                ).compactMap(\.name)
                #expect(several == ["d", "c", "b", "a"])
            }
        }
    }

    @Test func aNameThatTheClassDoesNotDeclareIsRefusedWithTheNearest() throws {
        try withRestaurants { store in
            store.read { db in
                let sort = expectError(.unknownAttribute) {
                    _ = try db.items(Restaurant.self, sortedBy: .ascending("star"))
                }
                #expect(sort?.message.contains("“stars”") == true)
                let filter = expectError(.unknownAttribute) {
                    _ = try db.count(Restaurant.self, where: DataStorePredicate("Cuisine == 'x'"))
                }
                #expect(filter?.message.contains("“cuisine”") == true)
                return
            }
        }
    }

    @Test func itemsThatMatchAreDeletedAndChanged() throws {
        try withRestaurants { store in
            try store.write { db in
                let changed = try db.update(Restaurant.self, where: \.stars > 1) { $0.stars += 10 }
                #expect(changed == 2)
                let deleted = [
                    try db.delete(Restaurant.self, where: \.stars > 12),
                    try db.delete(Restaurant.self, where: #Predicate { $0.name == "a" }),
                    try db.delete(Restaurant.self, where: DataStorePredicate("stars == 99")),
                ]
                #expect(deleted == [1, 1, 0])
            }
            try #expect(store.names() == ["b", "c"])
        }
    }

    @Test func aRequestIsCapturedByABlockThatRunsLater() async throws {
        let store = try await Backend.memory.openInMemory()
        let request = DataStoreRequest(itemType: Restaurant.self)
        request.predicate = try DataStorePredicate("stars > 1")
        try store.fill(["a", "b", "c"])
        let count = try await store.write { db in try db.count(request) }
        #expect(count == 1)
        try store.close()
    }
}

extension Backend {
    fileprivate func openInMemory() async throws -> any DataStore {
        let store = make(at: FileManager.default.temporaryDirectory)
        try store.open()
        return store
    }
}
