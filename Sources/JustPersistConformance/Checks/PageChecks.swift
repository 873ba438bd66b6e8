import JustPersist

/// Which slice of the items a request gives.
enum PageChecks {
    static let all: [CheckDefinition] = [
        CheckDefinition("page/limit", clause: [13], "A limit of n gives the first n items.") {
            check in
            let corpus = try ties(check)
            for limit in [1, 2, 7, 99] {
                try expectSlice(limit: limit, 0..<limit, of: corpus, check)
            }
        },
        CheckDefinition("page/offset", clause: [13], "An offset of n leaves out the first n items.")
        {
            check in
            let corpus = try ties(check)
            for offset in [0, 1, 50, 99] {
                try expectSlice(offset: offset, offset..<100, of: corpus, check)
            }
        },
        CheckDefinition(
            "page/offset-and-limit", clause: [13],
            "Offset and limit together give the slice between them."
        ) { check in
            let corpus = try ties(check)
            for (offset, limit) in [(0, 1), (3, 10), (90, 10), (99, 1), (50, 50)] {
                try expectSlice(
                    offset: offset, limit: limit, offset..<offset + limit, of: corpus, check)
            }
            // The predicate comes before the slice.
            for query in [
                Query(predicate: .compare("key", .equal, .int(2)), offset: 1, limit: 3),
                Query(
                    predicate: .compare("key", .notEqual, .int(0)), sort: [.descending("number")],
                    offset: 40, limit: 20),
            ] {
                try check.expectAnswer(query, of: corpus)
            }
        },
        CheckDefinition(
            "page/offset-equals-count", clause: [13],
            "An offset as large as the number of items leaves none."
        ) { check in
            let corpus = try ties(check)
            try expectSlice(offset: 100, 100..<100, of: corpus, check)
            try expectSlice(offset: 100, limit: 5, 100..<100, of: corpus, check)
        },
        CheckDefinition(
            "page/offset-beyond-count", clause: [13],
            "An offset beyond the number of items leaves none."
        ) { check in
            let corpus = try ties(check)
            for offset in [101, 1_000, .max] {
                try expectSlice(offset: offset, 100..<100, of: corpus, check)
                try expectSlice(offset: offset, limit: 5, 100..<100, of: corpus, check)
            }
        },
        CheckDefinition(
            "page/limit-beyond-count", clause: [13],
            "A limit beyond the number of items gives all there are."
        ) { check in
            let corpus = try ties(check)
            try expectSlice(limit: 100, 0..<100, of: corpus, check)
            try expectSlice(limit: 101, 0..<100, of: corpus, check)
            try expectSlice(offset: 95, limit: 10, 95..<100, of: corpus, check)
        },
        CheckDefinition("page/limit-zero", clause: [13], "A limit of 0 is no limit.") { check in
            let corpus = try ties(check)
            try expectSlice(limit: 0, 0..<100, of: corpus, check)
            try expectSlice(offset: 98, limit: 0, 98..<100, of: corpus, check)
            try expectSlice(offset: 100, limit: 0, 100..<100, of: corpus, check)
        },
        CheckDefinition(
            "page/negative-refused", clause: [13],
            "A negative offset or limit is refused, wherever it is used."
        ) { check in
            let corpus = try ties(check)
            for query in [
                Query(offset: -1), Query(limit: -1), Query(offset: .min), Query(limit: .min),
                Query(offset: -1, limit: 5), Query(offset: 200, limit: -3),
                Query(predicate: .constant(false), limit: -1),
            ] {
                check.expectError(.invalidRequest, what: "\(query)") {
                    _ = try corpus.answer(query)
                }
                check.expectError(.invalidRequest, what: "the count of \(query)") {
                    _ = try corpus.store.read { db in
                        try db.performCount(query.request(corpus.type))
                    }
                }
                check.expectError(.invalidRequest, what: "\(query), item by item") {
                    try corpus.store.read { db in
                        try db.performForEach(query.request(corpus.type)) { _ in }
                    }
                }
                check.expectError(.invalidRequest, what: "\(query), of a type without items") {
                    _ = try corpus.store.read { db in
                        try db.ids(query, of: "ConformanceNoSuchType")
                    }
                }
            }
            try check.expectAnswer(Query(), of: corpus)
        },
        CheckDefinition(
            "page/int-max", clause: [13],
            "Offset and limit may be as large as an Int, alone and together."
        ) { check in
            let corpus = try ties(check)
            try expectSlice(limit: .max, 0..<100, of: corpus, check)
            try expectSlice(offset: 1, limit: .max, 1..<100, of: corpus, check)
            try expectSlice(offset: 99, limit: .max - 1, 99..<100, of: corpus, check)
            try expectSlice(offset: .max, limit: .max, 100..<100, of: corpus, check)
            try expectSlice(offset: .max, limit: 1, 100..<100, of: corpus, check)
        },
        CheckDefinition(
            "page/walk-has-no-gap-or-duplicate", clause: [12, 13],
            "Pages put together are all items, each once, though many are equal in the sort."
        ) { check in
            let corpus = try ties(check)
            for sort in [[], [.ascending("key")], [.descending("key")], [.ascending("neverSet")]]
                as [[DataStoreSortDescriptor]]
            {
                var walked: [ItemID] = []
                for offset in stride(from: 0, to: 105, by: 7) {
                    walked += try corpus.answer(Query(sort: sort, offset: offset, limit: 7))
                }
                check.expectItems(
                    walked, try corpus.answer(Query(sort: sort)), of: corpus,
                    "pages of 7, put together, of \(Query(sort: sort))", ["key"])
                check.expectEqual(
                    Set(walked), Set(corpus.ids), "the items on pages of 7 of \(Query(sort: sort))")
            }
            // More than a store is likely to fetch at a time.
            let many = try Corpus(
                (0..<700).map { ["number": .int($0)] }, as: "ConformanceWalk", in: corpus.store)
            for query in [
                Query(), Query(offset: 300, limit: 300),
                Query(predicate: .compare("number", .greaterOrEqual, .int(100)), offset: 256),
            ] {
                check.expectItems(
                    try walk(query, of: many), try many.wanted(query), of: many,
                    "\(query), item by item", ["number"])
            }
        },
        CheckDefinition(
            "page/page-is-slice", clause: [13],
            "For random requests, a page is that slice of the whole answer."
        ) { check in
            let corpus = try Corpus.mixed(check, in: check.openStore())
            var generator = QueryGenerator(corpus, check)
            for _ in 0..<check.profile.pick(quick: 60, full: 300, soak: 3_000) {
                let query = generator.query()
                var whole = query
                whole.offset = nil
                whole.limit = nil
                let rest = try corpus.answer(whole).dropFirst(query.offset ?? 0)
                let limit = query.limit.flatMap { $0 == 0 ? nil : $0 } ?? .max
                let slice = Array(rest.prefix(limit))
                check.expectItems(
                    try corpus.answer(query), slice, of: corpus,
                    "the slice of the whole answer: \(query); seed \(check.seed)", query.names)
                check.expectItems(
                    try walk(query, of: corpus), slice, of: corpus,
                    "the slice, item by item: \(query); seed \(check.seed)", query.names)
                try check.expectAnswer(query, of: corpus)
            }
        },
        CheckDefinition(
            "page/count-honours-offset-limit", clause: [13],
            "For random requests, the count is the number of items that the request gives."
        ) { check in
            let corpus = try Corpus.mixed(check, in: check.openStore())
            var generator = QueryGenerator(corpus, check)
            for _ in 0..<check.profile.pick(quick: 100, full: 300, soak: 3_000) {
                let query = generator.query()
                let (count, items) = try corpus.store.read { db in
                    (
                        try db.performCount(query.request(corpus.type)),
                        try db.ids(query, of: corpus.type).count
                    )
                }
                check.expectEqual(count, items, "the count of \(query); seed \(check.seed)")
            }
            for (query, count) in [
                (Query(offset: 10), 50), (Query(limit: 7), 7), (Query(offset: 55, limit: 10), 5),
                (Query(offset: 60), 0), (Query(limit: 0), 60),
            ] {
                let counted = try corpus.store.read { db in
                    try db.performCount(query.request(corpus.type))
                }
                check.expectEqual(counted, count, "the count of \(query)")
            }
        },
    ]

