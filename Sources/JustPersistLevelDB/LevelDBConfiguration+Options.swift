import JustPersist

extension LevelDBConfiguration {
    /// The options of this backend in the URL of a store.
    static let options: [DataStoreOption<LevelDBConfiguration>] = [
        .size("cacheSize", \.blockCacheSize, "Memory for uncompressed blocks of the files."),
        .size(
            "writeBufferSize", \.writeBufferSize,
            "How much is changed in memory before it is sorted into a file."),
        .count(
            "openFiles", \.maximumOpenFiles, in: 1...Int(Int32.max),
            "How many files, of about 2 MB each, may be open."),
        .choice("compression", \.compression, "How the blocks of new files are compressed."),
    ]

    /// A configuration with the options of any store.
    func with(_ options: DataStoreOptions) -> LevelDBConfiguration {
        var configuration = self
        configuration.durability = options.durability
        configuration.isReadOnly = options.isReadOnly
        configuration.createsIfMissing = options.createsIfMissing
        configuration.changeLog = options.changeLog
        return configuration
    }
}
