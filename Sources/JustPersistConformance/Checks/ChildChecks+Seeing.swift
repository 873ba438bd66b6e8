import JustPersist

extension ChildChecks {
    /// Checks that a child is a complete store over its parent's items.
    static let answers: [CheckDefinition] = [
        child(
            "child/primitives", clause: [4, 5, 8, 15],
            "Every primitive of a child works on the parent's items and its own changes as one set, unseen until a merge."
        ) { check in
            let (parent, before) = try ShelvedStore.filled(check)
            let child = ShelvedStore(check: check, store: try parent.store.makeChild())
            try child.store.open()
            var shelf = before
            try child.expect(shelf, "in a child without changes")
            for change in [
                Change.create, .set, .delete, .insert, .mutableVersion, .declare, .deleteAll,
                .create,
            ] {
                shelf = try child.commit(change, 5, to: shelf)
                try child.expect(shelf, "in a child after its \(change.primitive)")
                let thrown = check.expectThrows("a write block of a child that throws") {
                    try child.store.write { [shelf] db in
                        var shelf = shelf
                        try Change.create.apply(3, to: &shelf, db, check)
                        try Change.set.apply(3, to: &shelf, db, check)
                        throw Upset(number: 1)
                    }
                }
                check.expectEqual(
                    thrown as? Upset, Upset(number: 1), "the error of a child's block")
                try child.expect(shelf, "in a child whose block was rolled back")
                // A store may declare a type in the parent immediately.
                try parent.expect(
                    before, "in the parent of a child with \(change.primitive)",
                    by: Question.allCases.filter { $0 != .schemas })
            }
            check.expectEqual(
                try parent.store.merge(child.store, policy: .fail).conflicts, [],
                "the conflicts of a merge without any")
            try parent.expect(shelf, "in the parent after a merge")
            try child.expect(shelf, "in the child after a merge")
        },
        child(
            "child/queries", clause: [10, 12, 13, 15],
            "Requests of a child are answered over the parent's items and its own changes as one set."
        ) { check in
            let mixed = try Corpus.mixed(check, in: check.openStore())
            let store = try mixed.store.makeChild()
            try store.open()
            var corpus = Corpus(mixed, in: store)
            var generator = QueryGenerator(corpus, check)
            let queries = (0..<check.profile.pick(quick: 40, full: 200, soak: 2_000)).map { _ in
                generator.query()
            }
            for query in queries { try check.expectAnswer(query, of: corpus) }
            try corpus.set(
                stride(from: 0, to: corpus.ids.count, by: 3).map {
                    ($0, [Corpus.group: .int(Int64($0 % 5))])
                })
            try store.write { db in
                try corpus.delete(item: 5, db)
                try corpus.create([Corpus.group: .int(2)], db)
            }
            for query in queries { try check.expectAnswer(query, of: corpus) }
            for query in queries { try check.expectAnswer(query, of: mixed) }
        },
    ]
}
