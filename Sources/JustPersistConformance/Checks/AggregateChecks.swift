import Foundation
import JustPersist

/// Aggregations of items, and streams of items.
enum AggregateChecks {
    static let all: [CheckDefinition] = [
        CheckDefinition(
            "agg/nil-left-out", clause: [11],
            "Aggregates ignore nil. Without values, count and sum are 0, and average, minimum and maximum are nil."
        ) { check in
            let corpus = try Corpus(
                [["n": .int(4)], ["n": .null], [:], ["n": .int(2)]], attributes: ["none"],
                as: type, in: check.openStore())
            let row = try rows(
                DataStoreAggregation([
                    .count, .count("n"), .sum("n"), .average("n"), .min("n"), .max("n"),
                    .count("none"), .sum("none"), .average("none"), .min("none"), .max("none"),
                ]), of: corpus)
            check.expectEqual(
                row.map(\.values),
                [
                    [
                        .int(4), .int(2), .int(6), .double(3), .int(2), .int(4), .int(0), .int(0),
                        .null, .null, .null,
                    ]
                ], "the aggregates of 4, nil, no value and 2, and of an attribute without values")
            let none = try rows(
                DataStoreAggregation([.count, .sum("n"), .average("n"), .max("n")]), of: corpus,
                Query(predicate: .constant(false)))
            check.expectEqual(
                none.map(\.values), [[.int(0), .int(0), .null, .null]],
                "the aggregates of no items")
        },
        CheckDefinition(
            "agg/groups-by-equality", clause: [10, 11],
            "Items are in one group if their values are equal as in a predicate; nil is a group, and so is NaN."
        ) { check in
            let samples = SampleValues(check.capabilities)
            let values: [[DataStoreValue]] = [
                [.null], [.bool(true), .int(1), .double(1), .decimal(1)],
                [.double(0), .double(-0.0)],
                [.double(.nan), .double(.nan)], [.string("caf\u{E9}"), .string("cafe\u{301}")],
                [.string("cafe")], [.array([.int(1)]), .array([.double(1)])],
                [.int(9_007_199_254_740_993)], [.double(9_007_199_254_740_992)],
            ].map { $0.filter(samples.isDeclared) }.filter { !$0.isEmpty }
            let items = values.flatMap { $0 }
            let corpus = try Corpus(
                items.map { ["key": $0] } + [[:]], as: type, in: check.openStore())
            let grouped = try rows(
                DataStoreAggregation(groupedBy: ["key"], [.count]), of: corpus)
            check.expectEqual(grouped.count, values.count, "the number of groups")
            for group in values {
                let size = group[0].isNull ? 2 : group.count
                let found = grouped.filter {
                    $0.values[0].sortOrder(against: group[0]) == .same
                }
                let text = ReadableText.of(group)
                check.expectEqual(found.map(\.count), [size], "the group of \(text)")
                // If equal values have several forms, the key has the form of the item that was created first.
                check.expectEqual(found.map { $0["key"] }, [group[0]], "the key of \(text)")
            }
        },
        CheckDefinition(
            "agg/order-and-slice", clause: [12, 13],
            "Rows are in the order of their keys, or in the requested order. Offset and limit apply to rows."
        ) { check in
            let corpus = try Corpus(
                (0..<100).map { ["key": $0 % 5 == 0 ? .null : .int($0 % 5), "n": .int($0 / 3)] },
                as: type, in: check.openStore())
            let counted = DataStoreAggregation(groupedBy: ["key"], [.count, .sum("n")])
            func keys(_ query: Query) throws -> [DataStoreValue] {
                try rows(counted, of: corpus, query).map { $0["key"] }
            }
            check.expectEqual(
                try keys(Query()), [.null, .int(1), .int(2), .int(3), .int(4)],
                "the keys without a sort")
            check.expectEqual(
                try keys(Query(sort: [.descending("key")], offset: 1, limit: 2)),
                [.int(3), .int(2)], "the second and the third key from above")
            check.expectEqual(
                try keys(Query(sort: [.descending("count")], limit: 3)),
                [.null, .int(1), .int(2)], "keys of equal counts")
            check.expectEqual(
                try keys(
                    Query(
                        predicate: .compare("n", .less, .int(5)), sort: [.descending("sum.n")],
                        limit: 2)),
                Array(
                    try ReferenceAggregate().rows(
                        Query(
                            predicate: .compare("n", .less, .int(5)),
                            sort: [.descending("sum.n")], limit: 2
                        ).request(type), counted, in: corpus.state
                    ).map { $0["key"] }), "the keys with the greatest sums")
            let having = DataStoreAggregation(
                groupedBy: ["key"], [.count, .max("n")],
                having: .and([
                    .compare("count", .equal, .int(20)), .compare("max.n", .greater, .int(32)),
                ]))
            let found = try rows(having, of: corpus).map { $0["key"] }
            check.expectEqual(found, [.int(4)], "the group that HAVING chooses")
        },
        CheckDefinition(
            "agg/refused", clause: [14],
            "An aggregation that cannot be computed is refused: a sum of dates or texts, an unknown column, a negative limit."
        ) { check in
            let corpus = try Corpus(
                [["text": .string("1"), "n": .int(1)]], as: type, in: check.openStore())
            func expect(
                _ code: DataStoreError.Code, _ what: String, _ aggregation: DataStoreAggregation,
                _ query: Query = Query()
            ) {
                check.expectError(code, what: what) {
                    _ = try rows(aggregation, of: corpus, query)
                }
            }
            expect(.invalidRequest, "the sum of a text", DataStoreAggregation([.sum("text")]))
            expect(.invalidRequest, "a text's average", DataStoreAggregation([.average("text")]))
            expect(.invalidRequest, "no column", DataStoreAggregation([]))
            expect(
                .invalidRequest, "two columns of a name", DataStoreAggregation([.count, .count]))
            expect(
                .invalidRequest, "a negative limit", DataStoreAggregation([.count]),
                Query(limit: -1))
            expect(
                .unknownAttribute, "HAVING about a column that there is not",
                DataStoreAggregation(
                    groupedBy: ["n"], [.count], having: .compare("size", .equal, .int(1))))
            expect(
                .unknownAttribute, "a sort by what is no column",
                DataStoreAggregation(groupedBy: ["n"], [.count]),
                Query(sort: [.ascending("text")]))
            check.expectEqual(
                try rows(DataStoreAggregation([.max("text"), .sum("n")]), of: corpus)
                    .map(\.values), [[.string("1"), .int(1)]], "a text's maximum")
        },
        CheckDefinition(
            "agg/same-as-computed", clause: [4, 10, 11, 12, 13],
            "Random aggregations have the results that are computed from the items, in read and in write blocks."
        ) { check in
            let corpus = try Corpus.mixed(check, in: check.openStore())
            var generator = QueryGenerator(corpus, check, "aggregates")
            for _ in 0..<check.profile.pick(quick: 60, full: 400, soak: 4_000) {
                let (query, aggregation) = generator.aggregation()
                let request = query.request(corpus.type)
                let wanted = try ReferenceAggregate().rows(
                    request, aggregation, in: corpus.state)
                let what =
                    "\(aggregation.columns) \(aggregation.having.map { "having \($0) " } ?? "")of \(query); seed \(check.seed)"
                let read = try corpus.store.read { db in
                    try db.performAggregate(request, aggregation)
                }
                check.expectEqual(read, wanted, what)
                let written = try corpus.store.write { db in
                    try db.performAggregate(request, aggregation)
                }
                check.expectEqual(written, wanted, what + ", in a write block")
            }
        },
        CheckDefinition(
            "stream/one-snapshot", clause: [4],
            "A stream returns the items of one snapshot, in the requested order, independent of concurrent writes.",
            run: oneSnapshot),
        CheckDefinition(
            "stream/left-early", clause: [2],
            "A stream that is abandoned early, or whose transform throws, ends its block."
        ) { check in
            let corpus = try many(check)
            guard check.capabilities.threading == .callingThread else {
                return check.expect(true, "such a store has no streams")
            }
            struct Enough: Error {}
            let store = corpus.store
            for ending in ["left", "thrown"] {
                try check.awaiting {
                    var seen = 0
                    do {
                        let stream = store.values(Query().request(type)) { item in
                            if ending == "thrown", item.backing.id == corpus.ids[700] {
                                throw Enough()
                            }
                            return item.uniqueToken
                        }
                        for try await _ in stream {
                            seen += 1
                            if ending == "left", seen == 5 { break }
                        }
                    } catch is Enough {
                        seen += 10_000
                    }
                    return seen
                } then: { seen in
                    check.expectEqual(
                        seen, ending == "left" ? 5 : 10_700,
                        "the values of a stream that is \(ending)")
                }
            }
            // `close` waits for all blocks.
            try corpus.store.close()
            try corpus.store.open()
        },
    ]

