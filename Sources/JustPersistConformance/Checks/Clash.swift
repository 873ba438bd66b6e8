import JustPersist

/// Conflicting changes of a child and its parent to one item, and the outcome of their merge: a row of the table of
/// merges.
struct Clash: Sendable {
    typealias Values = [String: DataStoreValue]

    /// The end of the check's id.
    let name: String
    /// The statement that the check asserts.
    let summary: String
    /// The attributes that each store sets; nil if it deletes the item.
    let child: Values?
    let parent: Values?
    /// The item's values after a merge in which the child wins, and after one in which the parent wins; nil if the item
    /// is deleted.
    let childWins: Values?
    let parentWins: Values?
    /// The attributes in conflict.
    ///
    /// If the item itself is in conflict, `kind` is set instead.
    var attributes: [String] = []
    var kind: MergeConflict.Kind?
    /// Whether the item did not exist before.
    var isMade = false

    /// The item's values before.
    ///
    /// Neither store sets `other`.
    static let start: Values = ["name": .string("before"), "number": .int(1), "other": .int(7)]

    static let all: [Clash] = [
        Clash(
            "same-attribute",
            "An attribute that both changed has the child's or the parent's value, as the policy requires.",
            child: ["name": .string("child")], parent: ["name": .string("parent")],
            attributes: ["name"]),
        Clash(
            "same-value", "An attribute that both changed to one value is not in conflict.",
            child: ["name": .string("both")], parent: ["name": .string("both")]),
        Clash(
            "different-attributes",
            "If the stores change different attributes, both changes are kept.",
            child: ["name": .string("child")], parent: ["number": .int(5)]),
        Clash(
            "one-of-two", "An attribute that only one store changed keeps that store's value.",
            child: ["name": .string("child"), "number": .int(5)],
            parent: ["name": .string("parent")], attributes: ["name"]),
        Clash(
            "both-of-two", "Each attribute that both changed is in conflict.",
            child: ["name": .string("child"), "number": .int(5)],
            parent: ["name": .string("parent"), "number": .int(6)],
            attributes: ["name", "number"]),
        Clash(
            "cleared-in-child", "An attribute that the child cleared was changed to nil.",
            child: ["name": .null], parent: ["name": .string("parent")], attributes: ["name"]),
        Clash(
            "cleared-in-parent", "An attribute that the parent cleared was changed to nil.",
            child: ["name": .string("child")], parent: ["name": .null], attributes: ["name"]),
        Clash(
            "parent-deleted", "An item deleted in the parent stays deleted.",
            child: ["name": .string("child")], parent: nil, kind: .deletedInParent),
        Clash(
            "child-deleted",
            "An item deleted in the child is deleted, unless the parent changed it and wins.",
            child: nil, parent: ["name": .string("parent")], kind: .deletedInChild),
        Clash(
            "child-deleted-alone",
            "An item that the child deleted and the parent did not change is deleted.",
            child: nil, parent: [:]),
        Clash(
            "both-deleted", "An item that both deleted is not a conflict.", child: nil, parent: nil),
        Clash(
            "both-made", "An item that both created with one id is a conflict, in either order.",
            child: ["name": .string("child")], parent: ["name": .string("parent")],
            attributes: ["name"], isMade: true),
    ]

    private init(
        _ name: String, _ summary: String, child: Values?, parent: Values?,
        attributes: [String] = [], kind: MergeConflict.Kind? = nil, isMade: Bool = false
    ) {
        self.name = name
        self.summary = summary
        self.child = child
        self.parent = parent
        self.attributes = attributes
        self.kind = kind
        self.isMade = isMade
        // The winner's values are applied last, over the other store's changes.
        let (first, second) = (child ?? [:], parent ?? [:])
        let changed = child != nil && parent != nil
        childWins = changed ? Self.start.merging(second) { $1 }.merging(first) { $1 } : nil
        parentWins =
            changed || kind == .deletedInChild
            ? Self.start.merging(first) { $1 }.merging(second) { $1 } : nil
    }

