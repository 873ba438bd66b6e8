import JustPersist

/// Checks of the isolation of concurrent blocks.
///
/// The anomalies have the names that Adya and Hermitage use, so that stores can be compared with others.
enum IsolationChecks {
    static let all: [CheckDefinition] =
        writing + reading + skew + storms + histories

    /// Checks of anomalies between writers.
    private static let writing: [CheckDefinition] = [
        CheckDefinition(
            "iso/G0", clause: [4], "Writes of two blocks to the same items do not interleave."
        ) { check in
            let (t1, t2) = (Session("T1"), Session("T2"))
            let scripts = [
                Interleaving("two blocks write x and y", start) {
                    t1.begin
                    t2.begin
                    t1.set("x", to: 11)
                    t2.set("x", to: 12)
                    t1.set("y", to: 21)
                    t1.commit
                    t2.set("y", to: 22)
                    t2.commit
                },
                Interleaving("two blocks write x, and y the other way round", start) {
                    t1.begin
                    t2.begin
                    t1.set("x", to: 11)
                    t2.set("x", to: 12)
                    t2.set("y", to: 22)
                    t1.set("y", to: 21)
                    t1.commit
                    t2.commit
                },
            ]
            for script in scripts {
                let outcome = try check.run(script)
                check.expect(
                    [["x": 11, "y": 21], ["x": 12, "y": 22]].contains(outcome.final),
                    "At the end x and y must both be of T1 or both of T2.\n\(outcome)")
            }
        },
        CheckDefinition(
            "iso/P4", clause: [4],
            "If two blocks add to values that they read, no addition is lost."
        ) { check in
            let (t1, t2) = (Session("T1"), Session("T2"))
            let outcome = try check.run(
                Interleaving("two blocks add to x", start) {
                    t1.begin
                    t2.begin
                    t1.get("x")
                    t2.get("x")
                    t1.add(1, to: "x")
                    t2.add(1, to: "x")
                    t1.commit
                    t2.commit
                })
            let additions = [t1, t2].count { outcome[$0].isCommitted }
            check.expectEqual(
                outcome.final["x"], 10 + additions,
                "x, to which \(additions) committed blocks added 1 each\n\(outcome)")
        },
        CheckDefinition(
            "iso/P4-counter", clause: [4],
            "Sixteen threads increment a counter, and no increment is lost."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["counter": 0])
            let steps = check.profile.pick(quick: 20, full: 200, soak: 2_000)
            try check.threads(16) { _ in
                for _ in 0..<steps {
                    try items.store.write { db in
                        guard let counter = try items.item("counter", db) else { return }
                        counter["number"] = .int(Int64(counter.number + 1))
                    }
                    check.tick()
                }
            }
            check.expectEqual(
                try items.all(), ["counter": 16 * steps],
                "the counter after 16 threads added 1 to it \(steps) times each")
        },
        CheckDefinition(
            "iso/PMP-write", clause: [4],
            "A block that deletes by a predicate agrees with one that changes what the predicate finds."
        ) { check in
            let (t1, t2) = (Session("T1"), Session("T2"))
            let outcome = try check.run(
                Interleaving("T1 moves items into and out of what T2 deletes", start) {
                    t1.begin
                    t2.begin
                    t1.add(10, where: "number > 0")
                    t2.delete(where: "number == 20")
                    t1.commit
                    t2.items(where: "number == 20")
                    t2.commit
                })
            let allowed: [[String: Int]]
            switch (outcome[t1].isCommitted, outcome[t2].isCommitted) {
            // If T2 came second, it deleted x, which was 20; if T2 came first, it deleted y.
            case (true, true): allowed = [["y": 30], ["x": 20]]
            case (true, false): allowed = [["x": 20, "y": 30]]
            default: allowed = [["x": 10]]
            }
            check.expect(
                allowed.contains(outcome.final),
                "The items at the end are those of no order of the blocks.\n\(outcome)")
        },
        CheckDefinition(
            "iso/G-single-write-predicate", clause: [4],
            "A block that read x before another block's commit does not delete by values of a later commit."
        ) { check in
            let (t1, t2) = (Session("T1"), Session("T2"))
            let outcome = try check.run(
                Interleaving("T1 reads, T2 changes, T1 deletes by a predicate", start) {
                    t1.begin
                    t1.get("x")
                    t2.begin
                    t2.get("x")
                    t2.get("y")
                    t2.set("x", to: 12)
                    t2.set("y", to: 18)
                    t2.commit
                    t1.delete(where: "number == 20")
                    t1.commit
                })
            let expected: [String: Int]
            switch (outcome[t1].isCommitted, outcome[t2].isCommitted) {
            case (true, true):
                expected = outcome.firstRead(t1) == [10] ? ["x": 12] : ["x": 12, "y": 18]
            case (true, false): expected = ["x": 10]
            default: expected = ["x": 12, "y": 18]
            }
            check.expectEqual(
                outcome.final, expected,
                "the items at the end, in the order that T1's read of x implies\n\(outcome)")
        },
    ]

    /// The two items of Hermitage's scripts.
    static let start: KeyValuePairs<String, Int> = ["x": 10, "y": 20]
}

extension CheckContext {
    /// Runs a script on a new store.
    ///
    /// Expects that all sessions end, that no session that only reads is refused, and that at least one of the sessions
    /// that commit is committed.
    func run(
        _ script: Interleaving, file: String = #fileID, line: Int = #line
    ) throws -> InterleavingOutcome {
        let outcome = try script.run(on: openStore())
        for session in script.sessions {
            try require(
                outcome[session].hasEnded,
                "The block of \(session.name) never ended, though its script did.\n\(outcome)",
                file: file, line: line)
        }
        let readers = script.steps.filter {
            if case .beginReading = $0.action { true } else { false }
        }
        for session in readers.map(\.session) {
            expect(
                outcome[session].error == nil,
                "The read block of \(session.name) was refused.\n\(outcome)", file: file, line: line
            )
        }
        let committing = script.steps.filter { if case .commit = $0.action { true } else { false } }
        expect(
            committing.contains { outcome[$0.session].isCommitted },
            "None of the blocks was committed.\n\(outcome)", file: file, line: line)
        return outcome
    }
}
