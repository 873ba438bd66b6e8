import Foundation
import JustPersist

extension LifecycleChecks {
    /// Checks of using a store that is not set up.
    static let use: [CheckDefinition] = [
        CheckDefinition(
            "life/use-before-setup-refused", clause: [1],
            "A store that was not set up refuses every use, and runs no block."
        ) { check in
            let store = try check.makeStore(named: "store")
            var child: (any DataStore)?
            if check.capabilities.childStores > .none {
                let elsewhere = try check.openStore()
                child = try elsewhere.makeChild()
                try child?.open()
            }
            try expectRefusals(
                check, of: store, child: child, when: "before setup",
                // A store has no child before its setup, so this child belongs to another store.
                mergeCodes: [.notSetUp, .incompatibleChildDataStore])
            try store.open()
            check.expectEqual(
                try store.notes(), [], "the items after the refused calls and a setup")
            try store.addNote("a note")
            check.expectEqual(try store.notes(), ["a note"], "the items after setup and a write")
        },
        CheckDefinition(
            "life/use-after-teardown-refused", clause: [1],
            "A store that was torn down refuses every use, and runs no block."
        ) { check in
            let store = try check.openStore()
            try store.addNote("a note")
            var child: (any DataStore)?
            if check.capabilities.childStores > .none {
                child = try store.makeChild()
                try child?.open()
                try child?.addNote("of the child")
            }
            try store.close()
            try expectRefusals(
                check, of: store, child: child, when: "after tearDown", mergeCodes: [.notSetUp])
            let again = try check.reopened(store)
            check.expectEqual(
                try again.notes(), check.reopeningKeepsData ? ["a note"] : [],
                "the items after the refused calls and a setup")
        },
    ]

    /// Expects that a store that is not set up refuses each kind of use.
    private static func expectRefusals(
        _ check: CheckContext, of store: any DataStore, child: (any DataStore)?, when: String,
        mergeCodes: [DataStoreError.Code]
    ) throws {
        let blocks = Locked<[String]>([])
        func expectThrow(_ what: String, line: Int = #line, _ body: () throws -> Void) {
            check.expectError(.notSetUp, what: "\(what) \(when)", line: line, body)
        }
        func expectReport(_ what: String, line: Int = #line, _ body: () -> Void) {
            let reported = check.reported(body)
            check.expectEqual(
                reported.map(\.code), [.notSetUp],
                "the errors that \(what) \(when) gave to the handler, its only way to refuse",
                line: line)
        }
        expectThrow("read that throws") {
            try store.performRead { _ in blocks.withLock { $0.append("read that throws") } }
        }
        expectReport("read") {
            store.read { _ in blocks.withLock { $0.append("read") } }
        }
        expectThrow("write that throws") {
            try store.performWrite { _ in blocks.withLock { $0.append("write that throws") } }
        }
        expectReport("writeSync") {
            store.writeSync { _ in blocks.withLock { $0.append("writeSync") } }
        }
        let refusal = store.enqueueAndWait { _ in
            blocks.withLock { $0.append("writeAsync that throws") }
        }
        expectThrow("writeAsync with a result") { if let refusal { throw refusal } }
        expectReport("writeAsync") {
            let completed = Latch()
            store.writeAsync(
                { _ in blocks.withLock { $0.append("writeAsync") } },
                completion: { completed.open() })
            completed.wait()
        }
        expectThrow("verify") { _ = try store.verify() }
        if check.capabilities.childStores > .none {
            expectThrow("makeChild") { _ = try store.makeChild() }
            expectReport("makeChildDataStore") { _ = store.makeChildDataStore() }
        }
        if let child {
            let error = check.expectError(what: "merge \(when)") {
                try store.merge(child, policy: .childWins)
            }
            check.expect(
                error.map { mergeCodes.contains($0.code) } ?? true,
                "merge \(when): expected the error notSetUp, got \(error.map { "\($0)" } ?? "")")
        }
        check.expectEqual(
            blocks.withLock { $0 }, [], "the calls whose blocks ran \(when), though refused")
    }
}