    /// The conflicts over an item.
    func conflicts(_ id: ItemID) -> [MergeConflict] {
        if let kind { return [MergeConflict(kind: kind, itemType: Family.type, id: id)] }
        return attributes.map { name in
            MergeConflict(
                kind: .bothChanged, itemType: Family.type, id: id, attribute: name,
                base: isMade ? .null : Self.start[name] ?? .null, child: child?[name] ?? .null,
                parent: parent?[name] ?? .null)
        }
    }
}

extension ChildChecks {
    /// The checks of all clashes, each with all policies.
    static let conflicts: [CheckDefinition] = Clash.all.map { clash in
        child("child/conflict-\(clash.name)", clash.summary) { check in
            for policy in MergePolicy.allCases { try examine(clash, policy, check) }
        }
    }

    /// Creates one item in a child and in its parent.
    ///
    /// The parent creates it while the child's block runs, or after it.
    private static func makeBoth(
        _ id: ItemID, in child: Family, _ parent: Family, _ policy: MergePolicy,
        _ check: CheckContext
    ) throws {
        var writer: ThreadHandle?
        try child.store.write { db in
            try Family.insert(Clash.start, id, in: db)
            guard policy == .childWins else { return }
            writer = check.start { try parent.insert(Clash.start, id) }
            // In some stores, the writer waits for the end of this block.
            _ = writer?.ends(within: .milliseconds(300))
        }
        if let writer { try writer.join() } else { try parent.insert(Clash.start, id) }
    }

    private static func examine(
        _ clash: Clash, _ policy: MergePolicy, _ check: CheckContext
    ) throws {
        let parent = try Family(check)
        let id = ItemID()
        if !clash.isMade { try parent.insert(Clash.start, id) }
        try parent.add("bystander")
        let child = try parent.child()
        if clash.isMade { try makeBoth(id, in: child, parent, policy, check) }
        // The child changes the item first. If the parent did, the child would see the parent's value, and its own
        // change would not be in conflict.
        for (side, values) in [(child, clash.child), (parent, clash.parent)] {
            guard let values else {
                try side.delete(id)
                continue
            }
            for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                try side.set(id, name, value)
            }
        }
        let wanted = clash.conflicts(id)
        var found: [MergeConflict]
        if policy == .fail, !wanted.isEmpty {
            try child.add("new")
            let before = try [parent.dump(), child.dump()]
            let error = check.expectError(.mergeConflict, what: "a merge that may not conflict") {
                try parent.merge(child, .fail)
            }
            found = error?.conflicts ?? []
            check.expectEqual(
                try [parent.dump(), child.dump()], before, "both sides of a refused merge")
            try parent.merge(child, .childWins)
        } else {
            // Other commits of the parent during the merge must not affect it.
            let writer = check.start { for _ in 0..<5 { try parent.add("meanwhile") } }
            found = try parent.merge(child, policy)
            try writer.join()
            check.expectEqual(
                try parent.names().count { $0 == "meanwhile" }, 5,
                "the items that the parent made during a merge with \(policy)")
        }
        // An item's own conflict may say more than that.
        if clash.kind != nil {
            found = found.map { MergeConflict(kind: $0.kind, itemType: $0.itemType, id: $0.id) }
        }
        found.sort { ($0.attribute ?? "") < ($1.attribute ?? "") }
        check.expectEqual(found, wanted, "the conflicts of a merge with \(policy)")
        let values = policy == .parentWins ? clash.parentWins : clash.childWins
        for (store, side) in [(parent, "parent"), (child, "child")] {
            for name in Clash.start.keys.sorted() {
                check.expectEqual(
                    try store.value(id, name), values.map { $0[name] ?? .null },
                    "“\(name)” in the \(side) after a merge with \(policy)")
            }
            check.expect(
                try store.names().contains("bystander"), "An item is gone that nothing touched")
        }
    }
}

extension Family {
    /// Inserts an item with an id, in a separate block.
    fileprivate func insert(_ values: Clash.Values, _ id: ItemID) throws {
        try store.write { db in try Self.insert(values, id, in: db) }
    }

    fileprivate static func insert(
        _ values: Clash.Values, _ id: ItemID, in db: borrowing DataStoreWriter
    ) throws {
        _ = try db.performInsert(DynamicItem(type, id: id, values: values))
    }
}
