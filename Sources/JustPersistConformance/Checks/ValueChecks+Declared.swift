import JustPersist

extension ValueChecks {
    /// Checks of the declared defaults, kinds and names of attributes.
    static let declared: [CheckDefinition] = [
        CheckDefinition(
            "val/default-is-the-value", clause: [9, 11, 12],
            "An item without a value for an attribute has the declared default in every kind of read."
        ) { check in
            let store = try check.openStore()
            var items = try StoredType("Declared", ["name"], in: store, check)
            let older = try items.create(["name": .string("older")])
            try items.declare(AttributeSchema("level", kinds: [.int], default: .int(3)))
            // Above and below the default, and one that holds no value either.
            let above = try items.create(["name": .string("above"), "level": .int(4)])
            let below = try items.create(["name": .string("below"), "level": .int(2)])
            let new = try items.create(["name": .string("new")])
            func read(_ when: String) throws {
                for (id, name) in [(older, "older"), (new, "new")] {
                    try items.expectValues(
                        ["name": .string(name), "level": .int(3)], of: id, when)
                }
                try items.expect([older, new], where: "level", .equal, .int(3), when)
                try items.expect([above, below], where: "level", .notEqual, .int(3), when)
                try items.expect([older, above, new], where: "level", .greater, .int(2), when)
                try items.expect([], where: "level", .equal, .null, when)
                try check.expectOrder(
                    of: items, by: "level", [below, older, new, above], when)
            }
            try read("that the attribute was declared")
            // A later default applies only to new items, whose class sets it.
            try items.declare(AttributeSchema("level", kinds: [.int], default: .int(9)))
            try read("after another default was declared")
            if try items.reopens() { try read("after the store was reopened") }
            // Declares kinds to which the recorded default cannot be converted, and then others.
            let set = try items.store.write { db in try db.create(Coded.self).uniqueToken }
            try items.declare(AttributeSchema("level", kinds: [.string], default: .string("")))
            try items.declare(AttributeSchema("code", kinds: [.string], default: .string("")))
            try items.declare(AttributeSchema("level", kinds: [.int], default: .int(9)))
            try items.declare(AttributeSchema("code", kinds: [.int], default: .int(5)))
            try items.store.read { db in
                let item = try check.require(
                    try db.performFetchItem(ItemType(Coded.self), id: set), "the item of a class")
                check.expectIdentical(
                    try item.storedValue(forKeyPath: "code"), .int(0),
                    "a value that equals the default, after other kinds were declared")
            }
            try items.expect(
                [older, new, set], where: "level", .equal, .int(3),
                "after other kinds were declared")
        },
        CheckDefinition(
            "val/explicit-nil-is-kept", clause: [9, 11],
            "An attribute that was set to nil is nil, even if a default is declared later."
        ) { check in
            var items = try StoredType(
                "Declared", ["name", "level"], in: try check.openStore(), check)
            let before = try items.create(["name": .string("before"), "level": .null])
            try items.declare(
                AttributeSchema("level", kinds: [.int], default: .int(3), isOptional: true))
            let after = try items.create(["name": .string("after"), "level": .null])
            let unset = try items.create(["name": .string("unset")])
            func read(_ when: String) throws {
                try items.expectValues(["name": .string("before")], of: before, when)
                try items.expectValues(["name": .string("after")], of: after, when)
                try items.expectValues(
                    ["name": .string("unset"), "level": .int(3)], of: unset, when)
                try items.expect([before, after], where: "level", .equal, .null, when)
                try items.expect([unset], where: "level", .equal, .int(3), when)
                try check.expectOrder(of: items, by: "level", [before, after, unset], when)
            }
            try read("after a default was declared")
            try items.set(["name": .string("before")], of: before)
            try read("after another attribute was changed")
            if try items.reopens() { try read("after the store was reopened") }
            // If the attribute is not optional, nil represents the default.
            try items.declare(AttributeSchema("level", kinds: [.int], default: .int(3)))
            try items.expect(
                [before, after, unset], where: "level", .equal, .int(3),
                "once it is not optional any more")
        },
        CheckDefinition(
            "val/declared-kinds-are-enforced", clause: [5, 9],
            "A value of an undeclared kind is refused, and changes nothing."
        ) { check in
            let items = try StoredType("Declared", ["name"], in: try check.openStore(), check)
            try items.declare(AttributeSchema("name", kinds: [.string]))
            try items.declare(AttributeSchema("level", kinds: [.int]))
            let id = try items.create(["name": .string("a"), "level": .int(1)])
            try items.store.write { db in
                let item = try items.live(id, db)
                for (name, value) in [
                    ("name", .int(42)), ("level", .string("1")),
                ] as [(String, DataStoreValue)] {
                    let error = check.expectError(
                        .kindMismatch, what: "setting \(name) to \(value.shortText)"
                    ) {
                        try item.backing.setValue(value, forAttribute: name)
                    }
                    check.expectEqual(error?.attribute, name, "the attribute in the refusal")
                    check.expectEqual(error?.itemType, items.key, "the type in the refusal")
                }
                check.expectError(.kindMismatch, what: "inserting an item with such a value") {
                    _ = try db.performInsert(DynamicItem(items.key, values: ["name": .int(42)]))
                }
            }
            try items.expect([id], "after values were refused")
            try items.expectValues(
                ["name": .string("a"), "level": .int(1)], of: id, "after values were refused")
        },
        CheckDefinition(
            "val/renames-are-remembered", clause: [9],
            "An attribute is found under its current name after several releases have renamed it."
        ) { check in
            var items = try StoredType("Declared", ["title"], in: try check.openStore(), check)
            let id = try items.create(["title": .string("old")])
            // The second release changes an item, and creates none.
            try items.store.write { db in
                let item = try check.require(
                    try db.performFetchItem(ItemType(SecondRelease.self), id: id) as? SecondRelease,
                    "the item as one of a class that renames its attribute")
                try item.setStoredValue("new", forKeyPath: "name")
            }
            if check.reopeningKeepsData { items = try items.reopened() }
            try items.store.read { db in
                for type in [ItemType(ThirdRelease.self), ItemType(SkippingRelease.self)] {
                    let item = try check.require(
                        try db.performFetchItem(type, id: id), "the item as one of a later class")
                    let name = type.schema?.attributes.first?.name ?? ""
                    check.expectIdentical(
                        try item.storedValue(forKeyPath: name), .string("new"),
                        "the value under the name \(name.escaped)")
                }
            }
            try items.declare(AttributeSchema("label", originalName: "name"))
            try items.expectValues(["label": .string("new")], of: id, "after the third release")
        },
    ]
}

