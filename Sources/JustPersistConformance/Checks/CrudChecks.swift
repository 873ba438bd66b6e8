import JustPersist

/// Checks of creating, reading, changing and deleting items.
enum CrudChecks {
    static let all = creating + updating + deleting + deletingTypes + mutableVersions

    private static let creating: [CheckDefinition] = [
        CheckDefinition(
            "crud/create-returns-requested-type", clause: [8],
            "A new item has the requested type, and its attributes are nil."
        ) { check in
            let items = try check.openItems()
            let store = items.store
            check.errors.removeAll()
            try store.write { db in
                let made = [
                    try db.performCreate(ItemType(ConformanceUser.self)),
                    try check.require(
                        db.createItem(ofMutableType: ConformanceUser.self),
                        "createItem(ofMutableType:)"),
                ]
                for item in made {
                    let user = try check.require(
                        item as? ConformanceUser, "a new “User” as a ConformanceUser")
                    check.expectEqual(user.backing.itemTypeKey, "User", "the type of a new “User”")
                    check.expectEqual(user.name, nil, "the name of a new item")
                    check.expectEqual(user.age, nil, "the age of a new item")
                }
                let profile = try db.create(ConformanceUserProfile.self)
                check.expectEqual(
                    profile.backing.itemTypeKey, "UserProfile", "the type of a new “UserProfile”")
                let dynamic = try db.performCreate(items.itemType)
                check.expect(
                    dynamic is DynamicItem,
                    "performCreate(_:) of a dynamic type gave a \(type(of: dynamic))"
                )
                check.expectEqual(
                    dynamic.backing.itemTypeKey, items.key, "the type of a dynamic item")
                for name in ["name", "number", "note"] {
                    check.expectIdentical(
                        try dynamic.backing.value(forAttribute: name), .null,
                        "“\(name)” of a new item")
                }
            }
            try store.read { db in
                let users = try db.performFetch(DataStoreRequest(itemType: ConformanceUser.self))
                check.expectEqual(
                    users.compactMap { $0 as? ConformanceUser }.count, 2,
                    "the number of items that a request for a class gives as that class")
                check.expect(
                    try db.performFetch(items.request()).allSatisfy { $0 is DynamicItem },
                    "A request for a dynamic type gave items of another class than DynamicItem")
            }
            check.expectReports([], of: store, "creating items and reading them")
        },
        CheckDefinition(
            "crud/tokens-are-unique", clause: [8, 12],
            "No two items have the same token, and items are returned in the order of their creation."
        ) { check in
            let items = try check.openItems()
            let count = check.profile.pick(quick: 10_000, full: 20_000, soak: 500_000)
            var made: [ItemID] = []
            for _ in 0..<10 {
                made += try items.store.write { db in
                    var ids: [ItemID] = []
                    for _ in 0..<count / 10 { ids.append(try items.create([:], db).uniqueToken) }
                    return ids
                }
                check.tick()
            }
            check.expectEqual(
                Set(made).count, made.count, "the number of different tokens of created items")
            let found = try items.ids()
            check.expectEqual(found, made, "the items, in the order of their creation")
        },
        CheckDefinition(
            "crud/token-is-stable", clause: [8],
            "An item has one token in its first block, later ones, children, and after reopening."
        ) { check in
            var items = try check.openItems()
            let id = try items.store.write { db in
                let item = try items.create(["name": .string("first")], db)
                let id = item.uniqueToken
                try item.set(["name": .string("second")])
                check.expectEqual(item.uniqueToken, id, "the token after a change in the block")
                return id
            }
            try items.expect([id], "in a later block")
            try items.set(["name": .string("third")], of: id)
            try items.expect([id], "after an update")
            try items.expect([id], where: "name", .equal, .string("third"), "after an update")
            if items.store.capabilities.childStores >= .oneLevel {
                let child = try items.store.makeChild()
                try child.open()
                let inChild = StoredType(items.key, knownIn: child, check)
                try inChild.expect([id], "in a child")
                try inChild.set(["name": .string("fourth")], of: id)
                try inChild.expect([id], "in a child that changed it")
                try items.store.merge(child, policy: .childWins)
                try items.expect([id], "after a child that changed it was merged")
                try child.close()
            }
            if try items.reopens() { try items.expect([id], "after the store was reopened") }
        },
    ]
}

extension CheckContext {
    /// A new store with the declared type of most checks of this group, which has no items.
    func openItems() throws -> StoredType {
        try StoredType("CrudItem", ["name", "number", "note"], in: try openStore(), self)
    }
}
