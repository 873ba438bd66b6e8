import Foundation
import JustPersist

/// Checks of the errors of failures, the handlers that receive them, and the state of the store afterwards.
enum ErrorChecks {
    static let all: [CheckDefinition] = handlers + contents + limits + files

    /// Checks of the error handler, and of blocks that throw.
    private static let handlers: [CheckDefinition] = [
        CheckDefinition(
            "err/handler-called-once", clause: [14],
            "The error handler receives each failure once, on the thread where it occurs, before the call returns."
        ) { check in
            let store = try check.openStore()
            let other = try check.openStore()
            var foreign: DynamicItem?
            try other.performWrite { db in foreign = try db.addNote("foreign") }
            let stranger = try check.require(foreign, "an item of another store")
            try store.addNote("stored")
            func expectOneCall(
                _ what: String, _ code: DataStoreError.Code, line: Int = #line, _ body: () -> Void
            ) {
                expectReports([code], check, what, line: line, body)
            }
            var frozen: DynamicItem?
            try store.performRead { db in
                frozen = try db.note("stored")
                expectOneCall("items(forRequest:) with a negative limit", .invalidRequest) {
                    let items = db.items(forRequest: Notes.impossible)
                    check.expectEqual(items.count, 0, "the number of items of a refused request")
                }
                expectOneCall("firstItem(forRequest:) with a negative limit", .invalidRequest) {
                    let item = db.firstItem(forRequest: Notes.impossible)
                    check.expect(item == nil, "A refused request gave a first item")
                }
                expectOneCall("countItems(forRequest:) with a negative limit", .invalidRequest) {
                    let count = db.countItems(forRequest: Notes.impossible)
                    check.expectEqual(count, 0, "the count of a refused request")
                }
            }
            let item = try check.require(frozen, "the stored item in a read block")
            expectOneCall("setting an attribute of an item of a read block", .itemNotMutable) {
                item["text"] = .string("changed")
            }
            try store.performWrite { db in
                expectOneCall("delete(item:) of another store's item", .foreignItem) {
                    check.expect(
                        !db.delete(item: stranger), "Deleting another store's item was true")
                }
                expectOneCall("insert of another store's item", .foreignItem) {
                    check.expect(!db.insert(stranger), "Inserting another store's item was true")
                }
                expectOneCall("mutableVersion(ofItem:) of another store's item", .foreignItem) {
                    check.expect(
                        db.mutableVersion(ofItem: stranger) == nil,
                        "Another store's item has a mutable version")
                }
                let live = try check.require(try db.note("stored"), "the item in a write block")
                expectOneCall("setting an attribute to UInt64.max", .unsupportedValue) {
                    live.setValue(UInt64.max, forKeyPath: "extra")
                }
                expectOneCall("setting an attribute that the type does not have", .unknownAttribute)
                {
                    live.setValue(1, forKeyPath: "unheardOf")
                }
                expectOneCall("writeSync inside a write block", .nestedWrite) {
                    store.writeSync { _ in }
                }
            }
            try expectCallOfQueuedBlock(check, store)
            try store.close()
            expectOneCall("read after tearDown", .notSetUp) { store.read { _ in } }
            expectOneCall("writeSync after tearDown", .notSetUp) { store.writeSync { _ in } }
        },
        CheckDefinition(
            "err/handler-replaced", clause: [14],
            "The error handler can be replaced at any time, and later failures go to the new one alone."
        ) { check in
            let store = try check.openStore()
            try store.addNote("stored")
            let replaced = ErrorLog()
            func fail() throws {
                store.writeSync { db in _ = db.items(forRequest: Notes.impossible) }
                try store.performRead { db in
                    let item = try check.require(try db.note("stored"), "the stored item")
                    item["text"] = .string("changed")
                }
            }
            let codes: [DataStoreError.Code] = [.invalidRequest, .itemNotMutable]
            try fail()
            check.expectEqual(check.errors.codes, codes, "the errors given to the first handler")
            store.errorHandler = { error in replaced.append(error) }
            check.expect(store.errorHandler != nil, "A handler that was set is not there")
            try fail()
            store.errorHandler = nil
            try fail()
            check.expectEqual(replaced.codes, codes, "the errors given to the second handler")
            check.expectEqual(
                check.errors.codes, codes, "the errors given to the first handler in all")
        },
        CheckDefinition(
            "err/handler-absent", clause: [14],
            "Without an error handler nothing traps, and throwing calls still throw."
        ) { check in
            let store = try check.fixture.store(
                in: check.directory.appending(path: "store", directoryHint: .isDirectory),
                errorHandler: nil)
            check.expect(store.errorHandler == nil, "A handler that was taken away is still there")
            let ran = Locked(0)
            store.read { _ in ran.withLock { $0 += 1 } }
            store.writeSync { _ in ran.withLock { $0 += 1 } }
            check.expectEqual(ran.withLock { $0 }, 0, "the blocks that ran before setup")
            check.expectError(.notSetUp, what: "a write before setup") {
                try store.addNote("too early")
            }
            store.setup()
            try store.addNote("stored")
            try store.performRead { db in
                check.expectEqual(
                    db.items(forRequest: Notes.impossible).count, 0,
                    "the number of items of a request with a negative limit")
                check.expectEqual(
                    db.countItems(forRequest: Notes.impossible), 0,
                    "the count of a request with a negative limit")
                check.expectError(.invalidRequest, what: "a fetch with a negative limit") {
                    _ = try db.performFetch(Notes.impossible)
                }
                let item = try check.require(try db.note("stored"), "the stored item")
                item["text"] = .string("changed")
            }
            try store.performWrite { db in
                let item = try check.require(try db.note("stored"), "the stored item")
                item.setValue(UInt64.max, forKeyPath: "text")
                item.setValue(1, forKeyPath: "unheardOf")
                store.writeSync { _ in ran.withLock { $0 += 1 } }
                check.expectError(.nestedWrite, what: "a write inside a write block") {
                    try store.performWrite { _ in ran.withLock { $0 += 1 } }
                }
            }
            let error = store.enqueueAndWait { _ in throw Upset(number: 5) }
            check.expectEqual(
                error as? Upset, Upset(number: 5), "the error of a queued block that throws")
            check.expectEqual(
                ran.withLock { $0 }, 0, "the blocks that ran though their calls were refused")
            check.expectEqual(
                try store.notes(), ["stored"], "the items after calls that failed without a handler"
            )
            try store.close()
        },
        CheckDefinition(
            "err/error-in-read-leaves-store-usable", clause: [5, 14],
            "Read blocks that throw release their snapshots."
        ) { check in
            let store = try check.openStore()
            try store.addNote("stored")
            // More than LMDB has slots for readers.
            let rounds = check.profile.pick(quick: 300, full: 2_000, soak: 20_000)
            func readAndThrow(_ number: Int) {
                let error = check.expectThrows("read \(number), whose block throws") {
                    try store.performRead { db in
                        _ = try db.notes()
                        throw Upset(number: number)
                    }
                }
                check.expectEqual(
                    error as? Upset, Upset(number: number), "the error of read \(number)")
            }
            for number in 0..<rounds { readAndThrow(number) }
            try check.threads(8) { thread in
                for number in 0..<rounds / 8 {
                    do {
                        try store.performRead { _ in throw Upset(number: number) }
                    } catch is Upset {
                        check.tick()
                    }
                }
                check.expectEqual(
                    try store.notes(), ["stored"],
                    "the items that thread \(thread) reads after \(rounds / 8) reads that threw")
            }
            try store.addNote("later")
            check.expectEqual(
                try store.notes(), ["stored", "later"], "the items after reads that threw")
            check.expectSuccess("tearDown after reads that threw") { try store.close() }
        },
        CheckDefinition(
            "err/no-error-on-success", clause: [8, 14],
            "Where nothing fails, the error handler is never called."
        ) { check in
            let store = try check.openStore()
            check.errors.removeAll()
            store.setup()
            let detached = DynamicItem(Notes.type.key, values: ["text": .string("detached")])
            store.writeSync { db in
                check.expectSuccess("declare(_:)") { try db.declare(Notes.schema) }
                for number in 0..<5 {
                    let note = db.createNote("\(number)")
                    check.expect(note != nil, "Making an item gave none")
                }
                check.expect(db.insert(detached), "Inserting a detached item was false")
                check.expect(db.insert(detached), "Inserting an item a second time was false")
            }
            store.writeSync { db in
                let items = db.items(forRequest: Notes.all)
                check.expectEqual(items.count, 6, "the number of items")
                guard let first = items.first else { return }
                let live = db.mutableVersion(ofItem: first)
                live?.setValue("changed", forKeyPath: "text")
                live?.setValue(nil, forKeyPath: "extra")
                check.expect(db.delete(item: first), "Deleting an item was false")
                check.expect(!db.delete(item: first), "Deleting a deleted item was true")
            }
            store.read { db in
                let request = Notes.all
                request.setFilter(whereAttribute: "text", equalsValue: "3")
                request.setSort(byKey: "text", ascending: false)
                check.expectEqual(db.countItems(forRequest: request), 1, "the count of a request")
                check.expect(
                    db.firstItem(forRequest: DataStoreRequest(itemTypeKey: "ConformanceUnheardOf"))
                        == nil, "A type that was never stored has a first item")
            }
            let completed = Latch()
            store.writeAsync(
                { db in
                    check.expect(
                        db.batchDeleteAllItems(ofMutableTypes: []),
                        "Deleting the items of no types was false")
                }, completion: { completed.open() })
            completed.wait()
            store.tearDown()
            store.tearDown()
            check.expectEqual(
                check.errors.all.map { "\($0)" }, [],
                "the errors given to the handler while every call succeeded")
        },
    ]

