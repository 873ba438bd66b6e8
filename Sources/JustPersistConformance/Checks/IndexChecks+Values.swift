import Foundation
import JustPersist

/// Checks of adjacent values in an index: bounds, equal values, and texts with a long common prefix.
extension IndexChecks {
    static let values: [CheckDefinition] = [
        CheckDefinition(
            "idx/range-ends", clause: [10, 20],
            "A range ends exactly at its bounds, inclusive or exclusive, even between very close values."
        ) { check in
            let samples = SampleValues(check.capabilities)
            let store = try check.openStore()
            for kind in samples.sortedKinds
            where ![.bool, .reference, .array, .dictionary].contains(kind) {
                try expectRanges(
                    of: samples.ascending(kind), check, as: "ConformanceRange\(kind)", in: store)
            }
            // Numbers of all kinds that are equal as Doubles, and values of other kinds.
            let large: Int64 = 1 << 60
            let numbers: [DataStoreValue] =
                [.null, .int(.min), .double(-0x1p63), .double(-1.5), .bool(false), .double(0.1)]
                + [.bool(true), .int(1), .double(1), .double(1.nextUp)]
                + [.int(1 << 53), .int((1 << 53) + 1), .double(0x1p53 + 2), .int(large)]
                + [.int(large + 1), .int(large + 2), .int(.max - 1), .int(.max), .double(0x1p63)]
                + [.double(.infinity), .double(.nan), .string(""), .date(.distantPast)]
                + ["0.1", "9007199254740993", "9007199254740993.5"].compactMap {
                    Decimal(string: $0).map(DataStoreValue.decimal)
                }
            try expectRanges(
                of: numbers.filter(samples.isDeclared), check, as: "ConformanceRangeNumbers",
                in: store)
        },
        CheckDefinition(
            "idx/order", clause: [12, 13, 20],
            "Items are in the order of an index in both directions, equal ones in the order of creation, also in pages."
        ) { check in
            var random = check.generator("keys")
            let keys: [DataStoreValue] = [
                .null, .int(0), .int(1), .double(1), .int(2), .string(""), .string("a"),
                .string("cafe\u{301}"), .string("caf\u{E9}"),
            ]
            let samples = SampleValues(check.capabilities)
            let count = 120
            let rows = (0..<count).map { number in
                var row = [other: DataStoreValue.int(Int64(number % 4))]
                // Some items never had a value for the attribute.
                if number % 17 != 0 { row[key] = random.pick(keys.filter(samples.isDeclared)) }
                if number % 5 != 0 { row[text] = .string("\(random.int(in: 0..<20))") }
                return row
            }
            let store = try check.openStore()
            for (place, indexes) in [
                [[key], [other, key, text]], [[key, text], [text], [other, key]],
            ].enumerated() {
                let corpus = try Corpus(
                    rows, indexes: indexes.map { IndexSchema($0) }, as: "ConformanceOrder\(place)",
                    in: store)
                var queries: [Query] = []
                for sort in sorts {
                    for (offset, limit) in [(0, 1), (5, 30), (count - 10, 20)] {
                        queries += [nil, .compare(other, .equal, .int(2))].map {
                            Query(predicate: $0, sort: sort, offset: offset, limit: limit)
                        }
                    }
                }
                try Answers(to: queries, of: corpus, check).expect("with indexes on \(indexes)")
                // If the items are read in pages, no item is missing or repeated.
                for ascending in [true, false] {
                    let sort = [DataStoreSortDescriptor(key: key, ascending: ascending)]
                    try corpus.store.read { db in
                        var walked: [ItemID] = []
                        for offset in stride(from: 0, to: count, by: 20) {
                            walked += try db.ids(
                                Query(sort: sort, offset: offset, limit: 20), of: corpus.type)
                        }
                        check.expectItems(
                            walked, try corpus.wanted(Query(sort: sort)), of: corpus,
                            "the pages of \(Query(sort: sort))", [key])
                    }
                }
            }
        },
        CheckDefinition(
            "idx/ignoring-case", clause: [10, 12, 20],
            "An index that ignores case answers requests with and without regard to case correctly."
        ) { check in
            var random = check.generator("texts")
            let texts = [
                "a", "A", "aB", "AB", "b", "B", "cafe\u{301}", "CAF\u{C9}", "CAFE", "\u{DF}", "ss",
                "SS",
                "I", "i", "\u{130}", "\u{3C3}", "\u{3C2}", "\u{3A3}", "", "Z",
            ]
            let rows = random.shuffled(texts + texts).enumerated().map { place, value in
                [text: DataStoreValue.string(value), other: .int(Int64(place % 3))]
            }
            let corpus = try Corpus(
                rows + [[:], [text: .int(1)]],
                indexes: [[text], [text, other], [other, text]].map {
                    IndexSchema($0, ignoresCase: true)
                }, as: "ConformanceIgnoringCase", in: check.openStore())
            let options: [DataStorePredicate.Options] = [
                [], .caseInsensitive, [.caseInsensitive, .diacriticInsensitive],
            ]
            var queries: [Query] = []
            for (place, value) in texts.enumerated() {
                for option in options {
                    let operand = DataStoreValue.string(value)
                    let list = DataStoreValue.array([operand, .string(random.pick(texts))])
                    var conditions = relations.map {
                        DataStorePredicate.compare(text, $0, operand, option)
                    }
                    conditions.append(.compare(text, .in, list, option))
                    conditions.append(.compare(text, .between, list, option))
                    if check.capabilities.predicateOperators.contains(.beginsWith) {
                        conditions.append(.compare(text, .beginsWith, operand, option))
                    }
                    queries += conditions.map { Query(predicate: $0) }
                    let condition = random.pick(conditions)
                    queries.append(
                        Query(predicate: .and([condition, .compare(other, .equal, .int(1))])))
                    for textOrder in TextOrder.allCases
                    where check.capabilities.textOrders.contains(textOrder) {
                        queries.append(
                            Query(
                                predicate: condition,
                                sort: [
                                    DataStoreSortDescriptor(
                                        key: text, ascending: place % 2 == 0, textOrder: textOrder)
                                ], limit: 5))
                    }
                }
            }
            try Answers(to: queries, of: corpus, check).expect(
                "with indexes without regard to case")
        },
        CheckDefinition(
            "idx/long-texts", clause: [10, 12, 20],
            "Texts that are equal in their first 600 bytes are distinguished, ordered and found by the rest."
        ) { check in
            var random = check.generator("texts")
            let store = try check.openStore()
            let ends = ["", "a", "a\0", "b", "ba", "c\u{301}", "\u{107}", "d", "\u{1F642}"]
            let shuffled = random.shuffled(ends + ends + ["n1", "n2"])
            // The answers depend only on the ends of the texts, and the reference computes them faster without the
            // prefix.
            let short = try Corpus(
                shuffled.map { [text: .string($0), other: .string($0)] }, as: "ConformanceShort",
                in: store)
            // One letter with one byte, and one with two bytes when composed and three when decomposed.
            for (place, letter) in ["x", "e\u{301}"].enumerated() {
                let long = String(repeating: letter, count: letter == "x" ? 600 : 300)
                let corpus = try Corpus(
                    shuffled.map { [text: .string(long + $0), other: .string($0)] },
                    indexes: [IndexSchema([text]), IndexSchema([text, other])],
                    as: "ConformanceLong\(place)", in: store)
                // Half of the bounds are used with each letter.
                let bounds = (ends + ["n1", "zz"]).enumerated().filter { $0.offset % 2 == place }
                for query in textQueries(bounds.map(\.element), check) {
                    let wanted = try short.wanted(query("")).compactMap { id in
                        short.ids.firstIndex(of: id).map { corpus.ids[$0] }
                    }
                    check.expectItems(
                        try corpus.answer(query(long)), wanted, of: corpus,
                        "\(query("")), each text \(long.utf8.count) bytes longer in front", [other])
                }
            }
        },
    ]

