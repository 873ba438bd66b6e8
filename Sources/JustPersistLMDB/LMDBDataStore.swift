public import Foundation
@_exported public import JustPersist
@_exported public import JustPersistRecords

/// A data store in LMDB: a memory-mapped B+tree, fastest for reading, open to several processes.
///
/// ```swift
/// let store = try LMDBDataStore.open(at: URL(filePath: "/var/lib/app"))
/// ```
///
/// The store is a directory on a local file system. Its files must be trusted: LMDB maps them into memory and cannot be
/// protected against files that were made to do harm.
public typealias LMDBDataStore = RecordStore<LMDBEngine>

extension RecordStore where Engine == LMDBEngine {
    /// A closed store in a directory, which is created when the store is opened.
    public convenience init(
        at url: URL, configuration: LMDBConfiguration = LMDBConfiguration(),
        threading: DataStoreThreading = .callingThread, errorHandler: DataStoreErrorHandler? = nil
    ) {
        self.init(
            engine: LMDBEngine(at: url, configuration: configuration), threading: threading,
            changeLog: configuration.changeLog, errorHandler: errorHandler)
    }

    /// Opens the store in a directory, and creates it if it does not exist.
    public static func open(
        at url: URL, configuration: LMDBConfiguration = LMDBConfiguration(),
        threading: DataStoreThreading = .callingThread, errorHandler: DataStoreErrorHandler? = nil
    ) throws -> LMDBDataStore {
        let store = LMDBDataStore(
            at: url, configuration: configuration, threading: threading,
            errorHandler: errorHandler)
        try store.open()
        return store
    }

    /// Registers this backend for `DataStores.open("lmdb:/path")`.
    ///
    /// Its URLs take the options of ``LMDBConfiguration``; the article *Choosing a backend* lists them.
    public static func register() {
        DataStores.register(
            scheme: "lmdb", settings: LMDBConfiguration(), options: LMDBConfiguration.options
        ) { location, options, configuration throws(DataStoreError) in
            LMDBDataStore(
                at: try StoreDirectory.url(location, scheme: "lmdb"),
                configuration: configuration.with(options), threading: options.threading,
                errorHandler: options.errorHandler)
        }
    }
}
