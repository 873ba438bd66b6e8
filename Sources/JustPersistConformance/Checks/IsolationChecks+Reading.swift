import JustPersist

extension IsolationChecks {
    /// Checks of anomalies in reads of other blocks' changes.
    static let reading: [CheckDefinition] = [
        CheckDefinition(
            "iso/G1a", clause: [4, 5], "No block sees a value of a block that is rolled back."
        ) { check in
            for begins in [\Session.beginReading, \Session.begin] {
                let (t1, t2) = (Session("T1"), Session("T2"))
                let outcome = try check.run(
                    Interleaving("T2 looks on while T1 writes and is rolled back", start) {
                        t1.begin
                        t1.set("x", to: 101)
                        t1.count(where: "number > 100")
                        t2[keyPath: begins]
                        t2.get("x")
                        t2.items(where: "number > 100")
                        t1.rollBack
                        t2.get("x")
                        t2.count(where: "number > 100")
                        t2.commit
                    })
                check.expectEqual(
                    outcome[t2].reads, [[10], [], [10], [0]],
                    "what T2 read, x and what is over 100, twice\n\(outcome)")
                check.expectEqual(
                    outcome.final, ["x": 10, "y": 20], "the items at the end\n\(outcome)")
            }
        },
        CheckDefinition(
            "iso/G1b", clause: [4], "No block sees a value that its writer replaces before it ends."
        ) { check in
            for begins in [\Session.beginReading, \Session.begin] {
                let (t1, t2) = (Session("T1"), Session("T2"))
                let outcome = try check.run(
                    Interleaving("T2 looks on while T1 writes x twice", start) {
                        t1.begin
                        t1.set("x", to: 101)
                        t1.count(where: "number > 100")
                        t2[keyPath: begins]
                        t2.get("x")
                        t2.items(where: "number == 101")
                        t1.set("x", to: 11)
                        t1.commit
                        t2.get("x")
                        t2.items(where: "number == 101")
                        t2.commit
                    })
                check.expect(
                    !outcome[t2].reads.joined().contains(101),
                    "T2 saw 101, which T1 replaced by 11 before it was committed.\n\(outcome)")
                check.expectEqual(outcome.final["x"], 11, "x at the end\n\(outcome)")
            }
        },
        CheckDefinition(
            "iso/G1c", clause: [4], "Two blocks do not both see each other's changes."
        ) { check in
            let (t1, t2) = (Session("T1"), Session("T2"))
            let outcome = try check.run(
                Interleaving("each block writes one item and reads the other's", start) {
                    t1.begin
                    t2.begin
                    t1.set("x", to: 11)
                    t2.set("y", to: 22)
                    t1.get("y")
                    t2.get("x")
                    t1.commit
                    t2.commit
                })
            check.expect(
                !(outcome.firstRead(t1) == [22] && outcome.firstRead(t2) == [11]),
                "T1 and T2 both saw the other's write, so that each comes before the other.\n\(outcome)"
            )
        },
        CheckDefinition(
            "iso/OTV", clause: [4],
            "The changes of a block that a reader has seen do not disappear for that reader."
        ) { check in
            let (t1, t2, t3) = (Session("T1"), Session("T2"), Session("T3"))
            let outcome = try check.run(
                Interleaving("T3 reads while T2 writes over what T1 committed", start) {
                    t1.begin
                    t2.begin
                    t1.set("x", to: 11)
                    t1.set("y", to: 19)
                    t2.set("x", to: 12)
                    t1.commit
                    t3.beginReading
                    t3.get("x")
                    t2.set("y", to: 18)
                    t3.get("y")
                    t2.commit
                    t3.get("y")
                    t3.get("x")
                    t3.commit
                })
            let reads = outcome[t3].reads.map { $0.first ?? 0 }
            let allowed = [(10, 20), (11, 19), (12, 18)].map { [$0.0, $0.1, $0.1, $0.0] }
            check.expect(
                allowed.contains(reads),
                """
                T3 read \(reads) of x, y, y and x; it must be all of T1 (11, 19), all of T2 (12, 18), or \
                nothing of either (10, 20).\n\(outcome)
                """)
        },
        CheckDefinition(
            "iso/PMP", clause: [4],
            "A predicate finds the same items twice in a block, although another block inserts a match."
        ) { check in
            for begins in [\Session.beginReading, \Session.begin] {
                let (t1, t2) = (Session("T1"), Session("T2"))
                let outcome = try check.run(
                    Interleaving("T2 inserts what T1 looks for", start) {
                        t1[keyPath: begins]
                        t1.items(where: "number == 30")
                        t2.begin
                        t2.insert("z", 30)
                        t2.commit
                        t1.items(where: "number == 30")
                        t1.count(where: "number == 30")
                        t1.items(where: "number > 15 AND number < 35")
                        t1.commit
                    })
                check.expect(
                    [[[], [], [0], [20]], [[30], [30], [1], [20, 30]]].contains(outcome[t1].reads),
                    "T1 saw z in some of its answers and not in others.\n\(outcome)")
            }
        },
        CheckDefinition(
            "iso/G-single", clause: [4],
            "A block that read x before another block's commit does not read y as it is after that commit."
        ) { check in
            for begins in [\Session.beginReading, \Session.begin] {
                let (t1, t2) = (Session("T1"), Session("T2"))
                let outcome = try check.run(
                    Interleaving("T2 writes x and y between T1's reads of them", start) {
                        t1[keyPath: begins]
                        t1.get("x")
                        t2.begin
                        t2.get("x")
                        t2.get("y")
                        t2.set("x", to: 12)
                        t2.set("y", to: 18)
                        t2.commit
                        t1.get("y")
                        t1.get("x")
                        t1.commit
                    })
                check.expect(
                    [[[10], [20], [10]], [[12], [18], [12]]].contains(outcome[t1].reads),
                    "T1 saw x, y and x of different states.\n\(outcome)")
            }
        },
        CheckDefinition(
            "iso/G-single-predicate", clause: [4],
            "A block sees no mixture of two states when it reads by predicates."
        ) { check in
            for begins in [\Session.beginReading, \Session.begin] {
                let (t1, t2) = (Session("T1"), Session("T2"))
                let outcome = try check.run(
                    Interleaving("T2 changes what T1 finds by predicates", start) {
                        t1[keyPath: begins]
                        t1.items(where: "number < 15")
                        t2.begin
                        t2.set("x", to: 12)
                        t2.commit
                        t1.items(where: "number == 12")
                        t1.count(where: "number == 10")
                        t1.commit
                    })
                check.expect(
                    [[[10], [], [1]], [[12], [12], [0]]].contains(outcome[t1].reads),
                    "T1's predicates were evaluated on different states.\n\(outcome)")
            }
        },
    ]

