import Foundation
import JustPersist

/// Checks of the fixture: whether it makes usable stores.
enum FixtureChecks {
    static let all: [CheckDefinition] = [
        CheckDefinition(
            "fixture/fresh-store-is-empty", clause: [], "A new store opens and has no items."
        ) { check in
            let store = try check.makeStore(named: "fresh")
            try store.open()
            for type in ["ConformanceItem", "ConformanceOther", "ConformancePast"] {
                let count = try store.read { db in
                    try db.performCount(DataStoreRequest(itemTypeKey: type))
                }
                check.expectEqual(count, 0, "the number of items of “\(type)” in a new store")
            }
        },
        CheckDefinition(
            "fixture/stores-are-isolated", clause: [],
            "Two stores of the fixture do not see each other's items."
        ) { check in
            let one = try check.makeStore(named: "one")
            let other = try check.makeStore(named: "other")
            try one.open()
            try other.open()
            try one.addNote("in the one")
            check.expectEqual(
                try other.notes(), [],
                "the items of a store after an item was made in a store of another directory")
            try other.addNote("in the other")
            check.expectEqual(try one.notes(), ["in the one"], "the items of the first store")
            check.expectEqual(try other.notes(), ["in the other"], "the items of the second store")
        },
        CheckDefinition(
            "fixture/capabilities-are-stable", clause: [19],
            "Every store of the fixture has equal capabilities, before and after it is opened."
        ) { check in
            let store = try check.makeStore(named: "one")
            let declared = store.capabilities
            try store.open()
            check.expectEqual(store.capabilities, declared, "the capabilities of an open store")
            try store.addNote("a note")
            check.expectEqual(store.capabilities, declared, "the capabilities after a write")
            try store.close()
            check.expectEqual(store.capabilities, declared, "the capabilities of a closed store")
            let other = try check.makeStore(named: "other")
            check.expectEqual(
                other.capabilities, declared, "the capabilities of a store in another directory")
        },
        CheckDefinition(
            "fixture/stays-in-its-directory", clause: [17],
            "A store creates no files outside of its directory."
        ) { check in
            let surroundings = check.directory.appending(path: "around")
            let files = FileManager.default
            try files.createDirectory(at: surroundings, withIntermediateDirectories: true)
            try Data("not the store's".utf8).write(to: surroundings.appending(path: "neighbour"))
            let store = try check.makeStore(named: "around/store")
            try store.open()
            try store.addNote("a note")
            func expectNothingElse(_ when: String, line: Int = #line) throws {
                let found = try files.contentsOfDirectory(atPath: surroundings.path)
                check.expectEqual(
                    found.filter { $0 != "store" }.sorted(), ["neighbour"],
                    "the files beside the store's directory \(when)", line: line)
            }
            try expectNothingElse("while it is open")
            try store.close()
            try expectNothingElse("when it was closed")
            try store.destroy()
            try expectNothingElse("when it was destroyed")
            check.expectEqual(
                try String(contentsOf: surroundings.appending(path: "neighbour"), encoding: .utf8),
                "not the store's", "the content of a file beside the store's directory")
        },
        CheckDefinition(
            "fixture/recreatable-in-child-process", clause: [6],
            gate: .requires(.processCrashSafe),
            "Another process finds the fixture, and makes the store with it."
        ) { check in
            try check.require(
                ChildJob.canFind(check.fixture),
                """
                The fixture \(check.fixture) is private or declared in a function, so that no other \
                process finds it, and crashes cannot be examined; make it non-private
                """)
            let ending = try check.runChild(writer)
            check.expectEqual(
                ending, .exited(ConformanceChild.done),
                "the end of a process that made a store with the fixture, wrote to it and closed it"
            )
        },
    ]

    /// Makes a store in another process.
    static let writer = ChildRole("fixture/writer") { child in
        let store = try child.makeStore(named: "made-by-child")
        try store.open()
        try store.addNote("by another process")
        try store.close()
    }
}
