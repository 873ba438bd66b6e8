import JustPersist

/// Checks of the order of equal items, and of items that change.
extension SortChecks {
    static let order: [CheckDefinition] = [
        CheckDefinition(
            "sort/ties-are-stable", clause: [12],
            "Items with equal keys are in the order of their creation, also in write blocks."
        ) { check in
            let store = try check.openStore()
            var random = check.generator("ties")
            let keys: [DataStoreValue] = [.null, .int(1), .double(1), .string("e\u{301}")]
            // The id is created first and inserted last. The place of the item depends on its id.
            let early = ItemID()
            var corpus = try Corpus(
                (0..<50).map { ["key": keys[$0 % 3], "number": .int(Int64($0))] },
                as: "ConformanceTies", in: store)
            let queries = [
                Query(sort: [.ascending("key")]), Query(sort: [.descending("key")]),
                Query(
                    predicate: .compare("number", .notEqual, .int(7)), sort: [.descending("key")]),
                Query(sort: [.descending("key"), .ascending("neverSet")]),
                Query(sort: [.ascending("key")], offset: 5, limit: 20),
                Query(sort: [.descending("key")], offset: 30, limit: 15), Query(),
            ]
            for query in queries { try check.expectAnswer(query, of: corpus) }
            // A change of an item must not move it among equal items.
            for index in random.shuffled(Array(corpus.ids.indices)).prefix(20) {
                try corpus.set([(index, ["number": .int(Int64(100 + index))])])
            }
            for query in queries { try check.expectAnswer(query, of: corpus) }
            try store.write { db in
                for index in stride(from: 40, to: 0, by: -7) {
                    try corpus.set(["key": keys[1]], ofItem: index, db)
                }
                try corpus.delete(item: 3, db)
                for _ in 0..<5 { try corpus.create(["key": keys[2]], db) }
                let inserted = DynamicItem(corpus.type, id: early, values: ["key": keys[1]])
                _ = try db.performInsert(inserted)
                corpus.noteItem(early, ["key": keys[1]])
                for query in queries {
                    check.expectItems(
                        try db.ids(query, of: corpus.type), try corpus.wanted(query), of: corpus,
                        "in the write block that changed them: \(query)", query.names)
                }
            }
            for query in queries { try check.expectAnswer(query, of: corpus) }
        },
        CheckDefinition(
            "sort/after-update", clause: [12],
            "An item whose key changes is found at its new place, and no longer at the old one."
        ) { check in
            var corpus = try Corpus(
                (0..<20).map { ["key": .int($0 * 10)] }, as: "ConformanceMoving",
                in: check.openStore())
            let queries = [
                Query(sort: [.ascending("key")]), Query(sort: [.descending("key")]),
                Query(sort: [.ascending("key")], offset: 2, limit: 5),
                Query(predicate: .compare("key", .less, .int(100)), sort: [.ascending("key")]),
            ]
            for (index, value) in [
                (10, .int(-5)), (0, .int(95)), (19, .null), (5, .string("text")), (5, .int(50)),
                (19, .double(45.5)), (3, .int(40)), (10, .double(.nan)),
            ] as [(Int, DataStoreValue)] {
                try corpus.set([(index, ["key": value])])
                for query in queries { try check.expectAnswer(query, of: corpus) }
            }
            let sorted = try corpus.answer(Query(sort: [.ascending("key")]))
            check.expectEqual(
                sorted.last, corpus.ids[10], "the item whose key became NaN is the last")
        },
    ]
}
