import JustPersist

extension CrudChecks {
    /// Items that were made in no store are taken in; those of another store are not.
    static let inserting: [CheckDefinition] = [
        CheckDefinition(
            "crud/insert-detached-item", clause: [8],
            "An item made in no store is taken in under its id with its values, and is live then."
        ) { check in
            let items = try check.openItems()
            check.errors.removeAll()
            let values: [String: DataStoreValue] = ["name": .string("made"), "number": .int(3)]
            let detached = DynamicItem(items.key, values: values)
            let id = detached.uniqueToken
            try items.store.write { db in
                check.expect(db.insert(detached), "insert(_:) of a detached item gave false")
                try items.expect([id], "in the block that inserted one", db)
                detached["note"] = .string("live")
            }
            try items.expect([id], "after a detached item was inserted")
            try items.expectValues(
                values.merging(["note": .string("live")]) { $1 }, of: id,
                "that was inserted, and changed in the same block")
            let user = ConformanceUser()
            user.name = "detached"
            try items.store.write { db in
                check.expect(db.insert(user), "insert(_:) of an item of a class gave false")
            }
            try items.store.read { db in
                let found = try db.item(ConformanceUser.self, id: user.uniqueToken)
                check.expectEqual(
                    found?.name, "detached", "the name of an inserted item of a class")
            }
            check.expectReports([], of: items.store, "inserting detached items")
        },
        CheckDefinition(
            "crud/insert-twice", clause: [8],
            "Inserting what is in the store already is true, and makes no duplicate."
        ) { check in
            let items = try check.openItems()
            check.errors.removeAll()
            let item = DynamicItem(items.key, values: ["name": .string("first")])
            let id = item.uniqueToken
            try items.store.write { db in
                check.expectEqual(
                    try db.performInsert(item), true, "performInsert(_:) of a new item")
                check.expect(db.insert(item), "insert(_:) of an item inserted before gave false")
                check.expectEqual(
                    try db.performInsert(item), false, "performInsert(_:) of an item added before")
                try items.expect([id], "in the block that inserted one twice", db)
            }
            try items.expect([id], "after one was inserted twice")
            try items.store.write { db in
                check.expect(
                    db.insert(try items.live(id, db)), "insert(_:) of a fetched item gave false")
                let twin = DynamicItem(items.key, id: id, values: ["name": .string("twin")])
                check.expect(
                    db.insert(twin), "insert(_:) of a detached item whose id is there gave false")
                check.expect(
                    db.insert(item), "insert(_:) of an item of an earlier block gave false")
                try items.expect([id], "in a later block that inserted it again", db)
            }
            try items.expect([id], "after it was inserted again in a later block")
            try items.expectValues(
                ["name": .string("first")], of: id, "after a twin with other values was inserted")
            check.expectReports([], of: items.store, "inserting items again")
        },
        CheckDefinition(
            "crud/insert-foreign-item-refused", clause: [5, 8],
            "An item of another store is refused and reported, and nothing is written."
        ) { check in
            let items = try check.openItems()
            let foreign = try check.openForeignItems()
            let own = try items.create(["name": .string("own")])
            let theirs = try foreign.create(["name": .string("theirs")])
            let item = try foreign.frozen(theirs)
            check.errors.removeAll()
            try items.store.write { db in
                check.expectError(
                    .foreignItem, what: "performInsert(_:) of an item of another store"
                ) {
                    _ = try db.performInsert(item)
                }
                check.expectReports([], of: items.store, "performInsert(_:), which throws")
                check.expect(!db.insert(item), "insert(_:) of an item of another store gave true")
                check.expectReports([.foreignItem], of: items.store, "insert(_:) of a foreign item")
                try items.expect([own], "in the block that was refused a foreign item", db)
                try items.live(own, db).set(["number": .int(1)])
            }
            try items.expect([own], "after a foreign item was refused")
            try items.expectValues(
                ["name": .string("own"), "number": .int(1)], of: own,
                "changed in a block that was refused a foreign item")
            try foreign.expect([theirs], "in the store that the foreign item is of")
        },
    ]
}
