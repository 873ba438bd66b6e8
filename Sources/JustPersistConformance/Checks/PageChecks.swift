import JustPersist

/// Checks of the slice of items that a request returns.
enum PageChecks {
    static let all: [CheckDefinition] = [
        CheckDefinition(
            "page/slices", clause: [13],
            """
            An offset skips a number of items, and a limit returns at most that many of the others. A limit of 0 is no \
            limit, and both may be as large as an Int.
            """
        ) { check in
            let corpus = try ties(check)
            let slices: [(Int?, [Int?])] = [
                (nil, [1, 2, 7, 99, 100, 101, 0, .max]), (0, [nil, 1]), (1, [nil, .max]), (3, [10]),
                (50, [nil, 50]), (90, [10]), (95, [10]), (98, [0]), (99, [nil, 1, .max - 1]),
                (100, [nil, 5, 0]), (101, [nil, 5]), (1_000, [nil, 5]), (.max, [nil, 1, 5, .max]),
            ]
            for (offset, limits) in slices {
                for limit in limits {
                    let rest = min(offset ?? 0, 100)..<100
                    let count = limit == nil || limit == 0 ? rest.count : limit ?? 0
                    try expectSlice(
                        offset: offset, limit: limit,
                        rest.lowerBound..<rest.lowerBound + min(count, rest.count), of: corpus,
                        check)
                }
            }
            // The predicate is applied before the slice.
            for query in [
                Query(predicate: .compare("key", .equal, .int(2)), offset: 1, limit: 3),
                Query(
                    predicate: .compare("key", .notEqual, .int(0)), sort: [.descending("number")],
                    offset: 40, limit: 20),
            ] {
                try check.expectAnswer(query, of: corpus)
            }
        }
    ]

    /// Creates a hundred items with few different keys.
    private static func ties(_ check: CheckContext) throws -> Corpus {
        try Corpus(
            (0..<100).map { ["key": .int($0 * 7 % 4), "number": .int($0)] }, as: "ConformancePage",
            in: check.openStore())
    }

    /// Expects a slice of the hundred items, in the order of creation and sorted, in read and in write blocks.
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