    /// Requests for texts, to which a common prefix is added later.
    private static func textQueries(
        _ ends: [String], _ check: CheckContext
    ) -> [(_ beginning: String) -> Query] {
        var queries: [(String) -> Query] = []
        for end in ends {
            for relation in relations {
                queries.append { Query(predicate: .compare(text, relation, .string($0 + end))) }
            }
            queries.append { beginning in
                let bounds = ["a", end].map { DataStoreValue.string(beginning + $0) }
                return Query(predicate: .compare(text, .between, .array(bounds)))
            }
            queries.append { beginning in
                let list = ["b", end].map { DataStoreValue.string(beginning + $0) }
                return Query(predicate: .compare(text, .in, .array(list)))
            }
            if !end.isEmpty, check.capabilities.predicateOperators.contains(.beginsWith) {
                queries.append { Query(predicate: .compare(text, .beginsWith, .string($0 + end))) }
            }
        }
        for sort in [[(text, true)], [(text, false)], [(text, true), (other, false)]] {
            let sort = sort.map { DataStoreSortDescriptor(key: $0.0, ascending: $0.1) }
            for limit in [1, 40] {
                queries.append { _ in Query(sort: sort, offset: 3, limit: limit) }
            }
        }
        return queries
    }

    private static let relations: [DataStorePredicate.Operator] = [
        .equal, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]