    /// Expects the errors that the error handler receives while `body` runs, and the thread on which it receives them.
    private static func expectReports(
        _ codes: [DataStoreError.Code], _ check: CheckContext, _ what: String, line: Int = #line,
        _ body: () -> Void
    ) {
        let before = check.errors.threads.count
        let reported = check.reported(body)
        check.expectEqual(
            reported.map(\.code), codes,
            "the errors that \(what) gave to the handler before it returned", line: line)
        let here = ThreadingChecks.currentThread
        check.expect(
            check.capabilities.threading.readsOnMainThread
                || check.errors.threads.dropFirst(before).allSatisfy { $0 == here },
            "\(what) called the error handler on another thread than the one where it failed",
            line: line)
    }

    /// Expects this of a block of `writeAsync`, whose failure is known before its completion.
    private static func expectCallOfQueuedBlock(
        _ check: CheckContext, _ store: any DataStore
    ) throws {
        let inBlock = Locked<[DataStoreError.Code]?>(nil)
        let completed = Latch()
        let codes = Locked<[DataStoreError.Code]>([])
        let before = check.errors.all.count
        store.writeAsync(
            { db in
                _ = db.items(forRequest: Notes.impossible)
                let reported = check.errors.codes.dropFirst(before)
                inBlock.withLock { $0 = Array(reported) }
            },
            completion: {
                let reported = check.errors.codes.dropFirst(before)
                codes.withLock { $0 = Array(reported) }
                completed.open()
            })
        completed.wait()
        check.expectEqual(
            inBlock.withLock { $0 }, [.invalidRequest],
            "what a refused request in a block of writeAsync gave to the error handler at once")
        check.expectEqual(
            codes.withLock { $0 }, [.invalidRequest],
            "the errors given to the handler before the completion of that block")
    }
}

extension DataStoreReadWriteAccessor where Self: ~Copyable {
    /// Creates a note with the calls that report errors.
    fileprivate func createNote(_ text: String) -> DynamicItem? {
        let note = try? create(Notes.type.key)
        note?["text"] = .string(text)
        return note
    }
}
