import JustPersist

extension TransactionChecks {
    /// What becomes of a block in which a property was not changed as it was told to.
    static let refusedChanges: [CheckDefinition] = [
        CheckDefinition(
            "tx/refused-change-fails-block", clause: [5],
            """
            A change of an attribute that is refused without try fails the block in the forms that throw; in the \
            others it is reported, and the block goes on.
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
                    "the items behind a write block that throws, in which \(what)")
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
                    "the items behind writeSync without try, in whose block \(what)")
                check.expectEqual(
                    reported.map(\.code), [code],
                    "what the error handler was given when \(what) in writeSync without try")
            }
        }
    ]
}
