import JustPersist

/// Checks of unique values while items change.
extension IndexChecks {
    static let changes: [CheckDefinition] = [
        CheckDefinition(
            "idx/unique-update", clause: [5, 20], gate: .requires(.uniqueness),
            "A change to a value that another item has is refused; the former value of an item can be used again."
        ) { check in
            let items = try uniqueItems(check)
            let (first, second) = try items.store.write { db in
                (
                    try items.create([key: .string("1")], db).uniqueToken,
                    try items.create([key: .string("2")], db).uniqueToken
                )
            }
            check.expectError(.uniqueViolation, what: "a change to the value of another item") {
                try items.set([key: .string("1"), text: .string("changed")], of: second)
            }
            try items.expectValues([key: .string("2")], of: second, "whose change was refused")
            // In the other direction, the item that was created first takes the value of a later one.
            check.expectError(.uniqueViolation, what: "a change to the value of a newer item") {
                try items.set([key: .string("2"), text: .string("changed")], of: first)
            }
            try items.expectValues([key: .string("1")], of: first, "whose change was refused")
            try items.set([key: .string("2"), text: .string("same")], of: second)
            try items.set([key: .string("3")], of: second)
            try items.set([key: .string("2")], of: first)
            let third = try items.create([key: .string("1")])
            try items.expect([first, second, third], "after values went from one to another")
            check.expectError(.uniqueViolation, what: "a change to a value that was left and taken")
            {
                try items.set([key: .string("2")], of: third)
            }
            try items.store.write { db in
                _ = try db.performDelete(items.live(first, db))
            }
            try items.set([key: .string("2")], of: third)
            try items.store.write { db in try db.performDeleteAll([items.itemType]) }
            let ids = try ["1", "2", "3"].map { try items.create([key: .string($0)]) }
            try items.expect(ids, "that took the values of deleted ones")
        },
        CheckDefinition(
            "idx/unique-neighbours", clause: [10, 20], gate: .requires(.uniqueness),
            "Values that differ only after 600 bytes, or in the last digits of a large number, are distinct."
        ) { check in
            let items = try uniqueItems(check)
            let long = String(repeating: "x", count: 600)
            let large: Int64 = 1 << 60
            for values in [
                (0..<4).map { DataStoreValue.string(long + "\($0)") },
                (1...4).map { .int(large + $0) },
            ] where values.allSatisfy(SampleValues(check.capabilities).isDeclared) {
                let ids = try values.prefix(3).map { try items.create([key: $0]) }
                check.expectError(.uniqueViolation, what: "a second \(values[1].shortText)") {
                    try items.create([key: values[1]])
                }
                try items.set([key: values[3]], of: ids[0])
                try items.create([key: values[0]])
                check.expectEqual(try items.ids().count, 4, "the items with other values")
                try items.store.write { db in try db.performDeleteAll([items.itemType]) }
            }
        },
        CheckDefinition(
            "idx/unique-update-neighbours", clause: [10, 20], gate: .requires(.uniqueness),
            "A change from such a value to an adjacent value that another item has is refused."
        ) { check in
            let items = try uniqueItems(check)
            let long = String(repeating: "x", count: 600)
            for (first, second) in [
                (DataStoreValue.string(long + "1"), DataStoreValue.string(long + "2")),
                (.int(1 << 60 + 1), .int(1 << 60 + 2)),
            ] where SampleValues(check.capabilities).isDeclared(first) {
                try items.create([key: first])
                let id = try items.create([key: second])
                check.expectError(.uniqueViolation, what: "a change to a neighbour’s value") {
                    try items.set([key: first], of: id)
                }
                try items.expectValues([key: second], of: id, "whose change was refused")
            }
        },
        CheckDefinition(
            "idx/unique-exchange", clause: [20], gate: .requires(.uniqueness),
            "Items can exchange their values in one block, and new items can take them over."
        ) { check in
            let items = try uniqueItems(check)
            let ids = try (0..<3).map { try items.create([key: .int($0)]) }
            func expectKeys(_ keys: [Int64], _ when: String, line: Int = #line) throws {
                try items.store.read { db in
                    for (id, number) in zip(try items.ids(db), keys) {
                        check.expectIdentical(
                            try items.item(id, db)?.value(key) ?? .null, .int(number),
                            "the value of an item \(when)", line: line)
                    }
                }
                for (place, number) in keys.enumerated() {
                    try items.expect(
                        [try items.ids()[place]], where: key, .equal, .int(number), when,
                        line: line)
                }
            }
            try items.store.write { db in
                try items.live(ids[0], db).set([key: .int(1)])
                try items.live(ids[1], db).set([key: .int(0)])
            }
            try expectKeys([1, 0, 2], "after two exchanged theirs")
            try items.store.write { db in
                let all = try db.performFetch(items.request()).compactMap { $0 as? DynamicItem }
                for (item, number) in zip(all, [2, 1, 0] as [Int64]) {
                    try item.set([key: .int(number)])
                }
                _ = try db.performCount(items.request())
            }
            try expectKeys([2, 1, 0], "after three exchanged theirs")
            let last = try items.store.write { db in
                _ = try db.performDelete(items.live(ids[0], db))
                return try items.create([key: .int(2)], db).uniqueToken
            }
            try items.expect([ids[1], ids[2], last], "after one took the value of a deleted one")
            try expectKeys([1, 0, 2], "after one took the value of a deleted one")
        },
        CheckDefinition(
            "idx/unique-renumber", clause: [20], gate: .requires(.uniqueness),
            "Many items, including large ones, can each take the value of the next one in one block."
        ) { check in
            let items = try uniqueItems(check)
            let count = 300
            let limits = check.capabilities.limits
            let size = min(20_000, limits.valueBytes / 2, limits.writeBlockBytes / count / 2)
            let filling = DataStoreValue.string(String(repeating: "x", count: size))
            let ids = try items.store.write { db in
                try (0..<count).map {
                    try items.create([key: .int(Int64($0)), text: filling], db).uniqueToken
                }
            }
            check.expectSuccess("a block in which each item takes the value of the next") {
                try items.store.write { db in
                    for (place, item) in try db.performFetch(items.request()).enumerated() {
                        try (item as? DynamicItem)?.set([key: .int(Int64(place + 1))])
                    }
                }
            }
            try items.store.read { db in
                check.expectIdentical(
                    try items.item(ids[0], db)?.value(key) ?? .null, .int(1),
                    "the value of the first item")
                check.expectEqual(
                    try items.ids(where: .compare(key, .equal, .int(Int64(count))), db),
                    [ids[count - 1]], "the item with the last value")
            }
        },
        CheckDefinition(
            "idx/unique-handover", clause: [20], gate: .requires(.uniqueness),
            "An item that was created earlier in a block can have the value of one that the block then deletes."
        ) { check in
            let items = try uniqueItems(check)
            let old = try items.create([key: .string("1")])
            let new = try items.store.write { db in
                let new = try items.create([key: .string("1")], db)
                _ = try db.performDelete(items.live(old, db))
                return new.uniqueToken
            }
            try items.expect([new], "after it took the value of a deleted one")
        },
        CheckDefinition(
            "idx/unique-after-rollback", clause: [5, 20], gate: .requires(.uniqueness),
            "If a block throws, a value that it took is free again, and a value that it gave up is not."
        ) { check in
            let items = try uniqueItems(check)
            let first = try items.create([key: .string("kept")])
            for isAsked in [false, true] {
                _ = check.expectThrows("a block that throws") {
                    try items.store.write { db in
                        _ = try items.create([key: .string("taken")], db)
                        try items.live(first, db).set([key: .string("left")])
                        if isAsked { _ = try db.performCount(items.request()) }
                        throw Rollback()
                    }
                }
                check.expectError(.uniqueViolation, what: "the value that an item still has") {
                    try items.create([key: .string("kept")])
                }
            }
            let second = try items.create([key: .string("taken")])
            let third = try items.create([key: .string("left")])
            try items.expect([first, second, third], "after blocks that threw")
            if check.reopeningKeepsData {
                let again = try items.reopened()
                check.expectError(.uniqueViolation, what: "a second item after reopening") {
                    try again.create([key: .string("left")])
                }
                try again.create([key: .string("another")])
            }
        },
    ]

