import Dispatch
import Foundation
import JustPersist

extension ThreadingChecks {
    /// Checks of items and accessors that are used after their block, or on another thread.
    ///
    /// The compiler prevents keeping an accessor after its block. An item can be kept, and could be used to write to
    /// the store.
    static let escapes: [CheckDefinition] = [
        CheckDefinition(
            "thread/accessor-escape-refused", clause: [3, 8],
            "An item of a write block cannot be changed once the block has ended."
        ) { check in
            let store = try check.openStore()
            try store.addNote("stored")
            var kept: [(item: DynamicItem, origin: String)] = []
            try store.performWrite { db in
                kept.append((try db.addNote("created"), "an item made in a write block"))
                let live = try check.require(
                    try db.note("stored"), "the stored item in a write block")
                kept.append((live, "an item got in a write block"))
            }
            do {
                try store.performWrite { db in
                    kept.append((try db.addNote("undone"), "an item made in a block that threw"))
                    let live = try check.require(
                        try db.note("stored"), "the stored item in a write block")
                    kept.append((live, "an item changed in a block that threw"))
                    try live.setStoredValue("undone", forKeyPath: "text")
                    throw Upset(number: 1)
                }
            } catch is Upset {}
            func expectRefusals(_ when: String, line: Int = #line) {
                for (item, origin) in kept {
                    check.expectError(
                        .itemNotMutable, .blockEnded, .itemDeleted,
                        what: "setting an attribute of \(origin), \(when)", line: line
                    ) { try item.setStoredValue("changed after its block", forKeyPath: "text") }
                    let reported = check.reported { item["text"] = .string("changed again") }
                    check.expectEqual(
                        reported.count, 1,
                        """
                        the number of errors reported when an attribute of \(origin) was set \
                        without try, \(when)
                        """, line: line)
                }
            }
            expectRefusals("after its block")
            // A transaction is open, but the items do not belong to it.
            try store.performWrite { db in
                try db.addNote("of a later block")
                expectRefusals("in a later write block")
            }
            try store.performRead { _ in expectRefusals("in a later read block") }
            let expected = ["stored", "created", "of a later block"]
            check.expectEqual(
                try store.notes(), expected,
                "the items after changes were tried once their blocks had ended")
            try store.close()
            expectRefusals("after tearDown")
            if check.reopeningKeepsData {
                check.expectEqual(
                    try check.reopened(store).notes(), expected,
                    "the items after changes were tried once their blocks had ended, and a setup")
            }
        },
        CheckDefinition(
            "thread/item-escape", clause: [8],
            "An item can be read after its block, also on other threads, and never changes."
        ) { check in
            let store = try check.openStore()
            try store.addNote("stored")
            var items: [(item: DynamicItem, origin: String, text: String)] = []
            try store.performRead { db in
                let item = try check.require(try db.note("stored"), "the item in a read block")
                items.append((item, "an item of a read block", "stored"))
            }
            try store.performWrite { db in
                items.append(
                    (try db.addNote("created"), "an item made in a write block", "created"))
                let live = try check.require(try db.note("stored"), "the item in a write block")
                try live.setStoredValue("changed", forKeyPath: "text")
                items.append((live, "an item changed in a write block", "changed"))
            }
            let escaped = Escaped(items)
            @Sendable func expectTexts(_ when: String, line: Int = #line) {
                for (item, origin, text) in escaped.value {
                    check.expectEqual(
                        DataStoreValue.string(text), item["text"],
                        "the text that \(origin) has, read \(when)", line: line)
                    check.expectSuccess(
                        "reading the extra attribute of \(origin) \(when)", line: line
                    ) {
                        _ = try item.storedValue(forKeyPath: "extra")
                    }
                }
            }
            expectTexts("after its block")
            try check.threads(1) { _ in expectTexts("on another thread") }
            try check.onMain { expectTexts("on the main thread") }
            try store.performWrite { db in
                for note in try db.dynamicItems(Notes.all) {
                    try note.setStoredValue("overwritten", forKeyPath: "text")
                }
            }
            expectTexts("after it was overwritten in the store")
            try store.performWrite { db in try db.performDeleteAll([Notes.type]) }
            for number in 0..<200 { try store.addNote("filler \(number)") }
            expectTexts("after it was deleted from the store")
            try check.threads(1) { _ in expectTexts("on another thread after its deletion") }
            try store.close()
            expectTexts("after tearDown")
        },
        CheckDefinition(
            "thread/accessor-on-other-thread", clause: [3],
            "An accessor that another thread uses during its block refuses, or works."
        ) { check in
            if check.capabilities.threading.readsOnMainThread {
                try check.unverified("a block on the main thread cannot wait for the main thread")
            }
            let store = try check.openStore()
            let otherThread = DispatchQueue.main
            try store.addNote("stored")
            // Without this, the wait below might not end.
            try check.onMain {}
            try store.performRead { db in
                otherThread.sync {
                    answerOrRefusal(check, "a fetch", in: "a read block") {
                        check.expectEqual(
                            try db.notes(), ["stored"],
                            "the items fetched in a read block from another thread")
                    }
                    answerOrRefusal(check, "a count", in: "a read block") {
                        check.expectEqual(
                            try db.performCount(Notes.all), 1,
                            "the items counted in a read block from another thread")
                    }
                }
                check.expectEqual(
                    try db.notes(), ["stored"],
                    "the items in a read block whose accessor another thread used before")
            }
            var stored = ["stored"]
            try store.performWrite { db in
                otherThread.sync {
                    let wrote = answerOrRefusal(check, "a create", in: "a write block") {
                        try db.addNote("of another thread")
                    }
                    if wrote { stored.append("of another thread") }
                }
                try db.addNote("of its own thread")
                stored.append("of its own thread")
                check.expectEqual(
                    try db.notes(), stored,
                    "the items in a write block whose accessor another thread used before")
            }
            check.expectEqual(
                try store.notes(), stored,
                "the items of a write block whose accessor another thread used")
        },
    ]

    /// Expects that a use of an accessor succeeds, or throws an error of the library.
    ///
    /// Returns whether it succeeded.
    @discardableResult
    private static func answerOrRefusal(
        _ check: CheckContext, _ what: String, in place: String, line: Int = #line,
        _ body: () throws -> Void
    ) -> Bool {
        do {
            try body()
            return true
        } catch {
            check.expect(
                error is DataStoreError,
                "\(what) in \(place) from another thread threw \(error), which is no DataStoreError",
                line: line)
            return false
        }
    }
}

/// A value that one thread passes to another, which uses it while the first one waits.
// Sendable because the two threads do not use it at the same time.
private struct Escaped<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
