import Foundation
import JustPersist

/// Checks of opening and closing, and of calls before and after.
enum LifecycleChecks {
    static let all: [CheckDefinition] =
        use + repetition + waiting + destroying + verifying + files

    private static let repetition: [CheckDefinition] = [
        CheckDefinition(
            "life/setup-twice-keeps-data", clause: [1], "A second setup is harmless."
        ) { check in
            let store = try check.openStore()
            try store.addNote("before")
            try store.open()
            check.expectEqual(try store.notes(), ["before"], "the items after a second setup")
            let errors = check.reported { store.setup() }
            check.expectEqual(errors.map(\.code), [], "the errors reported by a third setup")
            try store.addNote("after")
            check.expectEqual(
                try store.notes(), ["before", "after"], "the items after a third setup and a write")
        },
        CheckDefinition(
            "life/teardown-twice", clause: [1], "A second tearDown is harmless."
        ) { check in
            let store = try check.openStore()
            try store.addNote("a note")
            try store.close()
            check.expectSuccess("a second tearDown") { try store.close() }
            let errors = check.reported { store.tearDown() }
            check.expectEqual(errors.map(\.code), [], "the errors reported by a third tearDown")
            let again = try check.reopened(store)
            try again.addNote("later")
            check.expectEqual(
                try again.notes().last, "later", "the last item written after three tearDowns")
        },
        CheckDefinition(
            "life/teardown-without-setup", clause: [1], "tearDown before any setup is harmless."
        ) { check in
            let store = try check.makeStore(named: "store")
            check.expectSuccess("tearDown of a store that was never set up") {
                try store.close()
            }
            check.expectError(.notSetUp, what: "a read after that tearDown") {
                _ = try store.notes()
            }
            try store.open()
            try store.addNote("a note")
            check.expectEqual(
                try store.notes(), ["a note"], "the items of a store set up after that tearDown")
        },
        CheckDefinition(
            "life/setup-after-teardown", clause: [1, 19],
            "A store object can be used again after tearDown; a persistent store keeps its data."
        ) { check in
            let store = try check.openStore()
            try store.addNote("before")
            try store.close()
            try store.open()
            let keeps = check.capabilities.persistence >= .reopening
            check.expectEqual(
                try store.notes(), keeps ? ["before"] : [],
                """
                the items after tearDown and setup of a store that declares persistence \
                “\(check.capabilities.persistence)”
                """)
            try store.addNote("after")
            check.expectEqual(try store.notes().last, "after", "the last item after a write")
            try store.destroy()
            try store.open()
            check.expectEqual(try store.notes(), [], "the items after destroy and setup")
        },
        CheckDefinition(
            "life/setup-concurrently", clause: [1],
            "Eight threads that set up one store at once all can use it afterwards."
        ) { check in
            for round in 1...check.profile.pick(quick: 3, full: 20, soak: 200) {
                let store = try check.makeStore(named: "store-\(round)")
                let start = Latch()
                let threads = (0..<8).map { number in
                    check.start {
                        start.wait()
                        try store.open()
                        try store.addNote("of thread \(number)")
                    }
                }
                start.open()
                for thread in threads {
                    check.expectSuccess("setup and a write on one of 8 threads at once") {
                        try thread.join()
                    }
                }
                check.expectEqual(
                    try store.notes().sorted(), (0..<8).map { "of thread \($0)" },
                    "the items after 8 threads set the store up at once and wrote one each")
                try store.close()
            }
        },
        CheckDefinition(
            "life/no-descriptor-leak", clause: [1],
            "Rounds of setup and tearDown leave no file open and no thread running."
        ) { check in
            let table = "/proc/self/fd"
            let threadTable = "/proc/self/task"
            guard FileManager.default.fileExists(atPath: table) else {
                try check.unverified(
                    "this system has no \(table) to count open files in")
            }
            let rounds = check.profile.pick(quick: 50, full: 50, soak: 2_000)
            // The first rounds open files that a process opens only once.
            func run(_ rounds: Int) throws {
                for round in 0..<rounds {
                    let store = try check.makeUnheldStore(named: "store")
                    try store.open()
                    try store.addNote("of round \(round)")
                    _ = try store.notes()
                    try store.close()
                    check.tick()
                }
            }
            try run(5)
            let (files, threads) = (try entries(table), try entries(threadTable))
            try run(rounds)
            let (filesAfter, threadsAfter) = (try entries(table), try entries(threadTable))
            check.expect(
                filesAfter < files + 10,
                """
                \(rounds) rounds of setup, a write, a read and tearDown: \(files) descriptors were \
                open before, \(filesAfter) after; tearDown must close what setup opened
                """)
            // Dispatch keeps some idle threads.
            check.expect(
                threadsAfter < threads + rounds / 2,
                """
                \(rounds) rounds of setup, a write, a read and tearDown: \(threads) threads ran \
                before, \(threadsAfter) after; tearDown must end what setup started
                """)
        },
    ]

    private static func entries(_ directory: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: directory).count
    }
}
