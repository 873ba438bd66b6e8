import JustPersist

extension TransactionChecks {
    /// What a write block sees of its own changes.
    static let ownWrites: [CheckDefinition] = [
        CheckDefinition(
            "tx/read-your-writes-items", clause: [4],
            "A write block finds what it created, in its new state what it changed, and not what it deleted."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["a": 1, "b": 2, "c": 3])
            try items.store.write { db in
                let new = try items.make("d", 4, db)
                try items.set("a", to: 10, db)
                if let item = try items.item("b", db) { try db.delete(item) }
                let found = try items.items(db)
                check.expectEqual(found.map(\.name), ["a", "c", "d"], "the items in the block")
                check.expectEqual(found.map(\.number), [10, 3, 4], "their numbers in the block")
                let type = ItemType(dynamic: items.key)
                let same = try db.performFetchItem(type, id: new.uniqueToken)
                check.expect(
                    same === new, "The item created in the block is another object when found by id"
                )
                try db.delete(new)
                check.expect(
                    try db.performFetchItem(type, id: new.uniqueToken) == nil,
                    "An item created and deleted in the block is still found by its id")
            }
            check.expectEqual(try items.all(), ["a": 10, "c": 3], "the items after the block")
        },
        CheckDefinition(
            "tx/read-your-writes-count-first", clause: [4],
            "A write block's own changes are in its counts and its first items."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["a": 1, "b": 2])
            func expect(
                _ count: Int, _ first: String?, _ when: String,
                _ db: borrowing DataStoreWriter, line: Int = #line
            ) throws {
                let request = items.request()
                check.expectEqual(
                    try db.performCount(request), count, "the count \(when)", line: line)
                let item = db.firstItem(forRequest: request) as? DynamicItem
                check.expectEqual(item?.name, first, "the first item \(when)", line: line)
            }
            try items.store.write { db in
                try expect(2, "a", "before any change", db)
                let new = try items.make("c", 3, db)
                try expect(3, "a", "after creating one", db)
                if let item = try items.item("a", db) { try db.delete(item) }
                try expect(2, "b", "after deleting the first", db)
                try db.delete(new)
                try expect(1, "b", "after deleting the new one", db)
                try db.performDeleteAll([ItemType(dynamic: items.key)])
                try expect(0, nil, "after deleting all", db)
                try items.create("d", 4, db)
                try expect(1, "d", "after creating one again", db)
            }
            check.expectEqual(try items.count(), 1, "the count after the block")
        },
        CheckDefinition(
            "tx/read-your-writes-predicate", clause: [4],
            "An item that a write block changes moves into and out of what predicates find in it."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["a": 1, "b": 2, "c": 3])
            func expect(
                _ names: [String], _ text: String,
                _ db: borrowing DataStoreWriter, line: Int = #line
            ) throws {
                let request = items.request(where: try DataStorePredicate(text))
                check.expectEqual(
                    try items.names(request, db), names, "the items where \(text)", line: line)
                check.expectEqual(
                    try db.performCount(request), names.count, "the count where \(text)", line: line
                )
            }
            try items.store.write { db in
                try expect(["b", "c"], "number > 1", db)
                try items.set("a", to: 9, db)
                try expect(["a", "b", "c"], "number > 1", db)
                try expect([], "number == 1", db)
                try expect(["a"], "number == 9", db)
                try items.set("b", to: 0, db)
                try expect(["a", "c"], "number > 1", db)
                try items.create("d", 9, db)
                try expect(["a", "d"], "number == 9", db)
                if let item = try items.item("a", db) { try db.delete(item) }
                try expect(["d"], "number == 9", db)
                try expect(["b", "c"], "NOT number == 9", db)
            }
        },
        CheckDefinition(
            "tx/read-your-writes-sort", clause: [4, 12],
            "A write block's own changes stand at their sorted places among the stored items."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["a": 10, "b": 20, "c": 30])
            func expect(
                _ names: [String], _ sort: DataStoreSortDescriptor,
                _ db: borrowing DataStoreWriter, line: Int = #line
            ) throws {
                check.expectEqual(
                    try items.names(items.request(sortedBy: sort), db), names,
                    "the items by \(sort.key), \(sort.ascending ? "ascending" : "descending")",
                    line: line)
            }
            try items.store.write { db in
                try items.create("d", 15, db)
                try expect(["a", "d", "b", "c"], .ascending("number"), db)
                try items.set("a", to: 25, db)
                try expect(["d", "b", "a", "c"], .ascending("number"), db)
                try expect(["c", "a", "b", "d"], .descending("number"), db)
                if let item = try items.item("b", db) { try db.delete(item) }
                let none = try items.make("e", 0, db)
                none["number"] = .null
                try expect(["e", "d", "a", "c"], .ascending("number"), db)
                try items.create("f", 25, db)
                // Equal ones in the order of creation, in either direction.
                try expect(["c", "a", "f", "d", "e"], .descending("number"), db)
            }
        },
        CheckDefinition(
            "tx/read-your-writes-offset-limit", clause: [4, 13],
            "In a write block a page is a slice of stored, created and not deleted items together."
        ) { check in
            var generator = check.generator()
            let items = try NamedItems(in: check.openStore())
            try items.store.write { db in
                for number in 0..<20 { try items.create("old \(number)", number, db) }
            }
            try items.store.write { db in
                for round in 0..<12 {
                    try items.create("new \(round)", generator.int(in: 0..<20), db)
                    let all = try items.items(db)
                    try db.delete(generator.pick(all))
                    if let item = try items.items(db).last {
                        item["number"] = .int(Int64(generator.int(in: 0..<20)))
                    }
                    let predicate =
                        round % 2 == 0 ? nil : try DataStorePredicate("number > %d", 6)
                    let whole = items.request(where: predicate, sortedBy: .ascending("number"))
                    let names = try items.names(whole, db)
                    for _ in 0..<6 {
                        let offset = generator.int(in: 0...names.count + 2)
                        let limit = generator.int(in: 1...names.count + 2)
                        let page = items.request(
                            where: predicate, sortedBy: .ascending("number"), offset: offset,
                            limit: limit)
                        let slice = Array(names.dropFirst(offset).prefix(limit))
                        check.expectEqual(
                            try items.names(page, db), slice,
                            "\(limit) items from \(offset) of \(names) in a write block")
                        check.expectEqual(
                            try db.performCount(page), slice.count,
                            "the count of \(limit) items from \(offset) of \(names.count)")
                    }
                }
            }
        },
        CheckDefinition(
            "tx/create-delete-same-block", clause: [4, 5],
            "An item created and deleted in one block leaves nothing."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["a": 1])
            let id = try items.store.write { db in
                let item = try items.make("b", 2, db)
                let id = item.uniqueToken
                try db.delete(item)
                check.expectEqual(
                    try items.names(items.request(), db), ["a"], "the items inside the block")
                return id
            }
            try items.store.read { db in
                check.expectEqual(
                    try items.names(items.request(), db), ["a"], "the items after the block")
                check.expectEqual(
                    try db.performCount(items.request()), 1, "the count after the block")
                check.expect(
                    try db.performFetchItem(ItemType(dynamic: items.key), id: id) == nil,
                    "An item created and deleted in one block is found by its id afterwards")
            }
        },
        CheckDefinition(
            "tx/delete-recreate-same-block", clause: [4, 5],
            "An item deleted and taken in again under its id in one block is one item with new values."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["a": 1])
            let id = try check.require(try tokens(items).first, "the id of the item")
            try items.store.write { db in
                let item = try check.require(try items.item("a", db), "the item")
                item["note"] = .string("old")
                try db.delete(item)
                let new = DynamicItem(items.key, id: id, values: ["name": .string("again")])
                check.expect(
                    try db.performInsert(new),
                    "insert of an item under the id of a deleted one: not new")
                check.expectEqual(
                    try items.names(items.request(), db), ["again"], "the items inside the block")
            }
            try items.store.read { db in
                let found = try items.items(db)
                check.expectEqual(found.map(\.uniqueToken), [id], "the ids after the block")
                check.expectEqual(
                    try found.first?.values(), ["name": .string("again")],
                    "the values after the block, of which none is the old item's")
            }
        },
    ]
}
