import JustPersist
import JustPersistConformance
import Testing

@Suite struct ItemSelectionTests {
    private struct Row: PredicateSubject, Identifiable {
        let id: ItemID
        let attributes: [String: DataStoreValue]

        func value(forAttribute name: String) -> DataStoreValue { attributes[name] ?? .null }
    }

    private static func rows(_ values: [DataStoreValue]) -> [Row] {
        values.enumerated().map { index, value in
            Row(id: ItemID(high: 0, low: UInt64(index)), attributes: ["a": value])
        }
    }

    /// The ids that a request selects, its count, and how many rows it looked at.
    private func select(
        _ request: DataStoreRequest, from rows: [Row]
    ) throws -> (ids: [UInt64], count: Int, seen: Int) {
        var selection = try ItemSelection<Row>(request)
        var seen = 0
        for row in rows {
            seen += 1
            if try !selection.add(row) { break }
        }
        var counting = try ItemSelection<Row>(counting: request)
        for row in rows where try !counting.add(row) { break }
        #expect(counting.rows.isEmpty)
        #expect(counting.count == selection.count)
        return (selection.rows.map(\.id.low), selection.count, seen)
    }

    @Test func sortsWithTiesInTheOrderOfCreation() throws {
        let rows = Self.rows([.int(2), .null, .double(1.5), .string("z"), .int(2), .null])
        let request = DataStoreRequest(itemTypeKey: "T")
        request.sortDescriptors = [.ascending("a")]
        try #expect(select(request, from: rows).ids == [1, 5, 2, 0, 4, 3])
        request.sortDescriptors = [.descending("a")]
        try #expect(select(request, from: rows).ids == [3, 0, 4, 2, 1, 5])
    }

    @Test func asksForNoMoreRowsThanItNeeds() throws {
        let rows = Self.rows((0..<100).map { .int(Int64($0)) })
        let request = DataStoreRequest(
            type: ItemType(dynamic: "T"), predicate: try DataStorePredicate("a > 9"), offset: 5,
            limit: 3)
        let found = try select(request, from: rows)
        #expect(found.ids == [15, 16, 17])
        #expect(found.seen == 18)
        request.sortDescriptors = [.descending("a")]
        try #expect(select(request, from: rows).ids == [94, 93, 92])
    }

    @Test func refusesWhatEveryStoreRefuses() throws {
        let request = DataStoreRequest(type: ItemType(dynamic: "T"), offset: -1)
        #expect(throws: DataStoreError.self) { try ItemSelection<Row>(request) }
    }

    @Test func keepsTheRightRowsOfManyForAnyPage() throws {
        var random = SeededGenerator(seed: .random(in: 0 ... .max))
        print("seed: \(random.seed)")
        let rows = Self.rows(
            (0..<5_000).map { _ in .int(Int64(Int.random(in: 0..<500, using: &random))) })
        let sorted = rows.sorted { first, second in
            let order = first.value(forAttribute: "a")
                .sortOrder(against: second.value(forAttribute: "a"))
            return order == .same ? first.id < second.id : order == .descending
        }
        for _ in 0..<20 {
            let offset = Int.random(in: 0..<1_200, using: &random)
            let limit = Int.random(in: 0..<1_200, using: &random)
            let request = DataStoreRequest(
                type: ItemType(dynamic: "T"), sortDescriptors: [.descending("a")], offset: offset,
                limit: limit)
            let found = try select(request, from: rows)
            let page = sorted.dropFirst(offset).prefix(limit == 0 ? .max : limit)
            #expect(found.ids == page.map(\.id.low))
            #expect(found.count == page.count)
        }
    }

    @Test func slicesAreSafeAtTheEnds() {
        let request = DataStoreRequest(itemTypeKey: "T")
        #expect(request.slice.count(of: 7) == 7)
        (request.offset, request.limit) = (5, 0)
        #expect(request.slice.count(of: 7) == 2)
        #expect(request.slice.end == nil)
        (request.offset, request.limit) = (.max, .max)
        #expect(request.slice.count(of: 7) == 0)
        #expect(request.slice.end == nil)
        (request.offset, request.limit) = (2, 3)
        #expect(request.slice.count(of: 7) == 3)
        #expect(request.slice.end == 5)
    }

    @Test func namedIDsAreThoseThatAPredicateAllows() throws {
        let ids = [ItemID(), ItemID()]
        try #expect(DataStorePredicate("uniqueToken == %@", ids[0]).namedIDs == [ids[0]])
        let list = try DataStorePredicate(
            "a == 1 AND uniqueToken IN {%@, %@, %@}", ids[1], ids[0], ids[1])
        #expect(list.namedIDs == ids)
        try #expect(DataStorePredicate("uniqueToken != %@", ids[0]).namedIDs == nil)
        try #expect(DataStorePredicate("a == 1 OR uniqueToken == %@", ids[0]).namedIDs == nil)
    }
}
