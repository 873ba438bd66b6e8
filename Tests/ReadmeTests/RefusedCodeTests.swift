import Testing

/// What must not leave a block does not compile, nor does what a new user may take for the way to write something; and the
/// compiler says why.
@Suite struct RefusedCodeTests {
    static let refused = [
        Refused(
            "an accessor that is kept",
            """
            final class Keeper { var db: DataStoreReader? = nil }
            let keeper = Keeper()
            store.readSync { db in keeper.db = db }
            """, "is consuming"),
        Refused(
            "an accessor in a closure that outlives the block",
            """
            var later: () -> Int = { 0 }
            try store.readSync { db in
                later = { (try? db.count(Restaurant.self)) ?? 0 }
                try Task.checkCancellation()
            }
            print(later())
            """, "'db' is borrowed and cannot be consumed"),
        Refused(
            "an accessor in a task",
            """
            try store.writeSync { db in
                Task { _ = try db.create(Restaurant.self) }
                try Task.checkCancellation()
            }
            """, "'db' is borrowed and cannot be consumed"),
        Refused(
            "an item that a read block returns",
            """
            let first: Restaurant? = try store.readSync { db in try db.first(Restaurant.self) }
            print(first?.name ?? "")
            """, "'Restaurant' does not conform to the 'Sendable' protocol"),
        Refused(
            "items that a write block returns",
            """
            let all: [Restaurant] = try store.writeSync { db in try db.items(Restaurant.self) }
            print(all.count)
            """, "'Restaurant' does not conform to the 'Sendable' protocol"),
        Refused(
            "an item that an asynchronous block returns",
            """
            let first: Restaurant? = try await store.read { db in try db.first(Restaurant.self) }
            print(first?.name ?? "")
            """, "'Restaurant' does not conform to the 'Sendable' protocol"),
        Refused(
            "an item of another block in an asynchronous block",
            """
            let restaurant = Restaurant()
            try await store.write { db in _ = try db.insert(restaurant) }
            print(restaurant)
            """, "non-Sendable type 'Restaurant'"),
        Refused(
            "a live item in a task",
            """
            try store.writeSync { db in
                let restaurant = try db.create(Restaurant.self)
                Task { restaurant.name = "elsewhere" }
                restaurant.name = "here"
            }
            """, "risks causing data races"),
        Refused(
            "a result that is no value",
            """
            final class Counter { var count = 0 }
            let counter = try store.readSync { db in
                let counter = Counter()
                counter.count = try db.count(Restaurant.self)
                return counter
            }
            print(counter.count)
            """, "'Counter' does not conform to the 'Sendable' protocol"),
        Refused(
            "a block that suspends",
            "try await store.write { db in try await Task.sleep(for: .seconds(1)) }",
            "'async'"),
    ]

    @Test func isRefused() async throws {
        try await Refused.check(Self.refused + Self.refusedDeclarations + Self.refusedCalls)
    }
}
