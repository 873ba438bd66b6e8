import JustPersist

extension ChildChecks {
    /// Items that parent and child both make.
    static let bothMade: [CheckDefinition] = [
        child(
            "child/conflict-both-made",
            "An item that parent and child made under one id is a conflict, whoever was first."
        ) { check in
            for isDuringBlock in [true, false] {
                let parent = try Family(check)
                let child = try parent.child()
                let id = ItemID()
                var writer: ThreadHandle?
                try child.store.write { db in
                    try Family.insert("child", id, in: db)
                    guard isDuringBlock else { return }
                    writer = check.start { try parent.insert("parent", id) }
                    // A store may let it wait for the end of this block.
                    _ = writer?.ends(within: .seconds(1))
                }
                if isDuringBlock { try writer?.join() } else { try parent.insert("parent", id) }
                let moment =
                    isDuringBlock ? "while the child's block ran" : "after the child's block"
                let error = check.expectError(
                    .mergeConflict, what: "merging an item that the parent made too, \(moment),"
                ) { try parent.merge(child, .fail) }
                check.expectEqual(
                    error?.conflicts.filter { $0.attribute == "name" },
                    [
                        MergeConflict(
                            kind: .bothChanged, itemType: Family.type, id: id, attribute: "name",
                            base: .null, child: .string("child"), parent: .string("parent"))
                    ], "the conflicts over the name of an item that the parent made \(moment)")
                check.expectEqual(try parent.names(), ["parent"], "names after the refusal")
                try parent.merge(child, .childWins)
                check.expectEqual(
                    try parent.names(), ["child"], "names after a merge in which the child wins")
            }
        }
    ]
}

extension Family {
    /// Inserts an item under an id, in a block of its own.
    fileprivate func insert(_ name: String, _ id: ItemID) throws {
        try store.write { db in try Self.insert(name, id, in: db) }
    }

    /// Inserts an item under an id, in an open block.
    fileprivate static func insert(
        _ name: String, _ id: ItemID, in db: borrowing DataStoreWriter
    ) throws {
        _ = try db.performInsert(
            DynamicItem(type, id: id, values: ["name": .string(name), "number": .int(0)]))
    }
}
