import JustPersist

/// Indexes change no answer, and no two items have the same values where that is declared.
///
/// What is declared is a hint to a store that has no indexes, so these checks hold for it too. They see a store from
/// above: whether an index was used they neither know nor ask.
enum IndexChecks {
    static let all =
        answers + keeping + leaving + values + collections + uniqueness + changes + upserts

    /// The attribute with few whole numbers, which has an index.
    static let key = "key"
    /// The attribute with texts, which has an index.
    static let text = "text"
    /// The attribute without an index.
    static let other = "other"

    /// What ends a block for no fault of the store.
    struct Rollback: Error {}

    /// So many items with numbers of which each comes several times, texts, and an attribute without an index.
    ///
    /// Many enough that no store need take the trouble to read all of them for one number.
    static func numbered(
        _ count: Int = 320, indexes: [IndexSchema] = indexes, as type: String = "ConformanceIndex",
        in store: any DataStore
    ) throws -> Corpus {
        try Corpus(
            (0..<count).map(row), attributes: [key, text, other], indexes: indexes, as: type,
            in: store)
    }

    /// The values of an item: every 40th has the same number, every 13th no text.
    static func row(_ number: Int) -> [String: DataStoreValue] {
        [
            key: .int(Int64(number * 7 % 40)),
            text: number % 13 == 0 ? .null : .string("text \(number % 90)"),
            other: .int(Int64(number % 3)),
        ]
    }

    static let indexes = [
        IndexSchema([key]), IndexSchema([text]), IndexSchema([key, text]),
    ]

    /// Requests that look at an index from all sides: each part of it by itself, its two ends, and all of it in order.
    static let probes: [Query] =
        (-1...48).map { Query(predicate: .compare(key, .equal, .int($0))) }
        + [
            Query(), Query(predicate: .compare(key, .equal, .null)),
            Query(predicate: .compare(text, .equal, .null)),
            Query(predicate: .compare(key, .equal, .string("moved"))),
            Query(predicate: .compare(key, .greater, .int(38))),
            Query(predicate: .compare(key, .less, .int(1))),
            Query(predicate: .compare(key, .between, .array([.int(5), .int(6)]))),
            Query(predicate: .compare(key, .in, .array([.int(3), .int(41), .int(17), .null]))),
            Query(predicate: .compare(text, .equal, .string("text 7"))),
            Query(predicate: .compare(text, .in, .array([.string("new"), .string("text 89")]))),
            Query(
                predicate: .and([
                    .compare(key, .equal, .int(7)), .compare(text, .greater, .string("text 4")),
                ])),
        ]
        + [true, false].flatMap { ascending in
            [key, text].flatMap { attribute in
                let sort = [DataStoreSortDescriptor(key: attribute, ascending: ascending)]
                return [
                    Query(sort: sort, limit: 12), Query(sort: sort, offset: 20, limit: 12),
                    Query(
                        predicate: .compare(key, .less, .int(4)), sort: sort, limit: 40),
                    Query(sort: sort),
                ]
            }
        }

    /// Demands the contract's answers to all of them in a block of their own.
    static func expectProbes(
        of corpus: Corpus, _ check: CheckContext, _ when: String, line: Int = #line
    ) throws {
        try corpus.store.read { db in
            try expect(probes, of: corpus, check, when, in: db, line: line)
        }
    }

    /// Demands the contract's answers to requests, and the right number where they are counted.
    static func expect<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ queries: [Query], of corpus: Corpus, _ check: CheckContext, _ when: String,
        in db: borrowing Accessor, line: Int = #line
    ) throws {
        for query in queries {
            let wanted = try corpus.wanted(query)
            let found = try db.ids(query, of: corpus.type)
            if found != wanted {
                let small = try smallest(query, of: corpus, in: db)
                check.expectItems(
                    try db.ids(small, of: corpus.type), try corpus.wanted(small), of: corpus,
                    "\(small) \(when) (shrunk from \(query); seed \(check.seed))", small.names,
                    line: line)
            }
            check.expectEqual(
                try db.performCount(query.request(corpus.type)), wanted.count,
                "the count of \(query) \(when)", line: line)
        }
    }

    /// A smaller request that gets a wrong answer, too.
    private static func smallest<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ query: Query, of corpus: Corpus, in db: borrowing Accessor
    ) throws -> Query {
        func isWrong(_ query: Query) throws -> Bool {
            try db.ids(query, of: corpus.type) != corpus.wanted(query)
        }
        var smallest = query
        for change in [
            { (query: inout Query) in query.offset = nil }, { $0.limit = nil }, { $0.sort = [] },
            { $0.predicate = nil },
        ] {
            var smaller = smallest
            change(&smaller)
            if try isWrong(smaller) { smallest = smaller }
        }
        smallest.predicate = try smallest.predicate?.shrunk { predicate in
            var smaller = smallest
            smaller.predicate = predicate
            return try isWrong(smaller)
        }
        return smallest
    }
}
