import JustPersist

/// Checks of the items that predicates find.
enum PredicateChecks {
    static let all: [CheckDefinition] =
        basics + logic + texts + language + evaluated + values + special + random

    /// The type whose items are made for one check by hand.
    private static let value = "value"

    private static let basics: [CheckDefinition] = [
        CheckDefinition(
            "pred/nil-and-constants", clause: [10, 11, 12],
            """
            Nil equals nil and what was never set, and is neither less nor greater than anything; constants and parts of \
            nothing find every item or none.
            """
        ) { check in
            let corpus = try withGaps(check)
            let all = Array(corpus.ids.indices)
            let written: [(String, [Int])] = [
                ("TRUEPREDICATE", all), ("FALSEPREDICATE", []), ("value == nil", [1, 2, 4]),
                ("value != nil", [0, 3, 5]), ("value < nil", []), ("value <= nil", []),
                ("value > nil", []), ("value >= nil", []), ("value < 5", [0]),
                ("neverSet == nil", all), ("neverSet != nil", []), ("neverSet == 1", []),
                ("neverSet != 1", all), ("neverSet < 1", []), ("neverSet IN {nil}", all),
                ("neverSet.below == nil", all), ("neverSet == nil AND value > 0", [0, 5]),
            ]
            let made: [(DataStorePredicate, [Int])] = [
                (.and([]), all), (.or([]), []), (.or([.or([]), .and([])]), all),
                (.compare(value, .in, .array([])), []),
            ]
            for (predicate, wanted) in try written.map({ (try DataStorePredicate($0), $1) }) + made
            {
                try check.expectItems(wanted, where: predicate, of: corpus)
                try check.expectItems(
                    all.filter { !wanted.contains($0) }, where: .not(predicate), of: corpus)
            }
            let mixed = try Corpus.mixed(check, in: corpus.store)
            check.expectItems(
                try mixed.answer(Query()), mixed.ids, of: mixed, "items without a predicate")
            for attribute in mixed.attributes {
                for relation in [DataStorePredicate.Operator.equal, .notEqual] {
                    try check.expectAnswer(.compare(attribute, relation, .null), of: mixed)
                }
            }
        },
        CheckDefinition(
            "pred/eq", clause: [10],
            "== finds the items whose value is equal, for every value of every declared kind."
        ) { check in
            try expectComparisons(check, [.equal])
            let corpus = try Corpus(
                ["cafe\u{301}", "caf\u{E9}", "cafe", "Cafe"].map { [value: .string($0)] },
                as: "ConformanceText", in: check.openStore())
            // The texts are canonically equivalent: equal in Swift, with different bytes.
            try check.expectItems(
                [0, 1], where: .compare(value, .equal, .string("caf\u{E9}")), of: corpus)
        },
        CheckDefinition(
            "pred/ne", clause: [10, 11],
            "!= finds the items whose value is not equal, including those without a value."
        ) { check in
            try expectComparisons(check, [.notEqual])
            let corpus = try Corpus(
                [[value: .int(1)], [value: .null], [:], [value: .string("1")], [value: .int(2)]],
                as: "ConformanceNumber", in: check.openStore())
            try check.expectItems(
                [1, 2, 3, 4], where: .compare(value, .notEqual, .int(1)), of: corpus)
        },
        CheckDefinition(
            "pred/lt-le-gt-ge", clause: [10],
            "<, <=, > and >= include or exclude every boundary value correctly."
        ) { check in
            let operators: [DataStorePredicate.Operator] = [
                .less, .lessOrEqual, .greater, .greaterOrEqual,
            ]
            let corpus = try Corpus(
                (1...5).map { [value: .int($0)] }, as: "ConformanceNumber", in: check.openStore())
            for (relation, wanted) in zip(operators, [[0, 1], [0, 1, 2], [3, 4], [2, 3, 4]]) {
                try check.expectItems(
                    wanted, where: .compare(value, relation, .int(3)), of: corpus)
            }
            try expectComparisons(check, operators, ofKinds: [.string, .int, .double, .date])
        },
        CheckDefinition(
            "pred/in", clause: [10, 11],
            "IN finds the items equal to an element: of any kind, repeated, or nil."
        ) { check in
            let corpus = try Corpus.mixed(check, in: check.openStore())
            let samples = SampleValues(check.capabilities)
            var random = check.generator("lists")
            for attribute in corpus.attributes {
                let present = corpus.state.rows.map { $0[attribute] }
                let some =
                    random.shuffled(present).prefix(4) + random.shuffled(samples.all).prefix(3)
                for list in [some + some, some + [.null], [.null], some.filter { !$0.isNull }] {
                    let predicate = DataStorePredicate.compare(attribute, .in, .array(Array(list)))
                    try check.expectAnswer(predicate, of: corpus)
                    try check.expectAnswer(.not(predicate), of: corpus)
                }
            }
            let gaps = try withGaps(check)
            try check.expectItems(
                [0, 1, 2, 4], where: try DataStorePredicate("value IN {1, nil, 1}"), of: gaps)
        },
        CheckDefinition(
            "pred/between", clause: [10],
            "BETWEEN includes both bounds, and finds nothing between reversed ones."
        ) { check in
            let numbers = try Corpus(
                (1...5).map { [value: .int($0)] } + [[:]], as: "ConformanceNumber",
                in: check.openStore())
            for (bounds, wanted) in [((2, 4), [1, 2, 3]), ((4, 2), []), ((3, 3), [2])] {
                let predicate = try DataStorePredicate("value BETWEEN {%d, %d}", bounds.0, bounds.1)
                try check.expectItems(wanted, where: predicate, of: numbers)
            }
            let corpus = try Corpus.mixed(check, in: check.openStore())
            let samples = SampleValues(check.capabilities)
            for kind in samples.sortedKinds {
                let values = samples.ascending(kind)
                let bounds = zip(values, values.dropFirst(2)).map { [$0, $1] }
                for pair in bounds + bounds.prefix(2).map({ $0.reversed() }) {
                    for attribute in [Corpus.attribute(for: kind), Corpus.anything] {
                        try check.expectAnswer(
                            .compare(attribute, .between, .array(pair)), of: corpus)
                    }
                }
            }
        },
    ]

