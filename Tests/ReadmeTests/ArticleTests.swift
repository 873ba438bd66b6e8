import Foundation
import JustPersistMacros
import JustPersistMemory
import Observation
import Testing

@Item final class Place {
    @Attribute(.unique) var permit: String = ""
    @Attribute(.indexed) var name: String = ""
    var stars: Int = 0
}

@Item final class Hotel {
    var starsText: String = ""
    var stars: Int?
}

/// The list of the article *In an app*.
@MainActor @Observable final class PlaceList {
    private(set) var places: [Place.Values] = []
    private let store: any DataStore

    init(_ store: any DataStore) { self.store = store }

    func follow() async {
        for await _ in store.changes(of: Place.self) { await load() }
    }

    func load() async {
        places =
            (try? await store.read { db in
                try db.values(of: Place.self, sortedBy: .descending(\.stars), .ascending(\.name))
            }) ?? []
    }
}

/// The code of articles does what they say; ``DocumentedCodeTests`` compiles it as it stands there.
@Suite struct ArticleTests {
    private func filled(_ count: Int) throws -> InMemoryDataStore {
        let store = InMemoryDataStore { error in Issue.record(error) }
        try store.open()
        try store.write { db in
            for number in 0..<count {
                try db.create(
                    from: Place.Values(
                        permit: "\(number)", name: "Place \(number % 7)", stars: number % 5))
            }
        }
        return store
    }

    private func page(after last: Place.Values?, in store: any DataStore) throws -> [Place.Values] {
        try store.read { db in
            guard let last else {
                return try db.values(of: Place.self, sortedBy: .ascending(\.name), limit: 50)
            }
            let rest = try DataStorePredicate(
                "name > %@ OR (name == %@ AND SELF > %@)", last.name, last.name, last.id.uuid)
            return try db.values(
                of: Place.self, where: rest, sortedBy: .ascending(\.name), limit: 50)
        }
    }

    /// Pages that follow the last row have each row once, also where 43 rows have the same name.
    @Test func pages() throws {
        let store = try filled(301)
        let all = try store.read { db in try db.values(of: Place.self, sortedBy: .ascending(\.name))
        }
        var found: [Place.Values] = []
        while case let next = try page(after: found.last, in: store), !next.isEmpty {
            found += next
        }
        #expect(found == all)
    }

    /// The values of an attribute move to one of another type, once.
    @Test func changesAnAttributesType() throws {
        let store = InMemoryDataStore()
        try store.open()
        try store.write { db in
            for text in ["3", "?"] { try db.create(Hotel.self).starsText = text }
        }
        for _ in 1...2 {
            try store.write { db in
                try db.update(Hotel.self, where: \.stars == nil) {
                    $0.stars = Int($0.starsText) ?? 0
                }
            }
        }
        #expect(try store.read { db in try db.items(Hotel.self).map(\.stars) } == [3, 0])
    }

    /// A list follows the commits of others.
    @Test @MainActor func followsCommits() async throws {
        let store = try filled(3)
        let list = PlaceList(store)
        let following = Task { await list.follow() }
        while list.places.count < 3 { try await Task.sleep(for: .milliseconds(1)) }
        try await store.write { db in
            try db.first(Place.self, where: \.permit == "0")?.stars = 5
        }
        while list.places.first?.stars != 5 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(list.places.first?.permit == "0")
        following.cancel()
        await following.value
    }

    /// A request that uses its index examines one record.
    @Test func explains() throws {
        let store = try filled(100)
        let plan = try store.read { db in try db.explain(Place.self, where: \.permit == "7") }
        #expect(plan.recordsExamined == 1)
    }
}
