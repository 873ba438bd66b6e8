import JustPersist

/// Checks of texts, collections and paths.
extension PredicateChecks {
    static let texts: [CheckDefinition] = [
        CheckDefinition(
            "pred/begins-ends-contains", clause: [10],
            gate: .requires(.operators([.beginsWith, .endsWith, .contains])),
            "Text operators compare composed texts; no text contains the empty text."
        ) { check in
            let corpus = try texts(
                ["", "café", "cafe\u{301}", "a\0b", "ab", "Ab", "100%", "aXa", "X"], check)
            for (relation, part, wanted) in [
                (.beginsWith, "a", [3, 4, 7]), (.beginsWith, "caf\u{E9}", [1, 2]),
                // The text does not contain the letter without its accent.
                (.beginsWith, "cafe", []), (.endsWith, "e\u{301}", [1, 2]),
                (.endsWith, "b", [3, 4, 5]),
                (.endsWith, "%", [6]), (.contains, "\0", [3]), (.contains, "X", [7, 8]),
                (.contains, "a\0b longer", []), (.beginsWith, "", []), (.endsWith, "", []),
                (.contains, "", []),
            ] as [(DataStorePredicate.Operator, String, [Int])] {
                try check.expectItems(
                    wanted, where: .compare("text", relation, .string(part)), of: corpus)
            }
            let mixed = try Corpus.mixed(check, in: corpus.store)
            let samples = SampleValues(check.capabilities).all(.string)
            for operand in samples {
                for relation: DataStorePredicate.Operator in [.beginsWith, .endsWith, .contains] {
                    let predicate = DataStorePredicate.compare(
                        Corpus.attribute(for: .string), relation, operand)
                    try check.expectAnswer(predicate, of: mixed)
                    try check.expectAnswer(.not(predicate), of: mixed)
                    try check.expectAnswer(
                        .compare(Corpus.anything, relation, operand), of: mixed)
                }
            }
        },
        CheckDefinition(
            "pred/case-insensitive", clause: [10],
            "[c] folds case independent of the locale: ß is SS, ς is Σ, and İ is not i."
        ) { check in
            let corpus = try texts(
                ["straße", "STRASSE", "ΣΑΣ", "σας", "İ", "i", "I", "ı", "É", "e\u{301}", "e"], check
            )
            for (text, wanted) in [
                ("Strasse", [0, 1]), ("σασ", [2, 3]), ("I", [5, 6]), ("\u{E9}", [8, 9]),
                ("E", [10]),
            ] {
                try check.expectItems(
                    wanted, where: try DataStorePredicate("text ==[c] %@", text), of: corpus)
            }
            try check.expectItems(
                [0, 1], where: try DataStorePredicate("text IN[c] %@", ["STRASSE"]), of: corpus)
            if check.capabilities.predicateOperators.contains(.beginsWith) {
                try check.expectItems(
                    [0, 1], where: try DataStorePredicate("text BEGINSWITH[c] 'sTr'"), of: corpus)
            }
            try check.expectItems([6], where: try DataStorePredicate("text == 'I'"), of: corpus)
        },
        CheckDefinition(
            "pred/diacritic-insensitive", clause: [10],
            "[d] ignores accents, however they are written, and [cd] case as well."
        ) { check in
            let corpus = try texts(
                ["cafe", "caf\u{E9}", "cafe\u{301}", "Café", "cafes", "\u{1E69}", "s"], check)
            try check.expectItems(
                of: corpus,
                ("text ==[d] 'cafe'", [0, 1, 2]), ("text ==[d] 'caf\u{E9}'", [0, 1, 2]),
                ("text ==[cd] 'CAFE'", [0, 1, 2, 3]), ("text ==[d] 's'", [5, 6]),
                ("text == 'cafe'", [0]), ("NOT text ==[cd] 'cafe'", [4, 5, 6]))
            if check.capabilities.predicateOperators.contains(.contains) {
                try check.expectItems(
                    [0, 1, 2, 3, 4],
                    where: try DataStorePredicate("text CONTAINS[d] 'afe'"), of: corpus)
            }
        },
        CheckDefinition(
            "pred/any-all-in-collection", clause: [10], gate: .requires(.valueKind(.array)),
            "ANY, ALL, NONE and CONTAINS examine the elements of arrays, and @count counts them."
        ) { check in
            let corpus = try Corpus(
                [
                    ["list": .array([.int(1), .int(5)])], ["list": .array([.int(2)])],
                    ["list": .array([])], ["list": .null], ["list": .int(5)],
                    ["list": .array([.string("caf\u{E9}"), .null])],
                ], as: "ConformanceList", in: check.openStore())
            var facts: [(String, [Int])] = [
                ("ANY list > 1", [0, 1]), ("ANY list == 5", [0]),
                ("NOT ANY list > 1", [2, 3, 4, 5]),
                ("ANY list == 'cafe\u{301}'", [5]), ("ANY list ==[cd] 'CAFE'", [5]),
                ("ANY list == nil", [5]), ("ANY list IN {2, 5}", [0, 1]),
                ("list.@count == 0", [2]), ("list.@count > 1", [0, 5]),
                ("list.@count == nil", [3, 4]), ("2 IN list", [1]), ("ALL list > 1", [1, 2, 3]),
                ("ALL list IN {1, 2, 5}", [0, 1, 2, 3]), ("NOT ALL list > 1", [0, 4, 5]),
                ("NONE list > 1", [2, 3, 4, 5]), ("SOME list == 2", [1]),
                ("ALL list == 5", [2, 3]), ("ALL missing == 5", [0, 1, 2, 3, 4, 5]),
            ]
            if check.capabilities.predicateOperators.contains(.contains) {
                facts += [
                    ("list CONTAINS 5", [0]), ("list CONTAINS 'cafe\u{301}'", [5]),
                    ("list CONTAINS nil", [5]),
                ]
            }
            for (format, wanted) in facts {
                try check.expectItems(wanted, where: try DataStorePredicate(format), of: corpus)
            }
            // All elements: none that is otherwise.
            try check.expectItems(
                [1, 2, 3, 4, 5], where: try DataStorePredicate("NOT ANY list == 5"), of: corpus)
        },
        CheckDefinition(
            "pred/nested-key-path", clause: [9, 11], gate: .requires(.valueKind(.dictionary)),
            "A path leads through dictionaries, and a missing link is nil."
        ) { check in
            func nested(_ value: DataStoreValue) -> [String: DataStoreValue] {
                ["a": .dictionary(["b": .dictionary(["c": value])])]
            }
            let corpus = try Corpus(
                [
                    nested(.int(1)), nested(.int(2)), nested(.null),
                    ["a": .dictionary(["b": .int(1)])],
                    ["a": .dictionary([:])], ["a": .int(1)], [:],
                    ["a": .dictionary(["b.c": .int(1)])],
                ], as: "ConformancePath", in: check.openStore())
            try check.expectItems(
                of: corpus,
                ("a.b.c == 1", [0]), ("a.b.c > 0", [0, 1]), ("a.b.c == nil", [2, 3, 4, 5, 6, 7]),
                ("a.b == 1", [3]), ("a.b.c.d == nil", [0, 1, 2, 3, 4, 5, 6, 7]))
        },
        CheckDefinition(
            "pred/attribute-against-attribute", clause: [10, 11],
            "Two attributes of one item are compared as two values are."
        ) { check in
            let corpus = try Corpus(
                [
                    ["a": .int(1), "b": .int(2)], ["a": .int(2), "b": .double(2)],
                    ["a": .string("z"), "b": .string("y")], ["a": .int(1), "b": .string("1")],
                    ["a": .null], [:], ["b": .int(1)],
                ], as: "ConformancePair", in: check.openStore())
            try check.expectItems(
                of: corpus,
                ("a < b", [0]), ("a == b", [1, 4, 5]), ("a != b", [0, 2, 3, 6]), ("a > b", [2]),
                ("a >= b", [1, 2]), ("a BETWEEN {b, b}", [1]), ("a IN {b, 1}", [0, 1, 3, 4, 5]))
        },
        CheckDefinition(
            "pred/special-characters-in-operand", clause: [10],
            "Quotes, special characters and line ends in an operand are ordinary text."
        ) { check in
            let values = [
                "'", "\"", "''", "\\", "\\'", "%", "%@", "%K", "_", "*", "?", "\n", "\r\n", "\0",
                "a\0b", "a", "'; --", "value == 1", "$x", "#", "{1}", "\u{FFFD}", "nil", "",
            ]
            let corpus = try texts(values, check)
            for (index, value) in values.enumerated() {
                try check.expectItems(
                    [index], where: try DataStorePredicate("text == %@", value), of: corpus)
                try check.expectItems(
                    [index], where: .compare("text", .in, .array([.string(value)])), of: corpus)
            }
            if check.capabilities.predicateOperators.contains(.contains) {
                for value in values {
                    try check.expectAnswer(
                        .compare("text", .contains, .string(value)), of: corpus)
                }
            }
        },
    ]

    /// Creates an item for each text.
    static func texts(_ texts: [String], _ check: CheckContext) throws -> Corpus {
        try Corpus(
            texts.map { ["text": .string($0)] }, as: "ConformanceText", in: check.openStore())
    }
}
