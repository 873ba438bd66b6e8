import Foundation
import JustPersist
import JustPersistConformance
import Testing

/// The results of a request, and how they change (clause 21).
@Suite(.serialized, .timeLimit(.minutes(5))) struct ResultStreamTests {
    private func fill(_ store: any DataStore, _ stars: [Int]) async throws -> [ItemID] {
        try await store.write { db in
            try stars.map { stars in
                let item = try db.create(Restaurant.self)
                item.stars = stars
                return item.uniqueToken
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func placesAreThoseOfATableView(_ backend: Backend) async throws {
        try await backend.withStore { store in
            let ids = try await fill(store, [10, 20, 30, 40])
            var results = store.results(
                of: Restaurant.self, where: \.stars > 0, sortedBy: .ascending(\.stars)
            ).makeAsyncIterator()
            let first = try #require(try await results.next())
            #expect(first.ids == ids && first.insertions == [0, 1, 2, 3])
            #expect(first.deletions.isEmpty && first.moves.isEmpty && first.updates.isEmpty)
            // The first goes to the end, the second is deleted, the third is changed, and one comes in between.
            let new = try await store.write { db in
                try #require(try db.item(Restaurant.self, id: ids[0])).stars = 50
                try db.delete(try #require(try db.item(Restaurant.self, id: ids[1])))
                try #require(try db.item(Restaurant.self, id: ids[2])).name = "changed"
                let item = try db.create(Restaurant.self)
                item.stars = 35
                return item.uniqueToken
            }
            let change = try #require(try await results.next())
            #expect(change.ids == [ids[2], new, ids[3], ids[0]])
            #expect(change.deletions == [1])
            #expect(change.insertions == [1])
            #expect(change.moves.count == 1)
            let move = try #require(change.moves.first)
            #expect(move.id == ids[0] && move.from == 0 && move.to == 3 && move.isUpdated)
            #expect(change.updates.map(\.before) == [2] && change.updates.map(\.after) == [0])
            #expect(change.updates.first?.attributes == ["name"])
            var rows = first.ids.map { "\($0)" }
            change.apply(to: &rows) { "new \($0)" }
            #expect(
                rows == ["new \(ids[2])", "new \(new)", "\(ids[3])", "new \(ids[0])"])
            // Out of the results, and what does not concern them.
            try await store.write { db in
                try #require(try db.item(Restaurant.self, id: ids[3])).stars = 0
            }
            #expect(try await results.next()?.deletions == [2])
            try await store.write { db in
                try #require(try db.item(Restaurant.self, id: ids[3])).name = "unseen"
                _ = try db.create(RestaurantOwner.self)
            }
            try await store.write { db in try db.deleteAll(Restaurant.self) }
            #expect(try await results.next()?.deletions == [0, 1, 2])
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func whatIsWrongWithARequestIsThrown(_ backend: Backend) async throws {
        try await backend.withStore { store in
            _ = try await fill(store, [1])
            let unknown = store.results(of: Restaurant.self, sortedBy: .ascending("star"))
            var iterator = unknown.makeAsyncIterator()
            let error = await #expect(throws: DataStoreError.self) { try await iterator.next() }
            #expect(error?.code == .unknownAttribute)
            #expect(try await iterator.next() == nil)
            let request = DataStoreRequest(itemTypeKey: "Restaurant")
            request.limit = -1
            var negative = store.results(request).makeAsyncIterator()
            await #expect(throws: DataStoreError.self) { try await negative.next() }
            // It ends with the store.
            var results = store.results(of: Restaurant.self).makeAsyncIterator()
            #expect(try await results.next()?.ids.count == 1)
            try store.close()
            #expect(try await results.next() == nil)
        }
    }

    /// Any two lists: the places lead from one to the other, and no item moves without need.
    @Test func placesLeadFromAnyListToAnyOther() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let store = Backend.memory.make(at: URL(filePath: "/"))
        try store.open()
        let ids = try await fill(store, Array(repeating: 0, count: 8))
        var results = store.results(
            of: Restaurant.self, where: \.stars >= 0, sortedBy: .ascending(\.stars)
        ).makeAsyncIterator()
        var list = try #require(try await results.next()).ids
        for _ in 0..<300 {
            let stars = ids.map { _ in Int.random(in: -3...20, using: &random) }
            let before = list
            try await store.write { db in
                for (id, stars) in zip(ids, stars) {
                    let item = try #require(try db.item(Restaurant.self, id: id))
                    if item.stars != stars { item.stars = stars }
                }
            }
            let wanted = try await store.read { db in
                try db.items(
                    Restaurant.self, where: \.stars >= 0, sortedBy: .ascending(\.stars)
                ).map(\.uniqueToken)
            }
            // All that may have stayed as they were.
            if wanted == before { break }
            let change = try #require(try await results.next())
            change.apply(to: &list) { $0 }
            #expect(list == wanted && change.ids == wanted, "seed \(seed)")
            let stayed = before.filter(wanted.contains)
            #expect(change.moves.count <= max(0, stayed.count - 1), "seed \(seed)")
            for move in change.moves {
                #expect(before[move.from] == move.id && wanted[move.to] == move.id)
            }
        }
        try store.close()
    }
}
