package import JustPersist

/// A wrapper of a store that can declare other capabilities, or fail at the end of a write block.
package final class InterposedStore: DataStore {
    package let capabilities: DataStoreCapabilities
    private let store: any DataStore
    private let beforeCommit: @Sendable () throws -> Void

    /// Wraps a store; `beforeCommit` runs at the end of each write block, inside it.
    package init(
        _ store: any DataStore, declaring capabilities: DataStoreCapabilities? = nil,
        beforeCommit: @escaping @Sendable () throws -> Void = {}
    ) {
        self.store = store
        self.capabilities = capabilities ?? store.capabilities
        self.beforeCommit = beforeCommit
    }

    package var errorHandler: DataStoreErrorHandler? {
        get { store.errorHandler }
        set { store.errorHandler = newValue }
    }

    package func open() throws { try store.open() }

    package func close() throws { try store.close() }

    package func destroy() throws { try store.destroy() }

    package func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        try store.performRead(block)
    }

    package func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        try store.performWrite { db in
            try block(db)
            try beforeCommit()
        }
    }

    package func observeChanges(
        _ scope: ChangeScope, since token: ChangeToken?
    ) throws -> any ChangeObservation {
        try store.observeChanges(scope, since: token)
    }

    package func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        store.enqueueWrite(
            { [beforeCommit] db in
                try block(db)
                try beforeCommit()
            }, completion: completion)
    }
}
