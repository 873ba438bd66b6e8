import Foundation
import JustPersist
import JustPersistConformance
import Testing

/// Clause 4: what blocks see of each other, and of themselves.
@Suite struct IsolationTests {
    @Test(arguments: Backend.allCases)
    func readBlockSeesOneSnapshot(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a", "b", "c"])
            try store.read { db in
                for round in 0..<3 {
                    try #expect(db.items(Restaurant.self).map(\.name) == ["a", "b", "c"])
                    try #expect(db.count(Restaurant.self) == 3)
                    try #expect(
                        db.items(Restaurant.self, where: DataStorePredicate("stars > 0"))
                            .map(\.name) == ["b", "c"])
                    try #expect(
                        db.first(Restaurant.self, sortedBy: .descending("name"))?.name == "c")
                    try #expect(db.count(RestaurantOwner.self) == 0)
                    try #expect(db.schemas().count == 1)
                    try onThreads(1) { _ in
                        try store.write { db in
                            for item in try db.items(Restaurant.self) { item.name = "z" }
                            try db.create(Restaurant.self).stars = 100 + round
                            try db.create(RestaurantOwner.self).name = "new"
                            if round == 1 { try db.deleteAll(Restaurant.self) }
                        }
                    }
                }
            }
            try #expect(store.names().count == 1)
        }
    }

    @Test(arguments: Backend.allCases)
    func writeBlockSeesItsOwnChanges(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a", "b", "c", "d"])
            try store.write { db in
                let items = try db.items(Restaurant.self)
                items[0].stars = 10
                try #expect(names(db, "stars == 0") == [])
                try #expect(names(db, "stars == 10") == ["a"])
                try #expect(
                    db.items(Restaurant.self, sortedBy: .ascending("stars")).map(\.name)
                        == ["b", "c", "d", "a"])
                try #expect(db.first(Restaurant.self, sortedBy: .descending("stars")) === items[0])

                let new = try db.create(Restaurant.self)
                new.name = "aa"
                new.stars = 2
                try #expect(db.count(Restaurant.self) == 5)
                try #expect(names(db) == ["a", "b", "c", "d", "aa"])
                try #expect(db.count(Restaurant.self, where: DataStorePredicate("stars == 2")) == 2)
                try #expect(
                    db.items(Restaurant.self, sortedBy: .ascending("name"), offset: 1, limit: 2)
                        .map(\.name) == ["aa", "b"])
                try #expect(db.item(Restaurant.self, id: new.uniqueToken) === new)

                try db.delete(items[1])
                try #expect(names(db) == ["a", "c", "d", "aa"])
                try #expect(db.count(Restaurant.self) == 4)
                try #expect(names(db, "name == 'b'") == [])
                try #expect(db.item(Restaurant.self, id: items[1].uniqueToken) == nil)
                try #expect(
                    db.items(Restaurant.self, offset: 1, limit: 2).map(\.name) == ["c", "d"])

                try db.delete(new)
                try #expect(names(db, "name BEGINSWITH 'a'") == ["a"])
                try db.deleteAll(Restaurant.self)
                try #expect(names(db) == [])
                try #expect(db.count(Restaurant.self) == 0)
                try db.create(Restaurant.self).name = "last"
                try #expect(db.first(Restaurant.self)?.name == "last")
                let last: Restaurant? = db.firstItem(
                    forRequest: DataStoreRequest(itemType: Restaurant.self))
                #expect(last?.name == "last")
                var walked: [String?] = []
                try db.forEach(DataStoreRequest(itemType: Restaurant.self)) {
                    walked.append(($0 as? Restaurant)?.name)
                }
                #expect(walked == ["last"])
            }
            try #expect(store.names() == ["last"])
        }
    }

    private func names(
        _ db: borrowing DataStoreWriter, _ predicate: String? = nil
    ) throws -> [String?] {
        try db.items(Restaurant.self, where: predicate.map { try DataStorePredicate($0) })
            .map(\.name)
    }

    @Test(arguments: Backend.allCases)
    func everyBlockAfterACommitSeesIt(_ backend: Backend) throws {
        try backend.withStore { store in
            for round in 1...30 {
                try store.fill(["\(round)"])
                try onThreads(2) { _ in
                    try #expect(store.read { db in try db.count(Restaurant.self) } == round)
                }
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func readersDoNotWaitForTheWriter(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a"])
            try store.write { db in
                try db.create(Restaurant.self).name = "b"
                try #expect(db.count(Restaurant.self) == 2)
                try onThreads(4) { _ in try #expect(store.names() == ["a"]) }
            }
            try #expect(store.names() == ["a", "b"])
        }
    }

    @Test(arguments: Backend.allCases)
    func writerDoesNotWaitForReaders(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill(["a"])
            try store.read { db in
                try onThreads(2) { try store.fill(["b\($0)"]) }
                try #expect(db.items(Restaurant.self).map(\.name) == ["a"])
            }
            try #expect(store.names().count == 3)
        }
    }

    @Test(arguments: Backend.allCases)
    func valuesOfARolledBackBlockAreNeverSeen(_ backend: Backend) throws {
        struct Failure: Error {}
        try backend.withStore { store in
            try store.fill(["a"])
            #expect(throws: Failure.self) {
                try store.write { db in
                    let item = try #require(try db.first(Restaurant.self))
                    item.name = "intermediate"
                    _ = try db.count(Restaurant.self)
                    try onThreads(1) { _ in try #expect(store.names() == ["a"]) }
                    throw Failure()
                }
            }
            try #expect(store.names() == ["a"])
        }
    }

    @Test(arguments: Backend.allCases) func moneyIsNeitherMadeNorLost(_ backend: Backend) throws {
        var generator = SeededGenerator(seed: .random(in: 0 ... .max))
        print("seed: \(generator.seed)")
        let seeds = (0..<4).map { _ in generator.next() }
        try backend.withStore { store in
            try store.write { db in
                for _ in 0..<10 { try db.create(Restaurant.self).stars = 100 }
            }
            try onThreads(4) { index in
                var generator = SeededGenerator(seed: seeds[index])
                for _ in 0..<25 {
                    if index < 2 {
                        let amount = generator.int(in: 0..<50)
                        let (from, to) = (generator.int(in: 0..<10), generator.int(in: 0..<10))
                        try store.write { db in
                            let accounts = try db.items(Restaurant.self)
                            accounts[from].stars -= amount
                            if amount % 5 == 0 { _ = try db.count(Restaurant.self) }
                            accounts[to].stars += amount
                        }
                    } else {
                        let sum = try store.read { db in
                            try db.items(Restaurant.self).map(\.stars).reduce(0, +)
                        }
                        #expect(sum == 1000)
                    }
                }
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func twoWritersCannotBothActOnAnEmptyAnswer(_ backend: Backend) throws {
        try backend.withStore { store in
            try onThreads(8) { index in
                try store.write { db in
                    // Write skew: each adds the item only because it sees none.
                    if try db.count(Restaurant.self, where: DataStorePredicate("stars == 5")) == 0 {
                        try db.create(Restaurant.self).stars = 5
                    }
                }
            }
            try #expect(store.names().count == 1)
        }
    }
}
