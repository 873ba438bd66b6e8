import JustPersist
import JustPersistMemory

/// A wrapper that makes no child stores, as most wrappers do.
final class ChildlessStore: DataStore {
    private let base: InMemoryDataStore
    private let evolvesSchema: Bool

    init(errors: ErrorLog, evolvesSchema: Bool = true) {
        base = InMemoryDataStore { errors.append($0) }
        self.evolvesSchema = evolvesSchema
    }

    var capabilities: DataStoreCapabilities {
        var capabilities = base.capabilities
        capabilities.childStores = .none
        capabilities.evolvesSchema = evolvesSchema
        return capabilities
    }

    var errorHandler: DataStoreErrorHandler? {
        get { base.errorHandler }
        set { base.errorHandler = newValue }
    }

    func open() throws { try base.open() }

    func close() throws { try base.close() }

    func destroy() throws { try base.destroy() }

    func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        try base.performRead(block)
    }

    func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        try base.performWrite(block)
    }

    func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) { base.enqueueWrite(block, completion: completion) }

    func verify() throws -> VerificationReport { try base.verify() }
}
