import Foundation
import JustPersist

extension ThreadingChecks {
    /// Checks of the number and the time of calls of completions.
    static let completions: [CheckDefinition] = [
        CheckDefinition(
            "thread/completion-once", clause: [2],
            "A completion is called exactly once: after success, an error, a refusal, a tearDown."
        ) { check in
            let store = try check.openStore()
            let calls = Locked<[String]>([])
            func enqueue(
                _ what: String,
                _ block:
                    @escaping @Sendable (
                        borrowing DataStoreWriter
                    ) throws -> Void = { _ in }
            ) {
                store.enqueueWrite(block) { error in
                    let ending = error.map { ($0 as? DataStoreError)?.code.rawValue ?? "\($0)" }
                    calls.change { $0.append("\(what): \(ending ?? "committed")") }
                }
            }
            enqueue("success") { db in try db.addNote("a note") }
            enqueue("throw") { db in
                try db.addNote("never stored")
                throw Upset(number: 3)
            }
            enqueue("nothing")
            calls.wait { $0.count >= 3 ? () : nil }
            enqueue("tearDown") { db in
                Thread.sleep(forTimeInterval: 0.02)
                try db.addNote("queued at tearDown")
            }
            try store.close()
            enqueue("refusal")
            calls.wait { $0.count >= 5 ? () : nil }
            // Gives an incorrect second call the time to occur.
            Thread.sleep(forTimeInterval: 0.1)
            check.expectEqual(
                calls.withLock { $0.sorted() },
                [
                    "nothing: committed", "refusal: notSetUp", "success: committed",
                    "tearDown: committed", "throw: \(Upset(number: 3))",
                ],
                "the calls of the completions of 5 blocks of writeAsync")
        },
        CheckDefinition(
            "thread/completion-after-visibility", clause: [2, 4],
            "A read inside a completion sees the changes of the block."
        ) { check in
            let store = try check.openStore()
            let seen = Locked<[Result<[String], any Error>]>([])
            let count = check.profile.pick(quick: 20, full: 200, soak: 2_000)
            for number in 0..<count {
                store.enqueueWrite { db in
                    try db.addNote("\(number)")
                } completion: { _ in
                    let notes = Result { try store.notes() }
                    seen.change { $0.append(notes) }
                }
                seen.wait { $0.count > number ? () : nil }
                check.expectEqual(
                    try seen.withLock { $0 }.last?.get().last, "\(number)",
                    "the last item that the completion of a block sees, which made “\(number)”")
            }
        },
        CheckDefinition(
            "thread/async-from-inside-blocks", clause: [2, 7],
            "writeAsync inside a block runs its block after the open one."
        ) { check in
            let store = try check.openStore()
            let order = Locked<[String]>([])
            @Sendable func enqueue(_ name: String) {
                store.enqueueWrite { db in
                    try db.addNote(name)
                    order.withLock { $0.append(name) }
                } completion: { error in
                    check.expect(
                        error == nil,
                        "The block “\(name)” of writeAsync failed: \(error, default: "nil")")
                    order.change { $0.append("\(name), completed") }
                }
            }
            func expectOrder(_ expected: [String], _ what: String, line: Int = #line) {
                let seen = order.wait { $0.count >= expected.count ? $0 : nil }
                check.expectEqual(
                    seen, expected, "the order of events with writeAsync inside \(what)", line: line
                )
                order.withLock { $0 = [] }
            }
            try store.write { db in
                enqueue("queued in write")
                // Gives the queued block the time to start too early.
                Thread.sleep(forTimeInterval: 0.02)
                try db.addNote("of write")
                order.withLock { $0.append("write") }
            }
            expectOrder(
                ["write", "queued in write", "queued in write, completed"], "a write block")
            let inner = Latch()
            store.enqueueWrite { db in
                enqueue("queued in writeAsync")
                Thread.sleep(forTimeInterval: 0.02)
                try db.addNote("of writeAsync")
                order.withLock { $0.append("writeAsync") }
            } completion: { _ in
                inner.open()
            }
            inner.wait()
            expectOrder(
                ["writeAsync", "queued in writeAsync", "queued in writeAsync, completed"],
                "a block of writeAsync")
            try store.read { db in
                let before = try db.notes()
                enqueue("queued in read")
                Thread.sleep(forTimeInterval: 0.02)
                check.expectEqual(
                    try db.notes(), before, "the items in a read block that called writeAsync")
            }
            expectOrder(["queued in read", "queued in read, completed"], "a read block")
            check.expectEqual(
                try store.notes(),
                [
                    "of write", "queued in write", "of writeAsync", "queued in writeAsync",
                    "queued in read",
                ],
                "the items at the end")
        },
    ]
}
