import JustPersist

/// Measurements of the store's speed, for the report.
///
/// They do not affect the verdict, because they depend on the load of the machine.
enum PerformanceChecks {
    static let all: [CheckDefinition] = [
        CheckDefinition(
            "perf/insert-batch", clause: [], gate: .report, "Items made in one write block."
        ) { check in
            let count = check.profile.pick(quick: 2_000, full: 10_000, soak: 100_000)
            let best = try bestOf(3, check) { () -> Duration in
                let store = try check.openStore()
                defer { try? store.destroy() }
                return try time { try fill(store, count) }
            }
            check.measure("items made in one block", rate(count, best), unit: "items/s")
        },
        CheckDefinition(
            "perf/insert-single", clause: [6], gate: .report, "Items made in a write block each."
        ) { check in
            let count = check.profile.pick(quick: 100, full: 1_000, soak: 10_000)
            let store = try check.openStore()
            try fill(store, 1)
            let duration = try time {
                for _ in 0..<count { try fill(store, 1) }
            }
            check.measure(
                "blocks of one item, \(check.capabilities.persistence.inWords)",
                rate(count, duration), unit: "blocks/s")
        },
        CheckDefinition("perf/point-read", clause: [], gate: .report, "Items read by their ids.") {
            check in
            let count = check.profile.pick(quick: 2_000, full: 100_000, soak: 100_000)
            let store = try check.openStore()
            let ids = try fill(store, count)
            let sample = check.sample(of: ids, 1_000)
            let best = try bestOf(3, check) { try timeOfReads(sample, store) }
            check.measure(
                "reads by id of \(count) items", rate(sample.count, best), unit: "items/s")
        },
        CheckDefinition(
            "perf/filtered-scan", clause: [], gate: .report,
            "A request that one item in ten matches."
        ) { check in
            let count = check.profile.pick(quick: 5_000, full: 100_000, soak: 100_000)
            let store = try check.openStore()
            try fill(store, count)
            let predicate = try DataStorePredicate("tenth == %d", 3)
            let best = try bestOf(3, check) {
                try time {
                    let found = try store.read { db in
                        try db.dynamicItems(
                            DataStoreRequest(
                                type: ItemType(dynamic: "Performance"), predicate: predicate)
                        ).count
                    }
                    check.expectEqual(found, count / 10, "the items that match")
                }
            }
            check.measure("items looked through", rate(count, best), unit: "items/s")
        },
        CheckDefinition(
            "perf/insert-scales", clause: [], gate: .report,
            "How much longer four times the items in one block take; about four times is expected."
        ) { check in
            let few = check.profile.pick(quick: 1_000, full: 10_000, soak: 10_000)
            func duration(_ count: Int) throws -> Duration {
                let store = try check.openStore()
                defer { try? store.destroy() }
                return try time { try fill(store, count) }
            }
            try measureRatio(
                "making \(few * 4) items in one block takes against \(few) items", check,
                of: { try duration(few * 4) }, to: { try duration(few) })
        },
        CheckDefinition(
            "perf/token-read-scales", clause: [], gate: .report,
            "How much longer reading an item by its id takes among 100 times the items; a scan takes 100 times as long."
        ) { check in
            let many = check.profile.pick(quick: 20_000, full: 100_000, soak: 100_000)
            let (small, large) = (try check.openStore(), try check.openStore())
            let few = try check.sample(of: fill(small, many / 100), 200)
            let sample = try check.sample(of: fill(large, many), 200)
            try measureRatio(
                "reading items by id among \(many) takes against among \(many / 100)", check,
                of: { try timeOfReads(sample, large) }, to: { try timeOfReads(few, small) })
        },
    ]

    /// Creates items in one block, and returns their ids.
    @discardableResult
    private static func fill(_ store: any DataStore, _ count: Int) throws -> [ItemID] {
        try store.write { db in
            try db.declare(
                ItemSchema(
                    "Performance",
                    attributes: ["name", "number", "tenth"].map { AttributeSchema($0) }))
            return try (0..<count).map { number throws in
                let item = try db.create("Performance")
                item["name"] = .string("item \(number)")
                item["number"] = .int(Int64(number))
                item["tenth"] = .int(Int64(number % 10))
                return item.uniqueToken
            }
        }
    }

    private static func timeOfReads(_ ids: [ItemID], _ store: any DataStore) throws -> Duration {
        try time {
            let found = try store.read { db in
                var found = 0
                for id in ids
                where try db.performFetchItem(ItemType(dynamic: "Performance"), id: id) != nil {
                    found += 1
                }
                return found
            }
            if found != ids.count { throw ItemsMissing(found: found, expected: ids.count) }
        }
    }

    private struct ItemsMissing: Error, CustomStringConvertible {
        let found: Int
        let expected: Int
        var description: String { "\(found) of \(expected) items were found by their ids." }
    }

    private static func time(_ body: () throws -> Void) throws -> Duration {
        try ContinuousClock().measure(body)
    }

    private static func bestOf(
        _ rounds: Int, _ check: CheckContext, _ round: () throws -> Duration
    ) throws -> Duration {
        var best = try round()
        for _ in 1..<rounds {
            check.tick()
            best = min(best, try round())
        }
        return best
    }

    /// Measures the ratio of two durations, each the best of three rounds.
    private static func measureRatio(
        _ what: String, _ check: CheckContext, of slow: () throws -> Duration,
        to fast: () throws -> Duration
    ) throws {
        let ratio = try bestOf(3, check, slow) / bestOf(3, check, fast)
        check.measure(what, ratio, unit: "times as long")
    }

    private static func rate(_ count: Int, _ duration: Duration) -> Double {
        Double(count) / max(duration / .seconds(1), 1e-9)
    }
}

extension CheckContext {
    /// A random sample of the ids.
    fileprivate func sample(of ids: [ItemID], _ count: Int) -> [ItemID] {
        var random = generator("sample")
        return (0..<count).map { _ in random.pick(ids) }
    }
}

extension DataStoreCapabilities.Persistence {
    fileprivate var inWords: String {
        switch self {
        case .none: "volatile"
        case .reopening: "kept when closed"
        case .processCrash: "safe from a crash"
        case .powerLoss: "safe from a loss of power"
        }
    }
}
