import Foundation
import JustPersist
import Testing

/// Counts and aggregates that index entries answer.
///
/// Each test is named after a read that was unnecessary before, or after the data that entries do not contain.
@Suite struct EntryAggregateTests {
    @Test func countingEntriesReadsNoRecords() throws {
        try PlannedThings.withStore([["c"], ["s"], ["n"], ["t"]]) { things in
            for format in [
                "c == 5", "c == 5 OR c == 6", "c == 5 OR s == 6", "s < 10 OR s > 90", "n != nil",
                "t LIKE 'thing 17*'",
            ] {
                let plan = try things.plan(.count, format)
                #expect(plan.recordsExamined == 0 && plan.matched > 0, "\(format): \(plan)")
                let exists = try things.plan(.exists, format)
                #expect(exists.recordsExamined == 0 && exists.entriesExamined == 1, "\(exists)")
                #expect(exists.matched == 1)
            }
            #expect(try things.plan(.count).access == .counter)
        }
    }

    @Test func groupsOfAnIndexedAttributeReadNoRecordForEachItem() throws {
        try PlannedThings.withStore([["c", "s"], ["f"]]) { things in
            for (keys, groups, format) in [
                (["f"], 5, nil), (["c"], 11, nil), (["s"], 101, "c == 5"), (["c", "s"], 1111, nil),
            ] as [([String], Int, String?)] {
                let aggregation = DataStoreAggregation(groupedBy: keys, [.count])
                let plan = try things.plan(.aggregate(aggregation), format)
                #expect(plan.recordsExamined == 0 && plan.matched == groups, "\(keys): \(plan)")
            }
        }
    }

    @Test func differentValuesAreFoundWithoutReadingAllEntries() throws {
        try PlannedThings.withStore([["f"]]) { things in
            let plan = try things.plan(.aggregate(DataStoreAggregation(groupedBy: ["f"], [])))
            #expect(plan.entriesExamined <= 40 && plan.recordsExamined == 0, "\(plan)")
            #expect(plan.matched == 5)
        }
    }

    @Test func severalExtremesAndThoseOfAGroupAreAtTheEndsOfAnIndex() throws {
        try PlannedThings.withStore([["c", "s"], ["x"]]) { things in
            for (aggregates, format) in [
                ([.min("x"), .max("x"), .count], nil), ([.min("s"), .max("s")], "c == 5"),
                ([.max("s")], "c == 5 AND s < 50"),
            ] as [([DataStoreAggregate], String?)] {
                let plan = try things.plan(.aggregate(DataStoreAggregation(aggregates)), format)
                #expect(plan.recordsExamined == 0 && plan.entriesExamined < 10, "\(plan)")
            }
        }
    }

    /// Values that entries do not contain exactly, so that groups must take them from records.
    @Test func groupsHaveTheValuesOfTheirFirstItems() throws {
        let long = String(repeating: "x", count: 600)
        let values: [DataStoreValue] = [
            .int(1), .double(1), .bool(true), .double(-0.0), .int(0), .decimal(0), .double(.nan),
            .double(.nan), .string(long + "1"), .string(long + "2"), .string(long + "1"),
            .string("e\u{301}"), .string("\u{e9}"), .null, .int((1 << 60) + 1),
            .int((1 << 60) + 2), .date(Date(timeIntervalSinceReferenceDate: -0.0)),
            .decimal(Decimal(string: "0.1")!), .double(0.1), .uuid(UUID()), .data(Data([0, 1])),
            .string("a\0b"), .string(""),
        ]
        for order in [values, values.reversed()] {
            try Backend.memory.withStore { store in
                try store.write { db in
                    try db.declare(
                        ItemSchema("Plain", attributes: [AttributeSchema("a")]))
                    try db.declare(
                        ItemSchema(
                            "Indexed", attributes: [AttributeSchema("a")],
                            indexes: [IndexSchema(["a"])]))
                    for value in order {
                        try db.create("Plain")["a"] = value
                        try db.create("Indexed")["a"] = value
                    }
                }
                for aggregation in [
                    DataStoreAggregation(groupedBy: ["a"], [.count]),
                    DataStoreAggregation(groupedBy: ["a"], []),
                    DataStoreAggregation([.min("a"), .max("a"), .count]),
                ] {
                    func rows(_ key: String) throws -> [[DataStoreValue]] {
                        try store.read { db in
                            try db.aggregate(DataStoreRequest(itemTypeKey: key), aggregation)
                        }.map { row in aggregation.columns.map { row[$0] } }
                    }
                    let (own, other) = (try rows("Indexed"), try rows("Plain"))
                    #expect(own.count == other.count)
                    for (row, otherRow) in zip(own, other) {
                        #expect(zip(row, otherRow).allSatisfy { $0.isIdentical(to: $1) })
                    }
                }
            }
        }
    }
}
