/// The result of `makeChildDataStore()` if there is no child store: it refuses everything.
final class RefusedChildDataStore: DataStore {
    let capabilities = DataStoreCapabilities(
        nesting: [], valueKinds: [], predicateOperators: [], isReadOnly: true)
    private let handler: SharedErrorHandler

    init(errorHandler: DataStoreErrorHandler?) { handler = SharedErrorHandler(errorHandler) }

    var errorHandler: DataStoreErrorHandler? {
        get { handler.value }
        set { handler.value = newValue }
    }

    private func refusal(_ operation: String) -> DataStoreError {
        .childStoresUnsupported(in: operation)
    }

    func open() throws { throw refusal("open") }

    func close() throws { throw refusal("close") }

    func destroy() throws { throw refusal("destroy") }

    func performRead(_ block: (borrowing DataStoreReader) throws -> Void) throws {
        throw refusal("read")
    }

    func performWrite(_ block: (borrowing DataStoreWriter) throws -> Void) throws {
        throw refusal("write")
    }

    func enqueueWrite(
        _ block: @escaping @Sendable (borrowing DataStoreWriter) throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let refusal = refusal("writeAsync")
        Surroundings.async { completion(refusal) }
    }

    func verify() throws -> VerificationReport { throw refusal("verify") }
}
