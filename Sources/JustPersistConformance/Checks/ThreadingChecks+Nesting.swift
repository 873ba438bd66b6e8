import Foundation
import JustPersist

extension ThreadingChecks {
    /// Checks of nested blocks on one thread.
    static let nesting: [CheckDefinition] = [
        CheckDefinition(
            "thread/nested-read-in-read", clause: [7, 19],
            "A read block inside a read block works if it is declared, and is refused if not."
        ) { check in
            let store = try check.openStore()
            try store.addNote("stored")
            try store.read { db in
                try nested(check, .readInRead, "a read inside a read block") {
                    try store.read { inner in
                        check.expectEqual(
                            try inner.notes(), ["stored"], "the items in a read inside a read block"
                        )
                        try store.read { innermost in
                            check.expectEqual(
                                try innermost.notes(), ["stored"], "the items two read blocks deep")
                        }
                        check.expectEqual(
                            try inner.notes(), ["stored"],
                            "the items in a read block once the one inside it has ended")
                    }
                }
                check.expectEqual(
                    try db.notes(), ["stored"],
                    "the items in the outer read block once the inner one has ended")
            }
            try store.addNote("later")
            check.expectEqual(
                try store.notes(), ["stored", "later"], "the items after nested read blocks")
        },
        CheckDefinition(
            "thread/nested-read-in-write", clause: [7, 19],
            "A read block inside a write block sees the committed state."
        ) { check in
            let store = try check.openStore()
            try store.addNote("stored")
            try store.write { db in
                try db.addNote("in the open block")
                try nested(check, .readInWrite, "a read inside a write block") {
                    check.expectEqual(
                        try store.notes(), ["stored"],
                        "the items in a read block inside the write block that made one more")
                }
                check.expectEqual(
                    try db.notes(), ["stored", "in the open block"],
                    "the items in the write block once the read block inside it has ended")
                try db.addNote("after the read")
            }
            check.expectEqual(
                try store.notes(), ["stored", "in the open block", "after the read"],
                "the items after a write block that held a read block")
        },
        CheckDefinition(
            "thread/nested-write-in-read", clause: [7, 19],
            "A write block inside a read block commits, and the outer snapshot does not move."
        ) { check in
            let store = try check.openStore()
            try store.addNote("stored")
            let declared = try store.read { db in
                _ = try db.notes()
                let declared = try nested(check, .writeInRead, "a write inside a read block") {
                    try store.addNote("written inside")
                    if check.capabilities.nesting.contains(.readInRead) {
                        check.expectEqual(
                            try store.notes(), ["stored", "written inside"],
                            "the items in a new read block right after the write inside a read block"
                        )
                    }
                }
                check.expectEqual(
                    try db.notes(), ["stored"],
                    "the items in the outer read block after a write block inside it")
                return declared
            }
            check.expectEqual(
                try store.notes(), declared ? ["stored", "written inside"] : ["stored"],
                "the items after a read block that held a write block")
        },
        CheckDefinition(
            "thread/nested-write-in-write", clause: [7],
            "A write block inside a write block is refused immediately, and the outer one is not affected."
        ) { check in
            let store = try check.openStore()
            let ran = Locked<[String]>([])
            @Sendable func expectRefusal(_ place: String, line: Int = #line) {
                check.expectError(.nestedWrite, what: "a write inside \(place)", line: line) {
                    try store.performWrite { db in
                        ran.withLock { $0.append(place) }
                        try db.addNote("never stored")
                    }
                }
                let reported = check.reported {
                    store.writeSync { _ in ran.withLock { $0.append("\(place), writeSync") } }
                }
                check.expectEqual(
                    reported.map(\.code), [.nestedWrite],
                    "the errors that writeSync inside \(place) gave to the handler", line: line)
            }
            try store.write { db in
                try db.addNote("before")
                expectRefusal("a write block")
                check.expectEqual(
                    try db.notes(), ["before"], "the items in a write block after the refusal")
                if check.capabilities.nesting.contains(.readInWrite) {
                    try store.performRead { _ in expectRefusal("a read block inside a write block")
                    }
                }
                try db.addNote("after")
            }
            check.expectEqual(
                try store.notes(), ["before", "after"],
                "the items of a write block in which another was refused")
            let error = store.enqueueAndWait { db in
                expectRefusal("a block of writeAsync")
                try db.addNote("queued")
            }
            check.expectEqual(
                error.map { "\($0)" }, nil,
                "the error of a queued block in which a write was refused")
            try check.onMain {
                try store.write { db in
                    expectRefusal("a write block on the main thread")
                    try db.addNote("on main")
                }
            }
            check.expectEqual(
                try store.notes(), ["before", "after", "queued", "on main"], "the items at the end")
            check.expectEqual(ran.withLock { $0 }, [], "the places where a refused block ran")
        },
    ]

    /// Expects that a nesting works if it is declared, and is refused if not.
    ///
    /// Returns whether it is declared.
    @discardableResult
    private static func nested(
        _ check: CheckContext, _ nesting: DataStoreCapabilities.Nesting, _ what: String,
        _ body: () throws -> Void
    ) throws -> Bool {
        if check.capabilities.nesting.contains(nesting) {
            check.expectSuccess(what, body)
            return true
        }
        check.expectError(what: "\(what), which the store does not declare", body)
        return false
    }
}
