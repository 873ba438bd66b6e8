import JustPersist

/// Requests and their answers by the contract.
///
/// They are computed once, and compared with a store's in several blocks.
struct Answers {
    private let corpus: Corpus
    private let check: CheckContext
    private var wanted: [(query: Query, ids: [ItemID])] = []

    /// Computes the contract's answers to requests for the current state of a corpus.
    init(to queries: [Query], of corpus: Corpus, _ check: CheckContext) throws {
        self.corpus = corpus
        self.check = check
        // Pages of one request are parts of one answer.
        var wholes: [Query: [ItemID]] = [:]
        for query in queries {
            let whole = Query(predicate: query.predicate, sort: query.sort)
            let all = try wholes[whole] ?? corpus.wanted(whole)
            wholes[whole] = all
            let rest = all.dropFirst(query.offset ?? 0)
            let limit = query.limit ?? 0
            wanted.append((query, Array(limit > 0 ? rest.prefix(limit) : rest)))
        }
    }

    /// Expects these answers in a read block.
    func expect(_ when: String, in store: (any DataStore)? = nil, line: Int = #line) throws {
        try (store ?? corpus.store).read { db in try expect(when, in: db, line: line) }
    }

    /// Expects these answers in an open block, and the correct counts.
    func expect<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ when: String, in db: borrowing Accessor, line: Int = #line
    ) throws {
        for (query, ids) in wanted {
            if try db.ids(query, of: corpus.type) != ids {
                let small = try smallest(query, in: db)
                check.expectItems(
                    try db.ids(small, of: corpus.type), try corpus.wanted(small), of: corpus,
                    "\(small) \(when) (shrunk from \(query); seed \(check.seed))", small.names,
                    line: line)
            }
            check.expectEqual(
                try db.performCount(query.request(corpus.type)), ids.count,
                "the count of \(query) \(when)", line: line)
        }
    }

    /// A simpler request that also has a wrong answer.
    private func smallest<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ query: Query, in db: borrowing Accessor
    ) throws -> Query {
        func isWrong(_ query: Query) throws -> Bool {
            try db.ids(query, of: corpus.type) != corpus.wanted(query)
        }
        var smallest = query
        let changes: [(inout Query) -> Void] = [
            { $0.offset = nil }, { $0.limit = nil }, { $0.sort = [] }, { $0.predicate = nil },
        ]
        for change in changes {
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
