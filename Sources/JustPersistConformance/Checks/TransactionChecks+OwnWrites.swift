import JustPersist

extension TransactionChecks {
    /// What a write block sees of its own changes.
    static let ownWrites: [CheckDefinition] = [
        CheckDefinition(
            "tx/delete-recreate-same-block", clause: [4, 5],
            "An item deleted and taken in again under its id in one block is one item with new values."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["a": 1])
            let id = try check.require(try tokens(items).first, "the id of the item")
            try items.store.write { db in
                let item = try check.require(try items.item("a", db), "the item")
                item["note"] = .string("old")
                try db.delete(item)
                let new = DynamicItem(items.key, id: id, values: ["name": .string("again")])
                check.expect(
                    try db.performInsert(new),
                    "insert of an item under the id of a deleted one: not new")
                check.expectEqual(
                    try items.names(items.request(), db), ["again"], "the items inside the block")
            }
            try items.store.read { db in
                let found = try items.items(db)
                check.expectEqual(found.map(\.uniqueToken), [id], "the ids after the block")
                check.expectEqual(
                    try found.first?.values(), ["name": .string("again")],
                    "the values after the block, of which none is the old item's")
            }
        }
    ]
}
