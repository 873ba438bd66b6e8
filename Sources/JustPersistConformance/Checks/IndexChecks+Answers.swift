import JustPersist

/// Checks of all requests, with indexes over all attributes.
extension IndexChecks {
    static let answers: [CheckDefinition] = [
        CheckDefinition(
            "idx/same-answers", clause: [10, 11, 12, 13, 20],
            "Indexes over attributes of every kind change no answer, whatever changes were made to the items."
        ) { check in
            let count = check.profile.pick(quick: 9, full: 150, soak: 2_000)
            var corpus = try Corpus.mixed(
                check, in: check.openStore(), size: 80, indexes: allIndexes(check))
            var queries = IndexQueries(corpus, check)
            func answers(_ corpus: Corpus) throws -> Answers {
                try Answers(to: (0..<count).map { _ in queries.query() }, of: corpus, check)
            }
            try answers(corpus).expect("once they are created")
            try corpus.store.write { db in
                try change(&corpus, every: 3, in: db)
                try answers(corpus).expect("in the block that changed some", in: db)
            }
            try answers(corpus).expect("after some were changed")
            _ = check.expectThrows("a block that throws") {
                try corpus.store.write { db in
                    var changed = corpus
                    try change(&changed, every: 2, in: db)
                    try delete(&changed, every: 5, in: db)
                    try answers(changed).expect("in a block that is rolled back", in: db)
                    throw Rollback()
                }
            }
            try answers(corpus).expect("after a block was rolled back")
            try corpus.store.write { db in
                try delete(&corpus, every: 4, in: db)
                try answers(corpus).expect("in the block that deleted some", in: db)
            }
            try answers(corpus).expect("after some were deleted")
            if check.reopeningKeepsData {
                corpus = Corpus(corpus, in: try check.reopened(corpus.store))
                try answers(corpus).expect("after the store was reopened")
            }
            let rows = corpus.ids.map { corpus.values(of: $0) }
            try corpus.store.write { db in
                try db.performDeleteAll([ItemType(dynamic: corpus.type)])
                corpus.noteDeletionOfAll()
                try answers(corpus).expect("in the block that deleted all", in: db)
            }
            try answers(corpus).expect("after all were deleted")
            try corpus.store.write { db in
                for values in rows.reversed() { try corpus.create(values, db) }
            }
            try answers(corpus).expect("after they were created again")
        },
        CheckDefinition(
            "idx/residual", clause: [11, 20],
            "A condition that no index can answer is applied together with one that an index answers."
        ) { check in
            let corpus = try numbered(in: check.openStore())
            let indexed: [DataStorePredicate] = [
                .compare(key, .equal, .int(7)), .compare(key, .less, .int(3)),
                .compare(key, .in, .array([.int(1), .int(8), .int(39)])),
                .compare(text, .equal, .string("text 7")),
                .compare(text, .between, .array([.string("text 1"), .string("text 20")])),
            ]
            let rest: [DataStorePredicate] = [
                .compare(other, .equal, .int(1)), .compare(other, .notEqual, .int(1)),
                .not(.compare(other, .less, .int(2))), .compare(text, .notEqual, .null),
                .compare(text, .equal, .null), .constant(false),
                .or([.compare(other, .equal, .int(2)), .compare(key, .equal, .int(8))]),
            ]
            var queries: [Query] = []
            for (place, first) in indexed.enumerated() {
                for second in rest {
                    let forms: [DataStorePredicate] = [
                        .and([first, second]), .and([second, first]), .or([first, second]),
                        .and([first, .not(second)]), .and([.and([second]), .or([first])]),
                        .not(.and([first, second])),
                    ]
                    // Uses the first form always, and the others in turn.
                    for form in [forms[0], forms[1 + queries.count % 5]] {
                        queries.append(Query(predicate: form))
                    }
                    queries.append(
                        Query(
                            predicate: forms[0],
                            sort: [DataStoreSortDescriptor(key: key, ascending: place % 2 == 0)],
                            limit: 3))
                }
            }
            try Answers(to: queries, of: corpus, check).expect("with an index on some of it")
        },
    ]

    /// Indexes over each attribute of the mixed corpus, over several together, and over key paths.
    private static func allIndexes(_ check: CheckContext) -> [IndexSchema] {
        let kinds = SampleValues(check.capabilities).kinds
        var indexes = SampleValues(check.capabilities).sortedKinds.map {
            IndexSchema([Corpus.attribute(for: $0)])
        }
        indexes += [[Corpus.anything], [Corpus.link]].map { IndexSchema($0) }
        func add(_ names: [String], if needed: Set<DataStoreValue.Kind>) {
            if kinds.isSuperset(of: needed) { indexes.append(IndexSchema(names)) }
        }
        let dictionary = Corpus.attribute(for: .dictionary)
        add([Corpus.group], if: [.int])
        add([Corpus.group, Corpus.anything], if: [.int])
        add([Corpus.anything, Corpus.group], if: [.int])
        add([Corpus.group, Corpus.attribute(for: .string)], if: [.int, .string])
        add(
            [Corpus.attribute(for: .int), Corpus.attribute(for: .double), Corpus.link],
            if: [.int, .double])
        add([dictionary + ".a"], if: [.dictionary])
        add([dictionary + ".a.x"], if: [.dictionary])
        add([Corpus.group, dictionary + ".b"], if: [.int, .dictionary])
        add([Corpus.link + "." + Corpus.group], if: [.int, .reference])
        indexes.append(IndexSchema([Corpus.anything], ignoresCase: true))
        if kinds.contains(.string) {
            let text = Corpus.attribute(for: .string)
            indexes.append(IndexSchema([text], ignoresCase: true))
            indexes.append(IndexSchema([text, Corpus.anything], ignoresCase: true))
        }
        return indexes
    }

    /// Sets the values of items to those of other items.
    private static func change(
        _ corpus: inout Corpus, every step: Int, in db: borrowing DataStoreWriter
    ) throws {
        for index in stride(from: 0, to: corpus.ids.count, by: step) {
            let values = corpus.values(of: corpus.ids[(index + 7) % corpus.ids.count])
            try corpus.set(values, ofItem: index, db)
        }
    }

    private static func delete(
        _ corpus: inout Corpus, every step: Int, in db: borrowing DataStoreWriter
    ) throws {
        for index in stride(from: 0, to: corpus.ids.count, by: step).reversed() {
            try corpus.delete(item: index, db)
        }
    }
}
