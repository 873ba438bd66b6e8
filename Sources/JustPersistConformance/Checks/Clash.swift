import JustPersist

/// The changes of a child and its parent to one item, and their outcome in a merge: the rows of the table of merges.
struct Clash: Sendable {
    typealias Values = [String: DataStoreValue]

    /// The end of its check's id.
    let name: String
    /// The statement that it asserts.
    let summary: String
    /// The attributes that a side sets; nil where it deletes the item.
    let child: Values?
    let parent: Values?
    /// The item's values after a merge in which the child wins, and in which the parent does; nil if it is deleted.
    let childWins: Values?
    let parentWins: Values?
    /// The parts in conflict: some attributes, or the item.
    var attributes: [String] = []
    var kind: MergeConflict.Kind?
    /// Whether the item was not there before.
    var isMade = false

    /// The item's values before.
    ///
    /// Neither side ever sets `other`.
    static let start: Values = ["name": .string("before"), "number": .int(1), "other": .int(7)]

    static let all: [Clash] = [
        Clash(
            "same-attribute",
            "An attribute that both changed is the child's or the parent's, as the policy says.",
            child: ["name": .string("child")], parent: ["name": .string("parent")],
            attributes: ["name"]),
        Clash(
            "same-value", "An attribute that both changed to one value is in no conflict.",
            child: ["name": .string("both")], parent: ["name": .string("both")]),
        Clash(
            "different-attributes", "Different attributes changed on either side are both kept.",
            child: ["name": .string("child")], parent: ["number": .int(5)]),
        Clash(
            "one-of-two", "Of several attributes, those that one side changed are that side's.",
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
            "child-deleted-alone", "An item that only the child touched is deleted with it.",
            child: nil, parent: [:]),
        Clash("both-deleted", "An item that both deleted is no conflict.", child: nil, parent: nil),
        Clash(
            "both-made", "An item that both made under one id is a conflict, in either order.",
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
        // The winner's values come last, over what the other has changed.
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
    /// Each clash with each policy.
    static let conflicts: [CheckDefinition] = Clash.all.map { clash in
        child("child/conflict-\(clash.name)", clash.summary) { check in
            for policy in MergePolicy.allCases { try examine(clash, policy, check) }
        }
    }

    /// Makes one item in a child and in its parent, which does so while the child's block runs, or after it.
    private static func makeBoth(
        _ id: ItemID, in child: Family, _ parent: Family, _ policy: MergePolicy,
        _ check: CheckContext
    ) throws {
        var writer: ThreadHandle?
        try child.store.write { db in
            try Family.insert(Clash.start, id, in: db)
            guard policy == .childWins else { return }
            writer = check.start { try parent.insert(Clash.start, id) }
            // A store may let it wait for the end of this block.
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
        // Not the other way round: a child that saw the parent's value replaced it knowingly.
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
            // Commits of the parent meanwhile have nothing to do with it.
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
    /// Inserts an item under an id, in a block of its own.
    fileprivate func insert(_ values: Clash.Values, _ id: ItemID) throws {
        try store.write { db in try Self.insert(values, id, in: db) }
    }

    fileprivate static func insert(
        _ values: Clash.Values, _ id: ItemID, in db: borrowing DataStoreWriter
    ) throws {
        _ = try db.performInsert(DynamicItem(type, id: id, values: values))
    }
}
