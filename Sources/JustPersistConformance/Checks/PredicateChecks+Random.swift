import JustPersist

/// Checks that compare random predicates with each other and with the reference evaluator.
extension PredicateChecks {
    static let random: [CheckDefinition] = [
        CheckDefinition(
            "pred/partition", clause: [11],
            "Every item matches either a predicate or its negation, and none matches both."
        ) { check in
            let corpus = try Corpus.mixed(check, in: check.openStore())
            var generator = QueryGenerator(corpus, check)
            for _ in 0..<check.profile.pick(quick: 60, full: 300, soak: 3_000) {
                let predicate = generator.predicate()
                let (found, rest) = try corpus.store.read { db in
                    (
                        try db.ids(Query(predicate: predicate), of: corpus.type),
                        try db.ids(Query(predicate: .not(predicate)), of: corpus.type)
                    )
                }
                check.expectItems(
                    (found + rest).sorted(), corpus.ids, of: corpus,
                    "the items where P together with those where NOT P, for P: \(Query(predicate: predicate)); seed \(check.seed)",
                    predicate.names)
            }
        },
        CheckDefinition(
            "pred/and-is-intersection", clause: [11],
            "AND finds the items that both parts find, and OR the items that either part finds."
        ) { check in
            let corpus = try Corpus.mixed(check, in: check.openStore())
            var generator = QueryGenerator(corpus, check)
            for _ in 0..<check.profile.pick(quick: 40, full: 200, soak: 2_000) {
                let (p, q) = (generator.predicate(depth: 2), generator.predicate(depth: 2))
                let (inP, inQ, inBoth, inEither) = try corpus.store.read { db in
                    let answers = try [p, q, .and([p, q]), .or([p, q])].map {
                        Set(try db.ids(Query(predicate: $0), of: corpus.type))
                    }
                    return (answers[0], answers[1], answers[2], answers[3])
                }
                for (what, actual, wanted) in [
                    ("AND", inBoth, inP.intersection(inQ)), ("OR", inEither, inP.union(inQ)),
                ] {
                    check.expectItems(
                        actual.sorted(), wanted.sorted(), of: corpus,
                        "P \(what) Q against the items of P and those of Q, for P: \(Query(predicate: p)), Q: \(Query(predicate: q)); seed \(check.seed)",
                        p.names.union(q.names))
                }
            }
        },
        CheckDefinition(
            "pred/random-predicates", clause: [10, 11],
            "Random predicates find the same items as the reference evaluator, in read and in write blocks."
        ) { check in
            var corpus = try Corpus.mixed(check, in: check.openStore())
            var generator = QueryGenerator(corpus, check)
            let count = check.profile.pick(quick: 150, full: 300, soak: 3_000)
            for _ in 0..<count {
                let predicate = generator.predicate()
                try expectAgreement(predicate, of: corpus, check, "in a read block") { query in
                    try corpus.answer(query)
                }
            }
            // The comparison is repeated in a write block with uncommitted changes.
            let predicates = (0..<count / 2).map { _ in generator.predicate() }
            try corpus.store.write { db in
                for index in stride(from: 0, to: corpus.ids.count, by: 3) {
                    let values = corpus.values(of: corpus.ids[(index + 7) % corpus.ids.count])
                    try corpus.set(values, ofItem: index, db)
                }
                for predicate in predicates {
                    try expectAgreement(predicate, of: corpus, check, "in a write block") { query in
                        try db.ids(query, of: corpus.type)
                    }
                }
            }
        },
    ]

    /// Expects the reference evaluator's answer.
    ///
    /// A failure shows the smallest predicate with a wrong answer, and an item for which it is wrong.
    private static func expectAgreement(
        _ predicate: DataStorePredicate, of corpus: Corpus, _ check: CheckContext, _ place: String,
        line: Int = #line, _ answer: (Query) throws -> [ItemID]
    ) throws {
        let query = Query(predicate: predicate)
        let (actual, wanted) = (try answer(query), try corpus.wanted(query))
        guard actual != wanted else {
            return check.expectItems(actual, wanted, of: corpus, "\(query)", line: line)
        }
        let odd = Set(actual).symmetricDifference(wanted).min()
        let smallest = try predicate.shrunk { simpler in
            let query = Query(predicate: simpler)
            let (actual, wanted) = (try answer(query), try corpus.wanted(query))
            // The answer must stay wrong for one item, so that a shrunk case shows the original failure.
            return odd.map { actual.contains($0) != wanted.contains($0) } ?? (actual != wanted)
        }
        let small = Query(predicate: smallest)
        check.expectItems(
            try answer(small), try corpus.wanted(small), of: corpus,
            "\(small) \(place) (shrunk from \(query); seed \(check.seed))", smallest.names,
            line: line)
    }
}
