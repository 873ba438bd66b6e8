import JustPersist

extension TransactionChecks {
    /// Checks of the end of a block in which a property could not be changed or read.
    static let refusedChanges: [CheckDefinition] = [
        CheckDefinition(
            "tx/refused-change-fails-block", clause: [5],
            """
            A change of an attribute that is refused without try makes the block fail in the forms that throw. In the \
            others it is reported, and the block continues.
            """
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["a": 1])
            var frozen: DynamicItem?
            try items.store.performRead { db in frozen = try items.item("a", db) }
            let old = try check.require(frozen, "the item in a read block")
            let refusals: [(String, DataStoreError.Code, (DynamicItem) -> Void)] = [
                (
                    "an attribute was set to UInt64.max", .unsupportedValue,
                    { $0.setValue(UInt64.max, forKeyPath: "note") }
                ),
                (
                    "an attribute was set that the type does not have", .unknownAttribute,
                    { $0["unheardOf"] = .int(1) }
                ),
                (
                    "an item of a read block was set", .itemNotMutable,
                    { _ in old["number"] = .int(5) }
                ),
            ]
            for (what, code, refuse) in refusals {
                check.expectError(code, what: "a write block that throws, in which \(what)") {
                    try items.store.write { db in
                        let item = try check.require(try items.item("a", db), "the item")
                        item["number"] = .int(2)
                        refuse(item)
                    }
                }
                check.expectEqual(
                    try items.all(), ["a": 1],
                    "the items after a write block that throws, in which \(what)")
            }
            for (place, (what, code, refuse)) in refusals.enumerated() {
                let reported = check.reported {
                    items.store.writeSync { db in
                        guard let item = db.firstItem(forRequest: items.request()) as? DynamicItem
                        else { return }
                        item["number"] = .int(Int64(place + 2))
                        refuse(item)
                    }
                }
                check.expectEqual(
                    try items.all(), ["a": place + 2],
                    "the items after writeSync without try, in whose block \(what)")
                check.expectEqual(
                    reported.map(\.code), [code],
                    "the errors given to the handler when \(what) in writeSync without try")
            }
        },
        CheckDefinition(
            "tx/unreadable-value-fails-block", clause: [5, 9],
            """
            A stored value that a property cannot read makes the block fail in the forms that throw. In the others it \
            is reported, and the block continues.
            """
        ) { check in
            let items = try StoredType(
                "ConformanceUnreadable", ["text"], in: try check.openStore(), check)
            let id = try items.create(["text": .int(7)])
            func use(_ db: borrowing DataStoreWriter) throws {
                let found = try db.performFetchItem(ItemType(TextRelease.self), id: id)
                _ = try check.require(found as? TextRelease, "the item").text
                _ = try items.create([:], db)
            }
            check.expectError(
                .kindMismatch,
                what: "a write block that throws, which uses a value that it cannot read"
            ) {
                try items.store.write { db in try use(db) }
            }
            try items.expect([id], "after that block")
            check.expectError(
                .kindMismatch,
                what: "a read block that throws, in which a property cannot read its value"
            ) {
                try items.store.read { db in
                    let found = try db.performFetchItem(ItemType(TextRelease.self), id: id)
                    _ = (found as? TextRelease)?.text
                }
            }
            let reported = check.reported {
                items.store.writeSync { db in _ = try? use(db) }
            }
            check.expectEqual(
                reported.map(\.code), [.kindMismatch],
                "the errors given to the handler for an unreadable value in writeSync without try"
            )
            check.expectEqual(
                try items.ids().count, 2, "the number of items after writeSync without try")
            try items.expectValues(["text": .int(7)], of: id, "after writeSync without try")
        },
    ]
}

/// A later release of a type, which declares another kind.
private final class TextRelease: MutableDataStoreItem {
    static let schema = ItemSchema(
        "ConformanceUnreadable", attributes: [AttributeSchema("text", kinds: [.string])])

    let backing: any ItemBacking

    init(backing: any ItemBacking) { self.backing = backing }

    var text: String? {
        get { optionalAttribute(at: 0) }
        set { setOptionalAttribute(newValue, at: 0) }
    }
}