    static let type = "ConformanceAggregate"

    private static func rows(
        _ aggregation: DataStoreAggregation, of corpus: Corpus, _ query: Query = Query()
    ) throws -> [DataStoreRow] {
        try corpus.store.read { db in
            try db.performAggregate(query.request(corpus.type), aggregation)
        }
    }

    private static func many(_ check: CheckContext) throws -> Corpus {
        try Corpus(
            (0..<1_500).map { ["n": .int($0), "key": .int($0 * 7 % 13)] }, as: type,
            in: check.openStore())
    }

    private static func oneSnapshot(_ check: CheckContext) throws {
        let corpus = try many(check)
        let store = corpus.store
        guard check.capabilities.threading == .callingThread,
            check.capabilities.hasConcurrentReads
        else { return check.expect(true, "such a store has no streams beside writes") }
        for query in [Query(), Query(sort: [.descending("key")])] {
            let wanted = try store.read { db in try db.ids(query, of: type) }
            try check.awaiting {
                var ids: [ItemID] = []
                for try await id in store.values(query.request(type), { $0.uniqueToken }) {
                    if ids.isEmpty {
                        try await store.write { db in
                            for index in stride(from: 0, to: 1_500, by: 3) {
                                let item = try db.liveItem(type, wanted[index])
                                if index % 2 == 0 {
                                    try item.set(["key": .int(99)])
                                } else {
                                    _ = try db.performDelete(item)
                                }
                            }
                            for _ in 0..<10 { try db.create(type).set(["key": .int(5)]) }
                        }
                    }
                    ids.append(id)
                }
                return ids
            } then: { ids in
                check.expectEqual(ids, wanted, "the items of a stream of \(query)")
            }
            try store.write { db in
                try db.performDeleteAll([ItemType(dynamic: type)])
                for number in 0..<1_500 {
                    try db.create(type).set(["n": .int(Int64(number)), "key": .int(1)])
                }
            }
        }
    }
}

