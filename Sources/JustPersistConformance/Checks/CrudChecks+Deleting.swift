import JustPersist

extension CrudChecks {
    /// Checks of deleting single items.
    static let deleting: [CheckDefinition] = [
        CheckDefinition(
            "crud/recreate-does-not-resurrect", clause: [8],
            "A new item with the id or the type of a deleted one has none of its values."
        ) { check in
            let items = try check.openItems()
            let old: [String: DataStoreValue] = [
                "name": .string("old"), "number": .int(1), "note": .string("old"),
            ]
            let id = try items.create(old)
            try items.store.write { db in try db.delete(try items.live(id, db)) }
            try items.store.write { db in
                check.expect(
                    db.insert(DynamicItem(items.key, id: id, values: ["name": .string("new")])),
                    "insert(_:) of an item with the id of a deleted one gave false")
            }
            try items.expect([id], "after a new one took a deleted one's id")
            try items.expectValues(["name": .string("new")], of: id, "with a deleted one's id")
            try items.expect([], where: "note", .equal, .string("old"), "after it was deleted")
            try items.store.write { db in
                try db.delete(try items.live(id, db))
                _ = try db.performInsert(
                    DynamicItem(items.key, id: id, values: ["number": .int(2)]))
            }
            try items.expectValues(
                ["number": .int(2)], of: id, "deleted and inserted again in one block")
            let more = try (0..<5).map { _ in try items.create(old) }
            try items.store.write { db in try db.performDeleteAll([items.itemType]) }
            let new = try items.create()
            check.expect(
                new != id && !more.contains(new), "A new item has the token of a deleted one")
            try items.expect([new], "after all were deleted and one was created")
            try items.expectValues([:], of: new, "created after all were deleted")
        }
    ]
}
