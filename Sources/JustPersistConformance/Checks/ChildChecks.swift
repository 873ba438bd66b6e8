import JustPersist

/// Checks of child stores: the changes that they see, and the changes of theirs that other stores see.
enum ChildChecks {
    static let all = seeing + answers + merging + conflicts + nesting

    private static let seeing: [CheckDefinition] = [
        CheckDefinition(
            "child/undeclared-refused", clause: [15, 19], gate: .counterCheck(.childStores),
            "A store that declares no child stores refuses to make and to merge them."
        ) { check in
            let store = try check.openStore()
            check.expectError(.unsupported, what: "makeChild()") { _ = try store.makeChild() }
            let other = try check.openStore()
            check.expectError(
                .unsupported, .incompatibleChildDataStore, what: "merging another store"
            ) { try store.merge(other, policy: .childWins) }
            let child = store.makeChildDataStore()
            check.expectError(
                .unsupported, what: "opening the store that makeChildDataStore() gave"
            ) { try child.open() }
            check.expect(
                check.errors.codes.contains(.unsupported),
                "makeChildDataStore() was refused and nothing was reported to the error handler"
            )
        },
        child("child/needs-setup", "A child is refused until it is set up.") { check in
            let child = try Family(check).store.makeChild()
            check.expectError(.notSetUp, what: "reading a child before its setup") {
                try child.performRead { _ in }
            }
            check.expectError(.notSetUp, what: "writing to a child before its setup") {
                try child.performWrite { _ in }
            }
            try child.open()
            try child.performRead { _ in check.expect(true, "a child that is set up reads") }
        },
        child(
            "child/discard", "A child that is closed without a merge leaves no trace in its parent."
        ) { check in
            let parent = try Family(check)
            let id = try parent.add("a")
            let before = try parent.dump()
            let child = try parent.child()
            try child.set(id, "name", .string("b"))
            try child.add("c")
            try child.store.close()
            check.expectEqual(try parent.dump(), before, "the parent has changed")
            try child.store.open()
            check.expectEqual(try child.names(), ["a"], "names in the child that was opened again")
        },
        child(
            "child/drop-without-teardown",
            "A child that is released without a teardown leaves no trace in its parent."
        ) { check in
            let parent = try Family(check)
            try parent.add("a")
            let before = try parent.dump()
            do { try parent.child().add("b") }
            check.expectEqual(try parent.dump(), before, "the parent has changed")
        },
        child(
            "child/parent-writes-after-creation",
            "Each block of a child sees the parent's state at its start, with the child's changes applied."
        ) { check in
            let parent = try Family(check)
            let changed = try parent.add("a", number: 1)
            let child = try parent.child()
            try child.set(changed, "name", .string("mine"))
            try parent.add("later", number: 5)
            try parent.set(changed, "number", .int(7))
            check.expectEqual(try child.names(), ["mine", "later"], "names in the child")
            check.expectEqual(
                try child.value(changed, "number"), .int(7),
                "an attribute that the parent changed in an item of which the child changed another"
            )
            check.expectEqual(
                try child.names(where: "number > 4", sortedBy: "number"), ["later", "mine"],
                "the same in a predicate and a sort")
            check.expectEqual(try child.count(), 2, "the same in a count")
            // A read block of a child is also a read block of its parent.
            guard check.capabilities.nesting.contains(.writeInRead) else { return }
            let seen = try child.store.read { db in
                let before = try Family.names(in: db)
                try parent.add("during")
                return [before, try Family.names(in: db)]
            }
            check.expectEqual(seen[1], seen[0], "names before and after a write during one block")
        },
        child("child/siblings-isolated", "Two children do not see each other.") { check in
            let parent = try Family(check)
            let id = try parent.add("a")
            let one = try parent.child()
            let two = try parent.child()
            try one.add("one")
            try one.set(id, "name", .string("changed"))
            try two.add("two")
            check.expectEqual(try one.names(), ["changed", "one"], "names in the first child")
            check.expectEqual(try two.names(), ["a", "two"], "names in the second child")
        },
        child("child/parent-property", "The parent of a child is the store that made it.") {
            check in
            let parent = try Family(check)
            let child = try parent.child()
            check.expect(
                child.store.parent === parent.store,
                "parent of a child is not its maker")
            check.expect(parent.store.parent == nil, "a store that is no child has a parent")
        },
        child(
            "child/parent-torn-down-first",
            "Once its parent is closed, a child refuses with typed errors."
        ) { check in
            let parent = try Family(check)
            let child = try parent.child()
            try child.add("a")
            try parent.store.close()
            check.expectError(what: "reading a child whose parent is closed") {
                _ = try child.names()
            }
            check.expectError(what: "writing to a child whose parent is closed") {
                try child.add("b")
            }
            check.expectError(what: "merging into a parent that is closed") {
                try parent.merge(child)
            }
        },
    ]

    /// Makes a check for stores that declare child stores.
    static func child(
        _ id: String, also requirement: Requirement? = nil, clause: [Int] = [15],
        _ summary: String,
        run: @escaping @Sendable (CheckContext) throws -> Void
    ) -> CheckDefinition {
        let needed = requirement.map { .childStores && $0 } ?? Requirement.childStores
        return CheckDefinition(
            id, clause: clause, gate: .requires(needed), summary, run: run)
    }
}

/// The error that a block throws to be rolled back.
struct Stopped: Error {}
