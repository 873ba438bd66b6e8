import Foundation
import JustPersist

extension LifecycleChecks {
    /// Checks of closing a store while blocks run or wait.
    static let waiting: [CheckDefinition] = [
        CheckDefinition(
            "life/teardown-drains-async", clause: [1, 2],
            "tearDown commits every queued block, and each completion is called."
        ) { check in
            let store = try check.openStore()
            let count = check.profile.pick(quick: 100, full: 500, soak: 5_000)
            let hasBegun = Latch()
            let mayGoOn = Latch()
            let hasEnded = Latch()
            let completions = Locked<[(number: Int, error: (any Error)?)]>([])
            let blocks = Locked(0)
            for number in 0..<count {
                store.enqueueWrite { db in
                    if number == 0 {
                        hasBegun.open()
                        mayGoOn.wait()
                        // Even a tearDown that began late would return in this time, unless it waits.
                        Thread.sleep(forTimeInterval: 0.05)
                    }
                    try db.addNote("\(number)")
                    blocks.withLock { $0 += 1 }
                    if number == count - 1 { hasEnded.open() }
                } completion: { error in
                    completions.change { $0.append((number, error)) }
                }
            }
            hasBegun.wait()
            let hadEnded = Locked(false)
            let closing = startClosing(store, noting: hadEnded, whether: hasEnded, check)
            check.expect(
                !closing.ends(within: .milliseconds(50)),
                """
                tearDown returned while a queued block ran and \(count - 1) were queued after it; it must \
                wait for them
                """)
            mayGoOn.open()
            check.expectSuccess("tearDown with \(count) blocks queued") { try closing.join() }
            check.expect(
                hadEnded.withLock { $0 }, "tearDown returned before the last queued block had run")
            check.expectEqual(
                blocks.withLock { $0 }, count,
                "the queued blocks that had run when tearDown returned")
            let ended = completions.wait { $0.count >= count ? $0 : nil }
            check.expectEqual(
                ended.map(\.number).sorted(), Array(0..<count),
                "the numbers of the queued blocks whose completions were called")
            let failed = ended.compactMap { $0.error.map { "\($0)" } }
            check.expectEqual(failed, [], "the errors that completions of queued blocks got")
            if check.reopeningKeepsData {
                check.expectEqual(
                    try check.reopened(store).notes(), (0..<count).map(String.init),
                    "the items of \(count) queued blocks after tearDown and setup")
            }
        },
        CheckDefinition(
            "life/teardown-inside-block-refused", clause: [1],
            "tearDown inside a block of the store is refused immediately, and the block continues."
        ) { check in
            let store = try check.openStore()
            try store.addNote("stored")
            func expectRefusals(_ place: String, line: Int = #line) {
                check.expectError(.insideBlock, what: "tearDown inside \(place)", line: line) {
                    try store.close()
                }
                check.expectError(.insideBlock, what: "destroy inside \(place)", line: line) {
                    try store.destroy()
                }
            }
            try store.read { db in
                expectRefusals("a read block")
                check.expectEqual(
                    try db.notes(), ["stored"], "the items in a read block that tried tearDown")
            }
            try store.write { db in
                try db.addNote("in the block")
                expectRefusals("a write block")
                try db.addNote("after the refusal")
            }
            let error = store.enqueueAndWait { db in
                check.expectError(.insideBlock, what: "tearDown inside a queued block") {
                    try store.close()
                }
                try db.addNote("queued")
            }
            check.expectEqual(
                error.map { "\($0)" }, nil, "the error of a queued block that tried tearDown")
            check.expectEqual(
                try store.notes(), ["stored", "in the block", "after the refusal", "queued"],
                "the items that blocks wrote which tried tearDown")
        },
        CheckDefinition(
            "life/teardown-while-reader-open", clause: [1],
            "tearDown waits for a read block that is open on another thread."
        ) { check in
            let store = try check.openStore()
            try store.addNote("stored")
            let hasBegun = Latch()
            let mayGoOn = Latch()
            let hasEnded = Latch()
            let reading = check.start {
                try store.read { db in
                    check.expectEqual(try db.notes(), ["stored"], "the items before tearDown")
                    hasBegun.open()
                    mayGoOn.wait()
                    check.expectEqual(
                        try db.notes(), ["stored"],
                        "the items in a read block while another thread is in tearDown")
                    Thread.sleep(forTimeInterval: 0.05)
                    hasEnded.open()
                }
            }
            hasBegun.wait()
            let hadEnded = Locked(false)
            let closing = startClosing(store, noting: hadEnded, whether: hasEnded, check)
            check.expect(
                !closing.ends(within: .milliseconds(50)),
                "tearDown returned while a read block ran; it must wait for it")
            mayGoOn.open()
            check.expectSuccess("a read block during tearDown") { try reading.join() }
            check.expectSuccess("tearDown during a read block") { try closing.join() }
            check.expect(
                hadEnded.withLock { $0 }, "tearDown returned before the read block had ended")
            let again = try check.reopened(store)
            try again.addNote("later")
            check.expectEqual(
                try again.notes().last, "later",
                "the last item written after a tearDown that had waited for a reader")
        },
    ]

    /// Starts to close a store on another thread, and records whether `hasEnded` was open when `close` returned.
    private static func startClosing(
        _ store: any DataStore, noting outcome: Locked<Bool>, whether hasEnded: Latch,
        _ check: CheckContext
    ) -> ThreadHandle {
        let isClosing = Latch()
        let closing = check.start {
            isClosing.open()
            try store.close()
            let isOver = hasEnded.hasOpened
            outcome.withLock { $0 = isOver }
        }
        isClosing.wait()
        return closing
    }
}
