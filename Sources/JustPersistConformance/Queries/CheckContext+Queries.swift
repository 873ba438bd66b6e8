import JustPersist

/// Expectations of the checks of requests.
extension CheckContext {
    /// Expects that a store answers a query as the contract does: with equal items in an equal order, and with their
    /// number as the count.
    func expectAnswer(
        _ query: Query, of corpus: Corpus, file: String = #fileID, line: Int = #line
    ) throws {
        let wanted = try corpus.wanted(query)
        expectSuccess("\(query)", file: file, line: line) {
            let (answer, count) = try corpus.store.read { db in
                (
                    try db.ids(query, of: corpus.type),
                    try db.performCount(query.request(corpus.type))
                )
            }
            expectItems(answer, wanted, of: corpus, "\(query)", query.names, file: file, line: line)
            expectEqual(count, wanted.count, "the count of \(query)", file: file, line: line)
        }
    }

    /// Expects that a store answers a request that has only a predicate as the contract does.
    func expectAnswer(
        _ predicate: DataStorePredicate, of corpus: Corpus, file: String = #fileID,
        line: Int = #line
    ) throws {
        try expectAnswer(Query(predicate: predicate), of: corpus, file: file, line: line)
    }

    /// Expects that a predicate finds the items with these numbers, in the order of creation.
    func expectItems(
        _ indexes: [Int], where predicate: DataStorePredicate, of corpus: Corpus,
        file: String = #fileID, line: Int = #line
    ) throws {
        let query = Query(predicate: predicate)
        let wanted = indexes.map { corpus.ids[$0] }
        // The table in the check and the reference evaluator must agree.
        try require(
            try corpus.wanted(query) == wanted, "The kit contradicts itself about \(query)",
            file: file, line: line)
        try expectAnswer(query, of: corpus, file: file, line: line)
    }

    /// Expects the items that the predicates of these formats find.
    func expectItems(
        of corpus: Corpus, _ table: (format: String, wanted: [Int])..., file: String = #fileID,
        line: Int = #line
    ) throws {
        for (format, wanted) in table {
            try expectItems(
                wanted, where: DataStorePredicate(format), of: corpus, file: file, line: line)
        }
    }

    /// Expects items in an order.
    ///
    /// A failure lists the items that are missing, unexpected or out of order.
    func expectItems(
        _ actual: [ItemID], _ wanted: [ItemID], of corpus: Corpus,
        _ what: @autoclosure () -> String, _ attributes: @autoclosure () -> Set<String> = [],
        file: String = #fileID, line: Int = #line, via inner: Int = #line
    ) {
        expect(
            actual == wanted,
            "\(what()): \(corpus.difference(between: actual, wanted, attributes()))", file: file,
            line: line, via: inner)
    }
}

extension Corpus {
    /// A description of the difference between an answer and the expected one.
    func difference(
        between actual: [ItemID], _ wanted: [ItemID], _ attributes: Set<String>
    ) -> String {
        func list(_ ids: [ItemID]) -> String {
            let shown = ids.prefix(3).map { words(for: $0, attributes) }.joined(separator: "; ")
            return ids.count > 3 ? "\(shown) and \(ids.count - 3) more" : shown
        }
        let missing = wanted.filter { !Set(actual).contains($0) }
        let surplus = actual.filter { !Set(wanted).contains($0) }
        var parts: [String] = []
        if !missing.isEmpty { parts.append("missing: \(list(missing))") }
        if !surplus.isEmpty { parts.append("too many: \(list(surplus))") }
        if Set(actual).count < actual.count { parts.append("some came more than once") }
        if parts.isEmpty,
            let place = zip(actual, wanted).enumerated().first(where: { $1.0 != $1.1 })
        {
            parts.append(
                """
                out of order: place \(place.offset) has \(words(for: place.element.0, attributes)), \
                expected \(words(for: place.element.1, attributes))
                """)
        }
        return """
            expected \(wanted.count) items, got \(actual.count); \(parts.joined(separator: "; "))
            """
    }
}

extension Query {
    /// The attributes that the query names.
    var names: Set<String> {
        Set(sort.map { String($0.key.prefix { $0 != "." }) }).union(predicate?.names ?? [])
    }
}

extension DataStorePredicate {
    /// The attributes that the predicate names.
    var names: Set<String> { Set(paths.compactMap(\.components.first)) }
}