    /// Checks of two blocks that each read items that the other changes.
    static let skew: [CheckDefinition] = [
        CheckDefinition(
            "iso/G2-item", clause: [4], gate: .requires(.serializable),
            "Two blocks that read x and y and each change one are not both committed on stale reads."
        ) { check in
            let (t1, t2) = (Session("T1"), Session("T2"))
            let outcome = try check.run(
                Interleaving("both read both items, and each changes another", start) {
                    t1.begin
                    t2.begin
                    t1.get("x")
                    t1.get("y")
                    t2.get("x")
                    t2.get("y")
                    t1.set("x", to: 11)
                    t2.set("y", to: 21)
                    t1.commit
                    t2.commit
                })
            let sawNothing = [t1, t2].allSatisfy {
                outcome[$0].isCommitted && outcome[$0].reads == [[10], [20]]
            }
            check.expect(
                !sawNothing,
                "Both blocks were committed, and neither had seen the other's change.\n\(outcome)")
        },
        CheckDefinition(
            "iso/G2", clause: [4], gate: .requires(.serializable),
            "Two blocks that insert because they found nothing are not both committed."
        ) { check in
            let (t1, t2) = (Session("T1"), Session("T2"))
            let outcome = try check.run(
                Interleaving("both look for a number, and each inserts it", start) {
                    t1.begin
                    t2.begin
                    t1.items(where: "number == 30")
                    t2.items(where: "number == 30")
                    t1.insert("z", 30)
                    t2.insert("w", 30)
                    t1.commit
                    t2.commit
                })
            let sawNothing = [t1, t2].allSatisfy {
                outcome[$0].isCommitted && outcome.firstRead($0) == []
            }
            check.expect(
                !sawNothing,
                "Both blocks were committed, and neither had found the other's item.\n\(outcome)")
        },
    ]
}
