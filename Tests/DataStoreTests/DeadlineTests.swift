import Foundation
import JustPersist
import Testing

/// Requests with a deadline.
@Suite struct DeadlineTests {
    /// Work that would take minutes: a limit for each item, and many items.
    private func withCostlyRequest(
        _ backend: Backend, _ body: (any DataStore, DataStoreRequest) throws -> Void
    ) throws {
        try backend.withStore { store in
            try store.write { db in
                for _ in 0..<(backend == .reference ? 300 : 3_000) {
                    try db.create(Sample.self)[3] = .array((0..<9).map { .int($0) })
                }
            }
            let request = DataStoreRequest(itemType: Sample.self)
            request.predicate = try DataStorePredicate(
                "SUBQUERY(d, $v, SUBQUERY(d, $w, SUBQUERY(d, $x, SUBQUERY(d, $y, SUBQUERY(d, $z, $z == 77)"
                    + ".@count > 0).@count > 0).@count > 0).@count > 0).@count > 0")
            try body(store, request)
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func nestedSubqueriesWereLimitedForEachItemOnly(_ backend: Backend) throws {
        try withCostlyRequest(backend) { store, request in
            request.deadline = .milliseconds(100)
            let start = ContinuousClock.now
            try store.write { db in
                try db.create(Sample.self)[0] = .int(1)
                expectError(.deadlineExceeded) { _ = try db.count(request) }
                expectError(.deadlineExceeded) { _ = try db.items(request) }
                expectError(.deadlineExceeded) {
                    _ = try db.aggregate(
                        request, DataStoreAggregation(groupedBy: ["a"], [.count]))
                }
                expectError(.deadlineExceeded) { try db.forEach(request) { _ in } }
                #expect(db.countItems(forRequest: request) == 0)
            }
            print("5 deadlines of 100 ms on \(backend): \(start.duration(to: .now))")
            // The block went on, and was committed.
            let count = try store.read { db in try db.count(Sample.self) }
            #expect(count == (backend == .reference ? 301 : 3_001))
        }
    }

    /// The entries of indexes are written when the first request comes, and are no part of its work.
    @Test func aDeadlineRolledBackABlockWithPendingEntries() throws {
        try Backend.memory.withStore { store in
            try store.write { db in
                try db.declare(
                    ItemSchema(
                        "Entry", attributes: [AttributeSchema("n", kinds: [.int])],
                        indexes: [IndexSchema(["n"])]))
                for number in 0..<2_000 { try db.create("Entry").setObject(number, forKey: "n") }
                let request = DataStoreRequest(itemTypeKey: "Entry")
                request.deadline = .zero
                request.setFilter(whereAttribute: "n", equalsValue: 3)
                _ = try? db.count(request)
            }
            let count = try store.read { db in try db.count(DataStoreRequest(itemTypeKey: "Entry"))
            }
            #expect(count == 2_000)
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func theTimeOfAClosureCounts(_ backend: Backend) throws {
        try backend.withStore { store in
            try store.fill((0..<200).map { "\($0)" })
            let request = DataStoreRequest(itemType: Restaurant.self)
            request.deadline = .milliseconds(50)
            try store.read { db in
                let inner = DataStoreRequest(itemType: Restaurant.self)
                inner.setFilter(whereAttribute: "cuisine", equalsValue: "Thai")
                expectError(.deadlineExceeded) {
                    try db.forEach(request) { _ in
                        Thread.sleep(forTimeInterval: 0.06)
                        _ = try db.count(inner)
                    }
                }
                // It is over with its request.
                try #expect(db.count(inner) == 0)
                request.deadline = .seconds(3_600)
                try #expect(db.items(request).count == 200)
                request.deadline = nil
                try #expect(db.items(request).count == 200)
            }
        }
    }

    @Test func onlyCostlyPredicatesHaveADeadlineOfTheirOwn() throws {
        func expect(
            _ isCostly: Bool, _ format: String, sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let request = DataStoreRequest(itemType: Sample.self)
            request.predicate = try DataStorePredicate(format)
            #expect(request.work.isCostly == isCostly, sourceLocation: sourceLocation)
            #expect(request.work.deadline == nil, sourceLocation: sourceLocation)
        }
        try expect(false, "a == 1 AND b CONTAINS 'x' OR NOT c IN {1, 2} AND d.@count > 2")
        try expect(true, "a == 1 AND NOT b MATCHES 'x'")
        try expect(true, "1 + SUBQUERY(d, $x, $x > 1).@count > 2")
        try expect(true, "TERNARY(b MATCHES 'x', 1, 2) == 2")
        try expect(true, "d[SUBQUERY(d, $x, $x > 1).@count] == 2")
    }

    @Test func aSortByACostlyKeyHadNoDeadline() {
        let request = DataStoreRequest(itemType: Sample.self)
        for (key, isCostly) in [
            ("length(b)", false), ("MATCHES", false), ("subquery(d, $x, $x > 1).@count", true),
            ("TERNARY(b matches 'x', 1, 2)", true),
        ] {
            request.sortDescriptors = [.descending("a"), .ascending(key)]
            #expect(request.work.isCostly == isCostly, "\(key)")
        }
    }

    @Test func theDeadlineOfCostlyPredicatesCountedTheTimeOfClosures() throws {
        try WorkLimit.within(.milliseconds(200), countsPauses: false) {
            try WorkLimit.pausing {
                Thread.sleep(forTimeInterval: 0.3)
                try WorkLimit.check()
            }
            try WorkLimit.check()
            // Its work counts, before and after.
            Thread.sleep(forTimeInterval: 0.3)
            expectError(.deadlineExceeded) { try WorkLimit.check() }
        }
        _ = WorkLimit.within(.milliseconds(200), countsPauses: true) {
            expectError(.deadlineExceeded) {
                try WorkLimit.pausing {
                    Thread.sleep(forTimeInterval: 0.3)
                    try WorkLimit.check()
                }
            }
        }
    }
}
