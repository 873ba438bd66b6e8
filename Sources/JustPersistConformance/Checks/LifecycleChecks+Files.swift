import Foundation
import JustPersist

extension LifecycleChecks {
    /// Checks of the effects of opening, closing and destroying on files.
    static let files: [CheckDefinition] = [
        CheckDefinition(
            "life/setup-failure-is-reported", clause: [1, 14],
            "A setup that fails reports its error and leaves the store closed; a later setup succeeds."
        ) { check in
            if check.capabilities.persistence < .reopening {
                try check.notApplicable(
                    "a store that keeps no files cannot fail for want of a place")
            }
            try check.requireFiles()
            // Permissions are not used for this, because they do not restrict a superuser.
            let place = check.directory.appending(path: "store")
            try Data("in the way".utf8).write(to: place)
            let store = try check.makeStore(named: "store")
            check.expectError(what: "setup where a file lies in the place of the directory") {
                try store.open()
            }
            let reported = check.reported { store.setup() }
            check.expectEqual(
                reported.count, 1, "the errors that the non-throwing setup reported there")
            check.expectError(.notSetUp, what: "a read after a failed setup") {
                _ = try store.notes()
            }
            check.expectError(.notSetUp, what: "a write after a failed setup") {
                try store.addNote("too early")
            }
            check.expectEqual(
                try? String(contentsOf: place, encoding: .utf8), "in the way",
                "the content of the file that was in the way")
            try FileManager.default.removeItem(at: place)
            check.expectSuccess("setup once nothing is in the way") { try store.open() }
            try store.addNote("a note")
            check.expectEqual(
                try store.notes(), ["a note"], "the items of a store whose first setup failed")
        },
        CheckDefinition(
            "life/drop-without-teardown", clause: [1], gate: .requires(.persistent),
            "A store that is released without tearDown closes its files and releases its locks."
        ) { check in
            for round in 1...3 {
                weak var released: (any DataStore)?
                do {
                    let store = try check.makeUnheldStore(named: "store")
                    released = store
                    openSoon(check, store)
                    try store.addNote("of round \(round)")
                    _ = try store.notes()
                    let error = store.enqueueAndWait { db in
                        try db.addNote("queued in round \(round)")
                    }
                    check.expectEqual(error.map { "\($0)" }, nil, "the error of a queued block")
                }
                try check.require(
                    comesTrue(within: patience) { released == nil },
                    "A store lives on after its last reference was released; it must not retain itself"
                )
            }
            let next = try check.makeStore(named: "store")
            openSoon(check, next)
            check.expectEqual(
                try next.notes(),
                (1...3).flatMap { ["of round \($0)", "queued in round \($0)"] },
                "the items that stores wrote which were released without tearDown")
        },
    ]

    /// The time for which the thread that called a completion may still retain the engine of the store.
    private static let patience = Duration.seconds(10)

    /// Expects that a store can be opened over files that a released store has used.
    private static func openSoon(_ check: CheckContext, _ store: any DataStore) {
        let deadline = ContinuousClock.now + patience
        check.expectSuccess("setup of a directory whose last store was released, not torn down") {
            while true {
                do {
                    return try store.open()
                } catch {
                    if ContinuousClock.now > deadline { throw error }
                    Thread.sleep(forTimeInterval: 0.005)
                }
            }
        }
    }
}
