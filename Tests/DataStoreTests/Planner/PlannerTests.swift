import Foundation
import JustPersist
import Testing

/// What queries read, each test named after what they read in vain before.
@Suite struct PlannerTests {
    @Test func theIndexWithTheOrderIsNotChosenByTheOrderOfTheDeclarations() throws {
        for indexes in [[["s"], ["c", "s"]], [["c", "s"], ["s"]]] {
            try PlannedThings.withStore(indexes) { things in
                let plan = try things.plan("c == 5", [.descending("s")], limit: 10)
                #expect(plan.recordsExamined == 10 && plan.entriesExamined < 40, "\(plan)")
                #expect(plan.description.contains("index on c, s in its order"), "\(plan)")
            }
        }
    }

    @Test func aPageAfterAKeyDoesNotScan() throws {
        let sort: [DataStoreSortDescriptor] = [.ascending("s"), .ascending("p")]
        let page = "s > 50 OR (s == 50 AND p > 500)"
        try PlannedThings.withStore([["s", "p"]]) { things in
            let plan = try things.plan(page, sort, limit: 10)
            #expect(plan.recordsExamined == 10 && plan.entriesExamined < 40, "\(plan)")
        }
        try PlannedThings.withStore([["c", "s", "p"]]) { things in
            let plan = try things.plan("c == 5 AND (\(page))", sort, limit: 10)
            #expect(plan.recordsExamined == 10 && plan.entriesExamined < 40, "\(plan)")
            // Without the last attribute, those with its first key are looked at.
            let other = try things.plan(
                "c == 5 AND (s > 50 OR (s == 50 AND x > 500))", sort, limit: 10)
            #expect(other.recordsExamined < 100, "\(other)")
        }
    }

    @Test func anOffsetReadsNoRecordsThatItLeavesOut() throws {
        try PlannedThings.withStore([["s"], ["c"]]) { things in
            for plan in [
                try things.plan(nil, [], offset: 1500, limit: 10),
                try things.plan(nil, [.descending("uniqueToken")], offset: 1500, limit: 10),
                try things.plan(nil, [.ascending("s")], offset: 1500, limit: 10),
                try things.plan(nil, [.descending("s")], offset: 1500, limit: 10),
                try things.plan("s > 10", [.ascending("s")], offset: 1200, limit: 10),
                try things.plan("c == 5", [], offset: 100, limit: 10),
            ] {
                #expect(plan.recordsExamined == 10, "\(plan)")
                #expect(plan.matched == 10 && plan.entriesExamined < 2000, "\(plan)")
            }
        }
    }

    @Test func conditionsThatUsedNoIndexUseOne() throws {
        try PlannedThings.withStore([["n"], ["t"], ["tags"]]) { things in
            for format in [
                "n != nil", "NOT n == nil", "NOT (n == nil OR s < 0)", "t LIKE 'thing 17*'",
                "t LIKE 'thing 17?'", "t MATCHES 'thing 17.*'", "t MATCHES 'thing 17[0-9]'",
                "'tag 3' IN tags", "ANY tags == 'tag 3'",
            ] {
                let plan = try things.plan(format)
                #expect(plan.recordsExamined < 200 && plan.matched > 0, "\(format): \(plan)")
                guard case .indexes = plan.access else {
                    Issue.record("\(format): \(plan)")
                    continue
                }
            }
        }
    }

    @Test func aPatternWithoutALiteralBeginningUsesNoIndex() throws {
        try PlannedThings.withStore([["t"]]) { things in
            for format in [
                "t LIKE '*17'", "t LIKE[d] 'thing 17*'", "t MATCHES 'a|thing 17.*'",
                "t MATCHES '(?i)THING 17.*'", "t MATCHES[c] 'THING 17.*'",
                "t MATCHES 't?hing 17.*'",
            ] {
                let plan = try things.plan(format)
                #expect(plan.access == .scan && plan.matched > 0, "\(format): \(plan)")
            }
        }
    }

    @Test func anIndexInsideOfADictionaryGivesItsOrder() throws {
        try PlannedThings.withStore([["d.x"]]) { things in
            let plan = try things.plan(nil, [.ascending("d.x")], limit: 10)
            #expect(plan.recordsExamined < 60, "\(plan)")
            #expect(plan.description.contains("in its order"), "\(plan)")
            // The order of arrays is not that of their elements.
            try things.store.write { db in
                try db.create(PlannedThings.type)["d"] = .dictionary(["x": .array([.int(-1)])])
            }
            let other = try things.plan(nil, [.ascending("d.x")], limit: 10)
            #expect(other.access == .scan, "\(other)")
        }
    }

