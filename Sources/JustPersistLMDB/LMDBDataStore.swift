public import Foundation
@_exported public import JustPersist
@_exported public import JustPersistRecords

/// A data store in LMDB: a memory-mapped B+tree, fastest for reading, open to several processes.
///
/// ```swift
/// let store = try LMDBDataStore.open(at: URL(filePath: "/var/lib/app"))
/// ```
///
/// The store is a directory on a local file system. Its files must be trusted: LMDB maps them into
/// memory and cannot be made safe against files that were made to harm.
public typealias LMDBDataStore = RecordStore<LMDBEngine>

extension RecordStore where Engine == LMDBEngine {
    /// A closed store in a directory, which is made when the store is opened.
    public convenience init(
        at url: URL, configuration: LMDBConfiguration = LMDBConfiguration(),
        threading: DataStoreThreading = .callingThread, errorHandler: DataStoreErrorHandler? = nil
    ) {
        self.init(
            engine: LMDBEngine(at: url, configuration: configuration), threading: threading,
            changeLog: configuration.changeLog, errorHandler: errorHandler)
    }

    /// Opens the store in a directory, and makes it if it is not there.
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

    /// Makes `DataStores.open("lmdb:/path")` know this backend.
    public static func register() {
        DataStores.register(scheme: "lmdb") { location, options throws(DataStoreError) in
            LMDBDataStore(
                at: try StoreDirectory.url(location, scheme: "lmdb"),
                configuration: LMDBConfiguration(
                    durability: options.durability, isReadOnly: options.isReadOnly,
                    createsIfMissing: options.createsIfMissing, changeLog: options.changeLog),
                threading: options.threading, errorHandler: options.errorHandler)
        }
    }
}
