import Foundation
import JustPersist

/// Write blocks as units: all of a block or nothing of it, and what a block sees of itself.
enum TransactionChecks {
    static let all: [CheckDefinition] = rollback + ownWrites + atomicity + refusedChanges

    private static let rollback: [CheckDefinition] = [
        CheckDefinition(
            "tx/rollback-create", clause: [5], "What a block that throws created is gone."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["old": 1])
            let id = Locked<ItemID?>(nil)
            try failing(items.store) { db in
                let item = try items.make("new", 2, db)
                id.withLock { $0 = item.uniqueToken }
                _ = try db.performCount(items.request())
            }
            let token = try check.require(id.withLock { $0 }, "the id of the item created")
            try items.store.read { db in
                check.expectEqual(
                    try items.names(items.request(), db), ["old"], "the items after the rollback")
                check.expectEqual(
                    try db.performCount(items.request()), 1,
                    "the number of items after the rollback")
                check.expect(
                    try db.performFetchItem(ItemType(dynamic: items.key), id: token) == nil,
                    "The item created in a block that threw is still found by its id")
            }
        },
        CheckDefinition(
            "tx/rollback-update", clause: [5],
            "What a block that throws changed has its old values, in all attributes."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["old": 1])
            try items.store.write { db in try items.item("old", db)?["note"] = .string("note") }
            try failing(items.store) { db in
                let item = try check.require(try items.item("old", db), "the item to change")
                item["name"] = .string("changed")
                item["number"] = .null
                item["note"] = .int(5)
                check.expectEqual(
                    try db.performCount(
                        items.request(where: DataStorePredicate("name == 'changed'"))), 1,
                    "the changed item by its new name inside the block")
            }
            try items.store.read { db in
                let item = try check.require(
                    try items.items(db).first, "the item after the rollback")
                check.expectEqual(
                    try item.values(),
                    ["name": .string("old"), "number": .int(1), "note": .string("note")],
                    "the item's values after the rollback")
            }
        },
        CheckDefinition(
            "tx/rollback-delete", clause: [5],
            "What a block that throws deleted is back, under the same id."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["a": 1, "b": 2, "c": 3])
            let before = try tokens(items)
            try failing(items.store) { db in
                let item = try check.require(try items.item("b", db), "the item to delete")
                try db.delete(item)
                check.expectEqual(
                    try db.performCount(items.request()), 2, "the number of items inside the block")
            }
            check.expectEqual(try tokens(items), before, "the items' ids after the rollback")
            check.expectEqual(
                try items.all(), ["a": 1, "b": 2, "c": 3], "the items after the rollback")
        },
        CheckDefinition(
            "tx/rollback-batch-delete", clause: [5],
            "All items of the types that a block that throws deleted are back."
        ) { check in
            let store = try check.openStore()
            let items = try NamedItems(in: store, ["a": 1, "b": 2])
            let others = try NamedItems(in: store, key: "ConformanceNamedToo", ["c": 3])
            let before = try tokens(items) + tokens(others)
            try failing(store) { db in
                try db.performDeleteAll([items.key, others.key].map { ItemType(dynamic: $0) })
                check.expectEqual(
                    try db.performCount(items.request()) + db.performCount(others.request()), 0,
                    "the number of items inside the block that deleted them")
                try items.create("d", 4, db)
            }
            check.expectEqual(
                try tokens(items) + tokens(others), before, "the items' ids after the rollback")
            check.expectEqual(try items.all(), ["a": 1, "b": 2], "the items after the rollback")
            check.expectEqual(try others.all(), ["c": 3], "the other type's after the rollback")
        },
        CheckDefinition(
            "tx/rollback-restores-queries", clause: [5],
            "After a rollback every kind of query answers as it did before the block."
        ) { check in
            let items = try NamedItems(
                in: check.openStore(), ["a": 1, "b": 2, "c": 3, "d": 4, "e": 5])
            let before = try answers(items)
            for emptiesType in [false, true] {
                try failing(items.store) { db in
                    try items.set("a", to: 50, db)
                    try items.set("e", to: -1, db)
                    if let item = try items.item("c", db) { try db.delete(item) }
                    try items.create("f", 3, db)
                    // Queries make a store bring its indexes up to date.
                    for request in try requests(items) { _ = try db.performFetch(request) }
                    guard emptiesType else { return }
                    try db.performDeleteAll([ItemType(dynamic: items.key)])
                    try items.create("g", 3, db)
                    for request in try requests(items) { _ = try db.performFetch(request) }
                }
                check.expectEqual(
                    try answers(items), before,
                    "what queries answer after the rollback of changes\(emptiesType ? " and of a deletion of all" : "")"
                )
            }
        },
        CheckDefinition(
            "tx/error-passes-through", clause: [5],
            "The very error that a block throws reaches the caller or the completion."
        ) { check in
            let store = try check.openStore()
            let own = DataStoreError(
                DataStoreError.Code(rawValue: "kit"), in: "kit", "An error of the block.")
            func expect(_ what: String, line: Int = #line, _ body: (any Error) throws -> Void) {
                let upset = check.expectThrows("\(what) whose block throws", line: line) {
                    try body(Upset(number: 7))
                }
                check.expectEqual(
                    upset as? Upset, Upset(number: 7),
                    "\(what): the error (got \(upset, default: "none"))", line: line)
                let error =
                    check.expectThrows("\(what) whose block throws", line: line) { try body(own) }
                    as? DataStoreError
                check.expectEqual(
                    error?.code, own.code, "\(what): the DataStoreError's code", line: line)
                check.expectEqual(
                    error?.message, own.message, "\(what): the DataStoreError's message", line: line
                )
            }
            expect("read") { error in try store.read { _ in throw error } }
            expect("write") { error in try store.write { _ in throw error } }
            expect("writeSync") { error in try store.writeSync { _ in throw error } }
            expect("writeAsync") { error in
                try store.enqueueAndWait { _ in throw error }.map { throw $0 }
            }
            expect("await write") { error in
                try check.runAsync { try await store.write { _ in throw error } }
            }
            expect("await read") { error in
                try check.runAsync { try await store.read { _ in throw error } }
            }
        },
        CheckDefinition(
            "tx/usable-after-rollback", clause: [5],
            "After a rollback writes and reads work, on this thread and on others."
        ) { check in
            let items = try NamedItems(in: check.openStore())
            for round in 0..<3 {
                try failing(items.store) { db in try items.create("lost", 0, db) }
                try items.store.write { db in try items.create("here \(round)", 0, db) }
                try failing(items.store) { db in try items.create("lost", 0, db) }
                try check.threads(2) { index in
                    try items.store.write { db in try items.create("there \(index)", 0, db) }
                }
                check.expectEqual(
                    try items.count(), 3 * (round + 1), "the number of items after round \(round)")
            }
        },
        CheckDefinition(
            "tx/async-rollback", clause: [2, 5],
            "A queued block that throws stores nothing, and its completion gets the error."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["old": 1])
            let error = items.store.enqueueAndWait { db in
                try items.create("new", 2, db)
                try items.set("old", to: 10, db)
                throw Upset(number: 3)
            }
            check.expectEqual(
                error as? Upset, Upset(number: 3), "the error that the completion got")
            check.expectEqual(try items.all(), ["old": 1], "the items after the rollback")
            let next = items.store.enqueueAndWait { db in try items.create("next", 3, db) }
            check.expect(next == nil, "The next queued block failed: \(String(describing: next))")
            check.expectEqual(try items.all(), ["old": 1, "next": 3], "the items after the next")
        },
    ]

    // MARK: What the checks share

    /// Runs a write block that throws behind the changes of `body`, and demands nothing of that.
    static func failing(
        _ store: any DataStore,
        _ body: (borrowing DataStoreWriter) throws -> Void
    ) throws {
        do {
            try store.write { db in
                try body(db)
                throw Upset(number: 0)
            }
        } catch is Upset {}
    }

    static func tokens(_ items: NamedItems) throws -> [ItemID] {
        try items.store.read { db in try db.performFetch(items.request()).map { $0.uniqueToken } }
    }

    /// Requests of each kind.
    static func requests(_ items: NamedItems) throws -> [DataStoreRequest] {
        [
            items.request(),
            items.request(where: try DataStorePredicate("number == 3")),
            items.request(where: try DataStorePredicate("number > 2")),
            items.request(where: try DataStorePredicate("NOT name == 'a'")),
            items.request(sortedBy: .descending("number")),
            items.request(sortedBy: .ascending("name"), offset: 1, limit: 3),
            items.request(offset: 2, limit: 2),
            items.request(limit: 1),
        ]
    }

    /// What the store answers to requests of each kind: names, and the number it counts.
    private static func answers(_ items: NamedItems) throws -> [String] {
        try items.store.read { db in
            try requests(items).map { request in
                let names = try items.names(request, db).joined(separator: " ")
                return "\(names) (\(try db.performCount(request)))"
            }
        }
    }
}