    @Test func mixedDirectionsDoNotSortWholeGroups() throws {
        try PlannedThings.withStore([["c", "s"]]) { things in
            for sort: [DataStoreSortDescriptor] in [
                [.ascending("c"), .descending("s")], [.descending("c"), .ascending("s")],
            ] {
                let plan = try things.plan(nil, sort, limit: 10)
                #expect(plan.recordsExamined < 40 && plan.entriesExamined < 60, "\(plan)")
            }
        }
    }

    @Test func aListWithAnOrderReadsNoMoreThanThePage() throws {
        try PlannedThings.withStore([["c", "s"]]) { things in
            for sort: DataStoreSortDescriptor in [.ascending("s"), .descending("s")] {
                let plan = try things.plan("c IN {3, 5, 7}", [sort], limit: 10)
                #expect(plan.recordsExamined < 20 && plan.entriesExamined < 80, "\(plan)")
            }
        }
    }

    @Test func twoConditionsOnElementsReadTheItemsOfOneOnly() throws {
        try PlannedThings.withStore([["tags"]]) { things in
            let plan = try things.plan("ANY tags == 'all' AND ANY tags == 'tag 3'")
            #expect(plan.matched > 10 && plan.recordsExamined == plan.matched, "\(plan)")
            let many = try things.plan("ANY tags == 'half' AND ANY tags == 'third'")
            #expect(many.recordsExamined == many.matched || many.access == .scan, "\(many)")
        }
    }

    @Test func aLimitReadsNoMoreEntriesThanItNeeds() throws {
        try PlannedThings.withStore([["f"], ["c"], ["s"]]) { things in
            let plan = try things.plan("f == 3", limit: 10)
            #expect(plan.recordsExamined == 10 && plan.entriesExamined <= 10, "\(plan)")
            let last = try things.plan("f == 3", [.descending("uniqueToken")], limit: 10)
            #expect(last.recordsExamined == 10 && last.entriesExamined <= 10, "\(last)")
            let either = try things.plan("f == 3 OR c == 5", limit: 10)
            #expect(either.recordsExamined <= 20 && either.entriesExamined <= 250, "\(either)")
            let range = try things.plan("s < 20", limit: 10)
            #expect(range.recordsExamined < 120 && range.entriesExamined < 300, "\(range)")
            let both = try things.plan("f == 3 AND x > 900", limit: 10)
            #expect(both.recordsExamined < 400, "\(both)")
        }
    }
}

/// A store with 2,000 things.
struct PlannedThings {
    static let type = "Thing"
    let store: any DataStore

    /// Runs a test on a store with indexes over these attributes.
    static func withStore(
        _ indexes: [[String]], _ body: (PlannedThings) throws -> Void
    ) throws {
        try Backend.memory.withStore { store in
            try store.write { db in
                let names = ["c", "s", "p", "f", "x", "n", "t", "tags", "d"]
                try db.declare(
                    ItemSchema(
                        type, attributes: names.map { AttributeSchema($0) },
                        indexes: indexes.map { IndexSchema($0) }))
                for number in 0..<2000 {
                    let item = try db.create(type)
                    // Numbers without a common factor, so that every combination is as frequent as any other.
                    item["c"] = .int(Int64(number % 11))
                    item["s"] = .int(Int64(number * 37 % 101))
                    item["p"] = .int(Int64(number * 611 % 1009))
                    item["f"] = .int(Int64(number % 5))
                    item["x"] = .int(Int64(number * 7919 % 1000))
                    item["n"] = number % 20 == 0 ? .int(Int64(number)) : .null
                    item["t"] = .string("thing \(number)")
                    var tags = ["all", "tag \(number % 23)"]
                    if number % 2 == 0 { tags.append("half") }
                    if number % 3 == 0 { tags.append("third") }
                    item["tags"] = .array(tags.map { .string($0) })
                    item["d"] = .dictionary(["x": .int(Int64(number * 13 % 997))])
                }
            }
            try body(PlannedThings(store: store))
        }
    }

    func request(
        _ format: String?, _ sort: [DataStoreSortDescriptor] = [], offset: Int? = nil,
        limit: Int? = nil
    ) throws -> DataStoreRequest {
        DataStoreRequest(
            type: ItemType(dynamic: Self.type),
            predicate: try format.map { try DataStorePredicate($0) }, sortDescriptors: sort,
            offset: offset, limit: limit)
    }

    /// How a request is answered.
    func plan(
        _ format: String?, _ sort: [DataStoreSortDescriptor] = [], offset: Int? = nil,
        limit: Int? = nil
    ) throws -> QueryPlan {
        let request = try request(format, sort, offset: offset, limit: limit)
        return try store.read { db in try db.explain(request) }
    }

    /// How an operation is carried out.
    func plan(_ operation: QueryPlan.Operation, _ format: String? = nil) throws -> QueryPlan {
        let request = try request(format)
        return try store.read { db in try db.explain(operation, request) }
    }
}
