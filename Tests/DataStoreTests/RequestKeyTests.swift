import Foundation
import JustPersist
import Testing

/// Sorts, aggregates and groups by what is computed of an item, and by names that look like it.
@Suite struct RequestKeyTests {
    private static let schema = ItemSchema(
        "Meal",
        attributes: [
            AttributeSchema("name", kinds: [.string]),
            AttributeSchema("price", kinds: [.int, .double]),
            AttributeSchema("quantity", kinds: [.int]),
            AttributeSchema("tags", kinds: [.array]),
            AttributeSchema("grades", kinds: [.array]),
            AttributeSchema("anything"),
            AttributeSchema("headers", kinds: [.dictionary]),
            AttributeSchema("address line 2"), AttributeSchema("a-b"), AttributeSchema("count"),
        ])

    /// Three meals: `body` is given the store.
    private func withMeals(
        _ backend: Backend, _ body: (borrowing DataStoreReader, DataStoreRequest) throws -> Void
    ) throws {
        try backend.withStore { store in
            try store.write { db in
                try db.declare(Self.schema)
                for (index, name) in ["pasta", "soup", "tea"].enumerated() {
                    let item = try db.create("Meal")
                    item["name"] = .string(name)
                    item["price"] = .int(Int64([5, 2, 9][index]))
                    item["quantity"] = .int(Int64([2, 3, 1][index]))
                    item["tags"] = .array(Array(repeating: .string("x"), count: [1, 3, 2][index]))
                    item["grades"] = .array([
                        .dictionary(["score": .int(Int64(index))]),
                        .dictionary(["score": .int(10)]),
                    ])
                    item["anything"] = index == 1 ? .array([]) : .dictionary(["x": .int(1)])
                    item["headers"] = .dictionary([
                        "content-type": .int(Int64([2, 3, 1][index]))
                    ])
                    for (name, values) in [
                        "address line 2": [2, 1, 3], "a-b": [3, 1, 2], "count": [1, 3, 2],
                    ] { item[name] = .int(Int64(values[index])) }
                }
            }
            try store.read { db in try body(db, DataStoreRequest(itemTypeKey: "Meal")) }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func aSortByACollectionOperatorGaveTheOrderOfCreation(
        _ backend: Backend
    ) throws {
        try withMeals(backend) { db, request in
            for (key, wanted) in [
                ("tags.@count", ["pasta", "tea", "soup"]),
                ("price * quantity", ["soup", "tea", "pasta"]),
                ("length(name)", ["tea", "soup", "pasta"]),
                ("grades.@sum.score", ["pasta", "soup", "tea"]),
                ("0 - grades.@sum.score", ["tea", "soup", "pasta"]),
                ("#\"address line 2\"", ["soup", "pasta", "tea"]),
                // Names of attributes, whatever is in them.
                ("address line 2", ["soup", "pasta", "tea"]), ("a-b", ["soup", "tea", "pasta"]),
                ("count", ["pasta", "tea", "soup"]),
                ("headers.content-type", ["tea", "pasta", "soup"]),
            ] {
                request.sortDescriptors = [.ascending(key)]
                let names = try db.items(request).map { $0.value(forKeyPath: "name") as? String }
                #expect(names == wanted, "\(key)")
                request.limit = 1
                try #expect(
                    db.first(request)?.value(forKeyPath: "name") as? String == wanted[0], "\(key)")
                request.limit = nil
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference)
    func sortKeysReachIntoDictionariesReferencesAndTokens(_ backend: Backend) throws {
        try backend.withStore { store in
            let ids = try store.write { db in
                try ["z", "a"].enumerated().map { index, name in
                    let owner = try db.create(RestaurantOwner.self)
                    owner.name = name
                    let item = try db.create(Sample.self)
                    item[0] = .reference(owner.reference)
                    item[1] = .dictionary(["x": .int(Int64(-index))])
                    return item.uniqueToken
                }
            }
            try store.read { db in
                for (sort, isReversed) in [
                    (DataStoreSortDescriptor.ascending("a.name"), true), (.ascending("b.x"), true),
                    (.ascending("b.no"), false), (.descending("uniqueToken"), true),
                ] {
                    let request = DataStoreRequest(
                        type: ItemType(Sample.self), sortDescriptors: [sort])
                    let found = try db.performFetch(request).map(\.uniqueToken)
                    #expect(found == (isReversed ? ids.reversed() : ids), "\(sort)")
                }
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference) func aSumOfACollectionOperatorWasZero(
        _ backend: Backend
    ) throws {
        try withMeals(backend) { db, request in
            let row = try #require(
                try db.aggregate(
                    request,
                    DataStoreAggregation([
                        .sum("tags.@count"), .max("price * quantity"),
                        .average("length(name)").named("length"),
                        .sum("grades.@sum.score").named("scores"),
                    ])
                ).first)
            #expect(row.values == [.int(6), .int(10), .double(4), .int(33)])
            request.sortDescriptors = [.descending("meals * 2")]
            let groups = try db.aggregate(
                request,
                DataStoreAggregation(
                    groupedBy: ["TERNARY(price > 4, 'dear', 'cheap')"],
                    [.count.named("meals")]))
            #expect(
                groups.map(\.values) == [[.string("dear"), .int(2)], [.string("cheap"), .int(1)]])
        }
    }

    @Test(arguments: Backend.memoryAndReference) func aPathThroughAnArrayWasNilInSortsAndAggregates(
        _ backend: Backend
    ) throws {
        try withMeals(backend) { db, request in
            for key in ["grades.score", "anything.x"] {
                for aggregation in [
                    DataStoreAggregation([.sum(key)]), DataStoreAggregation(groupedBy: [key], []),
                ] {
                    let error = expectError(.invalidRequest) {
                        _ = try db.aggregate(request, aggregation)
                    }
                    #expect(backend == .reference || error?.message.contains("@sum") == true)
                }
                request.sortDescriptors = [.ascending("name"), .ascending(key)]
                for limit in [nil, 1] {
                    request.limit = limit
                    expectError(.invalidRequest) { _ = try db.items(request) }
                }
                request.sortDescriptors = nil
                request.limit = nil
            }
        }
    }

    @Test(arguments: Backend.memoryAndReference) func whatCannotBeComputedWasNilInEachItem(
        _ backend: Backend
    ) throws {
        try withMeals(backend) { db, request in
            for (key, code) in [
                ("name.length", DataStoreError.Code.invalidRequest),
                ("price.@count", .invalidRequest),
                ("name * 2", .invalidRequest), ("tags.@nothing", .unsupported),
                ("price *", .invalidRequest), ("5", .invalidRequest), ("", .invalidRequest),
                ("price * quantty", .unknownAttribute), ("adress line 2", .unknownAttribute),
            ] {
                request.sortDescriptors = [.ascending(key)]
                expectError(code) { _ = try db.items(request) }
                request.sortDescriptors = nil
                expectError(code) {
                    _ = try db.aggregate(request, DataStoreAggregation([.count(key)]))
                }
            }
        }
    }
}
