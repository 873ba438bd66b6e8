import JustPersist

/// Records the reported errors.
final class ErrorLog: Sendable {
    private let reported = Locked<[DataStoreError]>([])

    var errors: [DataStoreError] { reported.withLock { $0 } }
    var codes: [DataStoreError.Code] { errors.map(\.code) }

    func report(_ error: DataStoreError) { reported.withLock { $0.append(error) } }

    /// The backing of an item whose errors are recorded.
    func backing(
        of itemClass: any DataStoreItem.Type, values: [String: DataStoreValue] = [:],
        isMutable: Bool = true
    ) -> DictionaryBacking {
        DictionaryBacking(
            itemTypeKey: itemClass.itemTypeKey, schema: itemClass.schema, values: values,
            isMutable: isMutable, report: report)
    }
}