extension StoredType {
    fileprivate func declare(_ attribute: AttributeSchema) throws {
        try store.write { db in try db.declare(ItemSchema(key, attributes: [attribute])) }
    }
}

extension CheckContext {
    fileprivate func expectOrder(
        of items: StoredType, by attribute: String, _ expected: [ItemID], _ when: String,
        line: Int = #line
    ) throws {
        let request = items.request()
        request.setSort(byKey: attribute, ascending: true)
        let found = try items.store.read { db in try db.performFetch(request).map { $0.uniqueToken }
        }
        expectEqual(found, expected, "the items sorted by \(attribute.escaped) \(when)", line: line)
    }
}

/// A class that sets the default on its new items.
private final class Coded: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Declared", attributes: [AttributeSchema("code", kinds: [.int], default: .int(0))])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }

    func setInitialValues() { setAttribute(0, at: 0) }
}

private final class SecondRelease: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Declared", attributes: [AttributeSchema("name", originalName: "title")])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}

private final class ThirdRelease: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Declared", attributes: [AttributeSchema("label", originalName: "name")])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}

/// A release that knows only the first release.
private final class SkippingRelease: MutableDataStoreItem {
    static let schema = ItemSchema(
        "Declared", attributes: [AttributeSchema("heading", originalName: "title")])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}
