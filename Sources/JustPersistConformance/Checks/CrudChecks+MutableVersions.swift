import JustPersist

extension CrudChecks {
    /// Checks of the live object for an item of an earlier block.
    static let mutableVersions: [CheckDefinition] = [
        CheckDefinition(
            "crud/mutable-version", clause: [8],
            "An item of any earlier block leads to the live object of this block, whose changes are kept."
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
        }
    ]
}
