import JustPersist

extension ValueChecks {
    /// Checks of types whose keys change from release to release.
    static let renames: [CheckDefinition] = [
        CheckDefinition(
            "val/renamed-types-keep-items", clause: [9],
            "A type with a new key keeps its items, which are found under all its keys."
        ) { check in
            var meals = try StoredType(Meal.key, ["name"], in: try check.openStore(), check)
            var ids = [
                try meals.create(["name": .string("soup")]),
                try meals.create(["name": .string("stew")]),
            ]
            try meals.store.read { db in
                try check.expect(ids, of: [Dish.self], "before the new key was written", db)
            }
            try meals.store.write { db in
                let dish = try db.create(Dish.self)
                try dish.setStoredValue("salad", forKeyPath: "name")
                ids.append(dish.uniqueToken)
                try check.expect(ids, of: [Dish.self], "in the block that writes the new key", db)
                check.expectEqual(
                    try db.performCount(meals.request()), ids.count,
                    "the count of the old key in the block that writes the new one")
            }
            // The previous release continues to write.
            try meals.store.write { db in
                let meal = try db.create(Meal.self)
                try meal.setStoredValue("pie", forKeyPath: "name")
                ids.append(meal.uniqueToken)
            }
            func read(_ when: String) throws {
                try meals.store.read { db in
                    try check.expect(ids, of: [Meal.self, Dish.self], when, db)
                    try check.expect(ids, ofKeys: [Meal.key, Dish.key], when, db)
                    try check.expectKeys([Dish.key], formerly: [Meal.key], when, db)
                }
            }
            try read("after both releases have written")
            if try meals.reopens() { try read("after the store was reopened") }
            // One that knows the second alone, and one that knows the first alone.
            try meals.store.read { db in
                try check.expect(ids, of: [Supper.self, Course.self], "by later releases", db)
            }
            try meals.store.write { db in
                let supper = try db.create(Supper.self)
                ids.append(supper.uniqueToken)
            }
            try meals.store.read { db in
                let all =
                    [Meal.self, Dish.self, Supper.self, Course.self] as [any DataStoreItem.Type]
                try check.expect(ids, of: all, "after the third release has written", db)
                try check.expectKeys(
                    [Supper.key], formerly: [Meal.key, Dish.key],
                    "after the third release has written", db)
            }
            try meals.store.write { db in try db.performDeleteAll([ItemType(Dish.self)]) }
            try meals.store.read { db in
                try check.expect([], of: [Meal.self, Supper.self], "after all were deleted", db)
            }
        },
        CheckDefinition(
            "val/references-to-renamed-types", clause: [9], gate: .requires(.valueKind(.reference)),
            "References lead to the items of a type with a new key, whichever key they were written with."
        ) { check in
            var meals = try StoredType(
                Meal.key, ["name", "side"], in: try check.openStore(), check)
            let soup = try meals.create(["name": .string("soup")])
            let old = ItemReference(itemTypeKey: Meal.key, id: soup)
            let stew = try meals.create(["name": .string("stew"), "side": .reference(old)])
            try meals.store.read { db in
                let item = try check.require(
                    try db.item(Dish.self, id: stew), "an item as one of the renamed class")
                try check.expectSoup(item, db, "before the new key was written")
            }
            let salad = try meals.store.write { db in
                let dish = try db.create(Dish.self)
                let soup = try check.require(try db.item(Dish.self, id: soup), "the soup")
                try dish.setStoredValue(soup.reference, forKeyPath: "side")
                return dish.uniqueToken
            }
            func read(_ when: String) throws {
                try meals.store.read { db in
                    for id in [stew, salad] {
                        let item = try check.require(
                            try db.item(Dish.self, id: id), "an item \(when)")
                        try check.expectSoup(item, db, when)
                        check.expectIdentical(
                            try item.storedValue(forKeyPath: "side.name"), .string("soup"),
                            "the name at the end of the reference \(when)")
                    }
                    for key in [Meal.key, Dish.key] {
                        let request = DataStoreRequest(itemTypeKey: key)
                        request.predicate = try DataStorePredicate("side.name == 'soup'")
                        check.expectEqual(
                            try db.performFetch(request).map { $0.uniqueToken }, [stew, salad],
                            "the items of \(key.escaped) whose reference leads to the soup \(when)")
                    }
                }
            }
            try read("after the new key was written")
            if try meals.reopens() { try read("after the store was reopened") }
        },
        CheckDefinition(
            "val/type-under-two-keys", clause: [9],
            "If a type has two keys in a store, the one with items is used, and items under both are refused."
        ) { check in
            for isOldKeyInUse in [true, false] {
                let store = try check.openStore()
                var ids: [ItemID] = []
                for key in [Meal.key, Dish.key] {
                    // The state after a release that did not declare the former key.
                    let items = try StoredType(key, ["name"], in: store, check)
                    if (key == Meal.key) == isOldKeyInUse {
                        ids = [try items.create(["name": .string("soup")])]
                    }
                }
                let when = "when \((isOldKeyInUse ? Meal.key : Dish.key).escaped) alone has items"
                try store.read { db in try check.expect(ids, of: [Dish.self], when, db) }
                try store.write { db in ids.append(try db.create(Dish.self).uniqueToken) }
                try store.read { db in
                    try check.expect(ids, of: [Dish.self], when, db)
                    try check.expect(ids, ofKeys: [Meal.key, Dish.key], when, db)
                    try check.expectKeys([Dish.key], formerly: [Meal.key], when, db)
                }
            }
            let store = try check.openStore()
            let meals = try StoredType(Meal.key, ["name"], in: store, check)
            let dishes = try StoredType(Dish.key, ["name"], in: store, check)
            let old = try meals.create(["name": .string("soup")])
            let new = try dishes.create(["name": .string("soup")])
            for (what, call) in [
                ("fetching", { try $0.read { db in _ = try db.items(Dish.self) } }),
                ("counting", { try $0.read { db in _ = try db.count(Dish.self) } }),
                ("looking up", { try $0.read { db in _ = try db.item(Dish.self, id: ItemID()) } }),
                ("creating", { try $0.write { db in _ = try db.create(Dish.self) } }),
                ("declaring", { try $0.write { db in try db.declare(Dish.schema) } }),
            ] as [(String, (any DataStore) throws -> Void)] {
                check.expectError(.conflictingTypes, what: "\(what) with items under both keys") {
                    try call(store)
                }
            }
            try meals.expect([old], "after the class was refused")
            try dishes.expect([new], "after the class was refused")
            try store.write { db in try db.performDeleteAll([meals.itemType]) }
            try store.read { db in
                try check.expect([new], of: [Dish.self], "once one key has no items left", db)
            }
        },
    ]
}