    static let upserts: [CheckDefinition] = [
        CheckDefinition(
            "idx/upsert", clause: [4, 5, 20],
            "One call finds or creates the items for many values, and several imports create only one for each value."
        ) { check in
            let items = try uniqueItems(check)
            let values = (0..<300).map { DataStoreValue.string("permit \($0)") }
            func upsert(
                _ values: [DataStoreValue], _ db: borrowing DataStoreWriter
            ) throws -> [ItemID] {
                try db.upsert(items.key, key, values: values).map { $0.uniqueToken }
            }
            let half = stride(from: 0, to: 300, by: 2).map { values[$0] }
            let made = try items.store.write { db in
                let made = try upsert(half, db)
                check.expectEqual(try upsert(half, db), made, "the same values in the same block")
                return made
            }
            check.expectEqual(Set(made).count, half.count, "the number of items made")
            let all = try items.store.write { db in
                let item = try db.upsert(items.key, key, values: [values[4]]).first
                try item?.set([key: .string("another"), other: .int(1)])
                // The store may not have written the change and the new item yet.
                let found = try upsert([values[4], .string("another"), values[4]], db)
                check.expectEqual(
                    found.map { $0 == made[2] }, [false, true, false],
                    "whether values lead to the item that had the first of them and has the second")
                check.expectEqual(found[0], found[2], "the items for one value given twice")
                try item?.set([key: .string("yet another")])
                return try upsert(values, db)
            }
            check.expectEqual(Set(all).count, 300, "the number of items for 300 values")
            try items.store.write { db in
                let again = try db.upsert(items.key, key, values: [.string("yet another")]).first
                check.expectIdentical(
                    try again?.value(other) ?? .null, .int(1),
                    "what upsert was not given, of an item that it found")
                try again?.set([text: .string("found")])
            }
            let found = try items.ids(where: .compare(key, .equal, .string("yet another")))
            try items.expectValues(
                [key: .string("yet another"), text: .string("found"), other: .int(1)],
                of: found.first ?? ItemID(), "that upsert found")
            check.expectEqual(try items.ids().count, 301, "the number of items in all")
            _ = check.expectThrows("a block that throws") {
                try items.store.write { db in
                    _ = try upsert([.string("thrown")], db)
                    throw Rollback()
                }
            }
            let imported = (0..<40).map { DataStoreValue.string("import \($0)") }
            // Without serializable isolation, two writers may each create an item.
            let importers = check.capabilities.isolation >= .serializable ? 2 : 1
            try check.threads(importers) { _ in
                for start in stride(from: 0, to: 40, by: 8) {
                    try items.store.write { db in
                        _ = try db.upsert(
                            items.key, key, values: Array(imported[start..<(start + 8)]))
                    }
                }
            }
            check.expectEqual(
                try items.ids().count, 341, "the number of items after imports of 40 values")
            try items.store.write { db in
                check.expectError(.invalidRequest, what: "upsert by nil") {
                    _ = try upsert([.string("new"), .null], db)
                }
                check.expectError(.invalidRequest, what: "upsert by what is not unique") {
                    _ = try db.upsert(items.key, text, values: [.string("new")])
                }
            }
            check.expectEqual(try items.ids().count, 341, "the items after calls were refused")
        }
    ]
}