    /// Sort descriptors for the attributes with indexes, alone and together, in both directions.
    private static let sorts: [[DataStoreSortDescriptor]] = [
        [.ascending(key)], [.descending(key)],
        [.ascending(key), .ascending(text)], [.descending(key), .descending(text)],
        [.ascending(key), .descending(text)], [.descending(text), .ascending(other)],
        [.ascending(other), .ascending(key)], [.descending(other), .descending(key)],
    ]

    /// Expects the items on each side of each value, and the items between two values, with and without each bound.
    private static func expectRanges(
        of values: [DataStoreValue], _ check: CheckContext, as type: String,
        in store: any DataStore
    ) throws {
        var random = check.generator(type)
        // Each value occurs twice, among other values that each part of a range leaves out.
        let rows = random.shuffled(values + values).enumerated().map { place, value in
            [key: value, other: .int(Int64(place % 2))]
        }
        let corpus = try Corpus(
            rows, indexes: [IndexSchema([key]), IndexSchema([other, key])], as: type, in: store)
        var predicates: [DataStorePredicate] = []
        for (place, value) in values.enumerated() {
            // Each pair of bounds covers the value both inclusively and exclusively.
            let ways = [
                DataStorePredicate.Operator.equal, random.pick([.less, .lessOrEqual]),
                random.pick([.greater, .greaterOrEqual]),
            ]
            predicates += ways.map { .compare(key, $0, value) }
            if place % 2 == 0 {
                predicates.append(
                    .and([
                        .compare(key, random.pick(ways), value),
                        .compare(other, .equal, .int(1)),
                    ]))
            }
            // Ranges that end at the value itself, at the next one, or at the second next one, in one of the five ways.
            for end in values[place...].prefix(3) {
                let (lower, upper) = (
                    random.pick([DataStorePredicate.Operator.greater, .greaterOrEqual]),
                    random.pick([DataStorePredicate.Operator.less, .lessOrEqual])
                )
                predicates.append(
                    random.int(in: 0..<5) == 0
                        ? .compare(key, .between, .array([value, end]))
                        : .and([.compare(key, lower, value), .compare(key, upper, end)]))
            }
        }
        let queries = predicates.map { Query(predicate: $0) }
        try Answers(to: queries, of: corpus, check).expect("of neighbours")
    }
}
