import JustPersist

extension ChildChecks {
    static let merging: [CheckDefinition] = [
        child(
            "child/merge-is-atomic", clause: [5, 15],
            "No reader of the parent sees part of a merge."
        ) { check in
            let parent = try Family(check)
            let child = try parent.child()
            let size = check.profile.pick(quick: 300, full: 3_000, soak: 10_000)
            try child.store.write { db in
                for number in 0..<size { try Family.add("n", number: number, in: db) }
            }
            let isDone = Latch()
            let isReading = Latch()
            defer { isDone.open() }
            let reader = check.start {
                var seen: Set<Int> = []
                while !isDone.hasOpened {
                    seen.insert(try parent.count())
                    isReading.open()
                }
                seen.insert(try parent.count())
                check.expect(
                    seen.isSubset(of: [0, size]),
                    "Readers of the parent saw \(seen.sorted()) of the \(size) merged items")
            }
            _ = isReading.opens(within: .seconds(10))
            try parent.merge(child)
            isDone.open()
            try reader.join()
            check.expectEqual(try parent.count(), size, "the count after the merge")
        },
        child(
            "child/merge-is-durable", also: .persistent, clause: [6, 15],
            "Merged data exists after the parent was closed and opened again."
        ) { check in
            let parent = try Family(check)
            let id = try parent.add("a")
            let child = try parent.child()
            try child.set(id, "name", .string("b"))
            try child.add("c")
            try parent.merge(child)
            let store = try check.reopened(parent.store)
            let names = try store.read { db in try Family.names(in: db) }
            check.expectEqual(names, ["b", "c"], "names after reopening")
        },
        child(
            "child/merge-twice",
            "A second merge applies only the changes since the first; a third, without changes, does nothing."
        ) { check in
            let parent = try Family(check)
            let child = try parent.child()
            let id = try child.add("a", number: 1)
            try parent.merge(child)
            try parent.set(id, "number", .int(9))
            try child.add("b")
            try parent.merge(child)
            check.expectEqual(try parent.names(), ["a", "b"], "names after the second merge")
            check.expectEqual(
                try parent.value(id, "number"), .int(9),
                "an attribute that the parent changed after it was merged")
            let before = try parent.dump()
            try parent.merge(child)
            check.expectEqual(try parent.dump(), before, "the parent after a third merge")
            check.expectEqual(try child.names(), ["a", "b"], "names in the child")
        },
        child(
            "child/merge-foreign-refused",
            "A store that is no child of this one is not merged, and nothing changes."
        ) { check in
            let parent = try Family(check)
            let other = try Family(check)
            try parent.add("a")
            let foreign = try other.child()
            try foreign.add("b")
            for (store, what) in [
                (foreign, "a child of another store"), (other, "a store that is no child"),
                (parent, "the store itself"),
            ] {
                check.expectError(.incompatibleChildDataStore, what: "merging \(what)") {
                    try parent.merge(store)
                }
            }
            check.expectEqual(try parent.names(), ["a"], "names after the refusals")
            check.expectEqual(try foreign.names(), ["b"], "names in the refused child")
        },
        child(
            "child/merge-after-child-teardown", "A child that was closed is not merged."
        ) { check in
            let parent = try Family(check)
            let child = try parent.child()
            try child.add("a")
            try child.store.close()
            check.expectError(.notSetUp, what: "merging a child after its teardown") {
                try parent.merge(child)
            }
            check.expectEqual(try parent.names(), [], "names in the parent")
        },
        child(
            "child/merge-while-parent-writes",
            "Concurrent merges and writers of the parent lose no changes."
        ) { check in
            let parent = try Family(check)
            let rounds = check.profile.pick(quick: 10, full: 50, soak: 500)
            try check.threads(8) { thread in
                if thread.isMultiple(of: 2) {
                    for round in 0..<rounds { try parent.add("w\(thread)-\(round)") }
                    return
                }
                let child = try parent.child()
                for round in 0..<rounds {
                    try child.add("c\(thread)-\(round)")
                    try parent.merge(child)
                    check.tick()
                }
            }
            let names = try parent.names()
            check.expectEqual(names.count, 8 * rounds, "items of 4 writers and 4 merging children")
            check.expectEqual(Set(names).count, 8 * rounds, "different items")
        },
        child("child/ten-thousand-changes", "A merge can apply 10,000 changes.") { check in
            let parent = try Family(check)
            let count = check.profile.pick(quick: 1_000, full: 10_000, soak: 10_000)
            try parent.store.write { db in
                for number in 0..<count { try Family.add("old", number: number, in: db) }
            }
            let child = try parent.child()
            try child.store.write { db in
                for (number, item) in try db.performFetch(
                    DataStoreRequest(itemTypeKey: Family.type)
                )
                .enumerated() {
                    if number.isMultiple(of: 2) {
                        try item.backing.setValue(.string("new"), forAttribute: "name")
                    } else {
                        try db.delete(item)
                    }
                }
            }
            try parent.merge(child)
            let names = try parent.names()
            check.expectEqual(names.count, count / 2, "items left")
            check.expectEqual(Set(names), ["new"], "names of those left")
        },
    ]

    static let nesting: [CheckDefinition] = [
        nested(
            "child/grandchild",
            "A grandchild merges into its parent only; two merges reach the root."
        ) { check in
            let root = try Family(check)
            try root.add("root")
            let child = try root.child()
            let grandchild = try child.child()
            try grandchild.add("leaf")
            check.expectEqual(try grandchild.names(), ["root", "leaf"], "names in the grandchild")
            try child.merge(grandchild)
            check.expectEqual(try child.names(), ["root", "leaf"], "names in the child")
            check.expectEqual(try root.names(), ["root"], "names in the root after one merge")
            check.expectError(.incompatibleChildDataStore, what: "merging a grandchild") {
                try root.merge(grandchild)
            }
            try root.merge(child)
            check.expectEqual(try root.names(), ["root", "leaf"], "names in the root after two")
        },
        nested(
            "child/grandchild-discard-middle", "Discarding the middle drops both levels."
        ) { check in
            let root = try Family(check)
            let child = try root.child()
            let grandchild = try child.child()
            try child.add("middle")
            try grandchild.add("leaf")
            try child.store.close()
            check.expectEqual(try root.names(), [], "names in the root")
            check.expectError(what: "reading a grandchild whose parent is discarded") {
                _ = try grandchild.names()
            }
        },
        nested("child/depth-16", "Requests have the correct results through 16 levels.") { check in
            var level = try Family(check)
            let root = level
            var levels = [root]
            for depth in 0..<16 {
                try level.add("n\(depth)", number: 16 - depth)
                level = try level.child()
                levels.append(level)
            }
            check.expectEqual(
                try level.names(), (0..<16).map { "n\($0)" }, "names in creation order")
            check.expectEqual(
                try level.names(where: "number > 3", sortedBy: "number", limit: 3),
                ["n12", "n11", "n10"], "a sorted page")
            for (parent, child) in zip(levels, levels.dropFirst()).reversed() {
                try parent.merge(child)
            }
            check.expectEqual(
                try root.names(), (0..<16).map { "n\($0)" }, "names in the root after 16 merges")
        },
    ]

    private static func nested(
        _ id: String, _ summary: String, run: @escaping @Sendable (CheckContext) throws -> Void
    ) -> CheckDefinition {
        CheckDefinition(
            id, clause: [15], gate: .requires(.nestedChildStores), summary, run: run)
    }
}