    /// A hundred items with few keys.
    private static func ties(_ check: CheckContext) throws -> Corpus {
        try Corpus(
            (0..<100).map { ["key": .int($0 * 7 % 4), "number": .int($0)] }, as: "ConformancePage",
            in: check.openStore())
    }

    /// The items that a request gives one by one.
    private static func walk(_ query: Query, of corpus: Corpus) throws -> [ItemID] {
        try corpus.store.read { db in
            var ids: [ItemID] = []
            try db.performForEach(query.request(corpus.type)) { ids.append($0.uniqueToken) }
            return ids
        }
    }

    /// Demands a slice of the hundred, in the order of creation and sorted, in read and in write blocks.
    private static func expectSlice(
        offset: Int? = nil, limit: Int? = nil, _ range: Range<Int>, of corpus: Corpus,
        _ check: CheckContext, file: String = #fileID, line: Int = #line
    ) throws {
        for sort in [[], [.descending("number")], [.ascending("key")]]
            as [[DataStoreSortDescriptor]]
        {
            let query = Query(sort: sort, offset: offset, limit: limit)
            let wanted = Array(try corpus.wanted(Query(sort: sort))[range])
            check.expectItems(
                try corpus.answer(query), wanted, of: corpus, "\(query)", query.names, file: file,
                line: line)
            try check.expectAnswer(query, of: corpus, file: file, line: line)
            let inWrite = try corpus.store.write { db in try db.ids(query, of: corpus.type) }
            check.expectItems(
                inWrite, wanted, of: corpus, "\(query), in a write block", query.names, file: file,
                line: line)
        }
    }
}
