import JustPersist

/// Checks of indexes over attributes with several values.
extension IndexChecks {
    static let collections: [CheckDefinition] = [
        CheckDefinition(
            "idx/collections", clause: [10, 11, 20], gate: .requires(.valueKind(.array)),
            "Each element of an array is found; an item is returned once, even if several of its elements match."
        ) { check in
            let count = 81
            var corpus = try Corpus(
                (0..<count).map { [key: tags($0), other: .int(Int64($0 % 3))] },
                indexes: [IndexSchema([key]), IndexSchema([other, key])],
                as: "ConformanceTags", in: check.openStore())
            let queries = tagQueries(check)
            try Answers(to: queries, of: corpus, check).expect("of arrays")
            // Elements are added, removed and moved.
            var changes: [(Int, [String: DataStoreValue])] = []
            for index in stride(from: 0, to: count, by: 4) {
                changes.append((index, [key: tags(index + 5)]))
            }
            changes.append((1, [key: .array([.int(3), .int(3), .int(4), .int(3)])]))
            changes.append((2, [key: .array([])]))
            changes.append((3, [key: .string("red green")]))
            let few = queries.enumerated().filter { $0.offset % 3 == 0 }.map(\.element)
            try corpus.store.write { db in
                for (index, values) in changes { try corpus.set(values, ofItem: index, db) }
            }
            try Answers(to: few, of: corpus, check).expect("after arrays were changed")
            try corpus.store.write { db in
                for index in stride(from: 1, to: count, by: 5).reversed() {
                    try corpus.delete(item: index, db)
                }
                try Answers(to: few, of: corpus, check)
                    .expect("in the block that deleted items", in: db)
            }
        }
    ]

    /// An array with no, one or several elements, some of them equal; for some numbers, a value that is no array.
    private static func tags(_ number: Int) -> DataStoreValue {
        let texts = ["red", "green", "blue", "", "re", "reddish", "cafe\u{301}"]
        switch number % 9 {
        case 0: return .array([])
        case 1: return .array([.int(Int64(number % 20))])
        case 2: return .array([.int(3), .double(3), .int(Int64(number % 7)), .int(3)])
        case 3: return .array([.string(texts[number % 7]), .string("red"), .string("red")])
        case 4: return .array([.int(1), .int(Int64(10 + number % 5))])
        case 5: return number % 2 == 0 ? .null : .string(texts[number % 7])
        case 6: return .int(Int64(number % 6))
        case 7: return .array([.null, .string("green"), .int(5)])
        default: return .array([.array([.int(3)]), .string(texts[number % 7])])
        }
    }

    private static func tagQueries(_ check: CheckContext) -> [Query] {
        let operands: [DataStoreValue] = [
            .int(3), .double(3), .int(11), .string("red"), .string("caf\u{E9}"), .string("r"),
            .null, .array([.int(3)]),
        ]
        var predicates: [DataStorePredicate] = []
        for operand in operands {
            predicates += [
                .compare(key, .equal, operand, modifier: .any), .compare(key, .equal, operand),
                .compare(key, .notEqual, operand, modifier: .any),
                .compare(key, .less, operand, modifier: .any),
                .compare(key, .greaterOrEqual, operand, modifier: .any),
                .compare(key, .greaterOrEqual, operand),
                .compare(key, .contains, operand),
                .compare(key, .beginsWith, operand, modifier: .any),
                .compare(key, .in, .array([operand, .int(4), .string("blue")]), modifier: .any),
                .compare(key, .in, .array([operand, .int(4), .string("blue")])),
                .compare(key, .between, .array([operand, .int(12)]), modifier: .any),
                // A constant in an array is one of its elements.
                .comparison(
                    .init(.value(operand), .in, .path(.init([key])))),
            ]
        }
        predicates += [
            // Requests by two elements, or by one.
            .and([
                .compare(key, .greater, .int(9), modifier: .any),
                .compare(key, .less, .int(2), modifier: .any),
            ]),
            .and([
                .compare(key, .equal, .int(3), modifier: .any),
                .compare(key, .equal, .int(4), modifier: .any),
            ]),
            .and([.compare(key, .greater, .int(9)), .compare(key, .less, .int(2))]),
        ]
        let operators = check.capabilities.predicateOperators
        let valid = predicates.filter { (try? $0.validate(operators: operators)) != nil }
        return valid.map { Query(predicate: $0) }
            + valid.enumerated().compactMap { place, predicate in
                switch place % 4 {
                case 0: Query(predicate: .not(predicate))
                case 1: Query(predicate: .and([predicate, .compare(other, .equal, .int(1))]))
                case 2: Query(predicate: predicate, sort: [.ascending(other)], offset: 1, limit: 9)
                default: nil
                }
            }
    }
}
