import Foundation
import JustPersist

extension ConcurrencyChecks {
    /// Checks of blocks that stay open while others run.
    static let readers: [CheckDefinition] = [
        CheckDefinition(
            "conc/many-reader-threads", clause: [3, 4],
            "256 threads can have a read block open at once, or are refused with an error of the store.",
            run: readInManyThreads),
        CheckDefinition(
            "conc/reader-runs-while-writer-open", clause: [4], gate: .requires(.concurrentReads),
            "A read block begins and ends while a write block is open, and sees nothing of it."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["a": 1])
            for isQueued in [false, true] {
                if !isQueued, check.capabilities.threading == .mainThread {
                    continue  // The reader would wait for the main thread, which the writer holds.
                }
                let (isOpen, mayEnd) = (Latch(), Latch())
                let hold: @Sendable (borrowing DataStoreWriter) throws -> Void =
                    { db in
                        try items.set("a", to: 100, db)
                        try items.create("b", 2, db)
                        isOpen.open()
                        mayEnd.wait()
                        throw Upset(number: 0)
                    }
                let writer = check.start {
                    defer { isOpen.open() }
                    if isQueued {
                        _ = items.store.enqueueAndWait(hold)
                    } else {
                        do { try items.store.write(hold) } catch is Upset {}
                    }
                }
                isOpen.wait()
                let reader = check.start {
                    check.expectEqual(
                        try items.all(), ["a": 1],
                        "the items that a reader finds while a writer is open")
                }
                check.expect(
                    reader.ends(within: .seconds(10)),
                    "A read block begun while a write block was open had not ended after 10 s")
                mayEnd.open()
                try reader.join()
                try writer.join()
            }
        },
        CheckDefinition(
            "conc/writer-runs-while-reader-open", clause: [4], gate: .requires(.concurrentReads),
            "A write commits while a read block is open, whose snapshot does not move."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["a": 1])
            let (isOpen, mayEnd) = (Latch(), Latch())
            let reader = check.start {
                defer { isOpen.open() }
                try items.store.read { db in
                    let before = try items.items(db)
                    isOpen.open()
                    mayEnd.wait()
                    check.expectEqual(
                        before.map(\.number), [1], "the number of an item that was read before")
                    check.expectEqual(
                        try items.items(db).map(\.number), [1],
                        "the numbers that the open read block finds after the commit")
                    check.expectEqual(
                        try db.performCount(items.request()), 1, "the count in the open read block")
                    check.expectEqual(
                        try items.names(
                            items.request(where: DataStorePredicate("number > 1")), db), [],
                        "what the open read block finds of the commit")
                }
            }
            isOpen.wait()
            let writer = check.start {
                @Sendable func change(
                    _ db: borrowing DataStoreWriter
                ) throws {
                    try items.set("a", to: 100, db)
                    try items.create("b", 2, db)
                }
                if check.capabilities.threading == .mainThread {
                    // The reader occupies the main thread, on which the block of a waiting call would run.
                    if let error = items.store.enqueueAndWait({ db in try change(db) }) {
                        throw error
                    }
                } else {
                    try items.store.write { db in try change(db) }
                }
            }
            check.expect(
                writer.ends(within: .seconds(10)),
                "A write begun while a read block was open had not ended after 10 s")
            mayEnd.open()
            try reader.join()
            try writer.join()
            check.expectEqual(try items.all(), ["a": 100, "b": 2], "the items afterwards")
        },
    ]

    private static func readInManyThreads(_ check: CheckContext) throws {
        guard check.capabilities.threading == .callingThread else {
            try check.notApplicable("its blocks run on the main thread, one after the other")
        }
        let items = try NamedItems(in: check.openStore(), ["a": 1])
        let count = 256
        // After blocks that threw, the store must admit as many blocks as before.
        var room = 0
        for isThrowing in [true, false] {
            let gathering = Gathering(of: count)
            let arrived = Locked((inside: 0, refused: 0))
            try check.threads(count) { index in
                var isInside = false
                do {
                    try items.store.read { db in
                        check.expectEqual(
                            try items.names(items.request(), db), ["a"], "what a reader finds")
                        isInside = true
                        arrived.withLock { $0.inside += 1 }
                        gathering.arrive()
                        if check.capabilities.hasConcurrentReads { gathering.wait() }
                        check.expectEqual(
                            try db.performCount(items.request()), 1,
                            "what one of \(count) readers counts while all are open")
                        if isThrowing { throw Upset(number: index) }
                    }
                } catch let error as DataStoreError where !isInside {
                    arrived.withLock { $0.refused += 1 }
                    gathering.arrive()
                    check.expect(
                        !error.message.isEmpty, "A reader was refused without a word: \(error)")
                } catch is Upset {}
            }
            let (inside, refused) = arrived.withLock { $0 }
            check.expect(
                inside > 0 && inside >= room,
                """
                \(inside) of \(count) readers were let in and \(refused) refused, after \(room) that \
                were let in and whose blocks threw
                """)
            room = inside
        }
        try items.store.write { db in try items.create("b", 2, db) }
        check.expectEqual(
            try items.names(), ["a", "b"], "the items read and written after them")
    }
}
