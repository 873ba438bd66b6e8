import JustPersist

/// Checks of requests, and of the lifetime of their results.
enum RequestChecks {
    static let all: [CheckDefinition] = [
        CheckDefinition(
            "req/first-is-head-of-items", clause: [13],
            "The first item of a request is the first of its items."
        ) { check in
            let corpus = try Corpus.mixed(check, in: check.openStore())
            var generator = QueryGenerator(corpus, check)
            for _ in 0..<check.profile.pick(quick: 100, full: 300, soak: 3_000) {
                let query = generator.query()
                let (first, items) = try corpus.store.read { db in
                    (
                        db.firstItem(forRequest: query.request(corpus.type))?.uniqueToken,
                        db.items(forRequest: query.request(corpus.type)).map { $0.uniqueToken }
                    )
                }
                check.expectItems(
                    items, try corpus.wanted(query), of: corpus,
                    "items(forRequest:): \(query); seed \(check.seed)", query.names)
                check.expectEqual(
                    first, items.first,
                    "firstItem(forRequest:) against items(forRequest:).first: \(query); seed \(check.seed)"
                )
            }
        },
        CheckDefinition(
            "req/mutable-items-same-set", clause: [4, 8],
            "mutableItems returns the same items as items, in the same order, and each can be changed."
        ) { check in
            var corpus = try Corpus.mixed(check, in: check.openStore())
            var generator = QueryGenerator(corpus, check)
            for _ in 0..<check.profile.pick(quick: 40, full: 200, soak: 2_000) {
                let query = generator.query()
                let wanted = try corpus.answer(query)
                let (mutable, first, plain) = try corpus.store.write { db in
                    (
                        db.mutableItems(forRequest: query.request(corpus.type)).map {
                            $0.uniqueToken
                        },
                        db.firstMutableItem(forRequest: query.request(corpus.type))?.uniqueToken,
                        db.items(forRequest: query.request(corpus.type)).map { $0.uniqueToken }
                    )
                }
                for (ids, what) in [(mutable, "mutableItems"), (plain, "items in a write block")] {
                    check.expectItems(
                        ids, wanted, of: corpus,
                        "\(what) against items in a read block: \(query); seed \(check.seed)",
                        query.names)
                }
                check.expectEqual(
                    first, wanted.first, "firstMutableItem: \(query); seed \(check.seed)")
            }
            let changed = Query(
                predicate: .compare(Corpus.group, .notEqual, .null), offset: 3, limit: 9)
            let ids = try corpus.wanted(changed)
            try corpus.store.write { db in
                for item in db.mutableItems(forRequest: changed.request(corpus.type)) {
                    item.setValue(77, forKeyPath: Corpus.group)
                }
            }
            for id in ids {
                guard let index = corpus.ids.firstIndex(of: id) else { continue }
                corpus.note([Corpus.group: .int(77)], ofItem: index)
            }
            try check.expectAnswer(.compare(Corpus.group, .equal, .int(77)), of: corpus)
        },
        CheckDefinition(
            "req/request-is-not-modified", clause: [13],
            "A store does not change the predicate, sort, offset and limit of a request."
        ) { check in
            let corpus = try Corpus.mixed(check, in: check.openStore())
            var generator = QueryGenerator(corpus, check)
            for _ in 0..<20 {
                let query = generator.query()
                let after = try corpus.store.write { db in
                    let request = query.request(corpus.type)
                    _ = try db.performFetch(request)
                    _ = try db.performCount(request)
                    try db.performForEach(request) { _ in }
                    _ = db.firstItem(forRequest: request)
                    _ = db.mutableItems(forRequest: request)
                    _ = db.firstMutableItem(forRequest: request)
                    return Query(
                        predicate: request.predicate, sort: request.sortDescriptors ?? [],
                        offset: request.offset, limit: request.limit)
                }
                check.expectEqual(after, query, "a request after it was carried out in six ways")
            }
            // A refused request must not be changed either.
            let refused = Query(predicate: .constant(true), offset: -3, limit: -1)
            let after = try corpus.store.read { db in
                let request = refused.request(corpus.type)
                _ = try? db.performFetch(request)
                _ = try? db.performCount(request)
                return Query(
                    predicate: request.predicate, offset: request.offset, limit: request.limit)
            }
            check.expectEqual(after, refused, "a request after it was refused")
        },
        CheckDefinition(
            "req/request-reused", clause: [4],
            "One request object can be used repeatedly, and by eight threads at once."
        ) { check in
            let corpus = try Corpus.mixed(check, in: check.openStore())
            let query = Query(
                predicate: try DataStorePredicate("group >= 1"), sort: [.descending(Corpus.group)],
                offset: 2, limit: 30)
            let wanted = try corpus.wanted(query)
            let shared = SharedRequest(query.request(corpus.type))
            let rounds = check.profile.pick(quick: 20, full: 100, soak: 1_000)
            try check.threads(8) { thread in
                for round in 0..<rounds {
                    let (items, count, first) = try corpus.store.read { db in
                        (
                            try db.performFetch(shared.request).map { $0.uniqueToken },
                            try db.performCount(shared.request),
                            db.firstItem(forRequest: shared.request)?.uniqueToken
                        )
                    }
                    let place = "round \(round) of thread \(thread) with the one request of all"
                    check.expectItems(items, wanted, of: corpus, place, query.names)
                    check.expectEqual(count, wanted.count, "the count in \(place)")
                    check.expectEqual(first, wanted.first, "the first item in \(place)")
                }
            }
            // If its owner changes the request, its results change.
            let found = try corpus.store.read { db in
                let request = query.request(corpus.type)
                _ = try db.performFetch(request)
                request.limit = nil
                request.predicate = nil
                return try db.performFetch(request).map { $0.uniqueToken }
            }
            let changed = Query(sort: query.sort, offset: query.offset)
            check.expectItems(
                found, try corpus.wanted(changed), of: corpus,
                "a request without the predicate and limit that it was used with before",
                changed.names)
        },
        CheckDefinition(
            "req/unknown-type", clause: [14],
            "A type that the store has never seen has no items, and a request for it is not an error."
        ) { check in
            let store = try check.openStore()
            let corpus = try Corpus([["number": .int(1)]], in: store)
            let type = "ConformanceNeverSeen"
            func ask(
                _ query: Query, _ db: borrowing some DataStoreReadAccessor & ~Copyable
            ) throws -> [Int] {
                var walked = 0
                try db.performForEach(query.request(type)) { _ in walked += 1 }
                let found = try db.performFetchItem(ItemType(dynamic: type), id: corpus.ids[0])
                let items = try db.ids(query, of: type)
                let count = try db.performCount(query.request(type))
                return [
                    items.count, count,
                    db.items(forRequest: query.request(type)).count,
                    db.countItems(forRequest: query.request(type)),
                    db.firstItem(forRequest: query.request(type)) == nil ? 0 : 1, walked,
                    found == nil ? 0 : 1,
                ]
            }
            for query in [
                Query(), Query(predicate: .compare("number", .equal, .int(1))),
                Query(predicate: .compare("number", .equal, .null)),
                Query(sort: [.ascending("number")], offset: 1, limit: 2),
            ] {
                let reading = try store.read { db in try ask(query, db) }
                check.expectEqual(
                    reading, Array(repeating: 0, count: 7),
                    "items of an unknown type, asked for in seven ways in a read block: \(query)")
                let writing = try store.write { db in try ask(query, db) }
                check.expectEqual(
                    writing, Array(repeating: 0, count: 7),
                    "items of an unknown type, asked for in seven ways in a write block: \(query)")
            }
            check.expectEqual(
                check.errors.codes, [],
                "the errors given to the handler for requests for an unknown type")
            try check.expectAnswer(Query(), of: corpus)
        },
        CheckDefinition(
            "req/results-are-frozen", clause: [8],
            "The results of a read block do not change when others commit."
        ) { check in
            let store = try check.openStore()
            let corpus = try Corpus(
                (0..<10).map { ["number": .int($0), "text": .string("before \($0)")] },
                as: "ConformanceFrozen", in: store)
            var items: [any DataStoreItem] = []
            try store.read { db in
                items = try db.performFetch(
                    Query(sort: [.descending("number")]).request(corpus.type))
            }
            try store.write { db in
                for index in 0..<5 {
                    let item = try db.liveItem(corpus.type, corpus.ids[index])
                    try item.set(["number": .int(100), "text": .null])
                }
                for index in 5..<8 {
                    _ = try db.performDelete(try db.liveItem(corpus.type, corpus.ids[index]))
                }
                try db.create(corpus.type).set(["number": .int(200)])
            }
            check.expectItems(
                items.map { $0.uniqueToken }, corpus.ids.reversed(), of: corpus,
                "the items of a read block, after others were committed")
            for (place, item) in items.enumerated() {
                let number = Int64(9 - place)
                check.expectEqual(
                    [
                        try item.storedValue(forKeyPath: "number"),
                        try item.storedValue(forKeyPath: "text"),
                    ], [.int(number), .string("before \(number)")],
                    "the values of item \(number), got in a read block before it was changed")
            }
            try store.write { db in try db.performDeleteAll([ItemType(dynamic: corpus.type)]) }
            check.expectEqual(
                try items.map { try $0.storedValue(forKeyPath: "number") },
                (0..<10).reversed().map { .int($0) },
                "the values of items got in a read block before all were deleted")
        },
    ]

    /// A request that several threads use.
    ///
    /// Unchecked, because no thread changes the request, and the contract forbids stores to change it.
    private final class SharedRequest: @unchecked Sendable {
        let request: DataStoreRequest

        init(_ request: DataStoreRequest) { self.request = request }
    }
}
