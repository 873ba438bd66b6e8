import Foundation
import JustPersist

/// Checks of comparisons between kinds, of ids, and of requests that are refused.
extension PredicateChecks {
    static let values: [CheckDefinition] = [
        CheckDefinition(
            "pred/numeric-cross-kind", clause: [10],
            "Numbers of different kinds compare by their exact values."
        ) { check in
            let samples = SampleValues(check.capabilities)
            let values: [DataStoreValue] = [
                .int(1), .double(1), .decimal(1), .bool(true), .int(9_007_199_254_740_993),
                .double(9_007_199_254_740_992), .decimal(9_007_199_254_740_993), .double(0.1),
                .decimal(Decimal(sign: .plus, exponent: -1, significand: 1)), .double(-0.0),
                .int(0),
                .bool(false), .int(.max), .double(0x1p63), .string("1"),
            ].filter(samples.isDeclared)
            let corpus = try Corpus(
                values.map { ["number": $0] }, as: "ConformanceNumber", in: check.openStore())
            for (operand, wanted) in [
                (.int(1), [.int(1), .double(1), .decimal(1), .bool(true)]),
                (.double(9_007_199_254_740_992), [.double(9_007_199_254_740_992)]),
                (
                    .int(9_007_199_254_740_993),
                    [.int(9_007_199_254_740_993), .decimal(9_007_199_254_740_993)]
                ),
                (.double(0), [.double(-0.0), .int(0), .bool(false)]),
                // One tenth is not exactly representable as a Double.
                (.double(0.1), [.double(0.1)]), (.int(.max), [.int(.max)]),
                (.double(0x1p63), [.double(0x1p63)]),
            ] as [(DataStoreValue, [DataStoreValue])] {
                let indexes = values.indices.filter { wanted.contains(values[$0]) }
                try check.expectItems(
                    indexes, where: .compare("number", .equal, operand), of: corpus)
                try check.expectItems(
                    indexes, where: .compare("number", .in, .array([operand])), of: corpus)
            }
            for operand in values {
                for relation: DataStorePredicate.Operator in [.less, .greaterOrEqual, .notEqual] {
                    try check.expectAnswer(.compare("number", relation, operand), of: corpus)
                }
            }
        },
        CheckDefinition(
            "pred/kind-mismatch-is-false", clause: [10],
            "Values of different kinds are not equal and have no order."
        ) { check in
            let corpus = try Corpus.mixed(check, in: check.openStore())
            let samples = SampleValues(check.capabilities)
            for kind in samples.sortedKinds {
                for other in samples.sortedKinds where isOther(other, than: kind) {
                    guard let operand = samples.ascending(other).last else { continue }
                    let attribute = Corpus.attribute(for: kind)
                    for relation: DataStorePredicate.Operator in [.equal, .less, .greater] {
                        try check.expectItems(
                            [], where: .compare(attribute, relation, operand), of: corpus)
                    }
                    try check.expectItems(
                        Array(corpus.ids.indices), where: .compare(attribute, .notEqual, operand),
                        of: corpus)
                }
            }
        },
        CheckDefinition(
            "pred/nan", clause: [10], gate: .requires(.valueKind(.double)),
            "NaN equals no value, including itself, and has no order."
        ) { check in
            let corpus = try Corpus(
                [.double(.nan), .double(1), .null, .double(.infinity), .int(0)].map {
                    ["number": $0]
                }, as: "ConformanceNumber", in: check.openStore())
            let nan = DataStoreValue.double(.nan)
            for relation: DataStorePredicate.Operator in [
                .equal, .less, .lessOrEqual, .greater, .greaterOrEqual,
            ] {
                try check.expectItems([], where: .compare("number", relation, nan), of: corpus)
            }
            let all = [0, 1, 2, 3, 4]
            try check.expectItems(all, where: .compare("number", .notEqual, nan), of: corpus)
            try check.expectItems([], where: .compare("number", .in, .array([nan])), of: corpus)
            try check.expectItems(
                [1, 3], where: .compare("number", .greaterOrEqual, .int(1)), of: corpus)
            try check.expectItems(
                [4], where: .compare("number", .less, .int(1)), of: corpus)
            try check.expectItems(
                [0, 1, 2, 3], where: .not(.compare("number", .less, .int(1))), of: corpus)
            try check.expectItems(
                [], where: .compare("number", .between, .array([nan, nan])), of: corpus)
        },
        CheckDefinition(
            "pred/unknown-attribute", clause: [14],
            "A request that names an attribute that the type does not have is refused."
        ) { check in
            let store = try check.openStore()
            let corpus = try Corpus(
                (0..<3).map { ["number": .int($0)] }, as: "ConformanceNumber", in: store)
            func expectRefusal(
                _ what: String, line: Int = #line,
                _ body: (borrowing DataStoreReader, DataStoreRequest) throws -> Void
            ) {
                check.expectError(.unknownAttribute, what: what, line: line) {
                    try store.performRead { db in
                        try body(db, DataStoreRequest(type: ItemType(dynamic: corpus.type)))
                    }
                }
            }
            for format in [
                "nope == nil", "number == 1 AND NOT nope.below == 1", "nope.@count == 1",
            ] {
                for isCount in [false, true] {
                    expectRefusal(isCount ? "counting where \(format)" : "fetching where \(format)")
                    {
                        db, request in
                        request.predicate = try DataStorePredicate(format)
                        _ =
                            isCount
                            ? try db.performCount(request) : try db.performFetch(request).count
                    }
                }
            }
            for key in ["nope", "nope.below", "number * nope"] {
                expectRefusal("sorting by \(key)") { db, request in
                    request.sortDescriptors = [.ascending(key)]
                    _ = try db.performFetch(request)
                }
                expectRefusal("grouping by \(key)") { db, request in
                    _ = try db.performAggregate(
                        request, DataStoreAggregation(groupedBy: [key], [.count]))
                }
                expectRefusal("the count of \(key)") { db, request in
                    _ = try db.performAggregate(request, DataStoreAggregation([.count(key)]))
                }
            }
        },
        CheckDefinition(
            "pred/by-unique-token", clause: [8],
            "uniqueToken finds an item by its id, as a UUID, as text and as a reference."
        ) { check in
            let store = try check.openStore()
            let corpus = try Corpus(
                (0..<5).map { ["number": .int($0)] }, as: "ConformanceToken", in: store)
            let others = try Corpus([[:]], as: "ConformanceTokenOther", in: store)
            let id = corpus.ids[2]
            for operand: Any in [
                id.uuid, id.description, id.uuid.uuidString,
                ItemReference(itemTypeKey: corpus.type, id: id),
            ] {
                try check.expectItems(
                    [2], where: try DataStorePredicate("uniqueToken == %@", operand), of: corpus)
                try check.expectItems(
                    [0, 1, 3, 4], where: try DataStorePredicate("uniqueToken != %@", operand),
                    of: corpus)
            }
            let both = [corpus.ids[3].uuid, corpus.ids[1].uuid, ItemID().uuid]
            for (format, operand, wanted) in [
                ("uniqueToken IN %@", both, [1, 3]), ("NOT uniqueToken IN %@", both, [0, 2, 4]),
                ("uniqueToken == %@ AND number == 2", id.uuid, [2]),
                ("uniqueToken == %@ AND number == 1", id.uuid, []),
                ("uniqueToken == %@ OR number == 0", id.uuid, [0, 2]),
                ("uniqueToken == %@", others.ids[0].uuid, []), ("uniqueToken == %@", "2", []),
                ("number == %@", id.uuid, []),
            ] as [(String, Any, [Int])] {
                try check.expectItems(
                    wanted, where: try DataStorePredicate(format, operand), of: corpus)
            }
        },
    ]

