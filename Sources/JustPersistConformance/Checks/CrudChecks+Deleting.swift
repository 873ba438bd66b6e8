import JustPersist

extension CrudChecks {
    /// Items are deleted one by one.
    static let deleting: [CheckDefinition] = [
        CheckDefinition(
            "crud/delete-item", clause: [4, 8],
            "A deleted item is gone from items, count, first and by token; the others stay."
        ) { check in
            let items = try check.openItems()
            var ids = try (0..<4).map { try items.create(["number": .int($0)]) }
            for index in [2, 0] {
                let id = ids.remove(at: index)
                try items.store.write { db in
                    check.expectEqual(
                        db.delete(item: try items.live(id, db)), true, "delete(item:)")
                    try items.expect(ids, "in the block that deleted one", db)
                    check.expect(
                        try items.item(id, db) == nil, "A deleted item was found by its id")
                }
                try items.expect(ids, "after one was deleted")
                check.expect(
                    try items.values(of: id) == nil,
                    "A deleted item was found by its id in a later block")
            }
            try items.expect([], where: "number", .equal, .int(0), "after it was deleted")
            try items.store.write { db in
                let new = try items.create([:], db)
                check.expectEqual(
                    db.delete(item: new), true, "delete(item:) of an item made in the same block")
            }
            let frozen = try items.frozen(ids[0])
            try items.store.write { db in
                check.expectEqual(
                    db.delete(item: frozen), true, "delete(item:) of an item of a read block")
            }
            try items.expect([ids[1]], "after all but one were deleted")
        },
        CheckDefinition(
            "crud/delete-twice", clause: [8],
            "Deleting a deleted item is false, and reports nothing."
        ) { check in
            let items = try check.openItems()
            let id = try items.create()
            let other = try items.create()
            let frozen = try items.frozen(id)
            check.errors.removeAll()
            try items.store.write { db in
                let item = try items.live(id, db)
                check.expectEqual(db.delete(item: item), true, "the first delete(item:)")
                check.expectEqual(db.delete(item: item), false, "the second delete(item:)")
                check.expectEqual(
                    db.delete(item: frozen), false, "delete(item:) of its frozen copy")
                check.expectEqual(
                    try db.performDelete(item), false, "performDelete(_:) of a deleted item")
                check.expectError(.couldNotDeleteItem, what: "delete(_:) of a deleted item") {
                    try db.delete(item)
                }
                let new = try items.create([:], db)
                check.expectEqual(db.delete(item: new), true, "delete(item:) of a new item")
                check.expectEqual(
                    db.delete(item: new), false, "the second delete(item:) of a new item")
            }
            try items.store.write { db in
                check.expectEqual(
                    db.delete(item: frozen), false,
                    "delete(item:) of an item that an earlier block deleted")
            }
            check.expectReports([], of: items.store, "deleting what is deleted")
            try items.expect([other], "after one was deleted again and again")
        },
        CheckDefinition(
            "crud/delete-foreign-refused", clause: [5, 8],
            "Deleting an item of another store is false and reported, and deletes nothing."
        ) { check in
            let (items, foreign, id) = try check.openItemsAndForeignTwin()
            let item = try foreign.frozen(id)
            check.errors.removeAll()
            try items.store.write { db in
                check.expectError(
                    .foreignItem, what: "performDelete(_:) of an item of another store"
                ) {
                    _ = try db.performDelete(item)
                }
                check.expectEqual(db.delete(item: item), false, "delete(item:) of a foreign item")
                check.expectReports(
                    [.foreignItem], of: items.store, "delete(item:) of a foreign item")
                try items.expect([id], "in the block that was refused to delete a foreign item", db)
            }
            try items.expect([id], "after deleting a foreign item was refused")
            try foreign.expect([id], "in the store that the foreign item is of")
        },
        CheckDefinition(
            "crud/recreate-does-not-resurrect", clause: [8],
            "An item that takes a deleted one's id, or its type, has nothing of its values."
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
                ["number": .int(2)], of: id, "deleted and inserted anew in one block")
            let more = try (0..<5).map { _ in try items.create(old) }
            try items.store.write { db in try db.performDeleteAll([items.itemType]) }
            let new = try items.create()
            check.expect(
                new != id && !more.contains(new), "A new item has the token of a deleted one")
            try items.expect([new], "after all were deleted and one was created")
            try items.expectValues([:], of: new, "created after all were deleted")
        },
    ]
}
