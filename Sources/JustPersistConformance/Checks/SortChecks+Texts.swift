import Foundation
import JustPersist

/// Checks of text orders that a request specifies.
extension SortChecks {
    static let texts: [CheckDefinition] = [
        CheckDefinition(
            "sort/text-orders", clause: [10, 12], gate: .requires(.writtenTextOrders),
            "Texts are sorted without regard to case, and by the numbers in them, if the request specifies it."
        ) { check in
            let store = try check.openStore()
            // Groups of equal texts, in ascending order.
            let orders: [(TextOrder, [[String]])] = [
                (
                    .caseInsensitive,
                    [
                        [""], ["10"], ["9"], ["_"], ["a", "A"], ["a\0B", "A\0b"],
                        ["Ab", "aB", "ab"],
                        ["B"], ["cafe"], ["CAF\u{C9}", "cafe\u{301}", "Caf\u{E9}"], ["z", "Z"],
                        ["\u{C4}", "\u{E4}"], ["\u{416}", "\u{436}"],
                    ]
                ),
                (
                    .numeric,
                    [
                        [""], ["/"], ["0", "00"], ["007", "7"], ["7a"], ["07b", "7b"], ["8"],
                        ["10", "0010"],
                        ["10 2"], ["10 10"], ["100000000000000000000"], ["100000000000000000001"],
                        ["999999999999999999999"], [":"], ["A2"], ["a1b10"],
                        ["a01b010c", "a1b10c"], ["a2"],
                        ["a10"], ["a\u{301}2", "\u{E1}02"], ["\u{E1}10"],
                    ]
                ),
            ]
            var random = check.generator("places")
            for (textOrder, groups) in orders
            where check.capabilities.textOrders.contains(textOrder) {
                let texts = random.shuffled(groups.flatMap { $0 })
                let corpus = try Corpus(
                    texts.map { ["key": .string($0)] } + [[:], ["key": .int(5)]],
                    as: "ConformanceTexts\(textOrder)", in: store)
                func wanted(_ groups: [[String]]) -> [Int] {
                    groups.flatMap { group in
                        texts.indices.filter { group.contains(where: texts[$0].isIdentical) }
                    }
                }
                let (none, number) = (texts.count, texts.count + 1)
                try expect(
                    check, Query(sort: [.ascending("key", textOrder)]),
                    [none, number] + wanted(groups), of: corpus)
                try expect(
                    check, Query(sort: [.descending("key", textOrder)]),
                    wanted(groups.reversed()) + [number, none], of: corpus)
                try check.expectAnswer(
                    Query(sort: [.descending("key", textOrder)], offset: 3, limit: 4), of: corpus)
            }
        },
        CheckDefinition(
            "sort/text-order-of-each-key", clause: [12],
            "Each key has its own text order, and if texts are equal in it, the next key decides."
        ) { check in
            let texts = ["b", "B", "a", "A", "b10", "B9", "a\u{308}", "\u{C4}", "10", "9", ""]
            var random = check.generator("texts")
            let corpus = try Corpus(
                (0..<60).map { _ in
                    ["a": .string(random.pick(texts)), "b": .string(random.pick(texts))]
                }, as: "ConformanceTextKeys", in: check.openStore())
            let orders = TextOrder.allCases.filter(check.capabilities.textOrders.contains)
            for first in orders {
                for second in orders {
                    for descending in [false, true] {
                        let sort = [
                            DataStoreSortDescriptor(
                                key: "a", ascending: !descending, textOrder: first),
                            DataStoreSortDescriptor(key: "b", ascending: true, textOrder: second),
                        ]
                        try check.expectAnswer(Query(sort: sort), of: corpus)
                        try check.expectAnswer(Query(sort: sort, offset: 7, limit: 11), of: corpus)
                    }
                }
            }
        },
        CheckDefinition(
            "sort/undeclared-text-order-refused", clause: [12, 19],
            gate: .counterCheck(.allTextOrders),
            "An order of texts that the store does not declare is refused."
        ) { check in
            let corpus = try Corpus.mixed(check, in: check.openStore())
            for textOrder in TextOrder.allCases
            where !check.capabilities.textOrders.contains(textOrder) {
                for key in ["stringValue", "neverSet"] {
                    let query = Query(sort: [.ascending(Corpus.group), .ascending(key, textOrder)])
                    check.expectError(.unsupported, what: "\(query)") {
                        _ = try corpus.answer(query)
                    }
                    check.expectError(.unsupported, what: "the count of \(query)") {
                        _ = try corpus.store.read { db in
                            try db.performCount(query.request(corpus.type))
                        }
                    }
                }
            }
        },
    ]
}

extension String {
    /// Whether the texts have equal scalars, and are not only canonically equivalent.
    fileprivate func isIdentical(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
