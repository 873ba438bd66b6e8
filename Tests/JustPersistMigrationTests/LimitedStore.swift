import JustPersist

/// A store that says it can do less than the one behind it.
final class LimitedStore: DataStore {
    let capabilities: DataStoreCapabilities
    private let store: any DataStore

    init(_ store: any DataStore, _ capabilities: DataStoreCapabilities) {
        self.store = store
        self.capabilities = capabilities
    }

    var errorHandler: DataStoreErrorHandler? { store.errorHandler }

    func open() throws { try store.open() }

    func close() throws { try store.close() }

    func destroy() throws { try store.destroy() }

    func performRead(
        _ block: (borrowing any DataStoreReadAccessor & ~Copyable) throws -> Void
    ) throws {
        try store.performRead(block)
    }

    func performWrite(
        _ block: (borrowing any DataStoreReadWriteAccessor & ~Copyable) throws -> Void
    ) throws {
        try store.performWrite(block)
    }

    func enqueueWrite(
        _ block:
            @escaping @Sendable (borrowing any DataStoreReadWriteAccessor & ~Copyable) throws ->
            Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        store.enqueueWrite(block, completion: completion)
    }
}
