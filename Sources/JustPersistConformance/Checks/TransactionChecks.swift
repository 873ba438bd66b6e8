import Foundation
import JustPersist

/// Checks of the atomicity of write blocks, and of the changes that a block itself sees.
enum TransactionChecks {
    static let all: [CheckDefinition] = rollback + atomicity + refusedChanges

    private static let rollback: [CheckDefinition] = [
        CheckDefinition(
            "tx/error-passes-through", clause: [5],
            "The error that a block throws reaches the caller or the completion unchanged."
        ) { check in
            let store = try check.openStore()
            let own = DataStoreError(
                DataStoreError.Code(rawValue: "kit"), in: "kit", "An error of the block.")
            func expect(_ what: String, line: Int = #line, _ body: (any Error) throws -> Void) {
                let upset = check.expectThrows("\(what) whose block throws", line: line) {
                    try body(Upset(number: 7))
                }
                check.expectEqual(
                    upset as? Upset, Upset(number: 7),
                    "\(what): the error (got \(upset, default: "none"))", line: line)
                let error =
                    check.expectThrows("\(what) whose block throws", line: line) { try body(own) }
                    as? DataStoreError
                check.expectEqual(
                    error?.code, own.code, "\(what): the DataStoreError's code", line: line)
                check.expectEqual(
                    error?.message, own.message, "\(what): the DataStoreError's message", line: line
                )
            }
            expect("read") { error in try store.read { _ in throw error } }
            expect("write") { error in try store.write { _ in throw error } }
            expect("writeSync") { error in try store.writeSync { _ in throw error } }
            expect("writeAsync") { error in
                try store.enqueueAndWait { _ in throw error }.map { throw $0 }
            }
            expect("await write") { error in
                try check.runAsync { try await store.write { _ in throw error } }
            }
            expect("await read") { error in
                try check.runAsync { try await store.read { _ in throw error } }
            }
        }
    ]

    // MARK: Shared code

    /// Runs a write block that throws after the changes of `body`.
    ///
    /// The report of the error is not checked.
    static func failing(
        _ store: any DataStore,
        _ body: (borrowing DataStoreWriter) throws -> Void
    ) throws {
        do {
            try store.write { db in
                try body(db)
                throw Upset(number: 0)
            }
        } catch is Upset {}
    }

    static func tokens(_ items: NamedItems) throws -> [ItemID] {
        try items.store.read { db in try db.performFetch(items.request()).map { $0.uniqueToken } }
    }

    /// Requests of each kind.
    static func requests(_ items: NamedItems) throws -> [DataStoreRequest] {
        [
            items.request(),
            items.request(where: try DataStorePredicate("number == 3")),
            items.request(where: try DataStorePredicate("number > 2")),
            items.request(where: try DataStorePredicate("NOT name == 'a'")),
            items.request(sortedBy: .descending("number")),
            items.request(sortedBy: .ascending("name"), offset: 1, limit: 3),
            items.request(offset: 2, limit: 2),
            items.request(limit: 1),
        ]
    }
}
