import JustPersist

extension LMDBConfiguration {
    /// The options of this backend in the URL of a store.
    static let options: [DataStoreOption<LMDBConfiguration>] = [
        .size(
            "mapSize", \.maximumSize, atLeast: leastMaximumSize,
            "The largest size of the store, for which address space is reserved."),
        .count(
            "readers", \.maximumReaders, in: readerCounts,
            "How many read blocks, in all processes, may run at a time."),
    ]

    /// A configuration with the options of any store.
    func with(_ options: DataStoreOptions) -> LMDBConfiguration {
        var configuration = self
        configuration.durability = options.durability
        configuration.isReadOnly = options.isReadOnly
        configuration.createsIfMissing = options.createsIfMissing
        configuration.changeLog = options.changeLog
        return configuration
    }
}
