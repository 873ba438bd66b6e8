import JustPersist

/// The transaction of a block that has ended: every call fails.
final class EndedTransaction: KeyValueWriter, Sendable {
    static let shared = EndedTransaction()

    private var ended: DataStoreError {
        DataStoreError(.blockEnded, in: "read", "The block has ended. Open a new one.")
    }

    func withValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(DataStoreError) -> Void
    ) throws(DataStoreError) -> Bool { throw ended }

    func scan(
        _ range: KeyRange, reversed: Bool,
        _ body: (_ key: Span<UInt8>, _ value: Span<UInt8>) throws(DataStoreError) -> ScanStep
    ) throws(DataStoreError) { throw ended }

    func put(_ value: Span<UInt8>, forKey key: Span<UInt8>) throws(DataStoreError) { throw ended }

    func delete(_ key: Span<UInt8>) throws(DataStoreError) -> Bool { throw ended }

    func withSavepoint(_ body: (any KeyValueWriter) throws -> Void) throws { throw ended }
}
