import Foundation
import JustPersist

/// Checks of the threads of blocks, the number of their executions, and the time at which calls return.
enum ThreadingChecks {
    static let all: [CheckDefinition] = calls + completions + nesting + escapes + mainThread

    /// A thread, as a value to compare while the thread runs.
    static var currentThread: ObjectIdentifier { ObjectIdentifier(Thread.current) }

    private static let calls: [CheckDefinition] = [
        CheckDefinition(
            "thread/read-is-synchronous", clause: [2], "A read block has ended when read returns."
        ) { check in
            let store = try check.openStore()
            try store.addNote("stored")
            try check.fromEachThread { caller in
                let hasEnded = Latch()
                let found = try store.read { db in
                    let found = try db.notes()
                    Thread.sleep(forTimeInterval: 0.02)
                    hasEnded.open()
                    return found
                }
                check.expect(
                    hasEnded.hasOpened, "read, called on \(caller), returned before its block ended"
                )
                check.expectEqual(found, ["stored"], "what read gave, called on \(caller)")
            }
        },
        CheckDefinition(
            "thread/write-sync-is-synchronous", clause: [2],
            "A write block has ended and is committed when write returns."
        ) { check in
            let store = try check.openStore()
            let expected = Locked<[String]>([])
            try check.fromEachThread { caller in
                let hasEnded = Latch()
                try store.performWrite { db in
                    try db.addNote(caller)
                    Thread.sleep(forTimeInterval: 0.02)
                    hasEnded.open()
                }
                check.expect(
                    hasEnded.hasOpened,
                    "write, called on \(caller), returned before its block ended")
                expected.withLock { $0.append(caller) }
                check.expectEqual(
                    try store.notes(), expected.withLock { $0 },
                    "the items right after write returned, called on \(caller)")
            }
        },
        CheckDefinition(
            "thread/write-async-returns-first", clause: [2],
            "writeAsync returns while its block still runs."
        ) { check in
            let store = try check.openStore()
            try check.fromEachThread { caller in
                let mayGoOn = Latch()
                let hasEnded = Latch()
                let hasCompleted = Latch()
                store.enqueueWrite { db in
                    // The wait is limited, so that a store that runs the block before it returns fails instead of
                    // hanging.
                    _ = mayGoOn.opens(within: .seconds(10))
                    try db.addNote(caller)
                    hasEnded.open()
                } completion: { _ in
                    hasCompleted.open()
                }
                check.expect(
                    !hasEnded.hasOpened,
                    "writeAsync, called on \(caller), returned only after its block had run")
                mayGoOn.open()
                hasCompleted.wait()
                check.expect(
                    hasEnded.hasOpened,
                    "writeAsync, called on \(caller), called its completion before its block ended")
            }
            check.expectEqual(try store.notes().count, 2, "the number of items of 2 queued blocks")
        },
        CheckDefinition(
            "thread/async-runs-elsewhere", clause: [2],
            "Blocks of writeAsync run neither on the calling thread nor on the main thread."
        ) { check in
            let store = try check.openStore()
            try check.fromEachThread { caller in
                for _ in 0..<10 {
                    let calling = currentThread
                    let ran = Locked<(thread: ObjectIdentifier, isMain: Bool)?>(nil)
                    let hasCompleted = Latch()
                    store.enqueueWrite { _ in
                        let place = (currentThread, CheckContext.isOnMain)
                        ran.withLock { $0 = place }
                    } completion: { _ in
                        hasCompleted.open()
                    }
                    hasCompleted.wait()
                    let place = try check.require(
                        ran.withLock { $0 }, "the thread of a queued block, called on \(caller)")
                    check.expect(
                        place.thread != calling,
                        "writeAsync, called on \(caller), ran its block on the calling thread")
                    check.expect(
                        !place.isMain,
                        "writeAsync, called on \(caller), ran its block on the main thread")
                }
            }
        },
        CheckDefinition(
            "thread/declared-block-thread", clause: [3, 19],
            "Blocks of read and write run on the thread that the capabilities declare."
        ) { check in
            let store = try check.openStore()
            let threading = check.capabilities.threading
            try check.fromEachThread { caller in
                func expectPlace(
                    _ call: String, calling: ObjectIdentifier, isOnMain: Bool, line: Int = #line
                ) {
                    let place = isOnMain ? "off the main thread" : "on another thread"
                    check.expect(
                        isOnMain ? CheckContext.isOnMain : currentThread == calling,
                        """
                        \(call), called on \(caller), ran its block \(place); the store declares \(threading)
                        """, line: line)
                }
                let calling = currentThread
                func expectPlaceOfRead(_ call: String) {
                    expectPlace(call, calling: calling, isOnMain: threading.readsOnMainThread)
                }
                try store.performRead { _ in expectPlaceOfRead("read") }
                try store.performWrite { _ in
                    expectPlace(
                        "write", calling: calling, isOnMain: threading.writesOnMainThread)
                }
                guard check.capabilities.nesting.contains(.readInRead) else { return }
                try store.performRead { _ in
                    try store.performRead { _ in expectPlaceOfRead("a nested read") }
                }
            }
        },
        CheckDefinition(
            "thread/block-runs-once", clause: [2, 5],
            "Every block runs exactly once, also one that throws."
        ) { check in
            let store = try check.openStore()
            for throwing in [false, true] {
                let how = throwing ? "a block that throws" : "a block"
                let runs = Locked(0)
                func expectOneRun(_ call: String, _ error: (any Error)?, line: Int = #line) {
                    check.expectEqual(
                        runs.withLock { $0 }, 1, "the runs of \(how) of \(call)", line: line)
                    check.expectEqual(
                        error as? Upset, throwing ? Upset(number: 7) : nil,
                        "the error that \(call) gave for \(how)", line: line)
                    runs.withLock { $0 = 0 }
                }
                func run() throws {
                    runs.withLock { $0 += 1 }
                    if throwing { throw Upset(number: 7) }
                }
                expectOneRun("read", error { try store.performRead { _ in try run() } })
                expectOneRun(
                    "write",
                    error {
                        try store.performWrite { db in
                            try db.addNote("of write")
                            try run()
                        }
                    })
                expectOneRun(
                    "writeAsync",
                    store.enqueueAndWait { db in
                        try db.addNote("of writeAsync")
                        runs.withLock { $0 += 1 }
                        if throwing { throw Upset(number: 7) }
                    })
                check.expectEqual(
                    try store.notes(), ["of write", "of writeAsync"],
                    "the items once \(how) of write and of writeAsync had run")
            }
        },
    ]

    /// The error that a call throws.
    static func error(_ body: () throws -> Void) -> (any Error)? {
        do {
            try body()
            return nil
        } catch {
            return error
        }
    }
}
