import JustPersist

/// Changes without code: classes of several releases use one store.
extension EvolutionChecks {
    static let declared = [
        evo(
            "releases-take-turns", clause: [25],
            "Two releases, of which one has renamed an attribute, use a store in turns, and no value is lost."
        ) { check in
            var items = try StoredType(
                "ConformanceEvolving", ["title"], in: check.openStore(), check)
            let id = try items.create(["title": .string("0")])
            func append(_ type: ItemType, _ name: String) throws {
                try items.store.write { db in
                    let item = try check.require(
                        try db.performFetchItem(type, id: id) as? any MutableDataStoreItem,
                        "the item as one of a class with the attribute \(name.escaped)")
                    guard case .string(let text) = try item.backing.value(forAttribute: name) else {
                        return check.fail("There is no value under the name \(name.escaped).")
                    }
                    try item.setStoredValue(text + "+", forKeyPath: name)
                }
            }
            for round in 1...5 {
                try append(ItemType(LaterTitle.self), "name")
                try append(ItemType(EarlierTitle.self), "title")
                if round == 3 { _ = try items.reopens() }
            }
            try items.expectValues(
                ["name": .string("0++++++++++")], of: id, "after ten changes by two releases")
        },
        evo(
            "undeclared-attribute-survives", clause: [25, 28],
            "The value of an attribute that a class does not declare any more stays through all changes by the class."
        ) { check in
            var items = try StoredType(
                "ConformanceEvolving", ["title", "fax"], in: check.openStore(), check)
            let id = try items.create(["title": .string("a"), "fax": .string("1234")])
            for round in 1...20 {
                try items.store.write { db in
                    let item = try check.require(
                        try db.performFetchItem(ItemType(EarlierTitle.self), id: id)
                            as? any MutableDataStoreItem, "the item as one of a class")
                    try item.setStoredValue("\(round)", forKeyPath: "title")
                }
            }
            if try items.reopens() {}
            try items.expectValues(
                ["title": .string("20"), "fax": .string("1234")], of: id, "after 20 changes")
            try items.expect([id], where: "fax", .equal, .string("1234"), "after 20 changes")
        },
        evo(
            "both-names-conflict", clause: [9, 25],
            "An attribute is not renamed to one that has values too; merging keeps the values that count."
        ) { check in
            var items = try StoredType(
                "ConformanceEvolving", ["a", "b"], in: check.openStore(), check)
            let both = try items.create(["a": .int(1), "b": .int(2)])
            let one = try items.create(["a": .int(3)])
            check.expectError(.conflictingAttributes, what: "renaming a to b, which has values") {
                try items.store.write { db in try db.renameAttribute("a", to: "b", of: items.key) }
            }
            try items.expectValues(["a": .int(1), "b": .int(2)], of: both, "after the refusal")
            try items.store.write { db in
                try db.mergeAttribute("a", into: "b", of: items.key, preferring: .source)
            }
            if try items.reopens() {}
            try items.expectValues(["b": .int(1)], of: both, "after a was merged into b")
            try items.expectValues(["b": .int(3)], of: one, "after a was merged into b")
            try items.expect([both], where: "a", .equal, .int(1), "by the former name")
        },
        evo(
            "rename-type-keeps-references", clause: [25],
            "A renamed type keeps its items, and the references to them, under both keys."
        ) { check in
            var items = try StoredType(
                "ConformanceEvolving", ["other"], in: check.openStore(), check)
            let first = try items.create()
            let reference = ItemReference(itemTypeKey: items.key, id: first)
            let second = try items.create(["other": .reference(reference)])
            try items.store.write { db in try db.renameType(items.key, to: "ConformanceEvolved") }
            if try items.reopens() {}
            for key in ["ConformanceEvolved", "ConformanceEvolving"] {
                let renamed = StoredType(key, knownIn: items.store, check)
                try renamed.expect([first, second], "under the key \(key)")
                try items.store.read { db in
                    guard case .reference(let other)? = try renamed.item(second, db)?["other"]
                    else { return check.fail("The reference is gone under the key \(key).") }
                    check.expectEqual(
                        try db.dynamicItem(other)?.uniqueToken, first, "the item referred to")
                }
            }
        },
        evo(
            "widened-numbers", clause: [9, 25, 26],
            "Whole numbers are read as Double by a later class, unless one of them has no exact Double."
        ) { check in
            let items = try StoredType(
                "ConformanceEvolving", ["level"], in: check.openStore(), check)
            let id = try items.create(["level": .int(1 << 53)])
            try items.store.write { db in
                let item = try db.performFetchItem(ItemType(WideLevel.self), id: id)
                check.expectIdentical(
                    try check.require(item, "the item").storedValue(forKeyPath: "level"),
                    .double(0x1p53), "a whole number of a class that declares Double")
                _ = try db.create(WideLevel.self)
            }
            let others = try StoredType(
                "ConformanceEvolving", ["level"], in: check.openStore(), check)
            let other = try others.create(["level": .int(1 << 53 + 1)])
            check.expectError(
                .schemaMismatch, what: "creating an item of a class with Double beside 2^53 + 1"
            ) {
                try others.store.write { db in _ = try db.create(WideLevel.self) }
            }
            try others.expect([other], "after the refusal")
        },
    ]

    static let conversions = [
        evo(
            "convert-failures", clause: [26],
            "A value that cannot be converted refuses the conversion, is kept under another name, or is dropped."
        ) { check in
            var items = try StoredType(
                "ConformanceEvolving", ["level"], in: check.openStore(), check)
            let good = try items.create(["level": .string("3")])
            let bad = try items.create(["level": .string("many")])
            check.expectError(.schemaMismatch, what: "converting a text that is no number") {
                try items.store.write { db in _ = try db.convert("level", of: items.key, to: .int) }
            }
            try items.expectValues(["level": .string("3")], of: good, "after the refusal")
            let report = try items.store.write { db in
                try db.convert("level", of: items.key, to: .int, onFailure: .keep(as: "text"))
            }
            check.expectEqual(report.converted, 1, "the number of converted items")
            check.expectEqual(report.failed, [bad], "the items that could not be converted")
            if try items.reopens() {}
            try items.expectValues(["level": .int(3)], of: good, "after the conversion")
            try items.expectValues(["text": .string("many")], of: bad, "after the conversion")
            let again = try items.store.write { db in
                try db.convert("text", of: items.key, to: .int, onFailure: .drop)
            }
            check.expectEqual(again.failed, [bad], "the item whose value was dropped")
            try items.expectValues([:], of: bad, "after its value was dropped")
            // The class finds only values that it can read.
            try items.store.write { db in _ = try db.create(Level.self) }
        }
    ]
}

/// A release of a type, and a later one, which has renamed the attribute.
private final class EarlierTitle: MutableDataStoreItem {
    static let schema = ItemSchema(
        "ConformanceEvolving", attributes: [AttributeSchema("title", kinds: [.string])])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}

private final class LaterTitle: MutableDataStoreItem {
    static let schema = ItemSchema(
        "ConformanceEvolving",
        attributes: [AttributeSchema("name", kinds: [.string], originalName: "title")])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}

/// A release that declares Double for an attribute of whole numbers.
private final class WideLevel: MutableDataStoreItem {
    static let schema = ItemSchema(
        "ConformanceEvolving", attributes: [AttributeSchema("level", kinds: [.double])])
    let backing: any ItemBacking
    init(backing: any ItemBacking) { self.backing = backing }
}
