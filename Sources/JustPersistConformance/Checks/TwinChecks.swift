import JustPersist

/// Checks that all ways to execute a request have equal results: in read blocks, with a block's own changes, and on a
/// snapshot that is older than the last commit.
enum TwinChecks {
    static let all: [CheckDefinition] = Way.allCases.map { way in
        CheckDefinition(
            "twin/\(way)", clause: [4, 10, 12, 13],
            "\(way.primitive) has the results of the contract, as the other ways do, in each kind of block."
        ) { check in
            var corpus = try Corpus.mixed(check, in: check.openStore())
            var generator = QueryGenerator(corpus, check, "twins")
            let count = check.profile.pick(quick: 40, full: 200, soak: 2_000)
            let queries = (0..<count).map { _ in
                var query = generator.query()
                if !way.isSliced { query = Query(predicate: query.predicate) }
                return query
            }
            try corpus.store.read { db in
                try expect(way, queries, corpus, "in a read block", db, check)
            }
            // Requests see a block's own changes together with the committed items.
            let group = DataStoreValue.int(7_777)
            try corpus.store.write { db in
                for index in stride(from: 0, to: corpus.ids.count, by: 3) {
                    try corpus.set([Corpus.group: group], ofItem: index, db)
                }
                try corpus.delete(item: corpus.ids.count - 1, db)
                for _ in 0..<3 { try corpus.create([Corpus.group: group], db) }
                try expect(way, queries + own(group), corpus, "over its block's changes", db, check)
            }
            try corpus.store.read { db in
                try expect(way, queries + own(group), corpus, "after the commit", db, check)
            }
            guard check.capabilities.hasConcurrentReads,
                !check.capabilities.threading.readsOnMainThread
            else { return }
            let snapshot = corpus
            try corpus.store.read { db in
                // The block has begun, and has not read anything yet.
                try check.start {
                    try snapshot.store.write { db in
                        for id in snapshot.ids {
                            try db.liveItem(snapshot.type, id).set([Corpus.group: .int(1)])
                        }
                    }
                }.join()
                try expect(
                    way, queries + own(group), snapshot, "in a block begun before a commit", db,
                    check)
            }
        }
    }

    private static func own(_ group: DataStoreValue) -> [Query] {
        let predicate = DataStorePredicate.compare(Corpus.group, .equal, group)
        return [Query(predicate: predicate), Query(predicate: .not(predicate))]
    }

    private static func expect<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ way: Way, _ queries: [Query], _ corpus: Corpus, _ when: String,
        _ db: borrowing Accessor, _ check: CheckContext
    ) throws {
        for query in queries {
            let found = try way.answer(to: query.request(corpus.type), db)
            let wanted = try corpus.wanted(query)
            let what = "\(way.primitive) of \(query) \(when); seed \(check.seed)"
            check.expectEqual(found.count, wanted.count, "the number of items that \(what) gives")
            if let ids = found.ids, ids != wanted {
                check.expectItems(ids, wanted, of: corpus, what, query.names)
            }
        }
    }
}
