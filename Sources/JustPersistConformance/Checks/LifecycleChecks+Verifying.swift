import JustPersist

extension LifecycleChecks {
    /// Checks of `verify`.
    static let verifying: [CheckDefinition] = [
        CheckDefinition(
            "life/verify-counts", clause: [17],
            "verify counts the items of every type, and finds nothing wrong with a sound store."
        ) { check in
            var (shelved, shelf) = try ShelvedStore.filled(
                items: PrimitiveChecks.many(check), types: 20, check)
            func expectCounts(_ when: String, line: Int = #line) throws {
                for _ in 1...2 {
                    let report = try shelved.store.verify()
                    check.expectEqual(
                        report.problems.map { "\($0)" }, [], "the damage that verify finds \(when)",
                        line: line)
                    var expected = shelf.types.mapValues { _ in 1 }
                    expected[Shelf.key] = shelf.items.count
                    // A type without items may be left out.
                    let counts = report.itemCounts.filter {
                        $0.key.hasPrefix(Shelf.key) && $0.value > 0
                    }
                    check.expectEqual(
                        counts, expected.filter { $0.value > 0 }, "the counts of verify \(when)",
                        line: line)
                }
            }
            try expectCounts("of many items")
            for change in [Change.delete, .insert, .set, .declare] {
                shelf = try shelved.commit(change, 5, to: shelf)
                try expectCounts("after \(change.primitive)")
            }
            _ = check.expectThrows("a write block that throws") {
                try shelved.store.write { db in
                    var shelf = shelf
                    try Change.create.apply(5, to: &shelf, db, check)
                    try Change.declare.apply(5, to: &shelf, db, check)
                    throw Upset(number: 1)
                }
            }
            try expectCounts("after a block that was rolled back")
            if check.reopeningKeepsData {
                shelved = try shelved.reopened()
                try expectCounts("in the store reopened")
            }
            shelf = try shelved.commit(.deleteAll, 1, to: shelf)
            try expectCounts("after performDeleteAll")
        },
        CheckDefinition(
            "life/verify-while-writing", clause: [4, 17],
            "verify reads one snapshot, and does not report concurrent commits as damage."
        ) { check in
            let (shelved, shelf) = try ShelvedStore.filled(items: 50, check)
            let rounds = check.profile.pick(quick: 20, full: 200, soak: 2_000)
            let isOver = Locked(false)
            let writer = check.start {
                defer { isOver.withLock { $0 = true } }
                var shelf = shelf
                for _ in 0..<rounds {
                    // A block creates ten items and deletes ten, so that every snapshot has the same number.
                    shelf = try shelved.store.write { [shelf] db in
                        var shelf = shelf
                        try Change.create.apply(10, to: &shelf, db, check)
                        try Change.delete.apply(10, to: &shelf, db, check)
                        return shelf
                    }
                }
            }
            repeat {
                let report = try shelved.store.verify()
                check.expectEqual(
                    report.problems.map { "\($0)" }, [],
                    "the damage that verify finds beside a writer")
                check.expectEqual(
                    report.itemCounts[Shelf.key], 50, "the counts of verify beside a writer")
            } while !isOver.withLock { $0 }
            try writer.join()
        },
    ]
}
