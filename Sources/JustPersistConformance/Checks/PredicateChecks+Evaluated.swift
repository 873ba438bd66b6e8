import JustPersist

/// Checks of conditions in Swift code, and of texts that are searched by characters.
extension PredicateChecks {
    static let evaluated: [CheckDefinition] = [
        CheckDefinition(
            "pred/evaluated", clause: [4, 10, 11],
            "A condition in Swift code, anywhere in a predicate, is evaluated on the items of the block, or refused."
        ) { check in
            let corpus = try texts(["ab", "b", "", "a", "bab"], check)
            let hasA = DataStorePredicate.evaluated(
                .init(DynamicItem.self, "has an a") { text(of: $0).contains("a") })
            let isLong = DataStorePredicate.compare("text", .greater, .string("aa"))
            for (predicate, wanted) in [
                (hasA, [0, 3, 4]), (!hasA, [1, 2]), (hasA && isLong, [0, 4]),
                (isLong && !hasA, [1]), (isLong || hasA, [0, 1, 3, 4]), (!(isLong || hasA), [2]),
            ] {
                try corpus.store.read { db in
                    guard
                        try expect(
                            wanted, predicate, of: corpus, "in a read block", db, check)
                    else { return }
                    check.expectEqual(
                        try db.performCount(Query(predicate: predicate).request(corpus.type)),
                        wanted.count, "the count of \(predicate)")
                }
            }
            // The predicate must see the uncommitted changes of the block.
            try corpus.store.write { db in
                try db.liveItem(corpus.type, corpus.ids[1]).set(["text": .string("a")])
                try db.liveItem(corpus.type, corpus.ids[3]).set(["text": .string("x")])
                _ = try expect(
                    [0, 1, 4], hasA, of: corpus, "in the block that has changed two", db, check)
            }
        },
        CheckDefinition(
            "pred/evaluated-error", clause: [14],
            "An error of a condition in Swift code ends the request, and names the item."
        ) { check in
            let corpus = try texts(["ab", "b", "a"], check)
            let failing = DataStorePredicate.evaluated(
                .init(DynamicItem.self, "fails") { item in
                    if text(of: item) == "b" { throw NoAnswer() }
                    return true
                })
            let request = Query(predicate: failing).request(corpus.type)
            let error = check.expectError(
                .invalidPredicate, .unsupported, what: "a condition that throws"
            ) {
                _ = try corpus.store.read { db in try db.performFetch(request).count }
            }
            guard let error, error.code == .invalidPredicate else { return }
            check.expect(
                error.message.contains("\(corpus.ids[1])"),
                "The error of a condition does not name the item: \(error.message)")
        },
        CheckDefinition(
            "pred/whole-characters", clause: [10],
            gate: .requires(.operators([.contains, .beginsWith, .endsWith])),
            "[w] finds whole characters only: no line feed after a carriage return, and no flag across two."
        ) { check in
            let flags = "\u{1F1E9}\u{1F1EA}\u{1F1EB}\u{1F1F7}"
            let corpus = try texts(
                ["a\r\nb", "a\nb", flags, "e\u{301}b", "eb", "\u{E9}", "kh\u{301}"], check)
            try check.expectItems(
                of: corpus,
                ("text CONTAINS[w] '\\n'", [1]), ("text CONTAINS '\\n'", [0, 1]),
                ("text CONTAINS[w] '\u{1F1EA}\u{1F1EB}'", []),
                ("text CONTAINS '\u{1F1EA}\u{1F1EB}'", [2]),
                ("text CONTAINS[w] '\u{1F1EB}\u{1F1F7}'", [2]),
                ("text BEGINSWITH[w] 'e\u{301}'", [3, 5]), ("text BEGINSWITH[w] 'e'", [4]),
                ("text BEGINSWITH[w] 'kh'", []), ("text BEGINSWITH 'kh'", [6]),
                ("text BEGINSWITH[w] 'k'", [6]), ("text ENDSWITH[w] '\\nb'", [1]),
                ("text ENDSWITH[w] 'b'", [0, 1, 3, 4]), ("text CONTAINS[wc] 'EB'", [4]))
        },
    ]

    /// Expects items, unless the store refuses the condition.
    ///
    /// Returns whether the store answered.
    private static func expect<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ wanted: [Int], _ predicate: DataStorePredicate, of corpus: Corpus, _ when: String,
        _ db: borrowing Accessor, _ check: CheckContext
    ) throws -> Bool {
        var found: [ItemID] = []
        var refusal: DataStoreError?
        do {
            found = try db.ids(Query(predicate: predicate), of: corpus.type)
        } catch {
            refusal = error
        }
        if let refusal {
            if refusal.code != .unsupported { throw refusal }
            check.expect(!refusal.message.isEmpty, "\(predicate) is refused without a word")
            return false
        }
        check.expectItems(
            found, wanted.map { corpus.ids[$0] }, of: corpus, "\(predicate) \(when)", ["text"])
        return true
    }

    private struct NoAnswer: Error {}

    private static func text(of item: DynamicItem) -> String {
        guard case .string(let text) = item["text"] else { return "" }
        return text
    }
}