    static let special: [CheckDefinition] = [
        CheckDefinition(
            "pred/undeclared-operator-refused", clause: [14, 19],
            gate: .counterCheck(.allPredicateOperators),
            "An operator that the store does not declare is refused anywhere in a predicate."
        ) { check in
            let corpus = try Corpus.mixed(check, in: check.openStore())
            let undeclared = Set(DataStorePredicate.Operator.allCases).subtracting(
                check.capabilities.predicateOperators)
            for relation in undeclared.sorted(by: { $0.rawValue < $1.rawValue }) {
                let operand: DataStoreValue =
                    switch relation {
                    case .in, .between: .array([.string("a"), .string("b")])
                    default: .string("a")
                    }
                let bare = DataStorePredicate.compare("stringValue", relation, operand)
                // A store must refuse the operator even if other parts decide the result.
                for predicate in [
                    bare, .not(bare), .or([.constant(true), bare]), .and([.constant(false), bare]),
                    .compare("neverSet", relation, operand),
                    // This also applies to predicates inside an expression.
                    .comparison(
                        .init(
                            .subquery(.path(.init(["arrayValue"])), variable: "x", bare), .equal,
                            .value(.array([])))),
                    .comparison(.init(.condition(bare), .equal, .value(.bool(true)))),
                ] {
                    let request = Query(predicate: predicate)
                    check.expectError(.unsupported, what: "\(request)") {
                        _ = try corpus.answer(request)
                    }
                    check.expectError(.unsupported, what: "the count of \(request)") {
                        _ = try corpus.store.read { db in
                            try db.performCount(request.request(corpus.type))
                        }
                    }
                }
            }
        }
    ]

    /// Whether a predicate considers the two kinds different.
    ///
    /// All numbers count as one kind.
    private static func isOther(
        _ other: DataStoreValue.Kind, than kind: DataStoreValue.Kind
    ) -> Bool {
        let numbers: Set<DataStoreValue.Kind> = [.bool, .int, .double, .decimal]
        return other != kind && !(numbers.contains(other) && numbers.contains(kind))
    }
}
