public import Foundation
@_exported public import JustPersist
@_exported public import JustPersistRecords

/// A data store in LevelDB: a log-structured merge tree, compact on disk and steady under many writes;
/// open to one process at a time.
///
/// ```swift
/// let store = try LevelDBDataStore.open(at: URL(filePath: "/var/lib/app"))
/// ```
///
/// The store is a directory on a local file system.
public typealias LevelDBDataStore = RecordStore<LevelDBEngine>

extension RecordStore where Engine == LevelDBEngine {
    /// A closed store in a directory, which is created when the store is opened.
    public convenience init(
        at url: URL, configuration: LevelDBConfiguration = LevelDBConfiguration(),
        threading: DataStoreThreading = .callingThread, errorHandler: DataStoreErrorHandler? = nil
    ) {
        self.init(
            engine: LevelDBEngine(at: url, configuration: configuration), threading: threading,
            changeLog: configuration.changeLog, errorHandler: errorHandler)
    }

    /// Opens the store in a directory, and creates it if it does not exist.
    public static func open(
        at url: URL, configuration: LevelDBConfiguration = LevelDBConfiguration(),
        threading: DataStoreThreading = .callingThread, errorHandler: DataStoreErrorHandler? = nil
    ) throws -> LevelDBDataStore {
        let store = LevelDBDataStore(
            at: url, configuration: configuration, threading: threading,
            errorHandler: errorHandler)
        try store.open()
        return store
    }

    /// Registers this backend for `DataStores.open("leveldb:/path")`.
    ///
    /// Its URLs take the options of ``LevelDBConfiguration``; the article *Choosing a backend* lists them.
    public static func register() {
        DataStores.register(
            scheme: "leveldb", settings: LevelDBConfiguration(),
            options: LevelDBConfiguration.options
        ) { location, options, configuration throws(DataStoreError) in
            LevelDBDataStore(
                at: try StoreDirectory.url(location, scheme: "leveldb"),
                configuration: configuration.with(options), threading: options.threading,
                errorHandler: options.errorHandler)
        }
    }
}
