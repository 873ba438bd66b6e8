import ArgumentParser
import Foundation
import JustPersist
import JustPersistLMDB
import JustPersistLevelDB
import JustPersistMemory

/// Compares a child store with its parent: equal queries in both, and a merge with direct writes of equal changes.
struct ChildrenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "children", abstract: "Compares child stores with their parents.")

    @Option(help: "How many restaurants the store holds.")
    var items = 1_000_000

    @Option(help: "How many of them the child has changed when it is asked.")
    var changes = 100

    @Option(help: "How many changes a merge carries.")
    var merged = 10_000

    @Option(help: "How many rounds are counted.")
    var rounds = 5

    func run() throws { try FileManager.default.withBenchmarkDirectory(run(in:)) }

    private func run(in directory: URL) throws {
        let memory = InMemoryDataStore()
        try memory.open()
        let stores: [(String, any DataStore)] = [
            ("LMDB", try LMDBDataStore.open(at: directory.appending(path: "lmdb"))),
            ("LevelDB", try LevelDBDataStore.open(at: directory.appending(path: "leveldb"))),
            ("memory", memory),
        ]
        print("\(Machine.line), \(items) restaurants, \(rounds) rounds, medians")
        for (name, store) in stores {
            let ids = try fill(store)
            print("\n\(name): the child's time to its parent's")
            for query in queries(ids) { try compare(query, store, ids) }
            print("\(name): a merge's time to that of writing directly")
            try compareMerges(store, ids)
            try store.close()
        }
    }

    private typealias Entity = IndexedRestaurantItem

    private func fill(_ store: any DataStore) throws -> [ItemID] {
        var generator = RestaurantGenerator(seed: 0x5EED)
        var ids: [ItemID] = []
        while ids.count < items {
            let part = (0..<min(100_000, items - ids.count)).map { _ in generator.next() }
            ids += try store.write { db in
                try part.map { restaurant in
                    let item = try db.create(Entity.self)
                    item.fill(from: restaurant)
                    return item.uniqueToken
                }
            }
        }
        return ids
    }

    // MARK: Queries

    private struct Query {
        let title: String
        /// Returns a digest of what it read.
        let ask: (borrowing DataStoreReader) throws -> Int
    }

    private func queries(_ ids: [ItemID]) -> [Query] {
        var random = SplitMix64(state: 0xCAFE)
        let wanted = ids.shuffled(using: &random).prefix(20_000)
        return [
            Query(title: "filtered count, full scan") { db in
                try db.count(Entity.self, where: \.isOpen == true)
            },
            Query(title: "count of all") { db in try db.count(Entity.self) },
            Query(title: "best 10 of a full scan") { db in
                try db.items(Entity.self, sortedBy: .descending("street"), limit: 10)
                    .reduce(0) { $0 &* 31 &+ $1.digest }
            },
            Query(title: "best 10 by an index, 1,000 times") { db in
                try (0..<1_000).reduce(0) { sum, _ in
                    try sum
                        &+ db.items(Entity.self, sortedBy: .descending("rating"), limit: 10)
                        .reduce(0) { $0 &* 31 &+ $1.digest }
                }
            },
            Query(title: "fetch by an index") { db in
                try db.items(Entity.self, where: \.borough == "Queens")
                    .reduce(0) { $0 &+ $1.digest }
            },
            Query(title: "fetch each by id, shuffled") { db in
                try wanted.reduce(0) { sum, id in
                    try sum &+ (db.item(Entity.self, id: id)?.digest ?? 0)
                }
            },
        ]
    }

    private func compare(_ query: Query, _ store: any DataStore, _ ids: [ItemID]) throws {
        let child = try store.makeChild()
        try child.open()
        try change(child, ids, every: max(1, ids.count / max(1, changes)), limit: changes)
        var times: (parent: [Double], child: [Double]) = ([], [])
        for round in -1..<rounds {
            let (parentTime, expected) = try measure { try store.read(query.ask) }
            let (childTime, found) = try measure { try child.read(query.ask) }
            guard expected == found else {
                throw ValidationError("\(query.title): the child saw \(found), not \(expected).")
            }
            if round < 0 { continue }
            times.parent.append(parentTime)
            times.child.append(childTime)
        }
        try child.close()
        report(query.title, times.child, times.parent)
    }

    /// Changes an attribute that no query reads.
    private func change(
        _ store: any DataStore, _ ids: [ItemID], every step: Int, limit: Int, to text: String = "x"
    ) throws {
        try store.write { db in
            for id in stride(from: 0, to: ids.count, by: step).prefix(limit).map({ ids[$0] }) {
                try db.item(Entity.self, id: id)?.zipcode = text
            }
        }
    }

    // MARK: Merges

    private func compareMerges(_ store: any DataStore, _ ids: [ItemID]) throws {
        let step = max(1, ids.count / max(1, merged))
        try compareMerge(store, "update \(merged)") { store, round in
            try change(store, ids, every: step, limit: merged, to: "\(round)")
        }
        var generator = RestaurantGenerator(seed: 0xFEED)
        let new = (0..<merged).map { _ in generator.next() }
        try compareMerge(store, "create \(merged)") { store, _ in
            try store.write { db in
                for restaurant in new { try db.create(Entity.self).fill(from: restaurant) }
            }
        }
    }

    private func compareMerge(
        _ store: any DataStore, _ title: String, _ write: (any DataStore, Int) throws -> Void
    ) throws {
        let child = try store.makeChild()
        try child.open()
        var times: (direct: [Double], merge: [Double]) = ([], [])
        for round in -1..<rounds {
            let (direct, _) = try measure { try write(store, 2 * round) }
            try write(child, 2 * round + 1)
            let (merge, _) = try measure { try store.merge(child, policy: .childWins) }
            if round < 0 { continue }
            times.direct.append(direct)
            times.merge.append(merge)
        }
        try child.close()
        report(title, times.merge, times.direct)
    }

    private func measure<Value>(_ body: () throws -> Value) rethrows -> (Double, Value) {
        let start = ContinuousClock.now
        let value = try body()
        return ((ContinuousClock.now - start) / .seconds(1), value)
    }

    private func report(_ title: String, _ subject: [Double], _ baseline: [Double]) {
        let ratio = subject.median / baseline.median
        print(
            "  \(title): \(String(format: "%.2f", ratio))"
                + String(
                    format: " (%.2f ms to %.2f ms)", subject.median * 1_000,
                    baseline.median * 1_000))
    }

}
