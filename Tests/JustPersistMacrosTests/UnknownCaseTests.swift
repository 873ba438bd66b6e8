import JustPersistMacros
import JustPersistMemory
import Testing

/// Enums with cases that a later release has stored.
@Suite struct UnknownCaseTests {
    enum Cuisine: String, Codable { case thai, other }
    enum Level: Int, Codable, CaseIterable { case low = 1 }

    @Item("Place") final class Place {
        @Attribute(unknown: .keep) var cuisine: Cuisine = .other
        @Attribute(.indexed, unknown: .keep) var second: Cuisine?
        @Attribute(unknown: .keep) var level: Level = .low
        @Attribute(unknown: .report) var strict: Cuisine = .thai
        var name: String = ""
    }

    private func store(_ strict: String) throws -> InMemoryDataStore {
        let store = InMemoryDataStore()
        try store.open()
        try store.write { db in
            let place = try db.create(Place.self)
            try place.setStoredValue("peruvian", forKeyPath: "cuisine")
            try place.setStoredValue("peruvian", forKeyPath: "second")
            try place.setStoredValue(7, forKeyPath: "level")
            try place.setStoredValue(strict, forKeyPath: "strict")
        }
        return store
    }

    private func stored(_ store: InMemoryDataStore) throws -> [DataStoreValue] {
        try store.read { db in
            let item = try #require(
                try db.dynamicItems(DataStoreRequest(itemTypeKey: "Place")).first)
            return [item["cuisine"], item["second"], item["level"]]
        }
    }

    @Test func anUnknownCaseIsKeptAndShowsTheFallback() throws {
        let store = try store("thai")
        try store.write { db in
            let place = try #require(try db.first(Place.self))
            #expect(place.cuisine == .other)
            #expect(place.second == nil)
            #expect(place.level == .low)
            #expect(place.values.cuisine == .other)
            place.name = "changed"
        }
        try #expect(stored(store) == [.string("peruvian"), .string("peruvian"), .int(7)])
        try store.write { db in
            let place = try #require(try db.first(Place.self))
            place.cuisine = .thai
            place.second = .other
            #expect(place.cuisine == .thai)
        }
        try #expect(stored(store) == [.string("thai"), .string("other"), .int(7)])
    }

    @Test func aValueOfAnotherKindIsStillReported() throws {
        let store = try store("thai")
        try store.write { db in
            try db.declare(
                ItemSchema("Place", attributes: [AttributeSchema("cuisine", kinds: [.int])]))
            let item = try #require(
                try db.dynamicItems(DataStoreRequest(itemTypeKey: "Place")).first)
            item["cuisine"] = .int(3)
        }
        #expect(throws: DataStoreError.self) {
            try store.read { db in _ = try db.first(Place.self)?.cuisine }
        }
    }

    @Test func otherwiseAnUnknownCaseFailsTheBlock() throws {
        let store = try store("peruvian")
        let error = #expect(throws: DataStoreError.self) {
            try store.write { db in _ = try db.first(Place.self)?.strict }
        }
        #expect(error?.code == .unsupportedValue)
    }
}
