import Foundation
import JustPersist
import Testing

/// Clauses 15 and 19: what is not declared is refused, in both generations of calls.
@Suite struct ChildRefusalTests {
    @Test func undeclaredChildStoresAreRefused() throws {
        let errors = ErrorLog()
        try withChildlessStore(errors) { store in
            #expect(store.capabilities.childStores == .none)
            #expect(store.parent == nil)
            expectError(.unsupported) { _ = try store.makeChild() }
            expectError(.unsupported) { try store.merge(store, policy: .childWins) }
            expectError(.unsupported) { _ = try store.performMerge(store, policy: .childWins) }
            #expect(errors.codes == [])
        }
    }

    @Test func theOriginalCallsReportTheRefusal() throws {
        let errors = ErrorLog()
        try withChildlessStore(errors) { store in
            try store.fill(["a"])
            let child = store.makeChildDataStore()
            #expect(errors.codes == [.unsupported])
            store.merge(child)
            #expect(errors.codes == [.unsupported, .unsupported])
            try #expect(store.names() == ["a"])
        }
    }

    @Test func theChildThatIsNoneRefusesEverything() throws {
        let errors = ErrorLog()
        try withChildlessStore(errors) { store in
            let child = store.makeChildDataStore()
            #expect(child.capabilities.childStores == .none)
            expectError(.unsupported) { try child.open() }
            expectError(.unsupported) { _ = try child.read { _ in 1 } }
            expectError(.unsupported) { _ = try child.write { _ in 1 } }
            expectError(.unsupported) { _ = try child.verify() }
            expectError(.unsupported) { _ = try child.makeChild() }
            expectError(.unsupported) { try child.merge(store, policy: .fail) }
            expectError(.unsupported) { try child.close() }
            expectError(.unsupported) { try child.destroy() }
            #expect(errors.codes == [.unsupported])
            child.setup()
            child.read { _ in _ = ran() }
            child.writeSync { _ in _ = ran() }
            child.tearDown()
            _ = child.makeChildDataStore()
            let done = DispatchSemaphore(value: 0)
            child.writeAsync { _ in
                _ = ran()
            } completion: {
                done.signal()
            }
            done.wait()
            #expect(errors.codes == Array(repeating: .unsupported, count: 7))
        }
    }

    private func withChildlessStore(
        _ errors: ErrorLog, _ body: (any DataStore) throws -> Void
    ) throws {
        let store = ChildlessStore(errors: errors)
        try store.open()
        try body(store)
        try store.close()
    }

    private func ran() -> Int {
        Issue.record("A block ran")
        return 0
    }
}