    /// Compares each attribute of the mixed corpus with each value of its kind, and the attribute with values of all
    /// kinds with all values.
    private static func expectComparisons(
        _ check: CheckContext, _ operators: [DataStorePredicate.Operator],
        ofKinds kinds: Set<DataStoreValue.Kind> = Set(DataStoreValue.Kind.allCases),
        line: Int = #line
    ) throws {
        let corpus = try Corpus.mixed(check, in: check.openStore())
        let samples = SampleValues(check.capabilities)
        for kind in samples.sortedKinds where kinds.contains(kind) {
            for operand in samples.all(kind) {
                for relation in operators {
                    for attribute in [Corpus.attribute(for: kind), Corpus.anything] {
                        try check.expectAnswer(
                            .compare(attribute, relation, operand), of: corpus, line: line)
                    }
                }
            }
        }
    }

    /// Creates six items with the values 1, nil, never set, "text", set and removed, and 5.
    private static func withGaps(_ check: CheckContext) throws -> Corpus {
        var corpus = try Corpus(
            [
                [value: .int(1)], [value: .null], [:], [value: .string("text")],
                [value: .int(1)], [value: .int(5)],
            ], as: "ConformanceGaps", in: check.openStore())
        try corpus.set([(4, [value: .null])])
        return corpus
    }

    private static let logic: [CheckDefinition] = [
        CheckDefinition(
            "pred/and-or-not", clause: [11], "AND, OR and NOT follow their truth tables."
        ) { check in
            // Two attributes with three states each: true, false and nil.
            let states: [DataStoreValue] = [.int(1), .int(0), .null]
            let corpus = try Corpus(
                states.flatMap { p in states.map { q in ["p": p, "q": q] } },
                as: "ConformanceTruth",
                in: check.openStore())
            let p: Set = [0, 1, 2]
            let q: Set = [0, 3, 6]
            let all = Set(0..<9)
            for (format, wanted) in [
                ("p == 1", p), ("q == 1", q), ("p == 1 AND q == 1", p.intersection(q)),
                ("p == 1 OR q == 1", p.union(q)), ("NOT p == 1", all.subtracting(p)),
                ("NOT (p == 1 AND q == 1)", all.subtracting(p.intersection(q))),
                ("NOT (p == 1 OR q == 1)", all.subtracting(p.union(q))),
                ("NOT p == 1 AND NOT q == 1", all.subtracting(p.union(q))),
                ("NOT NOT p == 1", p),
                ("p == 1 AND q == 1 OR NOT p == 1", all.subtracting([1, 2])),
                ("p == 1 AND (q == 1 OR NOT p == 1)", [0]),
            ] {
                try check.expectItems(
                    wanted.sorted(), where: try DataStorePredicate(format), of: corpus)
            }
        },
        CheckDefinition(
            "pred/deeply-nested", clause: [16],
            "A predicate with 100 levels and 10,000 parts is answered, and a larger one is refused."
        ) { check in
            let corpus = try withGaps(check)
            func nested(_ levels: Int) -> DataStorePredicate {
                (1..<levels).reduce(DataStorePredicate.compare(value, .equal, .int(1))) {
                    inner, level in
                    level % 2 == 0 ? .not(.not(inner)) : .and([inner])
                }
            }
            func flat(_ parts: Int) -> DataStorePredicate {
                .or((1..<parts).map { .compare(value, .equal, .int(Int64($0) * 5)) })
            }
            try check.expectItems([0], where: nested(60), of: corpus)
            try check.expectItems([5], where: flat(10_000), of: corpus)
            let deep = (1..<100).reduce(DataStorePredicate.constant(false)) { inner, _ in
                .not(inner)
            }
            try check.expectItems([0, 1, 2, 3, 4, 5], where: deep, of: corpus)
            for (predicate, what) in [
                (.not(deep), "101 levels"), (nested(1_000), "1,500 levels"),
                (flat(10_001), "10,001 parts"),
            ] as [(DataStorePredicate, String)] {
                check.expectError(.limitExceeded, what: "a predicate with \(what)") {
                    _ = try corpus.answer(Query(predicate: predicate))
                }
                check.expectError(.limitExceeded, what: "counting by a predicate with \(what)") {
                    _ = try corpus.store.read { db in
                        try db.performCount(Query(predicate: predicate).request(corpus.type))
                    }
                }
            }
            try check.expectAnswer(nested(10), of: corpus)
        },
    ]
}
