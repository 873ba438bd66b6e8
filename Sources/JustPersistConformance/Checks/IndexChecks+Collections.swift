import JustPersist

/// Indexes over attributes with several values.
extension IndexChecks {
    static let collections: [CheckDefinition] = [
        CheckDefinition(
            "idx/collections", clause: [10, 11, 20], gate: .requires(.valueKind(.array)),
            "Each element of an array is found, an item once however many of its elements are."
        ) { check in
            var corpus = try Corpus(
                (0..<300).map { [key: tags($0), other: .int(Int64($0 % 3))] },
                indexes: [IndexSchema([key]), IndexSchema([other, key])],
                as: "ConformanceTags", in: check.openStore())
            let queries = tagQueries(check)
            try corpus.store.read { db in
                try expect(queries, of: corpus, check, "of arrays", in: db)
            }
            // Elements come, go, and change places.
            var changes: [(Int, [String: DataStoreValue])] = []
            for index in stride(from: 0, to: 300, by: 4) {
                changes.append((index, [key: tags(index + 5)]))
            }
            changes.append((1, [key: .array([.int(3), .int(3), .int(4), .int(3)])]))
            changes.append((2, [key: .array([])]))
            changes.append((3, [key: .string("red green")]))
            try corpus.store.write { db in
                for (index, values) in changes {
                    try db.liveItem(corpus.type, corpus.ids[index]).set(values)
                    corpus.note(values, ofItem: index)
                }
                try expect(
                    queries, of: corpus, check, "in the block that changed arrays", in: db)
            }
            try corpus.store.read { db in
                try expect(queries, of: corpus, check, "after arrays were changed", in: db)
            }
            try corpus.store.write { db in
                for index in stride(from: 1, to: 300, by: 5).reversed() {
                    _ = try db.performDelete(db.liveItem(corpus.type, corpus.ids[index]))
                    corpus.noteDeletion(ofItem: index)
                }
            }
            try corpus.store.read { db in
                try expect(queries, of: corpus, check, "after items were deleted", in: db)
            }
        }
    ]

    /// No elements, one or some, equal ones among them; and some values that are no arrays.
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
            .int(3), .double(3), .int(11), .int(0), .int(-1), .string("red"), .string(""),
            .string("caf\u{E9}"), .string("r"), .null, .array([.int(3)]), .array([]),
            .array([.int(1), .int(11)]),
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
            // By two elements, or by one.
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
        let restricted = valid.map {
            DataStorePredicate.and([$0, .compare(other, .equal, .int(1))])
        }
        return (valid + valid.map(DataStorePredicate.not) + restricted).map { Query(predicate: $0) }
            + valid.prefix(40).map {
                Query(predicate: $0, sort: [.ascending(other)], offset: 1, limit: 9)
            }
    }
}