extension CheckContext {
    /// Runs asynchronous code, and waits for its result.
    fileprivate func awaiting<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value, then: (Value) throws -> Void
    ) throws {
        let result = Locked<Result<Value, any Error>?>(nil)
        Task {
            do {
                let value = try await body()
                result.change { $0 = .success(value) }
            } catch {
                result.change { $0 = .failure(error) }
            }
        }
        try then(try result.wait { $0 }.get())
    }
}

extension QueryGenerator {
    /// A random aggregation of the items that a random predicate finds.
    mutating func aggregation() -> (Query, DataStoreAggregation) {
        let names = attributes + [Corpus.group, "neverSet", "uniqueToken"]
        let numbers = names.filter {
            [.int, .double, .decimal, .bool].map(Corpus.attribute).contains($0)
                || $0 == Corpus.group
        }
        var keys: [String] = []
        for _ in 0..<random.int(in: 0...2) {
            keys.append(random.int(in: 0..<3) == 0 ? Corpus.group : path(random.pick(names)))
        }
        var aggregates: [DataStoreAggregate] = []
        for _ in 0..<random.int(in: 1...4) {
            let function = random.pick(DataStoreAggregate.Function.allCases)
            let isSum = [.sum, .average].contains(function)
            let pool = isSum && !numbers.isEmpty ? numbers : names
            aggregates.append(
                random.int(in: 0..<4) == 0
                    ? .count : DataStoreAggregate(function, of: path(random.pick(pool))))
        }
        if isSumOfOthers(aggregates, numbers) { aggregates = [.count] }
        var seen: Set<String> = []
        keys = keys.filter { seen.insert($0).inserted }
        aggregates = aggregates.filter { seen.insert($0.name).inserted }
        if keys.isEmpty, aggregates.isEmpty { aggregates = [.count] }
        var aggregation = DataStoreAggregation(groupedBy: keys, aggregates)
        let columns = aggregation.columns
        if random.int(in: 0..<3) == 0 {
            let column = DataStorePredicate.AttributePath(
                random.pick(columns).split(separator: ".").map(String.init))
            aggregation.having = .comparison(
                .init(
                    .path(column), random.pick([.greater, .lessOrEqual, .notEqual]),
                    .value(.int(Int64(random.int(in: 0...5))))))
        }
        var query = query()
        if let predicate = query.predicate, (try? predicate.validate()) == nil {
            query.predicate = nil
        }
        query.sort = (0..<random.int(in: 0...2)).map { _ in
            DataStoreSortDescriptor(key: random.pick(columns), ascending: random.bool())
        }
        return (query, aggregation)
    }

    private mutating func path(_ name: String) -> String {
        switch name {
        case Corpus.link where random.bool(): "\(name).\(random.pick(attributes))"
        case Corpus.attribute(for: .dictionary) where random.bool(): "\(name).a"
        default: name
        }
    }

    /// Whether the aggregation adds up values that may not be numbers.
    private func isSumOfOthers(
        _ aggregates: [DataStoreAggregate], _ numbers: [String]
    ) -> Bool {
        aggregates.contains { aggregate in
            [.sum, .average].contains(aggregate.function)
                && !numbers.contains(aggregate.key ?? "")
        }
    }
}
