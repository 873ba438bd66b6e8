import JustPersist

/// Keeps the errors that are reported.
final class ErrorLog: Sendable {
    private let reported = Locked<[DataStoreError]>([])

    var errors: [DataStoreError] { reported.withLock { $0 } }
    var codes: [DataStoreError.Code] { errors.map(\.code) }

    func report(_ error: DataStoreError) { reported.withLock { $0.append(error) } }

    /// A backing of an item whose errors are kept.
    func backing(
        of itemClass: any DataStoreItem.Type, values: [String: DataStoreValue] = [:],
        isMutable: Bool = true
    ) -> DictionaryBacking {
        DictionaryBacking(
            itemTypeKey: itemClass.itemTypeKey, schema: itemClass.schema, values: values,
            isMutable: isMutable, report: report)
    }
}
