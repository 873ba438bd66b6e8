import JustPersist

extension CrudChecks {
    /// The live object for an item got earlier.
    static let mutableVersions: [CheckDefinition] = [
        CheckDefinition(
            "crud/mutable-version", clause: [8],
            "An item of any earlier block leads to the live object of this one, whose changes stick."
        ) { check in
            let items = try check.openItems()
            var created: DynamicItem?
            try items.store.write { db in
                created = try items.create(["name": .string("old")], db)
            }
            let earlier = try check.require(created, "the item of a write block")
            let id = earlier.uniqueToken
            let frozen = try items.frozen(id)
            check.errors.removeAll()
            try items.store.write { db in
                let live = try check.require(
                    db.mutableVersion(ofItem: frozen) as? DynamicItem,
                    "mutableVersion(ofItem:) of an item of a read block")
                check.expectEqual(live.uniqueToken, id, "the token of the mutable version")
                check.expectIdentical(
                    try live.value("name"), .string("old"), "the name of the mutable version")
                check.expect(live !== frozen, "The mutable version is the frozen item itself")
                for (other, what) in [(earlier, "an earlier write block"), (live, "this block")] {
                    check.expect(
                        db.mutableVersion(ofItem: other) === live,
                        "One item has two live objects in one block: by an item of \(what)")
                }
                check.expect(
                    try items.live(id, db) === live,
                    "One item has two live objects in one block: by its id")
                check.expect(
                    db.firstMutableItem(forRequest: items.request()) === live,
                    "One item has two live objects in one block: by a request")
                try live.set(["name": .string("new")])
            }
            try items.expectValues(
                ["name": .string("new")], of: id, "changed through its mutable version")
            check.expectIdentical(
                frozen["name"], .string("old"), "the frozen item after its mutable version changed")
            check.expectIdentical(
                earlier["name"], .string("old"), "the item of a write block that has ended")
            try items.store.write { db in
                let live: DynamicItem = try db.mutableVersion(ofItem: frozen)
                check.expectIdentical(
                    try live.value("name"), .string("new"),
                    "the name of the mutable version of an item that was read before a change")
            }
            check.expectReports([], of: items.store, "mutableVersion(ofItem:)")
        },
        CheckDefinition(
            "crud/mutable-version-of-deleted", clause: [8],
            "The mutable version of a deleted item is nil, in the same block and in later ones."
        ) { check in
            let items = try check.openItems()
            let id = try items.create(["name": .string("old")])
            let other = try items.create()
            let frozen = try items.frozen(id)
            check.errors.removeAll()
            try items.store.write { db in
                let live = try items.live(id, db)
                try db.delete(live)
                check.expect(
                    db.mutableVersion(ofItem: live) == nil,
                    "mutableVersion(ofItem:) of an item deleted in the block gave an item")
                check.expect(
                    db.mutableVersion(ofItem: frozen) == nil,
                    "mutableVersion(ofItem:) of a frozen item deleted in the block gave an item")
            }
            try items.store.write { db in
                check.expect(
                    db.mutableVersion(ofItem: frozen) == nil,
                    "mutableVersion(ofItem:) of an item deleted in an earlier block gave an item")
                check.expectError(
                    .couldNotFetchMutableVersion,
                    what: "the throwing mutableVersion(ofItem:) of a deleted item"
                ) {
                    let _: DynamicItem = try db.mutableVersion(ofItem: frozen)
                }
            }
            check.expectReports([], of: items.store, "mutableVersion(ofItem:) of a deleted item")
            check.expectIdentical(
                frozen["name"], .string("old"), "the frozen copy of an item that was deleted")
            try items.expect([other], "after one was deleted")
        },
        CheckDefinition(
            "crud/mutable-version-of-foreign", clause: [5, 8],
            "The mutable version of an item of another store is nil, and reported."
        ) { check in
            let (items, foreign, id) = try check.openItemsAndForeignTwin()
            let item = try foreign.frozen(id)
            check.errors.removeAll()
            try items.store.write { db in
                check.expectError(
                    .foreignItem, what: "performMutableVersion(of:) of an item of another store"
                ) {
                    _ = try db.performMutableVersion(of: item)
                }
                check.expect(
                    db.mutableVersion(ofItem: item) == nil,
                    "mutableVersion(ofItem:) of an item of another store gave an item")
                check.expectReports(
                    [.foreignItem], of: items.store, "mutableVersion(ofItem:) of a foreign item")
            }
            try items.expectValues(["name": .string("kept")], of: id, "with a foreign one's id")
        },
    ]
}