extension CheckContext {
    /// Expects that all reading calls of an open block find these items, for each of some classes.
    fileprivate func expect<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ ids: [ItemID], of classes: [any DataStoreItem.Type], _ when: String,
        _ db: borrowing Accessor, line: Int = #line
    ) throws {
        try expect(ids, of: classes.map { ItemType($0) }, when, db, line)
    }

    /// Expects the items of types without classes.
    fileprivate func expect<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ ids: [ItemID], ofKeys keys: [String], _ when: String, _ db: borrowing Accessor,
        line: Int = #line
    ) throws {
        try expect(ids, of: keys.map { ItemType(dynamic: $0) }, when, db, line)
    }

    private func expect<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ ids: [ItemID], of types: [ItemType], _ when: String, _ db: borrowing Accessor,
        _ line: Int
    ) throws {
        for type in types {
            let what =
                "of \(type.key.escaped)\(type.schema == nil ? ", without a class," : "") \(when)"
            let request = DataStoreRequest(type: type)
            expectEqual(
                try db.performFetch(request).map { $0.uniqueToken }, ids, "the items \(what)",
                line: line)
            expectEqual(try db.performCount(request), ids.count, "the count \(what)", line: line)
            for id in ids {
                expectEqual(
                    try db.performFetchItem(type, id: id)?.uniqueToken, id,
                    "the item \(what), fetched by its id", line: line)
            }
            request.predicate = .comparing("name", .equal, .string("soup"))
            expectEqual(
                try db.performFetch(request).map { $0.uniqueToken }, Array(ids.prefix(1)),
                "the items named soup \(what)", line: line)
        }
    }

    /// Expects the types with these keys and former keys, among the types that these checks create.
    fileprivate func expectKeys<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ keys: [String], formerly formerKeys: [String], _ when: String,
        _ db: borrowing Accessor, line: Int = #line
    ) throws {
        let schemas = try db.schemas().filter { $0.itemTypeKey.hasPrefix("ConformanceRenamed") }
        expectEqual(
            schemas.map(\.itemTypeKey), keys, "the types that the store lists \(when)", line: line)
        let known = Set(schemas.flatMap(\.formerTypeKeys))
        expect(
            known.isSuperset(of: formerKeys),
            "The former keys that the store lists \(when) are \(known.sorted()), not \(formerKeys)",
            line: line)
    }

    /// Expects that the reference of an item leads to the soup.
    fileprivate func expectSoup<Accessor: DataStoreReadAccessor & ~Copyable>(
        _ item: any DataStoreItem, _ db: borrowing Accessor, _ when: String, line: Int = #line
    ) throws {
        guard case .reference(let side) = try item.storedValue(forKeyPath: "side") else {
            return fail("The reference of an item is none \(when)", line: line)
        }
        expectIdentical(
            try db.item(Dish.self, side)?.storedValue(forKeyPath: "name") ?? .null,
            .string("soup"), "the name of the item that a reference leads to \(when)", line: line)
        expectIdentical(
            try db.dynamicItem(side)?.storedValue(forKeyPath: "name") ?? .null,
            .string("soup"),
            "the name of the item that a reference leads to without a class \(when)", line: line)
    }
}

private func renamedSchema(of key: String, formerly formerKeys: String...) -> ItemSchema {
    ItemSchema(
        key, formerTypeKeys: formerKeys,
        attributes: [AttributeSchema("name", kinds: [.string]), AttributeSchema("side")])
}

/// The first release.
private final class Meal: MutableDataStoreItem {
    static let key = "ConformanceRenamedMeal"
    static let schema = renamedSchema(of: key)
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}

private final class Dish: MutableDataStoreItem {
    static let key = "ConformanceRenamedDish"
    static let schema = renamedSchema(of: key, formerly: Meal.key)
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}

private final class Supper: MutableDataStoreItem {
    static let key = "ConformanceRenamedSupper"
    static let schema = renamedSchema(of: key, formerly: Dish.key)
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}

/// A release that knows only the first release.
private final class Course: MutableDataStoreItem {
    static let key = "ConformanceRenamedCourse"
    static let schema = renamedSchema(of: key, formerly: Meal.key)
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}
