import JustPersist

/// Checks of patterns, and of computed operands.
extension PredicateChecks {
    static let language: [CheckDefinition] = [
        CheckDefinition(
            "pred/like", clause: [10], gate: .requires(.operators([.like])),
            "In LIKE, * matches any characters and ? matches one; the wildcards of SQL match only themselves."
        ) { check in
            let corpus = try texts(
                [
                    "", "a", "ab", "a%", "a_", "a\\b", "a*b", "caf\u{E9}", "cafe\u{301}", "a\nb",
                    "A",
                ],
                check)
            for (pattern, wanted) in [
                ("*", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), ("?", [1, 10]),
                ("a*", [1, 2, 3, 4, 5, 6, 9]),
                ("a?", [2, 3, 4]), ("a%", [3]), ("a_", [4]), ("a\\*b", [6]), ("a\\\\b", [5]),
                ("a?b", [5, 6, 9]), ("caf?", [7, 8]), ("cafe\u{301}", [7, 8]), ("caf", []),
                ("", [0]),
                ("*b", [2, 5, 6, 9]), ("?*?", [2, 3, 4, 5, 6, 7, 8, 9]),
            ] as [(String, [Int])] {
                try check.expectItems(
                    wanted, where: .compare("text", .like, .string(pattern)), of: corpus)
            }
            try check.expectItems(
                of: corpus,
                ("text LIKE[c] 'A'", [1, 10]), ("text LIKE[cd] 'CAF?'", [7, 8]),
                ("text LIKE[d] 'caf?'", [7, 8]), ("NOT text LIKE '?*'", [0]),
                ("missing LIKE '*'", []))
        },
        CheckDefinition(
            "pred/matches", clause: [10, 14], gate: .requires(.operators([.matches])),
            "MATCHES compares the whole text with a regular expression. Invalid ones are refused, and slow ones end."
        ) { check in
            let endless = String(repeating: "a", count: 40) + "!"
            let corpus = try texts(
                ["", "a", "ab", "Ab", "aab", "caf\u{E9}", "a\nb", endless], check)
            for (pattern, wanted) in [
                ("a", [1]), ("a.*", [1, 2, 4, 7]), ("a|ab", [1, 2]), ("", [0]), ("a+b", [2, 4]),
                ("caf.", [5]), ("(?s)a.b", [4, 6]), ("^ab$", [2]), ("b", []),
            ] as [(String, [Int])] {
                try check.expectItems(
                    wanted, where: .compare("text", .matches, .string(pattern)), of: corpus)
            }
            try check.expectItems(
                of: corpus,
                ("text MATCHES[c] 'AB'", [2, 3]), ("text MATCHES[d] 'cafe'", [5]),
                ("text MATCHES[cd] 'CAFE'", [5]), ("NOT text MATCHES 'a.*'", [0, 3, 5, 6]),
                ("missing MATCHES '.*'", []))
            let broken = Query(predicate: .compare("text", .matches, .string("(")))
            check.expectError(.invalidPredicate, what: "\(broken)") {
                _ = try corpus.answer(broken)
            }
            // A store whose regular expressions take linear time can answer, and need not refuse.
            let costly = Query(predicate: .compare("text", .matches, .string("(a+)+")))
            do {
                check.expectItems(
                    try corpus.answer(costly), [corpus.ids[1]], of: corpus, "\(costly)")
            } catch let error as DataStoreError where error.code == .limitExceeded {}
        },
        CheckDefinition(
            "pred/arithmetic", clause: [10, 11],
            "Arithmetic is exact for whole numbers, and nil where it has no result."
        ) { check in
            let corpus = try Corpus(
                [
                    ["a": .int(7), "b": .int(2)], ["a": .int(-7), "b": .int(2)],
                    ["a": .int(7), "b": .double(2)], ["a": .int(.max), "b": .int(1)],
                    ["a": .int(7), "b": .int(0)], ["a": .string("7"), "b": .int(2)],
                    ["a": .null, "b": .int(2)], ["b": .int(2)], ["a": .bool(true), "b": .int(2)],
                ], as: "ConformanceNumber", in: check.openStore())
            try check.expectItems(
                of: corpus,
                ("a + b == 9", [0, 2]), ("a - b == 5", [0, 2]), ("a * b == 14", [0, 2]),
                ("a / b == 3", [0]), ("a / b == -3", [1]), ("a / b == 3.5", [2]),
                ("a / b == nil", [4, 5, 6, 7]),
                ("a + b == nil", [5, 6, 7]), ("a + b > a", [0, 1, 2, 3, 8]),
                ("a + b == decimal('9223372036854775808')", [3]), ("a ** b == 49", [0, 1, 2]),
                ("modulus:by:(a, b) == 1", [0, 2, 8]), ("modulus:by:(a, b) == -1", [1]),
                ("a + b * 2 == 11", [0, 2]), ("(a + b) * 2 == 18", [0, 2]), ("-a == 7", [1]),
                ("abs(a) == 7", [0, 1, 2, 4]), ("NOT a + b == 9", [1, 3, 4, 5, 6, 7, 8]),
                ("a BETWEEN {b + 1, b * 4}", [0, 2]), ("b IN {1 + 1, 5}", [0, 1, 2, 5, 6, 7, 8]),
                ("a > 3 + 3", [0, 2, 3, 4]), ("now() > CAST(0, 'NSDate')", Array(0..<9)))
        },
        CheckDefinition(
            "pred/functions", clause: [10, 11],
            "Functions accept characters of more than one scalar, and constants, alone and with attributes."
        ) { check in
            let corpus = try texts(
                [
                    "", "a", "\u{E9}", "e\u{301}", "\u{1F3F3}\u{FE0F}\u{200D}\u{1F308}",
                    "\u{10428}b", "STRASSE",
                ],
                check)
            let all = Array(0..<7)
            try check.expectItems(
                of: corpus,
                ("length(text) == 0", [0]), ("length(text) == 1", [1, 2, 3, 4]),
                ("length(text) == 2", [5]), ("uppercase(text) == '\u{C9}'", [2, 3]),
                ("uppercase(text) == '\u{10400}B'", [5]), ("lowercase(text) == 'strasse'", [6]),
                ("uppercase('stra\u{DF}e') == text", [6]),
                ("length('\u{1F3F3}\u{FE0F}\u{200D}\u{1F308}') == 1", all),
                ("uppercase('\u{10428}') == '\u{10400}'", all), ("abs(-3) == 3", all),
                ("sqrt(16) == 4", all), ("floor(2.7) == 2", all), ("trunc(-2.7) == -2", all),
                ("length('ab') == length(text)", [5]), ("length(nil) == nil", all),
                ("uppercase('a') == 'a'", []), ("sum(1, 2, 3) == 6", all),
                ("max(1, 5, 3) == 5", all))
        },
        CheckDefinition(
            "pred/collection-operators", clause: [10, 11], gate: .requires(.valueKind(.array)),
            "Collection operators, brackets and functions use all elements of an array."
        ) { check in
            let corpus = try Corpus(
                [
                    ["list": .array([.int(1), .int(2), .int(3), .int(4)])],
                    ["list": .array([.int(5), .null, .int(5)])], ["list": .array([])],
                    ["list": .array([.int(1), .string("x")])], ["list": .null], ["list": .int(5)],
                ], as: "ConformanceList", in: check.openStore())
            try check.expectItems(
                of: corpus,
                ("list.@sum == 10", [0, 1]), ("list.@sum == 0", [2]),
                ("list.@sum == nil", [3, 4, 5]),
                ("list.@avg == 2.5", [0]), ("list.@avg == nil", [2, 3, 4, 5]),
                ("list.@min == 5", [1]),
                ("list.@max == 4", [0]), ("list.@max == nil", [2, 3, 4, 5]),
                ("median(list) == 2.5", [0]),
                ("list.@distinctUnionOfObjects.@count == 2", [1, 3]), ("list[0] == 1", [0, 3]),
                ("list[FIRST] == 5", [1]), ("list[LAST] == 4", [0]), ("list[SIZE] == 3", [1]),
                ("list[1] == nil", [1, 2, 4, 5]), ("list[9] == nil", Array(0..<6)),
                ("list.@lastObject == 'x'", [3]))
        },
        CheckDefinition(
            "pred/subquery", clause: [9, 10, 11], gate: .requires(.valueKind(.array)),
            "SUBQUERY finds elements by a predicate in which $x is the element and other paths are the item's."
        ) { check in
            let corpus = try Corpus(
                [
                    ["list": .array([.int(1), .int(5), .int(9)]), "limit": .int(4)],
                    ["list": .array([.int(1), .int(5), .int(9)]), "limit": .int(8)],
                    ["list": .array([]), "limit": .int(0)], ["list": .null, "limit": .int(0)],
                    ["list": .int(5), "limit": .int(4)], ["list": .array([.string("ab"), .null])],
                ], as: "ConformanceList", in: check.openStore())
            try check.expectItems(
                of: corpus,
                ("SUBQUERY(list, $x, $x > 4).@count == 2", [0, 1]),
                ("SUBQUERY(list, $x, $x > limit).@count == 2", [0]),
                ("SUBQUERY(list, $x, $x > limit).@count == 1", [1]),
                ("SUBQUERY(list, $x, $x > limit).@count == 0", [2, 5]),
                ("SUBQUERY(list, $x, $x > limit).@count == nil", [3, 4]),
                ("SUBQUERY(list, $x, $x == nil).@count == 1", [5]),
                ("SUBQUERY(list, $x, $x > 4)[0] == 5", [0, 1]),
                ("SUBQUERY(list, $x, SUBQUERY(list, $y, $y > $x).@count == 0)[0] == 9", [0, 1]),
                ("TERNARY(limit > 5, 'big', 'small') == 'big'", [1]),
                ("CAST(limit, 'NSString') == '8'", [1]),
                ("TERNARY(ANY list > 8, list[LAST], limit) == 9", [0, 1]))
        },
    ]
}
