import JustPersist

/// Checks of uniqueness in child stores.
extension IndexChecks {
    static let children: [CheckDefinition] = [
        CheckDefinition(
            "idx/unique-merge", clause: [15, 20], gate: .requires(.uniqueness && .childStores),
            "A child sees the unique values of its parent, and a merge that would violate uniqueness changes nothing."
        ) { check in
            let items = try uniqueItems(check)
            let first = try items.create([key: .string("parent’s")])
            let child = try items.store.makeChild()
            try child.open()
            let inChild = StoredType(items.key, knownIn: child, check)
            check.expectError(.uniqueViolation, what: "the parent’s value in a child") {
                try inChild.create([key: .string("parent’s")])
            }
            let mine = try inChild.create([key: .string("both")])
            let theirs = try items.create([key: .string("both")])
            check.expectError(.uniqueViolation, what: "a merge of a value that the parent took") {
                try items.store.merge(child, policy: .childWins)
            }
            try items.expect([first, theirs].sorted(), "after a merge was refused")
            try inChild.set([key: .string("child’s")], of: mine)
            try items.store.merge(child, policy: .childWins)
            try items.expect([first, mine, theirs].sorted(), "after the child gave way")
            try child.close()
        }
    ]
}
