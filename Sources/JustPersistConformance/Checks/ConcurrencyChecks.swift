import Foundation
import JustPersist

/// Checks of many concurrent blocks: none is lost, and none waits forever.
enum ConcurrencyChecks {
    static let all: [CheckDefinition] = writers + queues + groups + readers

    private static let writers: [CheckDefinition] = [
        CheckDefinition(
            "conc/writers-lose-nothing", clause: [4, 5],
            "Thirty-two threads create items at once, and each item exists once."
        ) { check in
            let items = try NamedItems(in: check.openStore())
            let each = check.profile.pick(quick: 16, full: 100, soak: 1_000)
            try check.threads(32) { index in
                for number in 0..<each {
                    try items.store.write { db in
                        try items.create("\(index) \(number)", number, db)
                    }
                    check.tick()
                }
            }
            let expected = (0..<32).flatMap { index in (0..<each).map { "\(index) \($0)" } }
            let found = try items.names()
            check.expectEqual(
                found.count, expected.count,
                "the number of items after 32 threads created \(each) each")
            check.expectEqual(
                Set(expected).subtracting(found).count, 0, "the number of items that are missing")
            check.expectEqual(try items.count(), expected.count, "the count of them")
        },
        CheckDefinition(
            "conc/sync-and-async-mix", clause: [2, 4],
            "Synchronous and queued write blocks of the same threads are all executed."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["counter": 0])
            let rounds = check.profile.pick(quick: 15, full: 150, soak: 1_500)
            let completed = Locked(0)
            @Sendable func count(
                _ db: borrowing DataStoreWriter
            ) throws {
                guard let counter = try items.item("counter", db) else { return }
                counter["number"] = .int(Int64(counter.number + 1))
            }
            try check.threads(4) { _ in
                for _ in 0..<rounds {
                    items.store.enqueueWrite({ db in try count(db) }) { error in
                        check.expectNoError(error, "a queued block")
                        completed.change { $0 += 1 }
                    }
                    try items.store.write { db in try count(db) }
                    _ = try items.all()
                }
            }
            completed.wait { $0 == 4 * rounds ? () : nil }
            check.expectEqual(
                try items.all(), ["counter": 8 * rounds],
                "the counter after \(4 * rounds) blocks of each kind")
        },
        CheckDefinition(
            "conc/no-writer-starvation", clause: [4],
            "Writes finish while sixteen threads read without a pause."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["a": 0])
            let reads = Turns()
            let rounds = check.profile.pick(quick: 20, full: 200, soak: 2_000)
            try check.threads(17) { index in
                defer { reads.end() }
                guard index == 0 else {
                    while !reads.areOver {
                        _ = try items.all()
                        reads.note()
                    }
                    return
                }
                for round in 1...rounds {
                    reads.wait(forMore: 16)
                    try items.store.write { db in try items.set("a", to: round, db) }
                    // Each expectation is recorded as progress. A writer that starves makes none, and the watchdog ends
                    // the check.
                    check.expect(true, "")
                }
            }
            check.expectEqual(try items.all(), ["a": rounds], "the item at the end")
        },
        CheckDefinition(
            "conc/two-stores-at-once", clause: [4],
            "An open write block of one store does not block another store."
        ) { check in
            let first = try NamedItems(in: check.openStore())
            let second = try NamedItems(in: check.openStore())
            try first.store.write { db in
                try first.create("first", 1, db)
                try check.threads(2) { index in
                    // A second thread can only write if blocks do not run on the main thread, which this block
                    // occupies.
                    guard check.capabilities.threading == .callingThread else { return }
                    try second.store.write { db in try second.create("other \(index)", 1, db) }
                }
                try second.store.write { db in try second.create("inner", 2, db) }
                check.expect(
                    try second.names().contains("inner"),
                    "Changes written to a second store inside a block of the first are missing")
            }
            check.expectEqual(try first.names(), ["first"], "the items of the first store")
            check.expect(
                try !second.names().contains("first"),
                "An item of the first store is in the second")
            try check.threads(4) { index in
                let items = index % 2 == 0 ? first : second
                for number in 0..<10 {
                    try items.store.write { db in try items.create("\(index)", number, db) }
                }
            }
            check.expectEqual(try first.count(), 21, "the number of items in the first store")
        },
    ]

    private static let queues: [CheckDefinition] = [
        CheckDefinition(
            "conc/async-burst", clause: [2],
            "Each of many queued blocks runs once, and each completion is called once."
        ) { check in
            let items = try NamedItems(in: check.openStore())
            let count = check.profile.pick(quick: 500, full: 10_000, soak: 100_000)
            let runs = Locked(Array(repeating: 0, count: count))
            let completions = Locked((calls: Array(repeating: 0, count: count), total: 0))
            try check.threads(4) { thread in
                for number in stride(from: thread, to: count, by: 4) {
                    items.store.enqueueWrite(
                        { db in
                            runs.withLock { $0[number] += 1 }
                            try items.create("\(number)", number, db)
                        },
                        completion: { error in
                            check.expectNoError(error, "a queued block")
                            completions.change { state in
                                state.calls[number] += 1
                                state.total += 1
                            }
                        })
                }
            }
            completions.wait { $0.total >= count ? () : nil }
            // All completions were called. This gives a second call of a completion the time to occur.
            _ = items.store.enqueueAndWait { _ in }
            let called = completions.withLock { $0.calls }
            check.expectEqual(
                runs.withLock { $0.count { $0 != 1 } }, 0,
                "the number of blocks that did not run exactly once, of \(count)")
            check.expectEqual(
                called.count { $0 != 1 }, 0,
                "the number of completions that were not called exactly once, of \(count)")
            check.expectEqual(try items.count(), count, "the number of items at the end")
        },
        CheckDefinition(
            "conc/async-order", clause: [2],
            "Queued blocks run in the order of the calls, and each finds the changes of the previous one."
        ) { check in
            let items = try NamedItems(in: check.openStore(), ["last": 0])
            let count = check.profile.pick(quick: 200, full: 2_000, soak: 20_000)
            let completed = Locked(0)
            let ran = Locked<[Int]>([])
            for number in 1...count {
                items.store.enqueueWrite(
                    { db in
                        ran.withLock { $0.append(number) }
                        let last = try items.item("last", db)?.number
                        check.expectEqual(
                            last, number - 1, "what block \(number) finds of the one before")
                        try items.set("last", to: number, db)
                    },
                    completion: { error in
                        check.expectNoError(error, "a queued block")
                        completed.change { $0 += 1 }
                    })
            }
            completed.wait { $0 >= count ? () : nil }
            check.expectEqual(ran.withLock { $0 }, Array(1...count), "the order of the blocks")
        },
        CheckDefinition(
            "conc/from-swift-tasks", clause: [3],
            "More tasks than there are processors use the store at once, and all finish."
        ) { check in
            let items = try NamedItems(in: check.openStore())
            let tasks = 2 * ProcessInfo.processInfo.activeProcessorCount
            let rounds = check.profile.pick(quick: 10, full: 100, soak: 1_000)
            try check.runAsync {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for task in 0..<tasks {
                        group.addTask {
                            for round in 0..<rounds {
                                try Self.write("sync", task, to: items)
                                try await items.store.write { db in
                                    try items.create("async", task, db)
                                }
                                let found = try await items.store.read { db in
                                    try items.items(db).count { $0.number == task }
                                }
                                check.expectEqual(
                                    found, 2 * (round + 1),
                                    "the items of a task, which it finds itself")
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            check.expectEqual(
                try items.count(), 2 * tasks * rounds, "the number of items at the end")
        },
    ]

    /// Writes with the form that blocks its thread.
    ///
    /// In a task, the compiler would choose the asynchronous form.
    private static func write(_ name: String, _ number: Int, to items: NamedItems) throws {
        try items.store.write { db in try items.create(name, number, db) }
    }
}
