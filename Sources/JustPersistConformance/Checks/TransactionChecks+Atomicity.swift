import Foundation
import JustPersist

extension TransactionChecks {
    /// Checks of the changes of a block that other blocks see.
    static let atomicity: [CheckDefinition] = [
        CheckDefinition(
            "tx/commit-on-return", clause: [2, 4],
            "Once a write has returned, every thread sees its changes."
        ) { check in
            let items = try NamedItems(in: check.openStore())
            for round in 1...20 {
                try items.store.write { db in try items.create("item \(round)", round, db) }
                check.expectEqual(
                    try items.count(), round, "the count on the thread that wrote \(round) items")
                try check.threads(2) { _ in
                    check.expectEqual(
                        try items.count(), round, "the count on another thread after \(round)")
                }
            }
        },
        CheckDefinition(
            "tx/empty-block", clause: [2, 5],
            "A block that does nothing succeeds and changes nothing."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["a": 1])
            let before = try tokens(items)
            try items.store.write { _ in }
            items.store.writeSync { _ in }
            let error = items.store.enqueueAndWait { _ in }
            check.expectNoError(error, "an empty queued block")
            check.expectEqual(try tokens(items), before, "the items after empty blocks")
            check.expectEqual(
                check.errors.codes.map(\.rawValue), [], "the errors given to the handler")
        },
        CheckDefinition(
            "tx/many-types-atomic", clause: [4, 5],
            "A block's changes of several types appear together or not at all."
        ) { check in
            let store = try check.openStore()
            let types = try (0..<5).map { number in
                try NamedItems(in: store, key: "ConformanceNamed\(number)")
            }
            let reads = Turns()
            let rounds = check.profile.pick(quick: 30, full: 300, soak: 3_000)
            // The writer waits between two types, if readers can run meanwhile: that depends on the store and its
            // threads.
            let canWait =
                check.capabilities.hasConcurrentReads
                && check.capabilities.threading == .callingThread
            try check.threads(3) { index in
                defer { reads.end() }
                guard index == 0 else {
                    while !reads.areOver {
                        let counts = try store.read { db in
                            try types.map { try db.performCount($0.request()) }
                        }
                        check.expect(
                            Set(counts).count == 1,
                            """
                            A read block counted \(counts) items of five types while each write \
                            creates one of each
                            """)
                        reads.note()
                    }
                    return
                }
                for round in 0..<rounds {
                    try (round % 3 == 2 ? failing : writing)(store) { db in
                        for (place, type) in types.enumerated() {
                            try type.create("item \(round)", round, db)
                            // Of the next three reads that end, at least one began here.
                            if canWait, place == round % types.count { reads.wait(forMore: 3) }
                        }
                    }
                }
            }
            for type in types {
                check.expectEqual(
                    try type.count(), rounds - rounds / 3, "the items of “\(type.key)” at the end")
            }
        },
        CheckDefinition(
            "tx/ten-thousand-items-atomic", clause: [4, 5],
            "A reader sees none or all of a block of 10,000 items while it is committed."
        ) { check in
            try check.requireBlocks(of: 10_000)
            let items = try NamedItems(in: check.openStore())
            let isDone = Locked(false)
            try check.threads(2) { index in
                guard index == 0 else {
                    var rounds = 0
                    repeat {
                        let (all, few) = try items.store.read { db in
                            (
                                try db.performCount(items.request()),
                                try db.performFetch(items.request(offset: 9_990)).count
                            )
                        }
                        check.expect(
                            all == 0 && few == 0 || all == 10_000 && few == 10,
                            """
                            A read block counted \(all) items and found \(few) after the first 9,990 \
                            while a block of 10,000 was committed; it must be 0 and 0, or 10000 and 10
                            """)
                        rounds += 1
                    } while !isDone.withLock({ $0 })
                    return
                }
                defer { isDone.withLock { $0 = true } }
                try items.store.write { db in
                    for number in 0..<10_000 {
                        if number % 1_000 == 0 { check.tick() }
                        try items.create("item", number, db)
                    }
                }
            }
            check.expectEqual(try items.count(), 10_000, "the items at the end")
        },
        CheckDefinition(
            "tx/read-block-cannot-write", clause: [8],
            "Writing to an item of a read block is refused and reported, and nothing is stored."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["a": 1])
            func expectUnchanged(_ when: String, line: Int = #line) throws {
                check.expectEqual(try items.all(), ["a": 1], "the items \(when)", line: line)
            }
            check.expectError(.itemNotMutable, what: "a read block that changes an item") {
                try items.store.read { db in
                    let item = try check.require(try items.item("a", db), "the item")
                    check.expectError(.itemNotMutable, what: "changing an item of a read block") {
                        try item.setStoredValue(5, forKeyPath: "number")
                    }
                    check.expectEqual(item["number"], .int(1), "the item's number in its block")
                    let reported = check.reported { item["number"] = .int(6) }
                    check.expectEqual(item["number"], .int(1), "the item's number in its block")
                    check.expectEqual(
                        reported.map(\.code), [.itemNotMutable],
                        "the errors given to the handler when an item of a read block was changed")
                }
            }
            try expectUnchanged("after changing one in a read block")
            try items.store.write { db in try items.create("b", 2, db) }
            check.expectEqual(try items.all(), ["a": 1, "b": 2], "the items after the next write")
        },
    ]

    private static func writing(
        _ store: any DataStore,
        _ body: (borrowing DataStoreWriter) throws -> Void
    ) throws {
        try store.write { db in try body(db) }
    }
}
